"""Frames of callables that can be suspended: their slots, and the points where they continue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower import emit, runtime
from rulesdsl.engine.lower.emit import ONE, ZERO, Builder, CallableCode, Routine
from rulesdsl.engine.lower.plan import Slot
from rulesdsl.engine.lower.tables.encoding import is_set, none_of
from rulesdsl.engine.lower.terms import behind
from rulesdsl.engine.runtime import heap, tables
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ir
from rulesdsl.language.model.types import INT, NONE, UNIT, OptionalType, SetType, Type

HEADER = 2
"""The size of a frame's header: its point and the frame below."""

FRAME = ir.Local("frame")
AT = "at"


@dataclass(frozen=True)
class RoutineEntry:
    """A routine that can be suspended.

    It is a callable or, with `inner`, the part that `proceed` runs in it after that many of its
    `around` hooks.
    """

    code: CallableCode
    inner: int = 0


@dataclass(frozen=True)
class Point:
    """A point where a callable can be suspended; `slots` are in use there.

    `rounds` hold the lists that loops iterate over (of their type), and in the slot behind the
    number of rounds done; `again` is the point at which a choice that has asked here would ask
    anew. `telling` are the offsets of slots that can tell interchangeable pieces apart, and
    `called` is the place of the call that runs meanwhile.
    """

    slots: tuple[Slot, ...]
    rounds: tuple[Slot, ...]
    again: int | None
    telling: Set[int]
    called: Span | None = None


class PointTable:
    """All points of a program.

    The entry points of all routines come first, then the points of each routine in turn.
    `of_routine[p]` is the number of the routine that continues at point p.
    """

    def __init__(self, entries: Iterable[RoutineEntry]) -> None:
        self.entry = {entry: number for number, entry in enumerate(entries)}
        self.points: list[Point | None] = [None for _ in self.entry]
        self.of_routine = list(range(len(self.entry)))

    def new(self, routine: int) -> int:
        """Add a point of a routine and return it."""
        self.points.append(None)
        self.of_routine.append(routine)
        return len(self.points) - 1


def at_slot(slot: Slot, frame: ir.Expr = FRAME) -> ir.Expr:
    """Return the index of a slot in `stack`."""
    return ir.Binary("+", frame, ir.Const(slot.offset))


def raw(slot: Slot) -> ir.Expr:
    """Return the number in a slot."""
    return runtime.load(tables.stack, at_slot(slot))


@dataclass(frozen=True)
class Fixed:
    """The slots every frame of a routine has, in this order after its header.

    These are the arguments and what is `behind` them (see `terms`); the `result` so far, unless the
    routine has none; `flag`: for a choice, that nothing more is asked, otherwise that `proceed`
    ran; `ask`: for an option, the frame of its choice.
    """

    arguments: tuple[Slot, ...]
    behind: tuple[Slot, ...]
    result: Slot | None
    flag: Slot
    ask: Slot
    size: int


def fixed_slots(routine: Routine) -> Fixed:
    """Return the slots that every frame of a routine has."""
    names = behind(routine, [name for name, _ in routine.params])
    given = (*routine.params, *((name, INT) for name in names))
    slots = tuple(Slot(name, HEADER + place, kind) for place, (name, kind) in enumerate(given))
    size, own = HEADER + len(slots), len(routine.params)
    result = None
    if routine.result != UNIT:
        result = Slot("result", size, routine.result)
        size += 1
    flag, ask = Slot("flag", size, INT), Slot("ask", size + 1, INT)
    return Fixed(slots[:own], slots[own:], result, flag, ask, size + 2)


class Frame:
    """The frame of one routine during lowering; an `emit.LocalStorage`.

    `scope` maps the names in scope, those of the part that is lowered, to slots. Locals
    declared inside a statement that cannot be suspended are IR locals instead.
    """

    def __init__(self, builder: Builder, routine: Routine) -> None:
        self.builder = builder
        self.fixed = fixed_slots(routine)
        self.size = self.fixed.size
        self.scope: dict[str, Slot] = {}
        self.inside: dict[str, str] = {}
        self.sets: list[Slot] = [slot for slot in self.fixed.arguments if is_set(slot.type)]
        self.cleared: list[ir.Stmt] = []
        if routine.arounds or routine.code.kind == "choice":
            self.cleared.append(runtime.store(tables.stack, at_slot(self.fixed.flag), ZERO))
        if self.fixed.result is not None:
            self._clear(self.fixed.result)

    def add(self, name: str, type_: Type, many: bool = False) -> Slot:
        """Add a slot and return it; `many` for a list."""
        slot = Slot(name, self.size, type_)
        self.size += 1
        if many or is_set(type_):
            self.sets.append(slot)
            self.cleared.append(runtime.store(tables.stack, at_slot(slot), ZERO))
        return slot

    def _clear(self, slot: Slot) -> None:
        none = 0 if isinstance(slot.type, SetType) else none_of(slot.type)
        self.cleared.append(runtime.store(tables.stack, at_slot(slot), ir.Const(none)))
        if is_set(slot.type):
            self.sets.append(slot)

    def read(self, name: str, type_: Type) -> ir.Expr:
        """Return the current value of a local."""
        if name in self.scope:
            return self.load(self.scope[name], type_)
        return emit.as_value(ir.Local(self.inside[name]), type_)

    def load(self, slot: Slot, type_: Type) -> ir.Expr:
        """Return the content of a slot as a value of that type."""
        if is_set(slot.type):
            return load_set(at_slot(slot), slot.type)
        return emit.as_value(raw(slot), type_)

    def write(self, name: str, type_: Type, value: ir.Expr, span: Span) -> None:
        """Emit the assignment of a value to a local."""
        if type_ == NONE and name in self.scope:
            value = ir.Const(none_of(self.scope[name].type))
        if name in self.scope:
            self.keep(self.scope[name], type_, value, span)
            return
        if name not in self.inside:
            self.inside[name] = self.builder.fresh(name)
        self.builder.emit(ir.Assign(self.inside[name], emit.as_number(value, type_), span))

    def keep(self, slot: Slot, type_: Type, value: ir.Expr, span: Span | None) -> None:
        """Emit the store of a value of that type into a slot."""
        put(self.builder, at_slot(slot), slot.type, emit.as_number(value, type_), span)

    def take_result(self, slot: Slot, span: Span | None) -> None:
        """Emit the store of the result of the routine that has just ended into a slot."""
        put(self.builder, at_slot(slot), slot.type, runtime.load(tables.result, ZERO), span)

    def leave(self, given: Slot | None) -> None:
        """Emit the end of the routine: drop its frame, hand on the content of the slot."""
        if given is not None:
            self.builder.emit(runtime.store(tables.result, ZERO, self.load(given, INT)))
        for slot in self.sets:
            self.builder.do(heap.drop, at_slot(slot))
        below = runtime.load(tables.stack, ir.Binary("+", FRAME, ONE))
        self.builder.emit(runtime.store(tables.top, ZERO, below))
        self.builder.emit(runtime.store(tables.free, ZERO, FRAME))

    def entering(self) -> list[ir.Stmt]:
        """Return the statements at the start of the routine, once all its slots are known."""
        size = ir.Binary("+", FRAME, ir.Const(self.size))
        return [runtime.store(tables.free, ZERO, size), *self.cleared]


def put(builder: Builder, where: ir.Expr, type_: Type, value: ir.Expr, span: Span | None) -> None:
    """Emit the store of a number or a set into the slot at `where` of `stack`."""
    if is_set(type_):
        save = heap.save_some if isinstance(type_, OptionalType) else heap.save
        builder.do(save, where, value, span=span)
    else:
        builder.emit(runtime.store(tables.stack, where, value, span))


def load_set(where: ir.Expr, type_: Type) -> ir.Expr:
    """Return the set in the slot at `where` of `stack`, on the heap."""
    return runtime.call(heap.load_some if isinstance(type_, OptionalType) else heap.load, where)


def push_frame(
    builder: Builder,
    point: ir.Expr,
    below: ir.Expr,
    arguments: Sequence[tuple[ir.Expr, Type]],
    span: Span | None,
) -> ir.Local:
    """Emit the push of a new frame with these arguments, and return its offset."""
    above = builder.let("above", runtime.load(tables.free, ZERO), span)
    builder.emit(runtime.store(tables.stack, above, point, span))
    builder.emit(runtime.store(tables.stack, ir.Binary("+", above, ONE), below, span))
    for number, (value, kind) in enumerate(arguments):
        where = ir.Binary("+", above, ir.Const(HEADER + number))
        if is_set(kind):
            builder.emit(runtime.store(tables.stack, where, ZERO, span))
        put(builder, where, kind, emit.as_number(value, kind), span)
    builder.emit(runtime.store(tables.top, ZERO, above, span))
    return above
