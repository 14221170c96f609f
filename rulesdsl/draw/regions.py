"""The outline of a fill: along the rim of the piece, and between its stretches along what is drawn.

The way in from the rim runs along the middle of what parts two regions, so that ribbons and areas,
which are painted later, cover the seam.
"""

from __future__ import annotations

from rulesdsl.draw import rim
from rulesdsl.draw.paths import Path, Point
from rulesdsl.draw.shapes import Layout
from rulesdsl.geometry.ring import ring
from rulesdsl.model.geometry import Port, Shape

_LANES = 3


def region(layout: Layout, index: int) -> Path | None:
    """The closed path of fill segment `index`; None where it does not reach the rim."""
    size = layout.outline.size
    ports = ring(size)
    held = {port: i for i in layout.of(Shape.LINE, Shape.AREA)
            for port in layout.outline.segments[i].ports}  # fmt: skip
    points: list[Point] = []
    for first, last in rim.stretches(size, layout.outline.segments[index].ports):
        before = ports[round(first * _LANES) - 1]
        after = ports[round(last * _LANES) % len(ports)]
        if before in held:
            points += reversed(_way_in(layout, held[before], before))
        points += rim.corners(size, (first, last))
        if after in held:
            points += _way_in(layout, held[after], after)
    return Path(points[0], tuple(points[1:]), closed=True) if points else None


def _way_in(layout: Layout, index: int, port: Port) -> list[Point]:
    """From a port of a drawn segment to the middle of that segment."""
    if layout.shape(index) is Shape.AREA:
        return [layout.anchor(index)]
    paths = layout.paths(index)
    start = rim.middle(layout.outline.size, port)
    for path in paths:
        line = list(path.points())
        if line[0] == start:
            return line if len(paths) > 1 or layout.ends(index) else line[: len(line) // 2 + 1]
    line = list(reversed(paths[0].points()))
    return line[: len(line) // 2 + 1]
