"""Paths of tracks: the places of their spaces along points, or in a form with a name.

Positions are in cells: the middle of the first cell of a grid is (0.5, 0.5), y grows downwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import ceil, cos, hypot, pi, sin

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""The left and the upper edge, the width and the height of a rectangle."""

MOST_SPACES = 400
"""Maximum number of spaces of a track that lies along a path."""
LEAST = 0.2
"""Minimum width of a space."""
_ROUND = 90
"""Number of straight parts of a ring."""


def spread(points: Sequence[Point], count: int, *, closed: bool) -> list[Point]:
    """Return so many points along a line through `points`: these themselves, or at equal distances.

    The first is the first point. On a `closed` line the way back to the first point counts, on
    another the last is the last point. The line must have a length.
    """
    if len(points) == count:
        return list(points)
    line = [*points, points[0]] if closed else list(points)
    lengths = [0.0, *accumulate(hypot(c - a, d - b) for (a, b), (c, d) in pairwise(line))]
    parts = count if closed else max(1, count - 1)
    found, at = [], 0
    for number in range(count):
        wanted = lengths[-1] * number / parts
        while at < len(line) - 2 and lengths[at + 1] < wanted:
            at += 1
        share = (wanted - lengths[at]) / (lengths[at + 1] - lengths[at] or 1.0)
        (a, b), (c, d) = line[at], line[at + 1]
        found.append((a + share * (c - a), b + share * (d - b)))
    return found


def _row(box: Box, _: int) -> list[Point]:
    x, y, wide, high = box
    middle = y + high / 2
    return [(x + 0.5, middle), (x + wide - 0.5, middle)]


def _ring(box: Box, _: int) -> list[Point]:
    """Return a ring from the north, clockwise."""
    x, y, wide, high = box
    across, down = (wide - 1) / 2, (high - 1) / 2
    turns = [2 * pi * part / _ROUND for part in range(_ROUND)]
    return [(x + wide / 2 + across * sin(t), y + high / 2 - down * cos(t)) for t in turns]


def _edge(box: Box, _: int) -> list[Point]:
    """Return the cells along the edge, from the north-west, clockwise."""
    columns, rows = (max(1, round(side)) for side in box[2:])
    ring = [(column, 0) for column in range(columns)]
    ring += [(columns - 1, row) for row in range(1, rows)]
    if rows > 1:
        ring += [(column, rows - 1) for column in reversed(range(columns - 1))]
    if columns > 1:
        ring += [(0, row) for row in reversed(range(1, rows - 1))]
    return _cells(box, columns, rows, ring)


def _snake(box: Box, count: int) -> list[Point]:
    """Return the cells row by row, every second row backwards."""
    columns, rows = (max(1, round(side)) for side in box[2:])
    there = [(x if y % 2 == 0 else columns - 1 - x, y) for y in range(rows) for x in range(columns)]
    return _cells(box, columns, rows, there[: max(2, count)])


def _spiral(box: Box, count: int) -> list[Point]:
    """Return the cells from the north-west, clockwise and inwards."""
    columns, rows = (max(1, round(side)) for side in box[2:])
    there = list(_inwards(columns, rows))
    return _cells(box, columns, rows, there[: max(2, count)])


def _inwards(columns: int, rows: int) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = 0, 0, columns - 1, rows - 1
    while left <= right and top <= bottom:
        yield from ((x, top) for x in range(left, right + 1))
        yield from ((right, y) for y in range(top + 1, bottom + 1))
        if top < bottom:
            yield from ((x, bottom) for x in reversed(range(left, right)))
        if left < right:
            yield from ((left, y) for y in reversed(range(top + 1, bottom)))
        left, top, right, bottom = left + 1, top + 1, right - 1, bottom - 1


def _cells(box: Box, columns: int, rows: int, cells: Sequence[tuple[int, int]]) -> list[Point]:
    """Return the middles of the cells of a rectangle that has so many columns and rows."""
    x, y, wide, high = box
    return [(x + wide * (a + 0.5) / columns, y + high * (b + 0.5) / rows) for a, b in cells]


FORMS: dict[str, tuple[Callable[[Box, int], list[Point]], bool]] = {
    "row": (_row, False),
    "ring": (_ring, True),
    "edge": (_edge, True),
    "snake": (_snake, False),
    "spiral": (_spiral, False),
}
"""The line of each form with a name in a rectangle, and whether it is closed."""


def usual(form: str, count: int) -> Point:
    """Return the width and height that a form takes for so many spaces, each as large as a cell."""
    if form == "row":
        return float(count), 1.0
    side = ceil(count**0.5)
    if form == "ring":
        side = ceil(1.3 * count / pi) + 1
    if form == "edge":
        side = max(2, ceil(count / 4) + 1)
    return float(side), float(ceil(count / side) if form == "snake" else side)


def laid(form: str, box: Box, count: int) -> list[Point]:
    """Return where so many spaces lie in a form within a rectangle."""
    line, closed = FORMS[form]
    return spread(line(box, count), count, closed=closed)


def nearest(spaces: Sequence[Point]) -> float:
    """Return how large squares around spaces are that just touch, at most as large as cells."""
    apart = (
        max(abs(a - c), abs(b - d)) for at, (a, b) in enumerate(spaces) for c, d in spaces[at + 1 :]
    )
    return min(1.0, min(apart, default=1.0))


def parts(box: Box, count: int) -> list[Box]:
    """Return a rectangle in equal parts along its longer side."""
    x, y, wide, high = box
    if wide < high:
        return [(x, y + high / count * at, wide, high / count) for at in range(count)]
    return [(x + wide / count * at, y, wide / count, high) for at in range(count)]


def around(spaces: Sequence[Point], size: float) -> Box:
    """Return the rectangle around spaces of a size."""
    xs, ys = zip(*spaces, strict=True)
    left, top = min(xs) - size / 2, min(ys) - size / 2
    return left, top, max(xs) + size / 2 - left, max(ys) + size / 2 - top
