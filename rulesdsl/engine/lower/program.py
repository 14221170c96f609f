"""The compilation of a checked game for a number of players to a program."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from inspect import getsource
from itertools import pairwise
from pkgutil import iter_modules
from types import FunctionType

import rulesdsl.engine.runtime
from rulesdsl.base.cache import Cache, entry_name
from rulesdsl.engine.ir.passes import narrow, optimise
from rulesdsl.engine.ir.subset import read_functions
from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.actions import moves
from rulesdsl.engine.lower.actions.direct import Direct
from rulesdsl.engine.lower.actions.frames import (
    AT,
    FRAME,
    Point,
    PointTable,
    RoutineEntry,
    fixed_slots,
    push_frame,
)
from rulesdsl.engine.lower.actions.routines import STACK_END, LoweredRoutine
from rulesdsl.engine.lower.actions.settling import Settling
from rulesdsl.engine.lower.actions.shared import Shared, Suspension, queued_layout, settle_code
from rulesdsl.engine.lower.bodies.state_functions import lower_states
from rulesdsl.engine.lower.bodies.values import lower_gathered, lower_values
from rulesdsl.engine.lower.context import Lowering, names_absent
from rulesdsl.engine.lower.emit import (
    MINUS,
    ONE,
    ZERO,
    Builder,
    CallableCode,
    Routine,
    always_routine,
)
from rulesdsl.engine.lower.plan import ENTRIES, Plan, PointPlan, QueuedPlan, RoutinePlan, Slot
from rulesdsl.engine.lower.tables.box import make_box
from rulesdsl.engine.lower.tables.encoding import is_set, set_item, without_none
from rulesdsl.engine.lower.tracing import TracePoints
from rulesdsl.engine.runtime import faults, hooks
from rulesdsl.engine.runtime import tables as core_tables
from rulesdsl.engine.runtime.declare import DeclaredTable, make_tables
from rulesdsl.language.model import ir, types
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.tables import RAN
from rulesdsl.language.model.types import UNIT, EnumType, IntType, Type

STORE = 1 << 14
MAX_STACK = 1 << 16


NAMING = ("", "name_piece", "name_segment")
"""The function that names a piece, or a segment or feature, by its `likeness`."""


def lower(
    checked: Checked,
    players: int,
    optimised: bool = True,
    *,
    entries: Sequence[str] = ENTRIES,
    marked: bool = False,
) -> Plan:
    """Return the program that plays a game with that many players, and its plan.

    It has what these `entries` need; its state tables are the same for all entries. One that is
    not `optimised` evaluates every expression as the rules say it, in their order; an `optimised`
    one plays the same games. A `marked` program records which rules, hooks and vetoes run.
    """
    plan = lower_rules(checked, players, optimised, marked=marked)
    program = plan.program
    functions = {**core_functions(), **program.functions}
    program = narrow(ir.Program(program.tables, functions, ENTRIES), entries)
    if optimised:
        # What belongs to a player who does not play has an index beyond all tables.
        program = optimise(program, () if names_absent(checked, players) else _declared())
    return replace(plan, program=program)


def lower_rules(
    checked: Checked,
    players: int,
    optimised: bool = False,
    *,
    marked: bool = False,
    paused: Collection[str] = (),
    tracing: TracePoints | None = None,
) -> Plan:
    """Return a plan whose program has the functions of the rules alone, and all tables.

    The game can also be stopped right before `paused` actions. With `tracing`, which gets its
    points, the program is a traced one. Other arguments are as for `lower`.
    """
    if tracing is not None:
        tables = (checked.values, checked.actions, checked.choices)
        tracing.know((*(tuple(table.values()) for table in tables), checked.always))
    lowering = Lowering(
        checked, players, taken_names(), optimised=optimised, marked=marked, tracing=tracing
    )
    suspension = Suspension(checked, paused)
    shared = _shared(lowering, suspension)
    lower_states(lowering)
    lower_values(lowering)
    for function in _functions(shared):
        lowering.add_function(function)
    lower_gathered(lowering)
    queued = tuple(QueuedPlan(key, queued_layout(shared, key)) for key in shared.queued)
    return Plan(
        checked,
        players,
        lowering.encoding,
        ir.Program(_tables(shared), lowering.functions, ()),
        lowering.states,
        tuple(_routine_plan(shared, entry) for entry in shared.points.entry),
        tuple(map(_point_plan, shared.points.of_routine, shared.points.points)),
        tuple(moves.choice_plan(shared, checked.choices[key]) for key in shared.choices),
        queued,
        tuple(lowering.marks or ()),
        tuple(lowering.quantities.names),
        lowering.names,
    )


def _routine_plan(shared: Shared, entry: RoutineEntry) -> RoutinePlan:
    fixed = fixed_slots(shared.routine(entry.code))
    code, routine = entry.code, shared.routine(entry.code)
    flag = fixed.flag if routine.arounds or code.kind == "choice" else None
    name = shared.function(entry)
    return RoutinePlan(code.kind, code.key, code.number, entry.inner, fixed.arguments, flag, name)


def _point_plan(routine: int, point: Point | None) -> PointPlan:
    if point is None:
        return PointPlan(routine)
    called = point.called
    where = None if called is None else (called.source.name, called.start, called.end)
    return PointPlan(routine, point.slots, point.rounds, point.again, where)


def _tables(shared: Shared) -> dict[str, ir.Table]:
    lowering = shared.lowering
    box = make_box(lowering.checked, lowering.players, lowering.encoding, **frame_room(shared))
    names = (
        *("live_first", "live_slot", "live_what", "live_telling"),
        *("ask_first", "ask_slot", "ask_what", "option_first", "option_given"),
    )
    rows = (*live_rows(shared), *ask_rows(shared), *option_rows(shared))
    values = {**box.values, **dict(zip(names, rows, strict=True))}
    if lowering.marks is not None:
        doc = "1 for each place of the rules that has run."
        lowering.add_table(ir.Table(RAN, "scratch", len(lowering.marks), 0, 1, (), doc))
    lowering.const_table(STACK_END, (box.dims["stack"] - max(shared.sizes.values(), default=0),))
    routines = tuple(shared.points.of_routine)
    lowering.const_table("routine_of", routines, "The routine that continues at each point.")
    return make_tables(_declared(), box.dims, values) | lowering.tables


def _shared(lowering: Lowering, suspension: Suspension) -> Shared:
    checked = lowering.checked
    entries = [CallableCode("action", key) for key in checked.actions if key in suspension.actions]
    for key, choice in checked.choices.items():
        entries.append(CallableCode("choice", key))
        entries += [CallableCode("option", key, number) for number in range(len(choice.options))]
    if suspension.settle:
        for number, rule in enumerate(checked.always):
            if suspension.routine(always_routine(rule, number)):
                entries.append(CallableCode("always", "", number))
    shared = Shared(lowering, suspension, PointTable(()))
    if suspension.settle:
        given = [UNIT, *(a.type for a in checked.actions.values() if a.step)]
        for kind in dict.fromkeys(given):
            code = settle_code(kind)
            params = () if kind == UNIT else (("result", kind),)
            shared.settling[code] = Routine(code, params, UNIT, checked.game.roles.span)
            entries.append(code)
    all_entries = []
    for code in entries:
        arounds = len(shared.routine(code).arounds)
        all_entries += [RoutineEntry(code, inner) for inner in range(arounds + 1)]
    shared.points = PointTable(all_entries)
    shared.choices = {key: number for number, key in enumerate(checked.choices)}
    shared.queued = {key: number for number, key in enumerate(suspension.later)}
    return shared


# --- functions -----------------------------------------------------------------------------------


def _functions(shared: Shared) -> Iterator[ir.Function]:
    """Yield the functions of all callables, one by one: they may be too many."""
    lowering, checked = shared.lowering, shared.lowering.checked
    for entry in shared.points.entry:
        if entry.code.kind != "settle":
            yield LoweredRoutine(shared, entry).function()
    for key, action in checked.actions.items():
        if key not in shared.suspension.actions:
            code = CallableCode("action", key)
            yield Direct(shared, code, shared.direct(key)).function()
        if action.depth is not None:
            name, high = shared.depth(key), action.depth
            lowering.add_table(
                ir.Table(name, "state", 1, 0, high, (), f"The number of running calls of `{key}`.")
            )
    for choice in checked.choices.values():
        yield moves.Moves(shared, choice).function()
    yield from Settling(shared).functions()
    yield from (
        moves.begin_option(shared),
        moves.list_moves(shared),
        _step(shared),
        _mark_queue(shared),
    )
    yield _begin(shared, hooks.begin_game.__name__, checked.play)
    yield _begin(shared, hooks.begin_finish.__name__, checked.finish)
    yield from (_forget_depths(shared), _finishing(shared), _prepare_states())
    yield from _scores(lowering)


def _step(shared: Shared) -> ir.Function:
    """Return the function that continues the routine at the point of the innermost frame."""
    names = [shared.function(entry) for entry in shared.points.entry]
    here = ir.Local("routine")
    found = ir.Load("routine_of", ir.Local(AT))

    def tree(low: int, high: int) -> ir.Block:
        if high - low == 1:
            return (ir.Do(ir.Call(names[low], (FRAME, ir.Local(AT)))),)
        middle = (low + high) // 2
        below = ir.Compare("<", here, ir.Const(middle))
        return (ir.If(below, tree(low, middle), tree(middle, high)),)

    body = (ir.Assign("routine", found), *(tree(0, len(names)) if names else ()))
    doc = "Continue the routine of a frame at that point."
    params: tuple[tuple[str, ir.Kind], ...] = ((FRAME.name, "int"), (AT, "int"))
    return ir.Function(hooks.step.__name__, params, None, body, (("routine", "int"),), doc)


def _begin(shared: Shared, name: str, action: str) -> ir.Function:
    """Return the function that runs an action without arguments, with nothing around it."""
    builder = Builder()
    if action in shared.suspension.actions:
        point = ir.Const(shared.entry(CallableCode("action", action)))
        push_frame(builder, point, MINUS, [], None)
    else:
        builder.do(shared.direct(action))
    return builder.function(name, f"Begins `{action}`.")


def _forget_depths(shared: Shared) -> ir.Function:
    actions = shared.lowering.checked.actions.values()
    tables = [shared.depth(action.key) for action in actions if action.depth is not None]
    body = tuple(ir.Store(table, ZERO, ZERO) for table in tables)
    return ir.Function(
        hooks.forget_depths.__name__, (), None, body, (), "No recursive action runs any more."
    )


def _finishing(shared: Shared) -> ir.Function:
    """Return the function that says whether the finish action is running."""
    code = CallableCode("action", shared.lowering.checked.finish)
    numbers = [number for entry, number in shared.points.entry.items() if entry.code == code]
    frame, at = FRAME, ir.Local(AT)
    looked: list[ir.Stmt] = [
        ir.Assign(AT, ir.Load("routine_of", runtime.load(core_tables.stack, frame)))
    ]
    for number in numbers:
        same = ir.Compare("==", at, ir.Const(number))
        looked.append(ir.If(same, (ir.Return(ir.Truth(True)),)))
    below = runtime.load(core_tables.stack, ir.Binary("+", frame, ir.Const(1)))
    looked.append(ir.Assign(FRAME.name, below))
    body = (
        ir.Assign(FRAME.name, runtime.load(core_tables.top, ZERO)),
        ir.While(ir.Compare(">=", frame, ZERO), tuple(looked)),
        ir.Return(ir.Truth(False)),
    )
    kinds: tuple[tuple[str, ir.Kind], ...] = ((FRAME.name, "int"), (AT, "int"))
    return ir.Function(
        hooks.finishing.__name__,
        (),
        "bool",
        body,
        kinds,
        "Return whether `finish` is running.",
    )


def _prepare_states() -> ir.Function:
    body = (ir.Do(ir.Call("init_states")),)
    return ir.Function(
        hooks.prepare_states.__name__, (), None, body, (), "Reset every state to its initial value."
    )


def _scores(lowering: Lowering) -> Iterator[ir.Function]:
    """Yield the functions for the score of a player and for its standing among the others."""
    seat, key, roles = ir.Local("seat"), lowering.checked.score, lowering.checked.game.roles
    won = ir.Binary(">>", runtime.load(core_tables.winners, ZERO), seat)
    score: ir.Expr = ir.Load(lowering.states[key].data, seat) if key else ZERO
    standing = ir.Unary("-", score) if roles.fewest else score
    if not key:
        standing = ir.Binary("&", won, ONE)
    params: tuple[tuple[str, ir.Kind], ...] = ((seat.name, "int"),)
    for hook, found in ((hooks.final_score, score), (hooks.standing, standing)):
        body, text = (ir.Return(found),), (hook.__doc__ or "").partition("\n")[0]
        yield ir.Function(hook.__name__, params, "int", body, (), text)


def _mark_queue(shared: Shared) -> ir.Function:
    """Return the function that names the pieces among the arguments of queued calls."""
    builder = Builder("row")
    at = builder.let("at", ZERO)
    with builder.block() as each:
        called = builder.let("called", runtime.load(core_tables.queue, at))
        builder.emit(ir.Assign(at.name, ir.Binary("+", at, ONE)))
        for key, number in shared.queued.items():
            with builder.block() as mine:
                for _, type_ in queued_layout(shared, key):
                    _mark_argument(builder, at, type_)
            if mine:
                same = ir.Compare("==", called, ir.Const(number))
                builder.emit(ir.If(same, tuple(mine)))
    builder.kinds["row"] = "int"
    builder.emit(ir.For("row", ZERO, runtime.load(core_tables.queued, ZERO), tuple(each)))
    doc = "Mark the pieces that queued calls name."
    return builder.function(hooks.mark_queue.__name__, doc)


def _mark_argument(builder: Builder, at: ir.Local, type_: Type) -> None:
    """Emit the naming of an argument's pieces, and the step to the next argument."""
    item = set_item(type_)
    naming = NAMING[moves.likeness(type_ if item is None else item)]
    after = ir.Binary("+", at, ONE)
    if item is None:
        if naming:
            builder.do(naming, runtime.load(core_tables.queue, at))
        builder.emit(ir.Assign(at.name, after))
        return
    count = ir.Binary("max", runtime.load(core_tables.queue, at), ZERO)
    end = builder.let("end", ir.Binary("+", after, count))
    if naming:
        member = builder.fresh("member")
        named = ir.Do(ir.Call(naming, (runtime.load(core_tables.queue, ir.Local(member)),)))
        builder.emit(ir.For(member, after, end, (named,)))
    builder.emit(ir.Assign(at.name, end))


@cache
def core_functions() -> Mapping[str, ir.Function]:
    """Return the functions of the runtime."""
    name = entry_name("runtime", b"", "pickle")
    return Cache.of_user().load_or_make(name, _read_core, pickle.dumps, pickle.loads)


@cache
def taken_names() -> tuple[str, ...]:
    """Return the names of the functions and tables of the runtime, which nothing else gets."""
    functions = (
        found if not found.startswith("_") else f"_{name}{found}"
        for name in _core_modules()
        for found, value in vars(import_module(f"rulesdsl.engine.runtime.{name}")).items()
        if isinstance(value, FunctionType) and value.__module__ == f"rulesdsl.engine.runtime.{name}"
    )
    return (*functions, *_declared())


def _core_modules() -> list[str]:
    """Return the names of the modules of the runtime whose functions are in programs."""
    names = sorted(module.name for module in iter_modules(rulesdsl.engine.runtime.__path__))
    return [name for name in names if name not in ("declare", "faults", "tables")]


def _read_core() -> Mapping[str, ir.Function]:
    sources = {
        f"rulesdsl.engine.runtime.{name}": getsource(
            import_module(f"rulesdsl.engine.runtime.{name}")
        )
        for name in _core_modules()
    }
    numbers = {**vars(faults), **vars(core_tables)}
    constants = {name: value for name, value in numbers.items() if type(value) is int}
    return read_functions(sources, _declared(), constants)


def _declared() -> dict[str, DeclaredTable]:
    return core_tables.TABLES


# --- the space of frames -------------------------------------------------------------------------


def frame_room(shared: Shared) -> dict[str, int]:
    """Return the dimensions of the tables of frames, and of the arguments of choices."""
    points, first = shared.points.points, ask_rows(shared)[0]
    choices = [shared.lowering.checked.choices[key] for key in shared.choices]
    return {
        "choices": len(choices),
        "options": sum(len(choice.options) for choice in choices),
        "asks": first[-1],
        "given": max((end - begin for begin, end in pairwise(first)), default=0),
        "width": max((moves.width_of(shared, each) for each in choices), default=2),
        # Twice: when the game ends early, dropped frames keep their room for a while.
        "stack": max(4, min(MAX_STACK, 2 * _stack(shared))),
        "store": STORE if shared.stores else 2,
        "queue": max(1, _queue(shared)),
        "points": len(points),
        "lives": len(live_rows(shared)[1]),
    }


def _queue(shared: Shared) -> int:
    """Return the capacity of `queue`: room for all numbers of queued calls, and for many sets."""
    calls = [[type_ for _, type_ in queued_layout(shared, key)] for key in shared.queued]
    sets = STORE if any(is_set(type_) for types in calls for type_ in types) else 0
    return sets + faults.WAITING * max((1 + len(types) for types in calls), default=0)


def live_rows(shared: Shared) -> tuple[list[int], list[int], list[int], list[int]]:
    """Return the tables `live_first`, `live_slot`, `live_what`, `live_telling`."""
    first, slots, what, telling = [0], list[int](), list[int](), list[int]()
    for point in shared.points.points:
        named = () if point is None else _named(point)
        found = {slot.offset: code for slot, code in named if code >= 0}
        for offset in sorted(found):
            slots.append(offset)
            what.append(found[offset])
            telling.append(int(point is not None and offset in point.telling))
        first.append(len(slots))
    return first, slots, what, telling


def ask_rows(shared: Shared) -> tuple[list[int], list[int], list[int]]:
    """Return the tables `ask_first`, `ask_slot`, `ask_what`."""
    first, slots, what = [0], list[int](), list[int]()
    for key in shared.choices:
        for slot in shared.fixed(CallableCode("choice", key)).arguments:
            slots.append(slot.offset)
            what.append(_argument_kind(slot.type))
        first.append(len(slots))
    return first, slots, what


def option_rows(shared: Shared) -> tuple[list[int], list[int]]:
    """Return the tables `option_first`, `option_given`."""
    first, given = [0], list[int]()
    for key in shared.choices:
        options = shared.lowering.checked.choices[key].options
        given += [len(moves.columns(shared, option)) for option in options]
        first.append(len(given))
    return first, given


def _argument_kind(type_: Type) -> int:
    type_ = without_none(type_)
    if type_ == types.PLAYER:
        return 2
    if moves.likeness(type_) == 1:
        return 1
    plain = isinstance(type_, IntType | EnumType) or type_ in (types.BOOL, types.KIND)
    return 0 if plain else 3


def _named(point: Point) -> Iterator[tuple[Slot, int]]:
    for slot in point.rounds:
        kind = moves.likeness(slot.type)
        yield slot, kind + 3 if kind else -1
    for slot in point.slots:
        yield slot, _what(slot.type)


def _what(type_: Type) -> int:
    item = set_item(type_)
    if item is None:
        return moves.likeness(type_) - 1
    kind = moves.likeness(item)
    return kind + 1 if kind else -1


def _stack(shared: Shared) -> int:
    """Return the capacity of `stack`: room for all frames that can be active at once.

    Without recursion no frame is active twice, except for those of settling after a step.
    """
    depths = (action.depth or 0 for action in shared.lowering.checked.actions.values())
    return sum(shared.sizes.values()) * (2 + sum(depths))
