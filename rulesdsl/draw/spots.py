"""Where on a piece there is room: for what stands on a segment, and for what the piece shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from rulesdsl.draw import rim
from rulesdsl.draw.paths import CELL, Point, along, away, distance, holds, mean
from rulesdsl.draw.shapes import Layout
from rulesdsl.model.geometry import End, Port, Shape

_STEP, _MOST = 5.0, 40
"""How far the points are apart among which one is chosen, and how many there are side by side at
most: on a large piece they are farther apart."""
_MARGIN = 2.0
"""What is kept clear beside the rim of the piece."""

_Node = tuple[int, int]


class Spots:
    """Finds free points of a piece; every one it gives is taken afterwards.

    `widths` says of every segment how wide its ribbon is, or what lies inside.
    """

    def __init__(self, layout: Layout, widths: Sequence[float]) -> None:
        self._layout, self._widths = layout, widths
        self._step = max(_STEP, CELL * max(layout.outline.size) / _MOST)
        self._taken: list[tuple[Point, float]] = []
        self._homes: dict[int, Point] = {}
        self._manned: set[int] = set()
        self._lines = {i: layout.points(i) for i in layout.of(Shape.LINE, Shape.AREA)}
        self._boxes = {i: _box(line) for i, line in self._lines.items()}
        for index in layout.of(Shape.INSIDE):
            self._homes[index] = self._within(self._home(index), widths[index])
            self._taken.append((self._homes[index], widths[index]))

    def home(self, index: int) -> Point:
        """Where a segment that touches no side lies."""
        return self._homes[index]

    def copy(self) -> Spots:
        """The same points taken; more can be taken without a change here."""
        other = object.__new__(Spots)
        other.__dict__.update(self.__dict__)
        other._taken, other._manned = list(self._taken), set(self._manned)
        return other

    def on(self, index: int, size: float) -> Point:
        """A point on a segment for something of `size`."""
        match self._layout.shape(index):
            case Shape.LINE:
                tries = list(self._beside(index))
            case Shape.AREA:
                tries = [p for p in self._grid.values() if holds(self._lines[index], p)]
            case Shape.INSIDE:
                tries = list(self._around(index, size))
            case Shape.FILL:
                tries = [self._grid[node] for node in sorted(self._regions.get(index, ()))]
        return self._take(tries or [self._layout.anchor(index)], size, index)

    def stand(self, index: int, size: float) -> Point:
        """A point for a figure of `size` on a segment: in front of what lies inside, so that it
        does not seem to stand beside."""
        if self._layout.shape(index) is not Shape.INSIDE or index in self._manned:
            return self.on(index, size)
        self._manned.add(index)
        x, y = self._homes[index]
        return self._within((x + 0.3 * size, y + 0.3 * size), size)

    def anywhere(self, size: float) -> Point:
        """A point on the piece for something of `size`, beside what is drawn if there is room."""
        free = [self._grid[node] for node in self._free]
        return self._take(free or list(self._grid.values()), size, None)

    def _take(self, tries: Sequence[Point], size: float, index: int | None) -> Point:
        found = self._within(self._best(tries, mean(tries), size, index), size)
        self._taken.append((found, size))
        return found

    def _within(self, at: Point, size: float) -> Point:
        """A point moved so that something of `size` is within the piece."""
        width, height = (CELL * cells for cells in self._layout.outline.size)
        x, y = at
        return (
            min(max(x, size / 2 + 1), width - size / 2 - 1),
            min(max(y, size / 2 + 1), height - size / 2 - 1),
        )

    def _best(self, tries: Sequence[Point], near: Point, size: float, index: int | None) -> Point:
        """The point with most room, up to what `size` needs; of such the one most `near`."""
        best, found = -CELL, tries[0]
        for at in tries:
            toll = 0.03 * distance(at, near)
            worth = round(self._room(at, index, 0.6 * size, best + toll) - toll, 6)
            if worth > best:
                best, found = worth, at
        return found

    def _room(self, at: Point, index: int | None, most: float, least: float) -> float:
        """How far a point is from what is no part of segment `index`, and from its own rim: up to
        `most`; not exactly if it is less than `least`."""
        width, height = (CELL * cells for cells in self._layout.outline.size)
        room = min(most, min(at[0], at[1], width - at[0], height - at[1]) - _MARGIN)
        for point, size in self._taken:
            room = min(room, distance(at, point) - size / 2)
        for other, line in self._lines.items():
            if room <= least:
                break
            area = self._layout.shape(other) is Shape.AREA
            if not area and (other == index or self._hidden(other, index)):
                continue
            half = 0 if area else self._widths[other] / 2
            if _outside(at, self._boxes[other]) - half < room:
                room = min(room, away(at, line) - half)
        return room

    def _hidden(self, line: int, index: int | None) -> bool:
        """Whether an area lies on a line where they meet."""
        if index is None or self._layout.shape(index) is not Shape.AREA:
            return False
        return self._layout.outline.segments[line].over != index

    def _home(self, index: int) -> Point:
        """The hub if something runs there; otherwise where there is most room."""
        if any(s.end == End() for s in self._layout.outline.segments) or not self._lines:
            tries = list(self._round(self._layout.hub, self._widths[index], self._widths[index]))
            if not any(point == self._layout.hub for point, _ in self._taken):
                return self._layout.hub
        else:
            tries = [self._grid[node] for node in self._free] or list(self._grid.values())
        return self._best(tries, self._layout.centre, self._widths[index], None)

    def _beside(self, index: int) -> Iterator[Point]:
        for path in self._layout.paths(index):
            line = path.points()
            for part in range(3, 18):
                yield along(line, part / 20)

    def _around(self, index: int, size: float) -> Iterator[Point]:
        return self._round(self._homes[index], (self._widths[index] + size) / 2 + 1, size)

    def _round(self, at: Point, reach: float, size: float) -> Iterator[Point]:
        """A point, and those so far around it, moved to where something of `size` has room."""
        yield at
        for across, down in ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)):
            yield self._within((at[0] + reach * across, at[1] + reach * down), size)

    @cached_property
    def _grid(self) -> dict[_Node, Point]:
        """The points among which one is chosen, by column and row."""
        width, height = self._layout.outline.size
        columns, rows = (int(CELL * cells / self._step) for cells in (width, height))
        return {
            (x, y): (self._step * (x + 0.5), self._step * (y + 0.5))
            for y in range(rows)
            for x in range(columns)
        }

    @cached_property
    def _free(self) -> list[_Node]:
        """The points on which no line or area lies."""
        return [node for node, at in self._grid.items() if not any(self._covering(at))]

    def _covering(self, at: Point) -> Iterator[bool]:
        for index, line in self._lines.items():
            if _outside(at, self._boxes[index]) > self._widths[index] / 2:
                continue
            if self._layout.shape(index) is Shape.AREA:
                yield holds(line, at)
            else:
                yield any(
                    away(at, path.points()) < self._widths[index] / 2
                    for path in self._layout.paths(index)
                )

    @cached_property
    def _regions(self) -> dict[int, set[_Node]]:
        """The free points of every fill: those that hang together with its ports."""
        size = self._layout.outline.size
        left = set(self._free)
        found: dict[int, set[_Node]] = {}
        fills = self._layout.of(Shape.FILL)
        for index in fills:
            ports = self._layout.outline.segments[index].ports
            found[index] = _spread(left, [self._beside_rim(size, port) for port in ports])
        rest = [index for index in fills if not found[index]]
        for index in rest:
            found[index] = _spread(left, sorted(left)[:1])
        return found

    def _beside_rim(self, size: tuple[int, int], port: Port) -> _Node:
        at, (x, y) = rim.middle(size, port), rim.inward(port)
        return int((at[0] + x) // self._step), int((at[1] + y) // self._step)


def _box(line: Sequence[Point]) -> tuple[Point, Point]:
    """The corners of the rectangle around points."""
    xs, ys = [x for x, _ in line], [y for _, y in line]
    return (min(xs), min(ys)), (max(xs), max(ys))


def _outside(at: Point, box: tuple[Point, Point]) -> float:
    """How far a point is from a rectangle, at least; 0 within it."""
    (left, top), (right, bottom) = box
    return max(left - at[0], at[0] - right, top - at[1], at[1] - bottom, 0.0)


def _spread(left: set[_Node], seeds: Iterable[_Node]) -> set[_Node]:
    """All points that hang together with seeds; they are left no more."""
    queue = deque(seed for seed in seeds if seed in left)
    found = set(queue)
    left.difference_update(found)
    while queue:
        x, y = queue.popleft()
        for node in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if node in left:
                left.remove(node)
                found.add(node)
                queue.append(node)
    return found
