"""Shapes as tables: the outline of every face of every kind, in each of the four rotations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rulesdsl.geometry.ring import rotate, rotate_cell, turned
from rulesdsl.lower.tables.encoding import feature_kinds
from rulesdsl.model.game import Game, KindDef
from rulesdsl.model.geometry import Outline, Segment

BLANK = Outline((1, 1), (), {(0, 0, side): None for side in range(4)})
"""The outline of a face with nothing drawn on it."""

TURNS = range(4)
SIDES = range(4)
LANES = range(3)

IN_WORD = 7
"""The number of outlines that have a bit for each rotation in one word of 28 bits."""

WORD = 31
"""The number of feature kinds that have a bit in a word."""

Place = tuple[int, int]


@dataclass(frozen=True)
class Laid:
    """An outline in one rotation.

    `holder` is indexed by x, y, side and lane; `side_kinds` by x, y and side (None if the side
    is empty or inner).
    """

    outline: Outline
    rotation: int

    @property
    def size(self) -> Place:
        return turned(self.outline.size, self.rotation)

    def places(self) -> list[Place]:
        """Return the cells of the outline in rows."""
        width, height = self.size
        return [(x, y) for y in range(height) for x in range(width)]

    def ports(self, segment: Segment) -> list[tuple[int, int, int, int]]:
        """Return the ports of a segment as x, y, side, lane."""
        ports = (rotate(port, self.rotation, self.outline.size) for port in segment.ports)
        return [(port.x, port.y, port.side, port.lane) for port in ports]

    def cells(self, segment: Segment) -> list[Place]:
        """Return the cells of a segment in rows."""
        cells = (rotate_cell(cell, self.rotation, self.outline.size) for cell in segment.cells)
        return sorted(cells, key=lambda cell: (cell[1], cell[0]))

    def holder(self) -> dict[tuple[int, int, int, int], int]:
        """Return the index of the segment that holds each port, by x, y, side, lane."""
        segments = enumerate(self.outline.segments)
        return {port: index for index, segment in segments for port in self.ports(segment)}

    def side_kinds(self) -> dict[tuple[int, int, int], str | None]:
        """Return the kind of every outer side by x, y, side."""
        found = {}
        for (x, y, side), kind in self.outline.sides.items():
            corner = rotate_cell((x, y), self.rotation, self.outline.size)
            found[*corner, (side + self.rotation) % 4] = kind
        return found


def outlines(kind: KindDef) -> list[Outline]:
    """Return the outline of every face of a kind, or its only one."""
    drawn = [face.outline for face in kind.faces] if kind.faces else [kind.outline]
    return [outline or BLANK for outline in drawn]


def laid(game: Game) -> list[Laid]:
    """Return all shapes: kind by kind, face by face, each in its four rotations."""
    faces = [outline for kind in game.kinds for outline in outlines(kind)]
    return [Laid(outline, rotation) for outline in faces for rotation in TURNS]


def kind_shapes(game: Game) -> list[int]:
    """Return the first shape of every kind."""
    found, first = [], 0
    for kind in game.kinds:
        found.append(first)
        first += len(TURNS) * len(outlines(kind))
    return found


def part_segments(game: Game) -> list[Segment]:
    """Return the segment of every row of the `part_` tables."""
    return [segment for shape in laid(game) for segment in shape.outline.segments]


def side_codes(game: Game) -> dict[str | None, int]:
    """Return a number for everything that a side can show, 0 for nothing."""
    numbers = feature_kinds(game)
    used = {kind for shape in laid(game) for kind in shape.outline.sides.values() if kind}
    return {None: 0} | {kind: i for i, kind in enumerate(sorted(used, key=numbers.__getitem__), 1)}


Rows = dict[str, list[int]]


def shape_tables(game: Game) -> Rows:
    """Return the tables of shapes.

    These are `FITS`, `side_fit` and all `shape_`, `corner_`, `part_` (except `part_value`),
    `port_`, `area_` and `border_` tables.
    """
    tables: Rows = {name: [] for name in _NAMES}
    codes, numbers = side_codes(game), feature_kinds(game)
    for shape in laid(game):
        tables["shape_corner"].append(len(tables["corner_side"]) // len(SIDES))
        tables["shape_part"].append(len(tables["part_kind"]))
        _add_corners(tables, shape, codes)
        for segment, twin in zip(shape.outline.segments, _twins(shape.outline), strict=True):
            tables["part_kind"].append(numbers[segment.kind])
            tables["part_twin"].append(twin)
            _add_part(tables, shape, segment)
        width, height = shape.size
        tables["shape_width"].append(width)
        tables["shape_height"].append(height)
        tables["shape_parts"].append(len(shape.outline.segments))
        drawn = {numbers[segment.kind] for segment in shape.outline.segments}
        tables["shape_kinds"].append(sum(1 << kind for kind in drawn if kind < WORD))
    _end_parts(tables)
    _add_fits(tables, len(codes))
    return tables


_NAMES = (
    *("FITS", "side_fit", "shape_fit", "shape_bit", "shape_shift", "corner_side", "corner_holder"),
    *("shape_width", "shape_height", "shape_parts", "shape_part", "shape_corner"),
    "shape_kinds",
    *("part_kind", "part_twin", "part_port", "part_cell", "part_border"),
    *("port_x", "port_y", "port_side", "port_lane", "area_x", "area_y", "border_part"),
)


def _add_corners(tables: Rows, shape: Laid, codes: dict[str | None, int]) -> None:
    kinds, holder = shape.side_kinds(), shape.holder()
    for x, y in shape.places():
        for side in SIDES:
            tables["corner_side"].append(codes[kinds.get((x, y, side))])
            tables["corner_holder"] += [holder.get((x, y, side, lane), -1) for lane in LANES]


def _add_part(tables: Rows, shape: Laid, segment: Segment) -> None:
    _end_parts(tables)
    for x, y, side, lane in shape.ports(segment):
        tables["port_x"].append(x)
        tables["port_y"].append(y)
        tables["port_side"].append(side)
        tables["port_lane"].append(lane)
    for x, y in shape.cells(segment):
        tables["area_x"].append(x)
        tables["area_y"].append(y)
    tables["border_part"] += segment.borders


def _end_parts(tables: Rows) -> None:
    """Mark the end of the rows so far as the start of the next part."""
    tables["part_port"].append(len(tables["port_x"]))
    tables["part_cell"].append(len(tables["area_x"]))
    tables["part_border"].append(len(tables["border_part"]))


def _add_fits(tables: Rows, codes: int) -> None:
    """Give every shape of one cell a bit, and every side code the bits of its shapes."""
    corners, sides = tables["shape_corner"], tables["corner_side"]
    shown = [tuple(sides[corner * 4 : corner * 4 + 4]) for corner in corners]
    sizes = list(zip(tables["shape_width"], tables["shape_height"], strict=True))
    numbers: dict[tuple[int, ...], int] = {}
    for shape, size in enumerate(sizes):
        first = shown[shape - shape % len(TURNS)]
        number = numbers.setdefault(first, len(numbers)) if size == (1, 1) else 0
        tables["shape_fit"].append(number // IN_WORD)
        bit = 1 << number % IN_WORD * len(TURNS) + shape % len(TURNS)
        tables["shape_bit"].append(bit if size == (1, 1) else 0)
        tables["shape_shift"].append(number % IN_WORD * len(TURNS))
    words = len(numbers) // IN_WORD + 1
    tables["FITS"].append(words)
    tables["side_fit"] += [0] * (codes * len(SIDES) * words)
    for shape, fit in enumerate(tables["shape_fit"]):
        for side, code in enumerate(shown[shape]):
            tables["side_fit"][(code * 4 + side) * words + fit] |= tables["shape_bit"][shape]


def _twins(outline: Outline) -> Iterator[int]:
    for segment in outline.segments:
        yield int(
            any(
                other is not segment
                and other.kind == segment.kind
                and not set(other.cells).isdisjoint(segment.cells)
                for other in outline.segments
            )
        )
