"""A square piece as SVG, drawn from its outline: fills, ribbons, areas, and what lies on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from rulesdsl.draw.badges import badge_lines
from rulesdsl.draw.colours import COLOURS, INK
from rulesdsl.draw.looks import Badge, Looks, shown
from rulesdsl.draw.paths import CELL, Path, Point, distance
from rulesdsl.draw.regions import region
from rulesdsl.draw.shapes import Layout
from rulesdsl.draw.spots import Spots
from rulesdsl.draw.svg import Lines, clipped, element
from rulesdsl.model.game import Plain
from rulesdsl.model.geometry import End, Outline, Shape

_EDGE = 2.2
"""How wide the rims of ribbons and areas are."""
_LARGE = 0.5
"""How large the mark of a piece of several cells is, as a share of its shorter side."""
_CROWD = 5
"""Where more marks are on a cell, they are smaller."""
MARK = 29.0
"""How large what stands on a segment is, in hundredths of a cell."""


@dataclass(frozen=True)
class Mark:
    """A badge and where it is; it stays upright when the piece is turned."""

    badge: Badge
    at: Point
    size: float

    def moved(self, at: Point) -> Mark:
        """The same mark at another point."""
        return replace(self, at=at)


class Tile:
    """A piece of square cells in rotation 0: `ground` as SVG, and the `marks` on it; `own` is the
    mark of the piece itself, if it has one."""

    def __init__(
        self,
        outline: Outline,
        attributes: Mapping[str, Plain],
        looks: Looks,
        own: Badge | None = None,
    ) -> None:
        self.outline, self._looks = outline, looks
        self._layout = Layout(outline, looks.shapes)
        self._grounds = [looks.grounds[segment.kind] for segment in outline.segments]
        self._spots = Spots(self._layout, [ground.width for ground in self._grounds])
        width, height = (CELL * cells for cells in outline.size)
        self.ground = clipped(self._ground(looks.ground(attributes)), width, height)
        self.marks = list(self._marks(attributes, own))

    def lines(self) -> Lines:
        """The whole piece."""
        return [*self.ground, *(line for mark in self.marks for line in mark_lines(mark))]

    def room(self) -> Spots:
        """Where there is room beside the marks."""
        return self._spots.copy()

    def _ground(self, colour: str | None) -> Iterator[str]:
        """Everything but the marks; `colour` stands in for that of the first fill."""
        width, height = self.outline.size
        fills = [ground.fill for ground in self._grounds if ground.shape is Shape.FILL]
        yield element(
            "rect",
            width=CELL * width,
            height=CELL * height,
            fill=colour or (fills[0] if fills else COLOURS["cream"]),
        )
        for index in self._layout.of(Shape.FILL):
            path = region(self._layout, index)
            if self._grounds[index].fill != fills[0] and path is not None:
                yield element("path", d=str(path), fill=self._grounds[index].fill)
        for index in sorted(self._layout.of(Shape.LINE, Shape.AREA), key=self._level):
            if self._layout.shape(index) is Shape.LINE:
                yield from self._ribbon(index)
            else:
                yield from self._area(index)
        yield from self._meetings()

    def _level(self, index: int) -> tuple[int, int, int]:
        """Areas lie on lines, which end within them; what passes over something lies on that."""
        areas, bridges, at = 0, 0, index
        while bridges <= len(self.outline.segments):
            over = self.outline.segments[at].over
            areas += self._layout.shape(at) is Shape.AREA
            if over is None:
                break
            bridges, at = bridges + 1, over
        return areas, bridges, index

    def _ribbon(self, index: int) -> Iterator[str]:
        ground = self._grounds[index]
        paths = self._layout.paths(index)
        drawn = "".join(map(str, paths))
        over = self.outline.segments[index].over
        if over is not None and self._layout.shape(over) is Shape.LINE:
            yield from self._bridge(index, over)
        ends = {"fill": "none", "stroke_linejoin": "round"}
        if len(paths) > 1:
            ends["stroke_linecap"] = "round"
        yield element(
            "path", d=drawn, stroke=ground.edge, stroke_width=ground.width + 2 * _EDGE, **ends
        )
        yield element("path", d=drawn, stroke=ground.fill, stroke_width=ground.width, **ends)

    def _bridge(self, index: int, over: int) -> Iterator[str]:
        """The rails where a ribbon crosses another."""
        across = [point for path in self._layout.paths(over) for point in path.points()]
        reach = self._grounds[over].width / 2 + 3
        near = [
            point
            for path in self._layout.paths(index)
            for point in path.points()
            if min(distance(point, other) for other in across) < reach + 6
        ]
        if len(near) > 1:
            rails = Path(near[0], tuple(near[1:]))
            width = self._grounds[index].width + 6 * _EDGE
            yield element("path", d=str(rails), stroke=INK, stroke_width=width, fill="none")

    def _area(self, index: int) -> Iterator[str]:
        ground = self._grounds[index]
        yield element("path", d=str(self._layout.paths(index)[0]), fill=ground.fill)
        rims = "".join(map(str, self._layout.rims(index)))
        if rims:
            yield element("path", d=rims, fill="none", stroke=ground.edge, stroke_width=1.6 * _EDGE)

    def _meetings(self) -> Iterator[str]:
        """A disc where ribbons end that run to the middle, or to the middle of another."""
        meeting: dict[Point, list[int]] = {}
        for index in self._layout.of(Shape.LINE):
            end = self.outline.segments[index].end
            if end is None:
                continue
            if end.segment is None or self._layout.shape(end.segment) is Shape.LINE:
                point = self._layout.end(self.outline.segments[index])
                assert point is not None, "it ends somewhere"
                meeting.setdefault(point, []).append(index)
        inside = self._layout.of(Shape.INSIDE)
        for point, lines in meeting.items():
            at_hub = any(self.outline.segments[index].end == End() for index in lines)
            if not (at_hub and inside):
                ground = self._grounds[lines[0]]
                yield element(
                    "circle",
                    cx=point[0],
                    cy=point[1],
                    r=0.85 * ground.width,
                    fill=COLOURS["sand"],
                    stroke=ground.edge,
                    stroke_width=_EDGE,
                )

    def _marks(self, attributes: Mapping[str, Plain], own: Badge | None) -> Iterator[Mark]:
        for index in self._layout.of(Shape.INSIDE):
            ground = self._grounds[index]
            assert ground.badge is not None, "what lies inside is a badge"
            yield Mark(ground.badge, self._spots.home(index), ground.width)
        said = [
            (index, badge)
            for index, segment in enumerate(self.outline.segments)
            for _, badge in shown(self._looks, segment.attributes)
        ]
        whole = [badge for _, badge in shown(self._looks, attributes)]
        whole += [own] if own is not None and self.outline.size == (1, 1) else []
        count = (len(said) + len(whole)) / (self.outline.size[0] * self.outline.size[1])
        size = MARK * min(1.0, (_CROWD / max(count, 1)) ** 0.5)
        for index, badge in said:
            yield Mark(badge, self._spots.on(index, size), size)
        for badge in whole:
            yield Mark(badge, self._spots.anywhere(size), size)
        if own is not None and own not in whole:
            yield Mark(own, self._layout.centre, CELL * _LARGE * min(self.outline.size))


def mark_lines(mark: Mark) -> Lines:
    """A mark as SVG."""
    return badge_lines(mark.badge, mark.at, mark.size)
