"""How much room frames need, and which of their slots name pieces."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.lower.frames import Entry, is_set
from rulesdsl.lower.moves import likeness
from rulesdsl.lower.parts import Code
from rulesdsl.lower.plan import (
    BodyLayer,
    CallLayer,
    DrawLayer,
    Layer,
    LoopLayer,
    Point,
    SettleLayer,
    Slot,
)
from rulesdsl.lower.shared import Shared
from rulesdsl.model.types import OptionalType, SetType, Type

MAX_LATER = 1000
STORE = 1 << 14
MAX_STACK = 1 << 16


def frame_room(shared: Shared) -> dict[str, int]:
    """The dimensions of what runs: `stack`, `store`, `queue`, `points`, `lives`."""
    _note_calls(shared)
    points = shared.points.points
    return {
        # Twice: when the game ends early, what is dropped keeps its room for a while.
        "stack": max(4, min(MAX_STACK, 2 * _stack(shared))),
        "store": STORE if shared.stores else 2,
        "queue": max(1, _queue(shared)),
        "points": len(points),
        "lives": len(live_rows(shared)[1]),
    }


def _queue(shared: Shared) -> int:
    """How many numbers calls have room for that wait: all of their numbers, and many sets."""
    actions = shared.lowering.checked.actions
    calls = [[param.type for param in actions[key].params] for key in shared.queued]
    sets = STORE if any(is_set(type_) for types in calls for type_ in types) else 0
    return sets + MAX_LATER * max((1 + len(types) for types in calls), default=0)


def live_rows(shared: Shared) -> tuple[list[int], list[int], list[int]]:
    """The tables `live_first`, `live_slot`, `live_what`."""
    first, slots, what = [0], list[int](), list[int]()
    for point in shared.points.points:
        found = {slot.offset: code for slot, code in _named(point) if code >= 0}
        for offset in sorted(found):
            slots.append(offset)
            what.append(found[offset])
        first.append(len(slots))
    return first, slots, what


def _named(point: Point) -> Iterator[tuple[Slot, int]]:
    for layer in point.layers:
        if isinstance(layer, LoopLayer):
            kind = likeness(layer.types[0])
            yield layer.items, kind + 3 if kind else -1
        for slot in _slots(layer):
            yield slot, _what(slot.type)


def _slots(layer: Layer) -> tuple[Slot, ...]:
    match layer:
        case CallLayer():
            given = () if layer.result is None else (layer.result,)
            return (*layer.arguments, *given)
        case BodyLayer():
            return layer.locals
        case DrawLayer():
            return (layer.argument,)
        case SettleLayer():
            return () if layer.result is None else (layer.result,)
    return ()


def _what(type_: Type) -> int:
    if isinstance(type_, OptionalType):
        return _what(type_.item)
    if isinstance(type_, SetType):
        kind = likeness(type_.item)
        return kind + 1 if kind else -1
    return likeness(type_) - 1


# --- the stack -----------------------------------------------------------------------------------


def _note_calls(shared: Shared) -> None:
    """Add what choices, steps and settling put on top of frames."""
    entries = shared.points.entry
    settling = {entry for entry in entries if entry.code.kind == "settle"}
    after = {entry for entry in entries if entry.code.kind == "always"}
    after |= {Entry(Code("action", key)) for key in shared.queued}
    for entry, number in entries.items():
        pushes = shared.pushes[number]
        if entry.code.kind == "choice":
            options = shared.lowering.checked.choices[entry.code.key].options
            pushes |= {Entry(Code("option", entry.code.key, n)) for n in range(len(options))}
        if entry.code.kind == "settle":
            pushes |= after & entries.keys()
        else:
            pushes |= settling


def _stack(shared: Shared) -> int:
    """The most that frames can take which lie on each other."""
    depths = {key: action.depth for key, action in shared.lowering.checked.actions.items()}
    times = max((depth for depth in depths.values() if depth is not None), default=0)
    known: dict[int, int] = {}

    def deepest(number: int, above: frozenset[int]) -> int:
        if number in above:
            return 0
        if number not in known:
            inner = (shared.points.entry[entry] for entry in shared.pushes[number])
            most = max((deepest(each, above | {number}) for each in inner), default=0)
            size = shared.sizes[number] + most
            if above and shared.suspension.recursive:
                return size
            known[number] = size
        return known[number]

    most = max((deepest(number, frozenset()) for number in shared.points.entry.values()), default=0)
    if not times:
        return most
    return sum(shared.sizes.values()) * (times + 2)
