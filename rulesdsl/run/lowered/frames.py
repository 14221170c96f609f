"""Frames of a lowered game as values, wherever their slots are: for what is written down, renamed,
or turned into frames of the readable engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rulesdsl.lower.actions.frames import HEADER, Fixed, fixed_slots
from rulesdsl.lower.parts import (
    Code,
    Routine,
    action_routine,
    always_routine,
    choice_routine,
    option_routine,
)
from rulesdsl.lower.plan import (
    AskLayer,
    BodyLayer,
    CallLayer,
    DrawLayer,
    LoopLayer,
    Plan,
    Point,
    SettleLayer,
    Slot,
)
from rulesdsl.lower.tables.encoding import none_of, set_item
from rulesdsl.model.checked import Checked
from rulesdsl.model.types import BOOL, INT, OptionalType, Type
from rulesdsl.model.values import Value
from rulesdsl.run.lowered.blocks import Items, keep, kept, read_value, rows
from rulesdsl.run.lowered.machine import Tables

Held = Value | Items
"""What is in a slot: a value, or for the items of a loop what it visits, round by round."""


@dataclass(frozen=True)
class Frame:
    """A frame: its point, and what its slots hold that mean something there, by offset. Loops count
    rounds."""

    point: int
    held: Mapping[int, Held]

    def value(self, slot: Slot) -> Value:
        """The value in a slot."""
        return self.held[slot.offset]

    def items(self, slot: Slot) -> Items:
        """What the loop visits whose items are in a slot."""
        found = self.held[slot.offset]
        assert isinstance(found, tuple)
        return tuple(item for item in found if isinstance(item, tuple))

    def number(self, slot: Slot) -> int:
        """The number in a slot."""
        found = self.held[slot.offset]
        assert isinstance(found, int)
        return int(found)

    def truth(self, slot: Slot) -> bool:
        """Is what a slot holds true?"""
        return self.held[slot.offset] is True

    def renamed(self, rename: Callable[[Value], Value], shape: Shape) -> Frame:
        """The frame with every value renamed."""
        held: dict[int, Held] = {}
        for field in shape.fields:
            found = self.held[field.offset]
            if field.items is None:
                held[field.offset] = rename(found)
            else:
                assert isinstance(found, tuple)
                held[field.offset] = tuple(
                    tuple(rename(value) for value in item)
                    for item in found
                    if isinstance(item, tuple)
                )
        return Frame(self.point, held)


@dataclass(frozen=True)
class Field:
    """A slot that means something: a value of `type`; with `items`, a list of rounds of these
    types; with `width`, a count of items, that many a round."""

    offset: int
    type: Type
    items: tuple[Type, ...] | None = None
    width: int = 1


@dataclass(frozen=True)
class Shape:
    """What a frame holds at a point: its fields, how many entries of `stack` it takes, what those
    hold that are no fields (0 if nothing is said), and where an option keeps the frame of its
    choice."""

    fields: tuple[Field, ...]
    size: int
    others: Mapping[int, int]
    ask: int | None


class Frames:
    """Reads and writes the frames of one game with its number of players."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.shapes = _shapes(plan)

    def read(self, tables: Tables) -> list[Frame]:
        """All frames, outermost first."""
        stack = tables["stack"]
        found = []
        frame = tables["top"][0]
        while frame >= 0:
            point = stack[frame]
            fields = self.shapes[point].fields
            held = {each.offset: self._held(tables, frame, each) for each in fields}
            found.append(Frame(point, held))
            frame = stack[frame + 1]
        return found[::-1]

    def _held(self, tables: Tables, frame: int, field: Field) -> Held:
        number = tables["stack"][frame + field.offset]
        if field.items is not None:
            return rows(self.plan.encoding, kept(tables, number), field.items)
        if field.width > 1:
            return number // field.width
        return read_value(self.plan.encoding, tables, number, field.type)

    def write(self, tables: Tables, frames: list[Frame]) -> None:
        """Let these be all frames."""
        stack = tables["stack"]
        tables["store_free"][0] = 0
        below, free = -1, 0
        asking: list[int] = []
        for frame in frames:
            shape = self.shapes[frame.point]
            if free + shape.size > len(stack):
                raise OverflowError("too much is running")
            stack[free : free + shape.size] = [0] * shape.size
            stack[free], stack[free + 1] = frame.point, below
            for offset, number in shape.others.items():
                stack[free + offset] = number
            for field in shape.fields:
                self._write(tables, free + field.offset, field, frame.held[field.offset])
            if shape.ask is not None and asking:
                stack[free + shape.ask] = asking[-1]
            asking = [*asking, free] if self._asks(frame) else asking
            below, free = free, free + shape.size
        tables["top"][0], tables["free"][0] = below, free

    def _asks(self, frame: Frame) -> bool:
        layers = self.plan.points[frame.point].layers
        return any(isinstance(layer, AskLayer) for layer in layers)

    def _write(self, tables: Tables, at: int, field: Field, held: Held) -> None:
        encoding = self.plan.encoding
        if field.items is not None:
            assert isinstance(held, tuple)
            flat = [
                encoding.encode(value, type_)
                for item in held
                if isinstance(item, tuple)
                for value, type_ in zip(item, field.items, strict=True)
            ]
            keep(tables, at, flat)
        elif isinstance(held, tuple):
            item = set_item(field.type)
            assert item is not None, "only sets have members"
            keep(tables, at, [encoding.encode(value, item) for value in held])
        else:
            number = encoding.encode(held, field.type)
            tables["stack"][at] = number * field.width


# --- what a frame holds at a point ---------------------------------------------------------------


def _shapes(plan: Plan) -> tuple[Shape, ...]:
    routines = [_routine(plan.checked, point) for point in plan.points]
    fixed = [fixed_slots(routine) if routine else None for routine in routines]
    fields = [_fields(point) for point in plan.points]
    sizes = plan.sizes or _least_sizes(routines, fixed, fields)
    return tuple(
        _shape(found, size, routine, slots)
        for routine, slots, found, size in zip(routines, fixed, fields, sizes, strict=True)
    )


def _least_sizes(
    routines: list[Routine | None], fixed: list[Fixed | None], fields: list[tuple[Field, ...]]
) -> list[int]:
    """How much frames need at least, for a plan that does not tell."""
    sizes: dict[Code | None, int] = {}
    codes = [routine.code if routine else None for routine in routines]
    for code, slots, found in zip(codes, fixed, fields, strict=True):
        ends = [field.offset + 1 for field in found]
        sizes[code] = max(sizes.get(code, HEADER), slots.size if slots else 0, *ends, 0)
    return [sizes[code] for code in codes]


def _shape(
    fields: tuple[Field, ...], size: int, routine: Routine | None, slots: Fixed | None
) -> Shape:
    if routine is None or slots is None:
        return Shape(fields, size, {}, None)
    others: dict[int, int] = {}
    result = slots.result
    if result is not None and set_item(result.type) is None:
        others[result.offset] = none_of(result.type)
    ask = slots.ask.offset if routine.code.kind == "option" else None
    return Shape(fields, size, others, ask)


def _routine(checked: Checked, point: Point) -> Routine | None:
    """What goes on at a point; None for what settles."""
    match point.layers:
        case (CallLayer(kind="action", key=key), *_):
            return action_routine(checked, key)
        case (CallLayer(kind="choice", key=key), *_):
            return choice_routine(checked, key)
        case (CallLayer(kind="option", key=key, number=number), *_):
            return option_routine(checked.choices[key], number)
        case (BodyLayer(number=number), *_):
            return always_routine(checked.always[number], number)
    return None


def _fields(point: Point) -> tuple[Field, ...]:
    """The slots that the layers of a point speak of; one that several speak of is there once."""
    found: dict[int, Field] = {}

    def add(slot: Slot | None, type_: Type, **more: object) -> None:
        if slot is None:
            return
        known = found.get(slot.offset)
        if known is None or isinstance(type_, OptionalType):
            found[slot.offset] = Field(slot.offset, type_, **more)  # type: ignore[arg-type]

    for layer in point.layers:
        match layer:
            case CallLayer():
                for slot in layer.arguments:
                    add(slot, slot.type)
                add(layer.proceeded, BOOL)
                if layer.result is not None:
                    add(layer.result, optional(layer.result.type))
            case BodyLayer():
                for slot in layer.locals:
                    add(slot, slot.type)
            case LoopLayer():
                add(layer.items, INT, items=layer.types)
                add(layer.round, INT, width=len(layer.types))
            case AskLayer():
                add(layer.done, BOOL)
            case DrawLayer():
                add(layer.argument, layer.argument.type)
            case SettleLayer():
                if layer.result is not None:
                    add(layer.result, optional(layer.result.type))
    return tuple(found[offset] for offset in sorted(found))


def optional(type_: Type) -> Type:
    """The type with none in it; a set is never none."""
    if isinstance(type_, OptionalType) or set_item(type_) is not None:
        return type_
    return OptionalType(type_)
