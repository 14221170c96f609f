"""What the segments of a piece look like: a path for each, drawn from its outline alone.

A line is a ribbon from port to port, or from a port to where it ends. An area takes the stretches
of the rim that it holds, joined by curves that bend towards the middle; where it ends at a point
inside, the curve beside that point runs there. A fill is what is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from rulesdsl.draw import rim
from rulesdsl.draw.paths import (
    CELL,
    Curve,
    Path,
    Point,
    along,
    away,
    between,
    cut,
    distance,
    mean,
)
from rulesdsl.geometry.ring import LANE, ring
from rulesdsl.model.geometry import End, Outline, Port, Segment, Shape

_BEND = 0.8
"""How far the rim of an area leans towards the middle of its cells."""
_LEAN = 0.16
"""How far that middle is drawn to the stretches of the rim that the area holds."""
_ROUND = 0.39
"""The control points of a ribbon: with this share of the way a bend is a quarter of a circle."""
_APART = 20.0
_BESIDE = 29.0
"""The hub keeps so far from what does not run to it, if it can: without and with something that
lies inside there."""


@dataclass(frozen=True)
class Layout:
    """The paths of a piece in rotation 0, as `shapes` (by kind) say how each kind lies."""

    outline: Outline
    shapes: Mapping[str, Shape]
    _paths: dict[int, tuple[Path, ...]] = field(default_factory=dict, repr=False)

    def shape(self, index: int) -> Shape:
        """How a segment lies on the piece."""
        return self.shapes[self.outline.segments[index].kind]

    def of(self, *shapes: Shape) -> list[int]:
        """The segments that lie in one of these ways."""
        return [i for i in range(len(self.outline.segments)) if self.shape(i) in shapes]

    def paths(self, index: int) -> tuple[Path, ...]:
        """The parts of a line, the one closed path of an area; nothing for other segments."""
        if index not in self._paths:
            shape = self.shape(index)
            if shape is Shape.LINE:
                self._paths[index] = tuple(self._line(self.outline.segments[index]))
            elif shape is Shape.AREA:
                self._paths[index] = (self._area(self.outline.segments[index]),)
            else:
                self._paths[index] = ()
        return self._paths[index]

    def rims(self, index: int) -> tuple[Path, ...]:
        """What parts an area from the rest of the piece: its path without the rim of the piece."""
        found: list[Path] = []
        at = self.paths(index)[0].start
        for step in self.paths(index)[0].steps:
            if isinstance(step, Curve):
                found.append(Path(at, (step,)))
                at = step.end
            else:
                at = step
        return tuple(found)

    def points(self, index: int) -> list[Point]:
        """The paths of a segment in straight parts, one after the other."""
        return [point for path in self.paths(index) for point in path.points()]

    @property
    def centre(self) -> Point:
        """The middle of the piece."""
        width, height = self.outline.size
        return CELL * width / 2, CELL * height / 2

    @cached_property
    def hub(self) -> Point:
        """Where segments meet that run to the middle: there, or beside what passes through."""
        if self.outline.hub is None:
            return self.centre
        segments = self.outline.segments
        spokes = {i for i, s in enumerate(segments) if s.end == End()}
        first, last = self._free(self.outline.hub, spokes)
        aim = rim.point(self.outline.size, rim.sides_of((first + last) / 2))
        drawn = self.of(Shape.LINE, Shape.AREA)
        apart = [i for i in drawn if not self._runs_to(i, spokes)]
        others = [self.points(i) for i in apart]
        tries = [between(self.centre, aim, step / 20) for step in range(17)]
        if last - first >= LANE * len(ring(self.outline.size)):
            tries = tries[:1]

        def room(at: Point) -> float:
            if not all(self._reached(at, min(spokes), i) for i in apart):
                return -CELL
            return min((away(at, line) for line in others), default=CELL)

        enough = _BESIDE if self.of(Shape.INSIDE) else _APART
        return next((at for at in tries if room(at) >= enough), max(tries, key=room))

    def _reached(self, at: Point, spoke: int, other: int) -> bool:
        """Whether a point lies on that side of another line or area on which a spoke ends that
        crosses it, or does not."""
        segments = self.outline.segments
        crossed = segments[spoke].over == other or segments[other].over == spoke
        start = rim.middle(self.outline.size, segments[spoke].ports[0])
        cuts = sum(
            cut(start, at, a, b) for path in self.paths(other) for a, b in pairwise(path.points())
        )
        return cuts % 2 == (crossed and self.shape(other) is Shape.LINE)

    def _runs_to(self, index: int, spokes: set[int]) -> bool:
        """Whether a segment is one of `spokes`, or ends at one that runs to one of them."""
        while index not in spokes:
            end = self.outline.segments[index].end
            if end is None or end.segment is None:
                return False
            index = end.segment
        return True

    def _free(self, position: int, spokes: set[int]) -> tuple[int, int]:
        """The widest stretch of rim positions round one that only `spokes` and fills hold."""
        ports = ring(self.outline.size)
        drawn = self.of(Shape.LINE, Shape.AREA)
        held = {p for i in drawn if i not in spokes for p in self.outline.segments[i].ports}
        length = LANE * len(ports)

        def reach(step: int) -> int:
            at = position
            while abs(at - position) < length and not (
                at % LANE == 0 and ports[at % length // LANE] in held
            ):
                at += step
            return at

        first, last = reach(-1), reach(1)
        return first, max(first, min(last, first + length))

    def end(self, segment: Segment) -> Point | None:
        """The point at which a segment ends inside the piece."""
        match segment.end:
            case None:
                return None
            case End(segment=int(other)):
                return self.anchor(other)
            case End(rim=int(position)):
                return rim.point(self.outline.size, rim.sides_of(position))
        return self.hub

    def anchor(self, index: int) -> Point:
        """A point well within a segment, to which others run."""
        segment = self.outline.segments[index]
        shape = self.shape(index)
        if shape is Shape.LINE:
            return along(self.paths(index)[0].points(), 0.5)
        if shape is Shape.AREA:
            held = rim.stretches(self.outline.size, segment.ports)
            middle = mean(self._middles(held))
            return between(middle, _cells_middle(segment), 0.2)
        return self.hub

    def ends(self, index: int) -> bool:
        """Whether a line runs from the rim to a point inside, instead of to the rim again."""
        segment = self.outline.segments[index]
        return segment.end is not None or len(segment.ports) != 2

    def _line(self, segment: Segment) -> list[Path]:
        end = self.end(segment)
        ports = segment.ports
        if end is None and len(ports) == 2:
            return [self._ribbon(ports[0], ports[1])]
        if end is None:
            end = self.hub if len(ports) < 3 else _cells_middle(segment)
        return [self._spoke(port, end) for port in ports]

    def _ribbon(self, one: Port, other: Port) -> Path:
        start, end = (rim.middle(self.outline.size, port) for port in (one, other))
        reach = _ROUND * distance(start, end)
        return Path(start, (Curve(_ahead(start, one, reach), _ahead(end, other, reach), end),))

    def _spoke(self, port: Port, end: Point) -> Path:
        start = rim.middle(self.outline.size, port)
        ahead = _ahead(start, port, _ROUND * distance(start, end))
        return Path(start, (Curve(ahead, between(end, ahead, 0.3), end),))

    def _middles(self, held: Sequence[rim.Stretch]) -> list[Point]:
        """The middle of each side, or part of one, of stretches of the rim, by its length."""
        found = []
        for first, last in held:
            parts = max(1, round((last - first) * 6))
            found += [
                rim.point(self.outline.size, first + (last - first) * (part + 0.5) / parts)
                for part in range(parts)
            ]
        return found

    def _area(self, segment: Segment) -> Path:
        size = self.outline.size
        held = rim.stretches(size, segment.ports)
        steps: list[Point | Curve] = []
        if not held:
            return Path(self.hub, (), closed=True)
        middle = _cells_middle(segment)
        lean = between(middle, mean(self._middles(held)), _LEAN)
        end = self.end(segment)
        gap = self._gap(held, segment.end) if end is not None else None
        whole = len(held) == 1 and held[0][1] - held[0][0] >= len(ring(size)) / 3
        for number, stretch in enumerate(held):
            corners = rim.corners(size, stretch)
            steps += corners[number == 0 :]
            if whole:
                break
            start, there = corners[-1], rim.point(size, held[(number + 1) % len(held)][0])
            first, second = between(start, lean, _BEND), between(there, lean, _BEND)
            if number == gap and end is not None:
                tip = between(end, lean, 0.4)
                steps += [Curve(first, tip, end), Curve(tip, second, there)]
            else:
                steps.append(Curve(first, second, there))
        return Path(rim.point(size, held[0][0]), tuple(steps), closed=True)

    def _gap(self, held: Sequence[rim.Stretch], end: End | None) -> int | None:
        """Which of the gaps after the stretches an area runs into to its end: the one that has it
        on the rim, otherwise the widest; None for the hub of an area of several stretches, which
        is within it already."""
        sides = len(ring(self.outline.size)) / 3
        gaps = [
            (stop, held[(number + 1) % len(held)][0] + (sides if number + 1 == len(held) else 0))
            for number, (_, stop) in enumerate(held)
        ]
        if end is not None and end.rim is not None:
            at = rim.sides_of(end.rim)
            for number, (first, last) in enumerate(gaps):
                if any(first <= at + turn <= last for turn in (-sides, 0, sides)):
                    return number
        if end == End() and len(held) > 1:
            return None
        return max(range(len(gaps)), key=lambda number: gaps[number][1] - gaps[number][0])


def _ahead(start: Point, port: Port, reach: float) -> Point:
    x, y = rim.inward(port)
    return start[0] + reach * x, start[1] + reach * y


def _cells_middle(segment: Segment) -> Point:
    """The middle of the cells on which a segment lies."""
    return mean((CELL * (x + 0.5), CELL * (y + 0.5)) for x, y in segment.cells)
