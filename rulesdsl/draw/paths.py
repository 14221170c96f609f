"""Points and paths in the plane: x to the right, y down, a cell of a piece is 100 wide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot

CELL = 100.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """A step on a cubic Bezier curve with two control points."""

    first: Point
    second: Point
    end: Point


_PARTS = 10
"""So many straight parts stand for a curve where distances are measured."""


def number(value: float) -> str:
    """A number with one decimal at most, as SVG writes it."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def between(a: Point, b: Point, share: float) -> Point:
    """The point a share of the way from `a` to `b`."""
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def distance(a: Point, b: Point) -> float:
    """How far two points are apart."""
    return hypot(a[0] - b[0], a[1] - b[1])


def mean(points: Iterable[Point]) -> Point:
    """The middle of points, of which there is at least one."""
    found = list(points)
    return sum(x for x, _ in found) / len(found), sum(y for _, y in found) / len(found)


@dataclass(frozen=True)
class Path:
    """A line from `start` over steps, each a point (straight) or a curve; `closed` leads back."""

    start: Point
    steps: tuple[Point | Curve, ...]
    closed: bool = False

    def __str__(self) -> str:
        """As the attribute `d` of SVG."""
        words = [f"M{_pair(self.start)}"]
        for step in self.steps:
            if isinstance(step, Curve):
                points = (step.first, step.second, step.end)
                words.append("C" + " ".join(_pair(point) for point in points))
            else:
                words.append(f"L{_pair(step)}")
        return "".join(words) + ("Z" if self.closed else "")

    def points(self) -> tuple[Point, ...]:
        """The path in straight parts."""
        found = [self.start]
        for step in self.steps:
            if isinstance(step, Curve):
                found += _flat(found[-1], step)
            else:
                found.append(step)
        if self.closed and found[-1] != found[0]:
            found.append(found[0])
        return tuple(found)


def _pair(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _flat(start: Point, curve: Curve) -> Iterator[Point]:
    corners = (start, curve.first, curve.second, curve.end)
    for part in range(1, _PARTS + 1):
        t = part / _PARTS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        yield (
            sum(w * p[0] for w, p in zip(weights, corners, strict=True)),
            sum(w * p[1] for w, p in zip(weights, corners, strict=True)),
        )


def along(points: Sequence[Point], share: float) -> Point:
    """The point that lies a share of the length of a line of points from its beginning."""
    lengths = [distance(a, b) for a, b in pairwise(points)]
    left = share * sum(lengths)
    for (a, b), length in zip(pairwise(points), lengths, strict=True):
        if left <= length and length > 0:
            return between(a, b, left / length)
        left -= length
    return points[-1]


def away(point: Point, line: Sequence[Point]) -> float:
    """How far a point is from a line of points."""
    if len(line) == 1:
        return distance(point, line[0])
    return min(_away(point, a, b) for a, b in pairwise(line))


def _away(point: Point, a: Point, b: Point) -> float:
    across, down = b[0] - a[0], b[1] - a[1]
    square = across * across + down * down
    share = 0.0
    if square > 0:
        share = ((point[0] - a[0]) * across + (point[1] - a[1]) * down) / square
    return distance(point, between(a, b, min(1.0, max(0.0, share))))


def holds(polygon: Sequence[Point], point: Point) -> bool:
    """Whether a point lies within a closed line of points."""
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in pairwise(polygon):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside


def cut(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the straight lines from `a` to `b` and from `c` to `d` cross."""
    return _left(a, b, c) != _left(a, b, d) and _left(c, d, a) != _left(c, d, b)


def _left(a: Point, b: Point, c: Point) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])
