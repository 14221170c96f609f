"""Shared data of all callables: whether each can be suspended, and the code around its body.

Actions that may ask, roll or end the game can be suspended. All others run to their end at once and
become plain functions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower import emit, runtime
from rulesdsl.engine.lower.actions.frames import (
    Fixed,
    PointTable,
    RoutineEntry,
    fixed_slots,
    push_frame,
)
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.emit import ONE, ZERO, Builder, as_number, negation
from rulesdsl.engine.lower.expressions import readings
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.lower.tables.encoding import is_set
from rulesdsl.engine.lower.terms import behind
from rulesdsl.engine.runtime import faults, hooks, notes, tables
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import ir
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.flow import contains, identity_reads, telling_parameters
from rulesdsl.language.model.types import (
    BOOL,
    FEATURE,
    INT,
    PIECE,
    PIECE_CLASSES,
    SEGMENT,
    UNIT,
    OptionalType,
    SetType,
    Type,
)

# --- suspension ----------------------------------------------------------------------------------

CHANCE = ("take", "roll")
"""Effects with several outcomes, by the number they have in `asked`."""

STOPPING = frozenset({*CHANCE, "end_game"})


class Suspension:
    """The actions that can be suspended, as `actions`.

    `settles` says whether anything can follow a step at all, `settle` whether that can be
    suspended; `recursive` says whether actions can recurse.
    """

    def __init__(self, checked: Checked, paused: Collection[str] = ()) -> None:
        """Find them; `paused` actions can be suspended whatever they do."""
        self.checked = checked
        self.actions: set[str] = set()
        self.settle = False
        routines = {key: emit.action_routine(checked, key) for key in checked.actions}
        always = [emit.always_routine(rule, number) for number, rule in enumerate(checked.always)]
        later = {
            node.call.action
            for routine in _all_routines(checked)
            for node in tree.walk(routine)
            if isinstance(node, tree.Later)
        }
        self.settles = bool(later or always)
        self.later = tuple(sorted(later))
        self.recursive = any(action.depth is not None for action in checked.actions.values())
        self._find(routines, always, later, paused)

    def _find(
        self,
        routines: Mapping[str, emit.Routine],
        always: Iterable[emit.Routine],
        later: set[str],
        paused: Collection[str],
    ) -> None:
        """Find the actions that can be suspended: those that ask, then all their callers."""
        callers: dict[str, list[str]] = {}
        for key, routine in routines.items():
            for called in _called(routine):
                callers.setdefault(called, []).append(key)
        waiting = [
            key for key, routine in routines.items() if key in paused or self.routine(routine)
        ]
        while True:
            while waiting:
                key = waiting.pop()
                if key not in self.actions:
                    self.actions.add(key)
                    waiting += callers.get(key, ())
            settle = not later.isdisjoint(self.actions) or any(map(self.routine, always))
            if settle == self.settle:
                return
            self.settle = settle
            waiting = [key for key in routines if self.checked.actions[key].step]

    def routine(self, routine: emit.Routine) -> bool:
        """Return whether any part of a routine can be suspended or needs jumps.

        It needs them for `around` hooks, and for a `return` after which something has to run.
        """
        body, action = routine.body, self.checked.actions.get(routine.code.key)
        steps = action is not None and (action.depth is not None or (action.step and self.settles))
        last = body is not None and not routine.afters and not steps
        jumping = (part for part in routine.parts if not (part is body and last))
        return (
            bool(routine.arounds)
            or any(contains(part.block, tree.Return) for part in jumping)
            or any(self.statement(node) for part in routine.parts for node in part.block)
        )

    def statement(self, statement: tree.Stmt) -> bool:
        """Return whether a statement, or one inside it, can be suspended."""
        return any(
            isinstance(node, tree.Perform) and self.call(node) for node in tree.walk(statement)
        )

    def call(self, node: tree.Perform) -> bool:
        """Return whether the call itself can be suspended."""
        match node.call:
            case tree.ChoiceCall():
                return True
            case tree.EffectCall(effect=effect):
                return effect in STOPPING
            case tree.ActionCall(action=action):
                return action in self.actions
        return False

    def in_blocks(self, statement: tree.Stmt) -> bool:
        """Return whether a statement must be split into blocks.

        It must if it can be suspended inside, or leaves a block.
        """
        if isinstance(statement, tree.Return | tree.Leave | tree.Break):
            return True
        if isinstance(statement, tree.If):
            return any(map(self.in_blocks, (*statement.then, *statement.otherwise)))
        leaving = (tree.ProceedCall, tree.Return, tree.Leave)
        return self.statement(statement) or contains(statement, *leaving)


def _called(routine: emit.Routine) -> set[str]:
    calls = (
        n.call for p in routine.parts for n in tree.walk(p.block) if isinstance(n, tree.Perform)
    )
    return {call.action for call in calls if isinstance(call, tree.ActionCall)}


def _all_routines(checked: Checked) -> tuple[object, ...]:
    return (
        tuple(checked.actions.values()),
        tuple(checked.choices.values()),
        tuple(checked.always),
    )


# --- all callables -------------------------------------------------------------------------------


class IdentityReads:
    """The reads of a checked game that can tell interchangeable pieces apart."""

    def __init__(self, game: Checked) -> None:
        self._game = game
        self._telling = telling_parameters(game)
        self._names: dict[int, frozenset[str]] = {}
        self._places: dict[emit.CallableCode, frozenset[int]] = {}

    def names(self, block: tree.Block) -> frozenset[str]:
        """Return the names of the locals that a block of the game reads."""
        found = self._names.get(id(block))
        if found is None:
            found = self._names[id(block)] = self._reads(block)
        return found

    def arguments(self, routine: emit.Routine) -> frozenset[int]:
        """Return the places of the arguments that a routine or one of its hooks reads."""
        code = routine.code
        if code not in self._places:
            parts = [(part.params, self._reads((part.guard, part.block))) for part in routine.parts]
            places = set(self._game.actions[code.key].said) if code.kind == "action" else set[int]()
            if code.kind == "choice":
                choice = self._game.choices[code.key]
                own = tuple(name for name, _ in routine.params)
                parts.append((own, self._reads((choice.by, choice.options))))
            for params, names in parts:
                places.update(place for place, name in enumerate(params) if name in names)
            self._places[code] = frozenset(places)
        return self._places[code]

    def _reads(self, nodes: object) -> frozenset[str]:
        return frozenset(identity_reads(nodes, self._telling))


@dataclass
class Shared:
    """The state shared by the lowering of all callables.

    `choices` numbers the choices, `queued` the actions that can be queued. `settling` are the
    routines that settle, by the type of the step's result that waits meanwhile; `sizes` are the
    frame sizes of routines; `stores` says whether any frame can hold a set or list; `listed`
    are the choices whose moves are a set on the heap (see the table `listed`).
    """

    lowering: Lowering
    suspension: Suspension
    points: PointTable
    choices: dict[str, int] = field(default_factory=dict)
    queued: dict[str, int] = field(default_factory=dict)
    settling: dict[emit.CallableCode, emit.Routine] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    stores: bool = False
    listed: set[str] = field(default_factory=set)

    @cached_property
    def identity(self) -> IdentityReads:
        """The reads of the rules that can tell interchangeable pieces apart."""
        return IdentityReads(self.lowering.checked)

    def routine(self, code: emit.CallableCode) -> emit.Routine:
        """Return the callable with that code."""
        recorded = self.lowering.quantities.recorded(code.key)
        return replace(self._routine(code), recorded=recorded)

    def _routine(self, code: emit.CallableCode) -> emit.Routine:
        checked = self.lowering.checked
        match code.kind:
            case "action":
                return emit.action_routine(checked, code.key)
            case "choice":
                return emit.choice_routine(checked, code.key)
            case "option":
                return emit.option_routine(checked.choices[code.key], code.number)
            case "always":
                return emit.always_routine(checked.always[code.number], code.number)
            case "settle":
                return self.settling[code]
        raise AssertionError(f"no callable {code}")

    def fixed(self, code: emit.CallableCode) -> Fixed:
        """Return the slots that every frame of a callable has."""
        return fixed_slots(self.routine(code))

    def entry(self, code: emit.CallableCode) -> int:
        """Return the point at which a callable begins."""
        return self.points.entry[RoutineEntry(code)]

    def function(self, entry: RoutineEntry) -> str:
        """Return the name of the function of a routine."""
        code = entry.code
        key = code.key or f"{code.number + 1}"
        if code.kind == "option":
            key = self.lowering.checked.choices[code.key].options[code.number].key
        return self.lowering.name(
            f"run_{code.kind}", f"{key}.{entry.inner}" if entry.inner else key
        )

    def direct(self, action: str) -> str:
        """Return the name of the function of an action that cannot be suspended."""
        return self.lowering.name("do", action)

    def depth(self, action: str) -> str:
        """Return the table that counts the active calls of a recursive action."""
        return self.lowering.name("depth", action)


def call_arguments(
    shared: Shared,
    expressions: ExpressionLowering,
    code: emit.CallableCode,
    given: tuple[tree.Expr, ...],
    *,
    later: bool = False,
) -> list[tuple[ir.Expr, Type]]:
    """Return what a call passes, which may wait until the end of the step: also what is behind."""
    routine = shared.routine(code)
    types = [type_ for _, type_ in routine.params]
    values, more = readings.arguments(expressions, given, types, routine.recorded)
    if routine.recorded is not None:
        step = code.kind == "action" and shared.lowering.checked.actions[code.key].step
        more += readings.subjects(expressions, step=step, later=later)
    return [*zip(values, types, strict=True), *((number, INT) for number in more)]


def queued_layout(shared: Shared, action: str) -> emit.Names:
    """Return the numbers of a queued call; those behind the arguments have no name."""
    routine = shared.routine(emit.CallableCode("action", action))
    own = routine.params
    return (*own, *(("", INT) for _ in behind(routine, [name for name, _ in own])))


def begin_call(shared: Shared, builder: Builder, action: tree.ActionDef) -> None:
    """Emit the start of a call of an action: count a step if anything can follow it."""
    if action.step and shared.suspension.settles:
        more = ir.Binary("+", runtime.load(tables.steps, ZERO), ONE)
        builder.emit(runtime.store(tables.steps, ZERO, more))
    builder.emit(ir.Spend(ONE, action.span))


def check_call(
    shared: Shared, builder: Builder, action: tree.ActionDef, given: tuple[ir.Expr, ...]
) -> None:
    """Emit the checks of a call: its preconditions and its depth of recursion.

    Faults: PRECONDITION, RECURSION.
    """
    span = action.span
    if action.requires:
        holds = allowed(shared, builder, action, given)
        builder.trap_if(negation(holds), faults.PRECONDITION, span)
    if action.depth is not None:
        table = shared.depth(action.key)
        now = ir.Load(table, ZERO)
        deep = ir.Compare(">=", now, ir.Const(action.depth))
        builder.trap_if(deep, faults.RECURSION, span)
        builder.emit(ir.Store(table, ZERO, ir.Binary("+", now, ONE), span))


def say(expressions: ExpressionLowering, action: tree.ActionDef) -> None:
    """Emit the notes of the line of an action, if it has one and notes are taken."""
    if not action.said:
        return
    builder = expressions.builder
    line = expressions.lowering.checked.spoken.index(action.key)
    with builder.block() as noted, expressions.clean():
        builder.do(notes.note_line, ir.Const(line), span=action.span)
        for place in action.said:
            param = action.params[place]
            value = expressions.environment.read(param.name, param.type)
            sort = ir.Const(_sort(param.type))
            if is_set(param.type):
                builder.do(notes.note_values, value, sort, span=action.span)
            else:
                number = as_number(value, param.type)
                builder.do(notes.note_value, number, sort, span=action.span)
    taken = ir.Compare("==", runtime.load(tables.noting, ZERO), ONE)
    builder.emit(ir.If(taken, tuple(noted), (), action.span))


def _sort(type_: Type) -> int:
    """Return what `note_value` takes for the values of a type."""
    while isinstance(type_, OptionalType | SetType):
        type_ = type_.item
    if type_ in (SEGMENT, FEATURE):
        return notes.SEGMENT_VALUE
    return notes.PIECE_VALUE if type_ == PIECE or str(type_) in PIECE_CLASSES else notes.PLAIN_VALUE


def allowed(
    shared: Shared, builder: Builder, action: tree.ActionDef, given: Iterable[ir.Expr]
) -> ir.Expr:
    """Return a call of the value that says whether the preconditions of an action hold."""
    numbers = zip(given, action.params, strict=True)
    call = ir.Call(
        shared.lowering.values[action.key],
        tuple(as_number(value, param.type) for value, param in numbers),
    )
    tracing = shared.lowering.tracing
    if tracing is None:
        return call
    node = tree.CallValue(action.span, BOOL, action.key, ())
    shared.lowering.trace(builder, "begin", node)
    return tracing.value(builder, node, call)


def trace_enter(
    shared: Shared,
    builder: Builder,
    code: emit.CallableCode,
    given: Iterable[tuple[str, Type, ir.Expr]],
    inner: bool = False,
) -> None:
    """Emit that a callable begins with these arguments, in a traced program."""
    if shared.lowering.tracing is None:
        return
    shared.lowering.trace(builder, "enter", code, number=int(inner))
    for name, type_, value in given:
        number = as_number(value, type_)
        shared.lowering.trace(builder, "argument", code, number, type_=type_, name=name)


def uncount_depth(shared: Shared, builder: Builder, action: tree.ActionDef) -> None:
    """Emit the end of a call of an action that can recurse: count one active call less."""
    if action.depth is not None:
        table = shared.depth(action.key)
        builder.emit(ir.Store(table, ZERO, ir.Binary("-", ir.Load(table, ZERO), ONE)))


def end_step(shared: Shared, builder: Builder, action: tree.ActionDef) -> None:
    """Emit the end of a step: the outermost one settles.

    If settling can be suspended, the frame of the step is gone and its result is in `result`.
    """
    if not action.step or not shared.suspension.settles:
        return
    less = ir.Binary("-", runtime.load(tables.steps, ZERO), ONE)
    builder.emit(runtime.store(tables.steps, ZERO, less))
    with builder.block() as outermost:
        if shared.suspension.settle:
            _push_settling(shared, builder, action)
        else:
            kept = builder.let("kept", runtime.load(tables.result, ZERO))
            builder.do(hooks.settle_rest, span=action.span)
            builder.emit(runtime.store(tables.result, ZERO, kept))
    none = ir.Compare("==", runtime.load(tables.steps, ZERO), ZERO)
    builder.emit(ir.If(none, tuple(outermost), (), action.span))


def _push_settling(shared: Shared, builder: Builder, action: tree.ActionDef) -> None:
    point = ir.Const(shared.entry(settle_code(action.type)))
    arguments: list[tuple[ir.Expr, Type]] = []
    if action.type != UNIT:
        kind = action.type if is_set(action.type) else INT
        arguments.append((runtime.load(tables.result, ZERO), kind))
    push_frame(builder, point, runtime.load(tables.top, ZERO), arguments, action.span)


def settle_code(given: Type) -> emit.CallableCode:
    """Return the routine that settles after steps with a result of that type."""
    return emit.CallableCode("settle", "" if given == UNIT else str(given))
