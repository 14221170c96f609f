"""The values of expressions over the plain world, computed as the language describes them.

Nothing is optimised, and nothing is shared with the lowering and the runtime: lowered programs are
compared with this. Loops of rules that only change locals and states run too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from itertools import combinations
from operator import ge, gt, le, lt
from typing import Any, assert_never

from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.words.box import Absent
from rulesdsl.engine.runtime import faults
from rulesdsl.engine.runtime.heap import MEMBERS
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked, types
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.game import IndexedDef
from rulesdsl.language.model.names import owner_of
from rulesdsl.language.model.types import INT_MAX, INT_MIN, IntType, OptionalType, SetType, Type
from rulesdsl.language.model.values import (
    EnumMember,
    Feature,
    Grid,
    Kind,
    Piece,
    Player,
    Segment,
    Space,
    Value,
    Zone,
    as_set,
    order_key,
)
from tests.oracle import board
from tests.oracle.builtins import attribute, call, pieces_in
from tests.oracle.world import World

StateKey = tuple[str, Value, tuple[Value, ...]]
"""The name of a state, its owner (None for the game) and its index."""


@dataclass(slots=True)
class Evaluation:
    """An evaluation of a value, with the guards and results so far, by index of the rule."""

    definition: checked.ValueDef
    arguments: tuple[Value, ...]
    applies: dict[int, bool] = field(default_factory=dict)
    results: dict[int, Value] = field(default_factory=dict)


@dataclass(slots=True)
class Scope:
    """The locals of one running callable.

    `evaluation` and `rule` identify the rule of a value, if it is one. `result` is the value that a
    pure block has returned.
    """

    locals: dict[str, Value] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    rule: int = 0
    result: Value = None


def bounded(value: int, span: Span) -> int:
    """Return the value if it fits 32 bits, else raise PlayError."""
    if INT_MIN <= value <= INT_MAX:
        return value
    raise PlayError("the number does not fit in 32 bits", span)


def misfit(kind: Type, value: Value) -> tuple[Type, Value] | None:
    """Return the part of a value that is outside the range of its type, with the type of that part.

    It is None if the value fits.
    """
    match kind, value:
        case OptionalType(item), _ if value is not None:
            return misfit(item, value)
        case SetType(item), tuple():
            return next((found for member in value if (found := misfit(item, member))), None)
        case IntType(low, high), int() if low <= value <= high:
            return None
        case IntType(), _:
            return kind, value
    return None


def number(value: Value, span: Span) -> int:
    """Return the value if it is an integer and not none, else raise PlayError."""
    if isinstance(value, int):
        return value
    raise PlayError("none is not a number", span)


def set_members(value: Value, span: Span) -> tuple[Value, ...]:
    """Return the value if it is a set and not none, else raise PlayError."""
    if isinstance(value, tuple):
        return value
    raise PlayError("none is not a set", span)


class Context:
    """The game at one moment, as expressions see it.

    `states` holds the values that differ from `initial`. `fuel` is the number of steps left, and
    `depth` the number of nested evaluations of values.
    """

    def __init__(
        self, game: Checked, world: World, initial: Mapping[str, Value] | None = None
    ) -> None:
        self.checked = game
        self.world = world
        self.states: dict[StateKey, Value] = {}
        self.attributes = {row.key: row for row in game.game.attributes}
        self.fuel = faults.STEPS
        self.depth = 0
        self.initial = dict(initial or {})
        if initial is None:
            for key, state in game.states.items():
                self.initial[key] = self.evaluate(state.initial, Scope())

    def evaluate(self, expression: checked.Expr, scope: Scope) -> Value:
        """Return the value of an expression; raises PlayError."""
        return _EVALUATE[type(expression)](self, expression, scope)

    def holds(self, condition: checked.Expr | None, scope: Scope) -> bool:
        """Return whether a condition is true or absent."""
        return condition is None or self.evaluate(condition, scope) is True

    def integer(self, expression: checked.Expr, scope: Scope) -> int:
        """Return the value of an integer expression."""
        return number(self.evaluate(expression, scope), expression.span)

    def told(self, span: Span, answer: Callable[..., Any], *given: Any) -> Any:
        """Return what a function of the plain world gives; what cannot be raises PlayError."""
        try:
            return answer(self.world, *given)
        except Absent as absent:
            raise PlayError(absent.message, span) from absent

    def spend(self, span: Span) -> None:
        """Use up one step; raises PlayError when none is left."""
        self.fuel -= 1
        if self.fuel < 0:
            raise PlayError("this does not seem to end", span, "no-steps-left")

    def _not(self, node: checked.Not, scope: Scope) -> bool:
        return self.evaluate(node.operand, scope) is False

    def _negate(self, node: checked.Negate, scope: Scope) -> int:
        return bounded(-self.integer(node.operand, scope), node.span)

    def _if_else(self, node: checked.IfElse, scope: Scope) -> Value:
        chosen = self.holds(node.condition, scope)
        return self.evaluate(node.then if chosen else node.otherwise, scope)

    def _enum_set(self, node: checked.EnumSet, scope: Scope) -> Value:
        members = self.world.box.enums[node.enum]
        return tuple(EnumMember(node.enum, i) for i in range(len(members)))

    def _set_literal(self, node: checked.SetLiteral, scope: Scope) -> Value:
        return as_set([self.evaluate(item, scope) for item in node.items])

    # --- reading -----------------------------------------------------------------------------

    def _local(self, node: checked.Local, scope: Scope) -> Value:
        return scope.locals[node.name]

    def _state(self, node: checked.ReadState, scope: Scope) -> Value:
        key = self.state_key(node.state, node.owner, node.index, scope, node.span)
        return self.stored(key)

    def state_key(
        self,
        state: str,
        owner: checked.Expr | None,
        index: tuple[checked.Expr, ...],
        scope: Scope,
        span: Span,
    ) -> StateKey:
        """Return the key of the datum for a state with its owner and index.

        Raises PlayError for an owner that is none, and for an owner or index that is a colour
        nobody plays.
        """
        holder: Value = None
        if owner is not None:
            holder = self.evaluate(owner, scope)
            if holder is None:
                raise PlayError(f"none has no `{state}`", span)
        places = tuple([self.evaluate(part, scope) for part in index])
        for player in (holder, *places):
            if isinstance(player, Player) and player.seat not in self.world.box.seats:
                absent = self.world.box.player_text(player.seat)
                raise PlayError(f"{absent} does not play in this game", span)
        return state, holder, places

    def stored(self, key: StateKey) -> Value:
        """Return the datum with this key."""
        return self.states[key] if key in self.states else self.initial[key[0]]

    def _attribute(self, node: checked.ReadAttribute | checked.AttributeAt, scope: Scope) -> Value:
        owner, key = self.evaluate(node.object, scope), node.attribute
        if isinstance(node, checked.AttributeAt):
            member = self.evaluate(node.index, scope)
            assert isinstance(member, EnumMember)
            key = f"{key}.{self.world.box.enums[member.enum][member.index]}"
        found: Value = self.told(node.span, attribute, self.attributes[key], owner)
        return found

    def _entry(self, node: checked.EntryAt, scope: Scope) -> Value:
        game = self.checked.game
        indices = [self.evaluate(each, scope) for each in node.index]
        index = indices[0] if indices else None
        match node.what:
            case "table":
                table = game.tables[node.number]
                entry = number(index, node.span)
                if not table.low <= entry < table.low + len(table.values):
                    raise PlayError(f"`{table.name}` has no entry {entry}", node.span)
                return table.values[entry - table.low]
            case "track":
                track = game.tracks[node.number]
                space = number(index, node.span)
                if not 0 <= space < track.length:
                    raise PlayError(f"`{track.name}` has no space {space}", node.span)
                return Space(node.number, space)
            case "zone":
                return Zone(node.number, self._instance(game.zones[node.number], indices, node))
            case "grid":
                return Grid(node.number, self._instance(game.grids[node.number], indices, node))
            case _:
                raise AssertionError(f"no entries of {node.what}")

    def _instance(self, place: IndexedDef, indices: Sequence[Value], node: checked.EntryAt) -> int:
        numbers = [0, 0]
        for at, index in enumerate(indices):
            match index:
                case Player():
                    numbers[at] = index.seat
                case EnumMember():
                    numbers[at] = index.index
                case _:
                    raise PlayError(f"none is not an index of `{place.name}`", node.span)
        return numbers[0] * place.inner + numbers[1]

    # --- calling -----------------------------------------------------------------------------

    def _value(self, node: checked.CallValue, scope: Scope) -> Value:
        arguments = tuple([self.evaluate(each, scope) for each in node.arguments])
        return value_of(self, node.value, arguments, node.span)

    def _builtin(self, node: checked.CallBuiltin, scope: Scope) -> Value:
        given = tuple([self.evaluate(each, scope) for each in node.arguments])
        if None in given:
            raise PlayError(f"`{node.function}` of none", node.span)
        found: Value = self.told(node.span, call, node.function, given, node.type)
        return found

    # --- operators ---------------------------------------------------------------------------

    def _binary(self, node: checked.Binary, scope: Scope) -> Value:
        match node.operator:
            case "or":
                return self.holds(node.left, scope) or self.holds(node.right, scope)
            case "and":
                return self.holds(node.left, scope) and self.holds(node.right, scope)
            case "union" | "difference":
                left = members(self, self.evaluate(node.left, scope), node.left.span)
                right = members(self, self.evaluate(node.right, scope), node.right.span)
                if node.operator == "union":
                    return as_set(left + right)
                others = frozenset(right)
                return tuple([item for item in left if item not in others])
        return self._arithmetic(node, scope)

    def _arithmetic(self, node: checked.Binary, scope: Scope) -> int:
        left, right = self.integer(node.left, scope), self.integer(node.right, scope)
        match node.operator:
            case "+":
                return bounded(left + right, node.span)
            case "-":
                return bounded(left - right, node.span)
            case "*":
                return bounded(left * right, node.span)
        if right == 0:
            raise PlayError("a division by zero", node.span)
        match node.operator:
            case "div":
                return bounded(left // right, node.span)
            case "mod":
                return left % right
            case _:
                raise AssertionError(f"no operator {node.operator}")

    def _ranged(self, node: checked.Ranged, scope: Scope) -> Value:
        value = self.evaluate(node.operand, scope)
        if value is None and not isinstance(node.type, types.OptionalType):
            raise PlayError(f"`{node.operand.span.text}` is none", node.span)
        found = misfit(node.type, value)
        if found is not None:
            wanted, part = found
            raise PlayError(f"{part} does not fit {wanted}", node.span)
        return value

    def _compare(self, node: checked.Compare, scope: Scope) -> bool:
        left, right = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        if node.operator in ("==", "!="):
            left = current(self, left, node.left.span)
            right = current(self, right, node.right.span)
            return (left == right) is (node.operator == "==")
        if left is None or right is None:
            raise PlayError("none cannot be compared by size", node.span)
        return _ORDER[node.operator](order_key(left), order_key(right))

    def _member(self, node: checked.Member, scope: Scope) -> bool:
        item = current(self, self.evaluate(node.item, scope), node.item.span)
        if isinstance(node.set, checked.RangeSet):
            low, high = self._bounds(node.set, scope)
            return low <= number(item, node.item.span) <= high
        return item in members(self, self.evaluate(node.set, scope), node.set.span)

    def _range(self, node: checked.RangeSet, scope: Scope) -> Value:
        low, high = self._bounds(node, scope)
        if high - low >= faults.NUMBERS:
            raise PlayError(f"a range of more than {faults.NUMBERS} numbers", node.span)
        return tuple(range(low, high + 1))

    def _bounds(self, node: checked.RangeSet, scope: Scope) -> tuple[int, int]:
        low, high = self.evaluate(node.low, scope), self.evaluate(node.high, scope)
        return number(low, node.low.span), number(high, node.high.span)

    def _subsets(self, node: checked.SubsetRange, scope: Scope) -> Value:
        whole = members(self, self.evaluate(node.set, scope), node.set.span)
        low, high = 0, len(whole)
        if node.low is not None and node.high is not None:
            low = number(self.evaluate(node.low, scope), node.low.span)
            high = number(self.evaluate(node.high, scope), node.high.span)
        return tuple(_subsets(whole, low, high, node.span))

    def _is_kind(self, node: checked.IsKind, scope: Scope) -> bool:
        thing = self.evaluate(node.object, scope)
        match thing, node.test:
            case None, "none":
                return True
            case Piece(), "class":
                return self.world.box.cls(thing) == node.name
            case Piece(), "kind":
                return self.world.box.kind(thing).key == node.name
            case Kind(), "class":
                return self.checked.game.kinds[thing.index].cls == node.name
            case Kind(), "kind":
                return self.checked.game.kinds[thing.index].key == node.name
            case Segment(), "feature":
                return self._feature_kind(thing, node.span) == node.name
            case Feature(), "feature":
                now = current(self, thing, node.span)
                assert isinstance(now, Feature)
                return self._feature_kind(now.segment, node.span) == node.name
        return False

    def _feature_kind(self, segment: Segment, span: Span) -> str:
        kind: str = self.told(span, board.kind, segment)
        return kind


# --- values --------------------------------------------------------------------------------------


def value_of(context: Context, key: str, arguments: tuple[Value, ...], span: Span) -> Value:
    """Return the result of value `key` for the arguments."""
    definition = context.checked.values[key]
    context.spend(span)
    if context.depth >= faults.VALUES:
        raise PlayError(f"values call each other more than {faults.VALUES} deep", span)
    context.depth += 1
    evaluation = Evaluation(definition, arguments)
    if definition.policy == "unique":
        result = _fallback(context, evaluation, tuple(range(len(definition.rules))), span)
    else:
        result = _combined(context, evaluation, span)
    context.depth -= 1
    return result


def previous(context: Context, node: checked.Previous, scope: Scope) -> Value:
    """Return the result of the next lower rule that applies.

    With a ruleset, only its rules and those that they beat count.
    """
    evaluation = scope.evaluation
    assert evaluation is not None, "check keeps `previous` to refinements"
    return _fallback(context, evaluation, below(node, evaluation, scope.rule), node.span)


def below(node: checked.Previous, evaluation: Evaluation, rule: int) -> tuple[int, ...]:
    """Return the rules that `previous` in a rule falls back on, in order."""
    rules = evaluation.definition.rules
    beaten = rules[rule].beats
    if node.ruleset is None:
        return beaten
    own = {index for index in beaten if owner_of(rules[index].ruleset) == node.ruleset}
    reached = own.union(*(rules[index].beats for index in own))
    return tuple(index for index in beaten if index in reached)


# --- unique ------------------------------------------------------------------------------------


def _fallback(
    context: Context, evaluation: Evaluation, rules: tuple[int, ...], span: Span
) -> Value:
    """Return the result of the first of the rules that applies."""
    for index in rules:
        if applies(context, evaluation, index):
            return result_of(context, evaluation, index)
    raise PlayError(f"no rule gives `{evaluation.definition.key}`", span)


def _scope(evaluation: Evaluation, index: int) -> Scope:
    rule = evaluation.definition.rules[index]
    known = dict(zip(rule.params, evaluation.arguments, strict=True))
    return Scope(known, evaluation, index)


def applies(context: Context, evaluation: Evaluation, index: int) -> bool:
    """Return whether the guard of a rule holds."""
    if index not in evaluation.applies:
        guard = evaluation.definition.rules[index].guard
        evaluation.applies[index] = guard is None or context.holds(guard, _scope(evaluation, index))
    return evaluation.applies[index]


def result_of(context: Context, evaluation: Evaluation, index: int) -> Value:
    """Return the result of a rule, evaluated once."""
    if index not in evaluation.results:
        scope = _scope(evaluation, index)
        evaluation.results[index] = body_result(context, evaluation.definition.rules[index], scope)
    return evaluation.results[index]


# --- policies that combine ---------------------------------------------------------------------


def _add(total: Value, more: Value, span: Span) -> Value:
    return bounded(number(total, span) + number(more, span), span)


def _max(total: Value, more: Value, span: Span) -> Value:
    return max(number(total, span), number(more, span))


def _min(total: Value, more: Value, span: Span) -> Value:
    return min(number(total, span), number(more, span))


def _union(total: Value, more: Value, span: Span) -> Value:
    return as_set(set_members(total, span) + set_members(more, span))


POLICIES: dict[str, tuple[Value, Callable[[Value, Value, Span], Value]]] = {
    "sum": (0, _add),
    "max": (INT_MIN, _max),
    "min": (INT_MAX, _min),
    "all": (True, lambda total, more, span: total is True and more is True),
    "any": (False, lambda total, more, span: total is True or more is True),
    "union": ((), _union),
}
"""The neutral element of each policy, and the function that adds a contribution."""

_DECIDED: dict[str, Value] = {"all": False, "any": True}
"""The result that no later contribution changes, so that they are not evaluated."""


def _combined(context: Context, evaluation: Evaluation, span: Span) -> Value:
    definition = evaluation.definition
    total, combine = POLICIES[definition.policy]
    for index, rule in enumerate(definition.rules):
        if not applies(context, evaluation, index):
            continue
        more = body_result(context, rule, _scope(evaluation, index))
        total = combine(total, more, span)
        if definition.policy in _DECIDED and total is _DECIDED[definition.policy]:
            break
    if misfit(definition.type, total):
        raise PlayError(f"`{definition.key}` gives {definition.type} and cannot be {total}", span)
    return total


# --- blocks ---------------------------------------------------------------------------------


class BlockEnd(Enum):
    """The way in which a block ends."""

    ON = "on"
    BREAK = "break"
    RETURN = "return"


def body_result(context: Context, rule: checked.Rule, scope: Scope) -> Value:
    """Return the result of the body of a rule."""
    if run_block(context, rule.body, scope) is not BlockEnd.RETURN:
        raise PlayError("this rule ends without a result", rule.span)
    return scope.result


def run_block(context: Context, block: checked.Block, scope: Scope) -> BlockEnd:
    """Run a block that changes only locals and states."""
    for statement in block:
        flow = _run(context, statement, scope)
        if flow is not BlockEnd.ON:
            return flow
    return BlockEnd.ON


def _run(context: Context, statement: checked.Stmt, scope: Scope) -> BlockEnd:
    match statement:
        case checked.Let() | checked.SetLocal():
            set_local(context, statement, scope)
            return BlockEnd.ON
        case checked.Return():
            if statement.value is not None:
                scope.result = context.evaluate(statement.value, scope)
            return BlockEnd.RETURN
        case checked.If():
            chosen = context.holds(statement.condition, scope)
            return run_block(context, statement.then if chosen else statement.otherwise, scope)
        case checked.For():
            return _for(context, statement, scope)
        case checked.While():
            while context.holds(statement.condition, scope):
                context.spend(statement.span)
                flow = run_block(context, statement.body, scope)
                if flow is not BlockEnd.ON:
                    return BlockEnd.ON if flow is BlockEnd.BREAK else flow
            return BlockEnd.ON
        case checked.Break():
            return BlockEnd.BREAK
        case checked.SetState():
            _set_state(context, statement, scope)
            return BlockEnd.ON
        case checked.Perform() | checked.Later() | checked.Leave():
            raise AssertionError("effects and actions do not run here")
        case _:
            assert_never(statement)


def _for(context: Context, loop: checked.For, scope: Scope) -> BlockEnd:
    for item in rounds(context, loop, scope):
        context.spend(loop.span)
        scope.locals.update(zip(loop.binder.names, item, strict=True))
        flow = run_block(context, loop.body, scope)
        if flow is not BlockEnd.ON:
            return BlockEnd.ON if flow is BlockEnd.BREAK else flow
    return BlockEnd.ON


def set_local(context: Context, statement: checked.Let | checked.SetLocal, scope: Scope) -> None:
    """Assign a value to a local."""
    value = context.evaluate(statement.value, scope)
    if isinstance(statement, checked.SetLocal):
        old = scope.locals.get(statement.name)
        value = changed(old, statement.operator, value, statement.span)
    scope.locals[statement.name] = value


def _set_state(context: Context, statement: checked.SetState, scope: Scope) -> None:
    key = context.state_key(
        statement.state, statement.owner, statement.index, scope, statement.span
    )
    value = context.evaluate(statement.value, scope)
    value = changed(context.stored(key), statement.operator, value, statement.span)
    if misfit(context.checked.states[statement.state].type, value):
        raise PlayError(f"`{statement.state}` cannot become {value}", statement.span)
    context.states[key] = value


def changed(old: Value, operator: str, value: Value, span: Span) -> Value:
    """Return the value that an assignment with `=`, `+=` or `-=` stores."""
    if operator == "=":
        return value
    if isinstance(old, tuple) and isinstance(value, tuple):
        if operator == "+=":
            return as_set(old + value)
        return tuple(item for item in old if item not in value)
    amount = number(value, span)
    return bounded(number(old, span) + (amount if operator == "+=" else -amount), span)


# --- binders -------------------------------------------------------------------------------------

Items = tuple[tuple[Value, ...], ...]
"""The values of the names of a binder, for each round."""


def members(
    context: Context, value: Value, span: Span, *, blind: bool = False
) -> tuple[Value, ...]:
    """Return the members of a set, or the pieces of a zone, in canonical order.

    With `blind`, the zone may be one that nobody sees.
    """
    if isinstance(value, Zone):
        if blind:
            return as_set(context.told(span, World.members, value))
        return tuple(sorted(context.told(span, pieces_in, value)))
    found = set_members(value, span)
    if found and isinstance(found[0], Feature):
        return as_set(current(context, item, span) for item in found)
    return found


def current(context: Context, value: Value, span: Span) -> Value:
    """Return a value for comparison: features are replaced by the current ones."""
    match value:
        case Feature():
            now: Feature = context.told(span, board.feature_of, value.segment)
            return now
        case tuple():
            return as_set(current(context, item, span) for item in value)
        case _:
            return value


def items(context: Context, binder: checked.Binder, scope: Scope) -> Iterator[tuple[Value, ...]]:
    """Return the unfiltered items of a binder: single values, or unordered pairs."""
    over = context.evaluate(binder.domain, scope)
    domain = members(context, over, binder.domain.span, blind=binder.blind)
    return combinations(domain, len(binder.names))


def each(
    context: Context,
    binders: tuple[checked.Binder, ...],
    scope: Scope,
    found: Callable[[], bool],
) -> bool:
    """Call `found` for every binding of nested binders, in canonical order, until it returns True.

    The names are bound in the scope. Returns whether a call returned True.
    """
    if not binders:
        return found()
    binder, inner = binders[0], binders[1:]
    known, stopped = scope.locals, False
    only = binder.names[0] if len(binder.names) == 1 else None
    for item in items(context, binder, scope):
        context.spend(binder.span)
        if only is not None:
            known[only] = item[0]
        else:
            known.update(zip(binder.names, item, strict=True))
        if context.holds(binder.where, scope):
            stopped = each(context, inner, scope, found)
            if stopped:
                break
    for name in binder.names:
        known.pop(name, None)
    return stopped


def rounds(context: Context, loop: checked.For, scope: Scope) -> Items:
    """Return the items of a loop, computed before its first round.

    Segments and features are in the order of their cells. With `start`, they are in turn order from
    that player, and those without an owner come last.
    """
    kept: list[tuple[Value, ...]] = []

    def keep() -> bool:
        kept.append(tuple(scope.locals[name] for name in loop.binder.names))
        return False

    each(context, (loop.binder,), scope, keep)
    if len(loop.binder.names) == 1 and kept and isinstance(kept[0][0], Segment | Feature):
        return tuple(sorted(kept, key=lambda item: board.in_place(context.world, item[0])))
    if loop.start is None:
        return tuple(kept)
    start = context.evaluate(loop.start, scope)
    if not isinstance(start, Player):
        raise PlayError("there is no player to begin with", loop.start.span)
    players = context.world.box.players

    def turn(item: tuple[Value, ...]) -> int:
        seat = _seat(context, item[0], loop.span)
        return players if seat is None else (seat - start.seat) % players

    return tuple(sorted(kept, key=turn))


def _seat(context: Context, value: Value, span: Span) -> int | None:
    """Return the seat of a player, or of the owner of a piece."""
    match value:
        case Player(seat):
            return seat
        case Piece(index):
            return context.checked.game.pieces[index].seat
        case _:
            raise PlayError(
                "only a loop over players or components with an owner can begin at a player", span
            )


def comprehension(context: Context, node: checked.Comprehension, scope: Scope) -> Value:
    """Return the set of the values of a comprehension."""
    found: list[Value] = []

    def keep() -> bool:
        found.append(context.evaluate(node.value, scope))
        return False

    each(context, node.binders, scope, keep)
    return as_set(found)


def reach(context: Context, node: checked.Reach, scope: Scope) -> Value:
    """Return everything that is reached from the start by repeating the step."""
    todo = list(members(context, context.evaluate(node.start, scope), node.start.span))
    found = set(todo)
    while todo:
        context.spend(node.span)
        scope.locals[node.name] = todo.pop()
        step = members(context, context.evaluate(node.step, scope), node.step.span)
        new = [item for item in step if item not in found]
        todo.extend(new)
        found.update(new)
    scope.locals.pop(node.name, None)
    return as_set(found)


# --- aggregates ----------------------------------------------------------------------------------


def aggregate(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    """Return the value of an aggregate over the bindings of its binders."""
    match node.function:
        case "count":
            return _count(context, node, scope)
        case "sum":
            return _sum(context, node, scope)
        case "max" | "min":
            return _extreme(context, node, scope)
        case "any":
            return each(context, node.binders, scope, lambda: context.holds(node.value, scope))
        case "all":
            return not each(
                context, node.binders, scope, lambda: not context.holds(node.value, scope)
            )
        case "first":
            found = _found(context, node, scope, most=1)
            return found[0] if found else None
        case "the":
            found = _found(context, node, scope, most=2)
            if len(found) != 1:
                amount = "more than one" if found else "none"
                raise PlayError(
                    f"`the` needs exactly one element, but there is {amount}", node.span
                )
            return found[0]
        case "most" if node.value is not None:
            return _commonest(context, node, scope)
        case "most":
            return _most(context, node, scope)
        case "top":
            return _top(context, node, scope)
        case "alike":
            return max(_groups(context, node, scope).values(), default=0)
        case _:
            raise AssertionError(f"no aggregate {node.function}")


def _term(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    if node.value is None:
        return scope.locals[node.binders[0].names[0]]
    return context.evaluate(node.value, scope)


def _count(context: Context, node: checked.Aggregate, scope: Scope) -> int:
    binder = node.binders[0]
    total = 0

    def found() -> bool:
        nonlocal total
        total += 1
        return False

    plain = len(node.binders) == 1 and len(binder.names) == 1 and binder.where is None
    if plain and binder.domain.type == types.ZONE:
        # The pieces of a zone may be counted even if they are hidden.
        total = _size(context, context.evaluate(binder.domain, scope), binder.domain.span)
    else:
        each(context, node.binders, scope, found)
    return total


def _size(context: Context, zone: Value, span: Span) -> int:
    if not isinstance(zone, Zone):
        raise PlayError("none is not a zone", span)
    return len(context.told(span, World.members, zone))


def _sum(context: Context, node: checked.Aggregate, scope: Scope) -> int:
    total = 0

    def found() -> bool:
        nonlocal total
        term = number(_term(context, node, scope), node.span)
        total = bounded(total + term, node.span)
        return False

    each(context, node.binders, scope, found)
    return total


def _extreme(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    best: int | None = None

    def found() -> bool:
        nonlocal best
        term = number(_term(context, node, scope), node.span)
        if best is None or (term > best if node.function == "max" else term < best):
            best = term
        return False

    each(context, node.binders, scope, found)
    if best is not None:
        return best
    if node.default is None:
        raise PlayError(f"`{node.function}` of an empty set", node.span)
    return context.evaluate(node.default, scope)


def _found(context: Context, node: checked.Aggregate, scope: Scope, most: int) -> list[Value]:
    found: list[Value] = []

    def keep() -> bool:
        found.append(_term(context, node, scope))
        return len(found) == most

    each(context, node.binders, scope, keep)
    return found


def _most(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    best: list[int] = []
    found: list[Value] = []

    def compare() -> bool:
        keys = [context.integer(key, scope) for key in node.keys]
        if not found or keys > best:
            best[:], found[:] = keys, []
        if keys == best:
            found.append(_term(context, node, scope))
        return False

    each(context, node.binders, scope, compare)
    return as_set(found)


def _top(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    """Return the elements with the largest keys; of equal ones, the first in canonical order."""
    assert node.amount is not None
    amount = context.integer(node.amount, scope)
    found: list[tuple[list[int], Value]] = []

    def keep() -> bool:
        keys = [-context.integer(key, scope) for key in node.keys]
        found.append((keys, _term(context, node, scope)))
        return False

    each(context, node.binders, scope, keep)
    found.sort(key=lambda row: row[0])
    return as_set(value for _, value in found[: max(0, amount)])


def _groups(context: Context, node: checked.Aggregate, scope: Scope) -> Counter[Value]:
    """Return how many elements have each value of a term."""
    assert node.value is not None
    term, found = node.value, Counter[Value]()

    def note() -> bool:
        found[current(context, context.evaluate(term, scope), term.span)] += 1
        return False

    each(context, node.binders, scope, note)
    return found


def _commonest(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    found = _groups(context, node, scope)
    most = max(found.values(), default=0)
    return as_set(value for value, times in found.items() if times == most)


def _subsets(
    whole: tuple[Value, ...], low: int, high: int, span: Span
) -> Iterator[tuple[Value, ...]]:
    """Yield the subsets that have from `low` to `high` members, in lexicographic order."""
    tried = 0

    def further(chosen: tuple[Value, ...], start: int) -> Iterator[tuple[Value, ...]]:
        nonlocal tried
        if low <= len(chosen) <= high:
            yield chosen
        for at in range(start, len(whole) if len(chosen) < high else 0):
            if len(chosen) + len(whole) - at >= low:
                tried += 1
                if tried > faults.SUBSETS or len(chosen) == MEMBERS:
                    raise PlayError(faults.MESSAGES[faults.MANY_SUBSETS], span)
                yield from further((*chosen, whole[at]), at + 1)

    return further((), 0)


_ORDER: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


_EVALUATE: dict[type[checked.Expr], Callable[[Context, Any, Scope], Value]] = {
    checked.Local: Context._local,
    checked.Const: lambda context, node, scope: node.value,
    checked.CallBuiltin: Context._builtin,
    checked.ReadState: Context._state,
    checked.ReadAttribute: Context._attribute,
    checked.AttributeAt: Context._attribute,
    checked.Compare: Context._compare,
    checked.Binary: Context._binary,
    checked.CallValue: Context._value,
    checked.IsKind: Context._is_kind,
    checked.Aggregate: aggregate,
    checked.Not: Context._not,
    checked.IfElse: Context._if_else,
    checked.Member: Context._member,
    checked.EntryAt: Context._entry,
    checked.Ranged: Context._ranged,
    checked.Negate: Context._negate,
    checked.RangeSet: Context._range,
    checked.SubsetRange: Context._subsets,
    checked.EnumSet: Context._enum_set,
    checked.SetLiteral: Context._set_literal,
    checked.Comprehension: comprehension,
    checked.Reach: reach,
    checked.Previous: previous,
}
"""The function that evaluates each kind of expression."""
