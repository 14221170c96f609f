"""The enumeration of a choice's moves, and the start of a chosen option."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial

from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.actions import frames
from rulesdsl.engine.lower.actions.shared import Shared, allowed
from rulesdsl.engine.lower.emit import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Builder,
    CallableCode,
    Names,
    Routine,
    as_number,
    both,
    forbid_names,
    negation,
    option_params,
)
from rulesdsl.engine.lower.expressions import facts, loops, sets
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.lower.plan import ChoicePlan, OptionPlan
from rulesdsl.engine.lower.tables.encoding import is_set, none_of, set_item, without_none
from rulesdsl.engine.runtime import heap, hooks, machine, placements, tables
from rulesdsl.engine.runtime import likeness as core_likeness
from rulesdsl.language.model import checked, ir, types

_NESTED = 50
"""The number of an option's conditions that are nested in each other."""

_Condition = tuple[Callable[[], ir.Expr], checked.Forbid | None]
"""A function that emits whether an option is open, and the veto that closes it otherwise, if it is
one."""

_PIECES = frozenset(types.NamedType(name) for name in types.PIECE_CLASSES) | {types.PIECE}


def moves_function(shared: Shared, choice: str) -> str:
    """Return the name of the function that enumerates the moves of a choice."""
    return shared.lowering.name("moves_of", choice)


def columns(shared: Shared, option: checked.OptionDef) -> Names:
    """Return the numbers that a row has for the arguments of an option: several for a set."""
    found = list[tuple[str, types.Type]]()
    for name, type_ in option_params(option):
        item = set_item(type_)
        if item is None:
            found.append((name, type_))
        else:
            found += [(name, types.OptionalType(item))] * _most_members(shared, item)
    return tuple(found)


def _most_members(shared: Shared, item: types.Type) -> int:
    encoding, most = shared.lowering.encoding, heap.MEMBERS
    if facts.is_piece(item):
        pieces = (shared.lowering.game.kinds[piece.kind].cls for piece in encoding.game.pieces)
        most = sum(item in (types.PIECE, types.NamedType(cls)) for cls in pieces)
    elif item == types.PLAYER:
        most = encoding.players
    elif isinstance(item, types.EnumType):
        most = encoding.enums[item.name]
    return max(1, min(most, heap.MEMBERS))


def width_of(shared: Shared, choice: checked.ChoiceDef) -> int:
    """Return the length of a choice's rows in `moves`: the option, then the arguments."""
    return 1 + max((len(columns(shared, option)) for option in choice.options), default=0)


def choice_plan(shared: Shared, choice: checked.ChoiceDef) -> ChoicePlan:
    """Return the layout of a choice's moves."""
    options = tuple(
        OptionPlan(
            option.key,
            option.name,
            columns(shared, option),
            frozenset(name for name, type_ in option_params(option) if is_set(type_)),
            frozenset(name for binder in option.binders if binder.secret for name in binder.names),
        )
        for option in choice.options
    )
    slots = shared.fixed(CallableCode("choice", choice.key)).arguments
    return ChoicePlan(choice.key, slots, options)


class Moves:
    """The function that fills `moves` for a choice whose frame is given."""

    def __init__(self, shared: Shared, choice: checked.ChoiceDef) -> None:
        self.shared = shared
        self.choice = choice
        self.routine: Routine = shared.routine(CallableCode("choice", choice.key))
        self.builder = Builder(frames.FRAME.name)
        self.frame = frames.Frame(self.builder, self.routine)
        self.expressions = ExpressionLowering(shared.lowering, self.builder, self.frame)
        self.width = width_of(shared, choice)

    def function(self) -> ir.Function:
        """Return the whole function."""
        pairs = zip(self.routine.params, self.frame.fixed.arguments, strict=True)
        self.frame.scope = {name: slot for (name, _), slot in pairs}
        binder = self._listable()
        if binder is None:
            self._rows()
        else:
            self._count_or_list(binder)
        name = moves_function(self.shared, self.choice.key)
        doc = f"Enumerate the moves of `{self.choice.key}`."
        return self.builder.function(
            name, doc, ((frames.FRAME.name, "int"),), span=self.choice.span
        )

    def _listable(self) -> checked.Binder | None:
        """Return the binder of the only option, if its moves can be listed as a set on the heap.

        Each member must be a move, or it must be decidable beforehand whether all are. A
        marked program examines each member, since it records what rules say of it.
        """
        lowering = self.shared.lowering
        if len(self.choice.options) > 1 or lowering.marks is not None or lowering.tracing:
            return None
        option = self.choice.options[0]
        if len(option.binders) != 1 or option.guard or option.forbids or option.precondition:
            return None
        binder = option.binders[0]
        param_types = [type_ for _, type_ in option_params(option)]
        if len(binder.names) > 1 or any(
            likeness(type_) or type_ == types.BOOL or is_set(type_) for type_ in param_types
        ):
            return None
        x = self.expressions
        if sets.one_by_one(x, binder) or loops.is_open(x, binder):
            return binder if sets.on_heap(x, binder.domain) else None
        return None

    def _count_or_list(self, binder: checked.Binder) -> None:
        is_open = loops.is_open(self.expressions, binder)
        if sets.one_by_one(self.expressions, binder):
            self._count_placements(binder, is_open)
        if is_open:
            self._list(binder)
        else:
            self._rows()

    def _count_placements(self, binder: checked.Binder, is_open: bool) -> None:
        """Emit the counting of moves that are all placements, where they need not be listed.

        `listed_move` finds the one that is played.
        """
        x, builder, span = self.expressions, self.builder, binder.span
        with builder.block() as counting:
            refused = FALSE if is_open else loops.may_refuse(x, binder)
            if refused is None:
                return
            grid, piece = sets.laid(x, binder)
            with builder.block() as all_:
                count = builder.let(
                    "count", runtime.call(placements.count_placements, grid, piece), span
                )
                builder.emit(runtime.store(tables.move_count, ZERO, count, span))
                builder.emit(ir.Return())
            is_quick = runtime.call(placements.is_quick, grid, piece)
            builder.emit(ir.If(both(negation(refused), is_quick), tuple(all_), (), span))
        self.shared.listed.add(self.choice.key)
        wanted = ir.Compare("==", runtime.load(tables.counting, ZERO), ONE)
        builder.emit(ir.If(wanted, tuple(counting), (), span))

    def _list(self, binder: checked.Binder) -> None:
        """Use the set as the list of moves, instead of rows."""
        x, builder, span = self.expressions, self.builder, binder.span
        self.shared.listed.add(self.choice.key)
        with x.clean():
            over = sets.of_binder(x, binder)
            assert over.whole is not None, "it is on the heap"
            some = (runtime.store(tables.listed, ZERO, over.whole, span),)
            builder.emit(ir.If(ir.Compare(">", over.size, ZERO), some, (), span))
            builder.emit(runtime.store(tables.move_count, ZERO, over.size, span))

    def _rows(self) -> None:
        self.row = self.builder.let("row", ZERO)
        self.shared.lowering.trace(self.builder, "moves", self.choice)
        self.builder.emit(runtime.store(tables.move_width, ZERO, ir.Const(self.width)))
        for number, option in enumerate(self.choice.options):
            self._option(number, option)
        self.builder.emit(runtime.store(tables.move_count, ZERO, self._count()))

    def _count(self) -> ir.Expr:
        return self.row if self.width == 1 else ir.Binary("//", self.row, ir.Const(self.width))

    def _option(self, number: int, option: checked.OptionDef) -> None:
        self.shared.lowering.trace(self.builder, "option", option, number=number)
        kinds = 0
        if any(likeness(type_) for _, type_ in option_params(option)):
            for place, (_, type_) in enumerate(columns(self.shared, option)):
                kinds |= likeness(type_) << 2 * place
        first = self.builder.let("first", self._count(), option.span) if kinds else ZERO
        self.expressions.offering = partial(self._lowest_first, option)
        loops.nest(self.expressions, option.binders, lambda: self._consider(number, option))
        if kinds:
            own = ir.Binary("-", self._count(), first)
            left = runtime.call(
                core_likeness.fuse, first, ir.Const(self.width), own, ir.Const(kinds)
            )
            rows = ir.Binary("+", first, left)
            size = ir.Binary("*", rows, ir.Const(self.width))
            self.builder.emit(ir.Assign(self.row.name, size, option.span))

    def _lowest_first(self, option: checked.OptionDef, pieces: ir.Expr) -> ir.Expr:
        """Emit what tells the pieces apart of which an option offers subsets."""
        self.builder.do(core_likeness.mark_named, FALSE)
        for name, type_ in option_params(option):
            if is_set(type_):
                break
            if likeness(type_) == core_likeness.PIECE:
                self.builder.do(core_likeness.name_piece, self._argument(name, type_))
        return runtime.call(core_likeness.lowest_first, pieces)

    def _consider(self, number: int, option: checked.OptionDef) -> None:
        """Offer the option with the current bindings, unless a guard, veto or precondition fails.

        Each condition is evaluated only if those before it hold.
        """
        conditions: list[_Condition] = [(lambda: self.expressions.condition(option.guard), None)]
        conditions += [(partial(self._allowed, option, veto), veto) for veto in option.forbids]
        if option.precondition is not None:
            conditions.append((partial(self._prepared, option.precondition), None))
        while len(conditions) > _NESTED:
            first, conditions = conditions[:_NESTED], conditions[_NESTED:]
            offered = self.builder.let("offered", FALSE, option.span, "bool")
            passed = ir.Assign(offered.name, TRUE, option.span)
            self._where(first, option, partial(self.builder.emit, passed))
            conditions.insert(0, (partial(ir.Local, offered.name), None))
        self._where(conditions, option, lambda: self._row(number, option))

    def _where(
        self, conditions: Sequence[_Condition], option: checked.OptionDef, do: Callable[[], None]
    ) -> None:
        """Emit the statements that `do` emits, to be run where all conditions hold."""
        builder = self.builder
        opened = list[tuple[ir.Expr, list[ir.Stmt], checked.Forbid | None]]()
        for condition, veto in conditions:
            found = condition()
            opened.append((found, builder.open(), veto))
        do()
        for found, block, veto in reversed(opened):
            builder.close()
            with builder.block() as refused:
                if veto is not None:
                    self.shared.lowering.mark(builder, veto.span)
            builder.emit(ir.If(found, tuple(block), tuple(refused), option.span))

    def _argument(self, name: str, type_: types.Type) -> ir.Expr:
        """Return an argument of the option, or of its choice, as an expression of the rules."""
        return self.expressions.local(checked.Local(self.choice.span, type_, name))

    def _allowed(self, option: checked.OptionDef, forbid: checked.Forbid) -> ir.Expr:
        """Return the condition that a veto does not hold."""
        if forbid.guard is None:
            return FALSE
        names = forbid_names(self.choice, option, forbid)
        own = (*self.routine.params, *option_params(option))
        with ExitStack() as stack:
            for (name, type_), (original, _) in zip(names, own, strict=False):
                if name != original:
                    value = as_number(self._argument(original, type_), type_)
                    stack.enter_context(self.expressions.bind(name, value))
            return negation(self.expressions.condition(forbid.guard))

    def _prepared(self, call: checked.ActionCall) -> ir.Expr:
        """Return the condition that the preconditions hold of the action that starts the option."""
        action = self.shared.lowering.checked.actions[call.action]
        given = tuple(
            self.expressions.fitted(argument, param.type)
            for argument, param in zip(call.arguments, action.params, strict=True)
        )
        return allowed(self.shared, self.builder, action, given)

    def _row(self, number: int, option: checked.OptionDef) -> None:
        builder = self.builder
        self.shared.lowering.trace(builder, "row", option)
        builder.emit(runtime.store(tables.moves, self.row, ir.Const(number), option.span))
        param_types = [type_ for _, type_ in option_params(option)]
        after_last = 1
        for name, type_ in option_params(option):
            where = ir.Binary("+", self.row, ir.Const(after_last))
            value = as_number(self._argument(name, type_), type_)
            item = set_item(type_)
            if item is None:
                builder.emit(runtime.store(tables.moves, where, value, option.span))
                after_last += 1
            else:
                room, none = _room_and_none(self.shared, item)
                builder.do(core_likeness.put_members, where, value, room, none, span=option.span)
                after_last += room.value
        if any(map(likeness, param_types)):
            # Whole rows are compared, to fuse equivalent moves.
            for place in range(after_last, self.width):
                where = ir.Binary("+", self.row, ir.Const(place))
                builder.emit(runtime.store(tables.moves, where, ZERO, option.span))
        after = ir.Binary("+", self.row, ir.Const(self.width))
        builder.emit(ir.Assign(self.row.name, after, option.span))


def _room_and_none(shared: Shared, item: types.Type) -> tuple[ir.Const, ir.Const]:
    return ir.Const(_most_members(shared, item)), ir.Const(none_of(types.OptionalType(item)))


def begin_option(shared: Shared) -> ir.Function:
    """Return the function that runs the option of a row of moves, above the choice that asks."""
    builder = Builder("row")
    row = ir.Local("row")
    frame = builder.let(frames.FRAME.name, runtime.load(tables.top, ZERO))
    asked = builder.let("choice", runtime.load(tables.asked, ZERO))
    for key, number in shared.choices.items():
        with builder.block() as mine:
            choice = shared.lowering.checked.choices[key]
            if key in shared.listed:
                given = builder.let("member", runtime.call(machine.listed_move, row), choice.span)
                _begin(shared, builder, choice, 0, frame, [given])
            else:
                _begin_any(shared, builder, choice, frame, row)
        builder.emit(ir.If(ir.Compare("==", asked, ir.Const(number)), tuple(mine)))
    doc = "Run the option in a row of the moves, on top of the choice that asks."
    return builder.function(hooks.begin_option.__name__, doc, (("row", "int"),))


def _begin_any(
    shared: Shared, builder: Builder, choice: checked.ChoiceDef, frame: ir.Expr, row: ir.Expr
) -> None:
    at = builder.let("at", ir.Binary("*", row, runtime.load(tables.move_width, ZERO)))
    option = builder.let("option", runtime.load(tables.moves, at))
    for number, definition in enumerate(choice.options):
        with builder.block() as mine:
            given, place = list[ir.Expr](), 1
            for _, type_ in option_params(definition):
                where = ir.Binary("+", at, ir.Const(place))
                item = set_item(type_)
                if item is None:
                    given.append(runtime.load(tables.moves, where))
                    place += 1
                else:
                    room, none = _room_and_none(shared, item)
                    given.append(runtime.call(core_likeness.members_of, where, room, none))
                    place += room.value
            _begin(shared, builder, choice, number, frame, given)
        chosen = ir.Compare("==", option, ir.Const(number))
        builder.emit(ir.If(chosen, tuple(mine), (), definition.span))


def _begin(
    shared: Shared,
    builder: Builder,
    choice: checked.ChoiceDef,
    number: int,
    frame: ir.Expr,
    own: Sequence[ir.Expr],
) -> None:
    """Push an option above its choice, with its own arguments, and run it."""
    code, span = CallableCode("option", choice.key, number), choice.options[number].span
    fixed = shared.fixed(CallableCode("choice", choice.key))
    given: list[tuple[ir.Expr, types.Type]] = []
    for slot in fixed.arguments:
        held = frames.at_slot(slot, frame)
        if is_set(slot.type):
            given.append((frames.load_set(held, slot.type), slot.type))
        else:
            given.append((runtime.load(tables.stack, held), types.INT))
    for each, (_, type_) in zip(own, option_params(choice.options[number]), strict=True):
        given.append((each, type_ if is_set(type_) else types.INT))
    for slot in fixed.behind:
        given.append((runtime.load(tables.stack, frames.at_slot(slot, frame)), types.INT))
    point = ir.Const(shared.entry(code))
    above = frames.push_frame(builder, point, frame, given, span)
    builder.emit(
        runtime.store(tables.stack, frames.at_slot(shared.fixed(code).ask, above), frame, span)
    )
    builder.do(shared.function(frames.RoutineEntry(code)), above, point, span=span)
    builder.emit(ir.Return())


def list_moves(shared: Shared) -> ir.Function:
    """Return the function that enumerates the moves of the pending choice."""
    builder = Builder()
    for key, number in shared.choices.items():
        asked = ir.Compare("==", runtime.load(tables.asked, ZERO), ir.Const(number))
        listed = ir.Do(ir.Call(moves_function(shared, key), (frames.FRAME,)))
        builder.emit(ir.If(asked, (listed, ir.Return())))
    doc = "Enumerate the moves of the pending choice, whose frame is given."
    return builder.function(hooks.list_moves.__name__, doc, ((frames.FRAME.name, "int"),))


def likeness(type_: types.Type) -> int:
    """Return the kind of an argument for `fuse`.

    It is 1 for a piece, 2 for a segment or feature, 0 for anything else.
    """
    item = without_none(type_)
    return 1 if item in _PIECES else 2 if item in (types.SEGMENT, types.FEATURE) else 0
