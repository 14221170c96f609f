"""The space that frames need, and which of their slots name pieces."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.lower.actions.frames import Point
from rulesdsl.lower.actions.moves import likeness
from rulesdsl.lower.actions.shared import Shared
from rulesdsl.lower.plan import Slot
from rulesdsl.lower.tables.encoding import is_set
from rulesdsl.model.types import OptionalType, SetType, Type
from rulesdsl.runtime import faults

STORE = 1 << 14
MAX_STACK = 1 << 16


def frame_room(shared: Shared) -> dict[str, int]:
    """Return the dimensions of the frame tables: `stack`, `store`, `queue`, `points`, `lives`."""
    points = shared.points.points
    return {
        # Twice: when the game ends early, dropped frames keep their room for a while.
        "stack": max(4, min(MAX_STACK, 2 * _stack(shared))),
        "store": STORE if shared.stores else 2,
        "queue": max(1, _queue(shared)),
        "points": len(points),
        "lives": len(live_rows(shared)[1]),
    }


def _queue(shared: Shared) -> int:
    """Return the capacity of `queue`: room for all numbers of queued calls, and for many sets."""
    actions = shared.lowering.checked.actions
    calls = [[param.type for param in actions[key].params] for key in shared.queued]
    sets = STORE if any(is_set(type_) for types in calls for type_ in types) else 0
    return sets + faults.WAITING * max((1 + len(types) for types in calls), default=0)


def live_rows(shared: Shared) -> tuple[list[int], list[int], list[int]]:
    """Return the tables `live_first`, `live_slot`, `live_what`."""
    first, slots, what = [0], list[int](), list[int]()
    for point in shared.points.points:
        named = () if point is None else _named(point)
        found = {slot.offset: code for slot, code in named if code >= 0}
        for offset in sorted(found):
            slots.append(offset)
            what.append(found[offset])
        first.append(len(slots))
    return first, slots, what


def _named(point: Point) -> Iterator[tuple[Slot, int]]:
    for slot in point.rounds:
        kind = likeness(slot.type)
        yield slot, kind + 3 if kind else -1
    for slot in point.slots:
        yield slot, _what(slot.type)


def _what(type_: Type) -> int:
    if isinstance(type_, OptionalType):
        return _what(type_.item)
    if isinstance(type_, SetType):
        kind = likeness(type_.item)
        return kind + 1 if kind else -1
    return likeness(type_) - 1


def _stack(shared: Shared) -> int:
    """Return the capacity of `stack`: room for all frames that can be active at once.

    Without recursion no frame is active twice, except for those of settling after a step.
    """
    depths = (action.depth or 0 for action in shared.lowering.checked.actions.values())
    return sum(shared.sizes.values()) * (2 + sum(depths))
