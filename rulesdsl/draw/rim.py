"""Where the rim of a piece lies: ports and rim positions (`geometry.ring`) as points."""

from __future__ import annotations

from collections.abc import Iterable

from rulesdsl.draw.paths import CELL, Point
from rulesdsl.geometry.ring import LANE, Size, outer_sides, ring, ring_index
from rulesdsl.model.geometry import Port

_LANES = 3
_STARTS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
"""The corner of a cell at which each side begins, clockwise."""
_WAYS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
_INWARD = ((0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0))

Stretch = tuple[float, float]
"""From where to where on the rim, in sides from the north-west corner clockwise; the end may lie
beyond the last side, which is the first again."""


def point(size: Size, sides: float) -> Point:
    """The point so many sides of cells from the north-west corner, clockwise."""
    every = outer_sides(size)
    sides %= len(every)
    x, y, side = every[int(sides)]
    share = sides - int(sides)
    start, way = _STARTS[side], _WAYS[side]
    return (
        CELL * (x + start[0] + share * way[0]),
        CELL * (y + start[1] + share * way[1]),
    )


def sides_of(position: float) -> float:
    """A rim position in sides."""
    return (position / LANE + 0.5) / _LANES


def middle(size: Size, port: Port) -> Point:
    """The point in the middle of a port's lane."""
    return point(size, sides_of(LANE * ring_index(size)[port]))


def inward(port: Port) -> Point:
    """The direction from a side into the piece."""
    return _INWARD[port.side]


def stretches(size: Size, ports: Iterable[Port]) -> list[Stretch]:
    """What the lanes of ports cover of the rim, each stretch once, clockwise."""
    count = len(ring(size))
    held = sorted(ring_index(size)[port] for port in ports)
    if len(held) == count:
        return [(0.0, count / _LANES)]
    found: list[list[int]] = []
    for lane in held:
        if found and found[-1][1] == lane:
            found[-1][1] = lane + 1
        else:
            found.append([lane, lane + 1])
    if len(found) > 1 and found[0][0] == 0 and found[-1][1] == count:
        found[0][0] = found.pop()[0] - count
    return [(first / _LANES, last / _LANES) for first, last in found]


def corners(size: Size, stretch: Stretch) -> list[Point]:
    """The points of a stretch: its ends, and the corners of cells between them."""
    first, last = stretch
    inner = range(int(first // 1) + 1, -int(-last // 1))
    return [point(size, each) for each in (first, *inner, last)]
