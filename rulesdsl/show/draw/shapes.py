"""Paths of the segments of a piece, drawn from its outline alone.

A line is a ribbon from port to port, or from a port to its end. An area takes the stretches of the
rim that it holds, joined by curves that bend towards the middle; if it ends at a point inside, the
curve beside that point runs there. A fill is the rest of the piece.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

from rulesdsl.base.records import dataclass
from rulesdsl.language.model import geometry
from rulesdsl.show.draw import svg

_LANES = 3
_STARTS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
"""The corner of a cell at which each side begins, clockwise."""
_WAYS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
_INWARD = ((0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0))

Stretch = tuple[float, float]
"""Start and end of a stretch of the rim, in sides from the north-west corner clockwise.

The end may lie beyond the last side, which is followed by the first.
"""


def point(size: geometry.Size, sides: float) -> svg.Point:
    """Return the point at a distance in sides from the north-west corner, clockwise.

    On a hexagon and a triangle, it is the north corner.
    """
    if isinstance(size, geometry.OneCell):
        rim = svg.polygon_corners(size)
        first = int(sides % len(rim))
        return svg.between(rim[first], rim[(first + 1) % len(rim)], sides % 1)
    every = geometry.outer_sides(size)
    sides %= len(every)
    x, y, side = every[int(sides)]
    share = sides - int(sides)
    start, way = _STARTS[side], _WAYS[side]
    return (
        svg.CELL * (x + start[0] + share * way[0]),
        svg.CELL * (y + start[1] + share * way[1]),
    )


def sides_of(position: float) -> float:
    """Return a rim position in sides."""
    return (position / geometry.LANE + 0.5) / _LANES


def middle(size: geometry.Size, port: geometry.Port) -> svg.Point:
    """Return the point in the middle of a port's lane."""
    return point(size, sides_of(geometry.LANE * geometry.ring_index(size)[port]))


def inward(size: geometry.Size, port: geometry.Port) -> svg.Point:
    """Return the direction from a side into the piece."""
    if isinstance(size, geometry.OneCell):
        at, half = middle(size, replace(port, lane=geometry.CENTRE)), svg.apothem(size)
        return (svg.CELL / 2 - at[0]) / half, (svg.CELL / 2 - at[1]) / half
    return _INWARD[port.side]


def inside(size: geometry.Size, at: svg.Point) -> float:
    """Return the distance of a point within a piece from its rim, negative outside."""
    if isinstance(size, geometry.OneCell):
        centre, away = svg.CELL / 2, []
        for port in geometry.ring(size)[::_LANES]:
            x, y = inward(size, port)
            away.append(svg.apothem(size) + (at[0] - centre) * x + (at[1] - centre) * y)
        return min(away)
    width, height = (svg.CELL * cells for cells in size)
    return min(at[0], at[1], width - at[0], height - at[1])


def stretches(size: geometry.Size, ports: Iterable[geometry.Port]) -> list[Stretch]:
    """Return the stretches of the rim that the lanes of ports cover, each once, clockwise."""
    count = len(geometry.ring(size))
    held = sorted(geometry.ring_index(size)[port] for port in ports)
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


def corners(size: geometry.Size, stretch: Stretch) -> list[svg.Point]:
    """Return the points of a stretch: its ends, and the corners of cells between them."""
    first, last = stretch
    inner = range(int(first // 1) + 1, -int(-last // 1))
    return [point(size, each) for each in (first, *inner, last)]


_BEND = 0.8
"""Inward bend of the rim of an area, towards the middle of its cells."""
_LEAN = 0.16
"""Shift of that middle towards the stretches of the rim that the area holds."""
_ROUND = 0.39
"""Share of the way to the control points of a ribbon, which makes a bend a quarter circle."""
_APART = 20.0
_BESIDE = 29.0
"""Preferred distance of the hub from segments that do not run to it.

The second figure applies if a segment lies inside there.
"""


@dataclass(frozen=True)
class PiecePaths:
    """The paths of a piece in rotation 0; `shapes` gives the shape of each feature kind."""

    outline: geometry.Outline
    shapes: Mapping[str, geometry.Shape]
    _paths: dict[int, tuple[svg.SvgPath, ...]] = field(default_factory=dict, repr=False)

    def shape(self, index: int) -> geometry.Shape:
        """Return the shape of a segment."""
        return self.shapes[self.outline.segments[index].kind]

    def of(self, *shapes: geometry.Shape) -> list[int]:
        """Return the segments that have one of these shapes."""
        return [i for i in range(len(self.outline.segments)) if self.shape(i) in shapes]

    def paths(self, index: int) -> tuple[svg.SvgPath, ...]:
        """Return the parts of a line, or the one closed path of an area.

        Empty for other segments.
        """
        if index not in self._paths:
            shape, segment = self.shape(index), self.outline.segments[index]
            found = self._line(segment) if shape is geometry.Shape.LINE else []
            found += [self._area(segment)] if shape is geometry.Shape.AREA else []
            self._paths[index] = tuple(found)
        return self._paths[index]

    def rims(self, index: int) -> tuple[svg.SvgPath, ...]:
        """Return the border between an area and the rest of the piece.

        This is its path without the rim of the piece.
        """
        found: list[svg.SvgPath] = []
        at = self.paths(index)[0].start
        for step in self.paths(index)[0].steps:
            if isinstance(step, svg.Curve):
                found.append(svg.SvgPath(at, (step,)))
                at = step.end
            else:
                at = step
        return tuple(found)

    def points(self, index: int) -> list[svg.Point]:
        """Return the paths of a segment in straight parts, one after the other."""
        return [point for path in self.paths(index) for point in path.points()]

    @property
    def centre(self) -> svg.Point:
        """The middle of the piece."""
        width, height = self.outline.size
        return svg.CELL * width / 2, svg.CELL * height / 2

    @cached_property
    def hub(self) -> svg.Point:
        """The point where the segments that run to the middle meet.

        It lies beside the middle if another segment passes through there.
        """
        if self.outline.hub is None:
            return self.centre
        segments = self.outline.segments
        spokes = {i for i, s in enumerate(segments) if s.end == geometry.End()}
        first, last = self._free(self.outline.hub, spokes)
        aim = point(self.outline.size, sides_of((first + last) / 2))
        drawn = self.of(geometry.Shape.LINE, geometry.Shape.AREA)
        apart = [i for i in drawn if not self._runs_to(i, spokes)]
        others = [self.points(i) for i in apart]
        tries = [svg.between(self.centre, aim, step / 20) for step in range(17)]
        if last - first >= geometry.LANE * len(geometry.ring(self.outline.size)):
            tries = tries[:1]

        def room(at: svg.Point) -> float:
            if not all(self._reached(at, min(spokes), i) for i in apart):
                return -svg.CELL
            return min((svg.away(at, line) for line in others), default=svg.CELL)

        enough = _BESIDE if self.of(geometry.Shape.INSIDE) else _APART
        return next((at for at in tries if room(at) >= enough), max(tries, key=room))

    def _reached(self, at: svg.Point, spoke: int, other: int) -> bool:
        """Return whether a spoke reaches a point on the right side of another line or area.

        A spoke that crosses the other segment ends beyond it, any other on its own side.
        """
        segments = self.outline.segments
        crossed = segments[spoke].over == other or segments[other].over == spoke
        start = middle(self.outline.size, segments[spoke].ports[0])
        cuts = sum(
            svg.cut(start, at, a, b)
            for path in self.paths(other)
            for a, b in pairwise(path.points())
        )
        return cuts % 2 == (crossed and self.shape(other) is geometry.Shape.LINE)

    def _runs_to(self, index: int, spokes: set[int]) -> bool:
        """Return whether a segment is one of `spokes`, or ends, perhaps through others, at one."""
        while index not in spokes:
            end = self.outline.segments[index].end
            if end is None or end.segment is None:
                return False
            index = end.segment
        return True

    def _free(self, position: int, spokes: set[int]) -> tuple[int, int]:
        """Return the widest stretch of rim around a position that only `spokes` and fills hold."""
        ports = geometry.ring(self.outline.size)
        drawn = self.of(geometry.Shape.LINE, geometry.Shape.AREA)
        held = {p for i in drawn if i not in spokes for p in self.outline.segments[i].ports}
        length = geometry.LANE * len(ports)

        def reach(step: int) -> int:
            at = position
            while abs(at - position) < length and not (
                at % geometry.LANE == 0 and ports[at % length // geometry.LANE] in held
            ):
                at += step
            return at

        first, last = reach(-1), reach(1)
        return first, max(first, min(last, first + length))

    def end(self, segment: geometry.OutlineSegment) -> svg.Point | None:
        """Return the point at which a segment ends inside the piece."""
        match segment.end:
            case None:
                return None
            case geometry.End(segment=int(other)):
                return self.anchor(other)
            case geometry.End(rim=int(position)):
                return point(self.outline.size, sides_of(position))
        return self.hub

    def anchor(self, index: int) -> svg.Point:
        """Return a point well within a segment, to which others run."""
        segment = self.outline.segments[index]
        shape = self.shape(index)
        if shape is geometry.Shape.LINE:
            return svg.along(self.paths(index)[0].points(), 0.5)
        if shape is geometry.Shape.AREA:
            held = stretches(self.outline.size, segment.ports)
            middle = svg.mean(self._middles(held))
            return svg.between(middle, _cells_middle(segment), 0.2)
        return self.hub

    def ends(self, index: int) -> bool:
        """Return whether a line runs from the rim to a point inside instead of back to the rim."""
        segment = self.outline.segments[index]
        return segment.end is not None or len(segment.ports) != 2

    def _line(self, segment: geometry.OutlineSegment) -> list[svg.SvgPath]:
        end = self.end(segment)
        ports = segment.ports
        if end is None and len(ports) == 2:
            return [self._ribbon(ports[0], ports[1])]
        if end is None:
            end = self.hub if len(ports) < 3 else _cells_middle(segment)
        return [self._spoke(port, end) for port in ports]

    def _ribbon(self, one: geometry.Port, other: geometry.Port) -> svg.SvgPath:
        start, end = (middle(self.outline.size, port) for port in (one, other))
        reach = _ROUND * svg.distance(start, end)
        return svg.SvgPath(
            start,
            (svg.Curve(self._ahead(start, one, reach), self._ahead(end, other, reach), end),),
        )

    def _spoke(self, port: geometry.Port, end: svg.Point) -> svg.SvgPath:
        start = middle(self.outline.size, port)
        ahead = self._ahead(start, port, _ROUND * svg.distance(start, end))
        return svg.SvgPath(start, (svg.Curve(ahead, svg.between(end, ahead, 0.3), end),))

    def _ahead(self, start: svg.Point, port: geometry.Port, reach: float) -> svg.Point:
        x, y = inward(self.outline.size, port)
        return start[0] + reach * x, start[1] + reach * y

    def _middles(self, held: Sequence[Stretch]) -> list[svg.Point]:
        """Return points spread evenly over stretches of the rim, by their length."""
        found = []
        for first, last in held:
            parts = max(1, round((last - first) * 6))
            found += [
                point(self.outline.size, first + (last - first) * (part + 0.5) / parts)
                for part in range(parts)
            ]
        return found

    def _area(self, segment: geometry.OutlineSegment) -> svg.SvgPath:
        size = self.outline.size
        held = stretches(size, segment.ports)
        steps: list[svg.Point | svg.Curve] = []
        if not held:
            return svg.SvgPath(self.hub, (), closed=True)
        middle = _cells_middle(segment)
        lean = svg.between(middle, svg.mean(self._middles(held)), _LEAN)
        end = self.end(segment)
        gap = self._gap(held, segment.end) if end is not None else None
        whole = len(held) == 1 and held[0][1] - held[0][0] >= len(geometry.ring(size)) / 3
        for number, stretch in enumerate(held):
            rim = corners(size, stretch)
            steps += rim[number == 0 :]
            if whole:
                break
            start, there = rim[-1], point(size, held[(number + 1) % len(held)][0])
            first, second = svg.between(start, lean, _BEND), svg.between(there, lean, _BEND)
            if number == gap and end is not None:
                tip = svg.between(end, lean, 0.4)
                steps += [svg.Curve(first, tip, end), svg.Curve(tip, second, there)]
            else:
                steps.append(svg.Curve(first, second, there))
        return svg.SvgPath(point(size, held[0][0]), tuple(steps), closed=True)

    def _gap(self, held: Sequence[Stretch], end: geometry.End | None) -> int | None:
        """Return the index of the gap between stretches that an area crosses to reach its end.

        It is the gap that has the end on the rim, otherwise the widest; None for the hub of an area
        of several stretches, which contains it already.
        """
        sides = len(geometry.ring(self.outline.size)) / 3
        gaps = [
            (stop, held[(number + 1) % len(held)][0] + (sides if number + 1 == len(held) else 0))
            for number, (_, stop) in enumerate(held)
        ]
        if end is not None and end.rim is not None:
            at = sides_of(end.rim)
            for number, (first, last) in enumerate(gaps):
                if any(first <= at + turn <= last for turn in (-sides, 0, sides)):
                    return number
        if end == geometry.End() and len(held) > 1:
            return None
        return max(range(len(gaps)), key=lambda number: gaps[number][1] - gaps[number][0])


def _cells_middle(segment: geometry.OutlineSegment) -> svg.Point:
    return svg.mean((svg.CELL * (x + 0.5), svg.CELL * (y + 0.5)) for x, y in segment.cells)


def region(layout: PiecePaths, index: int) -> svg.SvgPath | None:
    """Return the closed path of fill segment `index`; None if it does not reach the rim."""
    size = layout.outline.size
    ports = geometry.ring(size)
    held = {port: i for i in layout.of(geometry.Shape.LINE, geometry.Shape.AREA)
            for port in layout.outline.segments[i].ports}  # fmt: skip
    points: list[svg.Point] = []
    for first, last in stretches(size, layout.outline.segments[index].ports):
        before = ports[round(first * _LANES) - 1]
        after = ports[round(last * _LANES) % len(ports)]
        if before in held:
            points += reversed(_way_in(layout, held[before], before))
        points += corners(size, (first, last))
        if after in held:
            points += _way_in(layout, held[after], after)
    return svg.SvgPath(points[0], tuple(points[1:]), closed=True) if points else None


def _way_in(layout: PiecePaths, index: int, port: geometry.Port) -> list[svg.Point]:
    """Return the points from a port of a drawn segment to the middle of that segment."""
    if layout.shape(index) is geometry.Shape.AREA:
        return [layout.anchor(index)]
    paths = layout.paths(index)
    start = middle(layout.outline.size, port)
    for path in paths:
        line = list(path.points())
        if line[0] == start:
            return line if len(paths) > 1 or layout.ends(index) else line[: len(line) // 2 + 1]
    line = list(reversed(paths[0].points()))
    return line[: len(line) // 2 + 1]


_STEP, _MOST = 5.0, 40
"""Distance between candidate points, and their maximum number side by side.

On a large piece they are farther apart.
"""
_STAND = 29.0
"""Size of a figure, in hundredths of a cell, for which a given place stays free."""
_MARGIN = 2.0
"""Clearance beside the rim of the piece."""

_Node = tuple[int, int]


class Spots:
    """Finder of free points of a piece; every point it returns is taken from then on.

    `widths` gives the width of each segment's ribbon, or of the shape inside. On segments in
    `stands` the first figure stands at the point that is given there.
    """

    def __init__(
        self,
        layout: PiecePaths,
        widths: Sequence[float],
        stands: Mapping[int, svg.Point] = MappingProxyType({}),
    ) -> None:
        self._layout, self._widths, self._stands = layout, widths, stands
        self._step = max(_STEP, svg.CELL * max(layout.outline.size) / _MOST)
        self._taken: list[tuple[svg.Point, float]] = []
        self._homes: dict[int, svg.Point] = {}
        self._manned: set[int] = set()
        self._lines = {
            i: layout.points(i) for i in layout.of(geometry.Shape.LINE, geometry.Shape.AREA)
        }
        self._boxes = {i: _box(line) for i, line in self._lines.items()}
        for index in layout.of(geometry.Shape.INSIDE):
            self._homes[index] = self._within(self._home(index), widths[index])
            self._taken.append((self._homes[index], widths[index]))
        self._taken += [(at, _STAND) for at in stands.values()]

    def home(self, index: int) -> svg.Point:
        """Return the position of a segment that touches no side."""
        return self._homes[index]

    def copy(self) -> Spots:
        """Return a copy with the same points taken; it changes independently."""
        other = object.__new__(Spots)
        other.__dict__.update(self.__dict__)
        other._taken, other._manned = list(self._taken), set(self._manned)
        return other

    def on(self, index: int, size: float) -> svg.Point:
        """Return a point on a segment for something of `size`."""
        match self._layout.shape(index):
            case geometry.Shape.LINE:
                tries = list(self._beside(index))
            case geometry.Shape.INSIDE:
                reach = (self._widths[index] + size) / 2 + 1
                tries = list(self._round(self._homes[index], reach, size))
            case _:
                tries = self._within_ground(index)
        return self._take(tries or [self._layout.anchor(index)], size, index)

    def _within_ground(self, index: int) -> list[svg.Point]:
        if self._layout.shape(index) is geometry.Shape.AREA:
            return [p for p in self._grid.values() if svg.holds(self._lines[index], p)]
        return [self._grid[node] for node in sorted(self._regions.get(index, ()))]

    def bare(self, index: int) -> tuple[list[svg.Point], float]:
        """Return points of an area or fill on which nothing is drawn, and how far they are apart.

        They are points of a grid.
        """
        over = [
            i
            for i, segment in enumerate(self._layout.outline.segments)
            if segment.over == index and i in self._lines
        ]
        points = [
            p
            for p in self._within_ground(index)
            if all(svg.distance(p, at) > size / 2 for at, size in self._taken)
            and all(svg.away(p, self._lines[i]) > self._widths[i] for i in over)
        ]
        return points, self._step

    def stand(self, index: int, size: float) -> svg.Point:
        """Return a point for a figure of `size` on a segment.

        On a shape inside, the first figure is drawn in front of it, so that it does not seem to be
        beside it.
        """
        given = self._stands.get(index)
        inside = self._layout.shape(index) is geometry.Shape.INSIDE
        if index in self._manned or not (given or inside):
            return self.on(index, size)
        self._manned.add(index)
        if given is not None:
            return given
        x, y = self._homes[index]
        return self._within((x + 0.3 * size, y + 0.3 * size), size)

    def anywhere(self, size: float) -> svg.Point:
        """Return a point on the piece for something of `size`, free of segments if possible."""
        free = [self._grid[node] for node in self._free]
        return self._take(free or list(self._grid.values()), size, None)

    def _take(self, tries: Sequence[svg.Point], size: float, index: int | None) -> svg.Point:
        found = self._within(self._best(tries, svg.mean(tries), size, index), size)
        self._taken.append((found, size))
        return found

    def _within(self, at: svg.Point, size: float) -> svg.Point:
        """Move a point so that something of `size` is within the piece."""
        outline = self._layout.outline
        if isinstance(outline.size, geometry.OneCell):
            tries = (svg.between(at, self._layout.centre, step / 20) for step in range(21))
            most = min(size / 2, svg.apothem(outline.size) - 0.5)
            return next(to for to in tries if inside(outline.size, to) > most)
        width, height = (svg.CELL * cells for cells in outline.size)
        x, y = at
        return (
            min(max(x, size / 2 + 1), width - size / 2 - 1),
            min(max(y, size / 2 + 1), height - size / 2 - 1),
        )

    def _best(
        self, tries: Sequence[svg.Point], near: svg.Point, size: float, index: int | None
    ) -> svg.Point:
        """Return the point with the most room for `size`; of equal ones the nearest to `near`."""
        best, found = -svg.CELL, tries[0]
        for at in tries:
            toll = 0.03 * svg.distance(at, near)
            worth = round(self._room(at, index, 0.6 * size, best + toll) - toll, 6)
            if worth > best:
                best, found = worth, at
        return found

    def _room(self, at: svg.Point, index: int | None, most: float, least: float) -> float:
        """Return the distance of a point from other segments than `index` and from its own rim.

        It is at most `most`, and not exact if it is less than `least`.
        """
        room = min(most, inside(self._layout.outline.size, at) - _MARGIN)
        for point, size in self._taken:
            room = min(room, svg.distance(at, point) - size / 2)
        for other, line in self._lines.items():
            if room <= least:
                break
            area = self._layout.shape(other) is geometry.Shape.AREA
            if not area and (other == index or self._hidden(other, index)):
                continue
            half = 0 if area else self._widths[other] / 2
            if _outside(at, self._boxes[other]) - half < room:
                room = min(room, svg.away(at, line) - half)
        return room

    def _hidden(self, line: int, index: int | None) -> bool:
        """Return whether an area covers a line where they meet."""
        if index is None or self._layout.shape(index) is not geometry.Shape.AREA:
            return False
        return self._layout.outline.segments[line].over != index

    def _home(self, index: int) -> svg.Point:
        """Return the hub if a segment runs there; otherwise the point with the most room."""
        if any(s.end == geometry.End() for s in self._layout.outline.segments) or not self._lines:
            tries = list(self._round(self._layout.hub, self._widths[index], self._widths[index]))
            if not any(point == self._layout.hub for point, _ in self._taken):
                return self._layout.hub
        else:
            tries = [self._grid[node] for node in self._free] or list(self._grid.values())
        return self._best(tries, self._layout.centre, self._widths[index], None)

    def _beside(self, index: int) -> Iterator[svg.Point]:
        for path in self._layout.paths(index):
            line = path.points()
            for part in range(3, 18):
                yield svg.along(line, part / 20)

    def _round(self, at: svg.Point, reach: float, size: float) -> Iterator[svg.Point]:
        """Yield a point and the points at distance `reach` around it, moved within the piece."""
        yield at
        for across, down in ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)):
            yield self._within((at[0] + reach * across, at[1] + reach * down), size)

    @cached_property
    def _grid(self) -> dict[_Node, svg.Point]:
        """The candidate points, by column and row."""
        size = self._layout.outline.size
        columns, rows = (int(svg.CELL * cells / self._step) for cells in size)
        wider, more = (int(over / self._step) for over in svg.overhang(size))
        found = {
            (x, y): (self._step * (x + 0.5), self._step * (y + 0.5))
            for y in range(-more, rows + more)
            for x in range(-wider, columns + wider)
        }
        return {node: at for node, at in found.items() if inside(size, at) > 0}

    @cached_property
    def _free(self) -> list[_Node]:
        """The points that no line or area covers."""
        return [node for node, at in self._grid.items() if not any(self._covering(at))]

    def _covering(self, at: svg.Point) -> Iterator[bool]:
        for index, line in self._lines.items():
            if _outside(at, self._boxes[index]) > self._widths[index] / 2:
                continue
            if self._layout.shape(index) is geometry.Shape.AREA:
                yield svg.holds(line, at)
            else:
                yield any(
                    svg.away(at, path.points()) < self._widths[index] / 2
                    for path in self._layout.paths(index)
                )

    @cached_property
    def _regions(self) -> dict[int, set[_Node]]:
        """The free points of every fill: those connected with its ports."""
        size = self._layout.outline.size
        left = set(self._free)
        found: dict[int, set[_Node]] = {}
        fills = self._layout.of(geometry.Shape.FILL)
        for index in fills:
            ports = self._layout.outline.segments[index].ports
            found[index] = _spread(left, [self._beside_rim(size, port) for port in ports])
        rest = [index for index in fills if not found[index]]
        for index in rest:
            found[index] = _spread(left, sorted(left)[:1])
        return found

    def _beside_rim(self, size: tuple[int, int], port: geometry.Port) -> _Node:
        at, (x, y) = middle(size, port), inward(size, port)
        reach = 0.8 * self._step if isinstance(size, geometry.OneCell) else 1
        return int((at[0] + reach * x) // self._step), int((at[1] + reach * y) // self._step)


def _box(line: Sequence[svg.Point]) -> tuple[svg.Point, svg.Point]:
    xs, ys = [x for x, _ in line], [y for _, y in line]
    return (min(xs), min(ys)), (max(xs), max(ys))


def _outside(at: svg.Point, box: tuple[svg.Point, svg.Point]) -> float:
    """Return a lower bound of the distance of a point from a rectangle; 0 within it."""
    (left, top), (right, bottom) = box
    return max(left - at[0], at[0] - right, top - at[1], at[1] - bottom, 0.0)


def _spread(left: set[_Node], seeds: Iterable[_Node]) -> set[_Node]:
    """Return all points connected with the seeds, and remove them from `left`."""
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
