"""The geometry of a piece: its sides, lanes and segments, and the ports of its rim.

A cell has four sides, six on a grid of hexagons or three on one of triangles, of three lanes each.
The ports of a piece are the lanes of its outer sides, clockwise from the north-west corner: NL N NR
EL E ER SL S SR WL W WR for a single square. A hexagon or triangle has one cell; its ports begin at
the north corner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from enum import Enum
from functools import cache

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model.nodes import Node


class Shape(Enum):
    """The shape of the segments of a feature kind.

    A `line` holds the centre lane of a side, an `area` all three, `fill` takes the area that the
    drawing leaves free, and `inside` touches no side.
    """

    LINE = "line"
    AREA = "area"
    FILL = "fill"
    INSIDE = "inside"


@dataclass(frozen=True)
class KindShape:
    """A feature kind as geometry sees it; `borders` are the kinds whose contact it remembers.

    Lines of a kind that `crosses` hold any lanes, cross everything and divide nothing.
    """

    name: str
    shape: Shape
    borders: frozenset[str] = frozenset()
    crosses: bool = False


SIDES = ("N", "E", "S", "W")
SIDES_OF_HEXAGON = ("NE", "E", "SE", "SW", "W", "NW")
SIDES_OF_TRIANGLE = ("N", "NE", "SE", "S", "SW", "NW")
"""The sides of triangles: every second one is a side of an upright one, the others of an inverted
one, into which a turn by one of six steps turns it."""
LANES = "LCR"
SQUARES, HEXAGONS, TRIANGLES = FORMS = ("squares", "hexagons", "triangles")
"""The forms of cells."""


@dataclass(frozen=True, order=True)
class Port:
    """One of the three lanes of one outer side of one cell of a piece.

    `x` east and `y` south count cells from the north-west cell; `side` is the index in
    `side_names`; `lane` 0..2 is left, centre, right as seen from the middle of the cell.
    """

    x: int
    y: int
    side: int
    lane: int


@dataclass(frozen=True)
class Drawn:
    """A segment as the author wrote it.

    `at` is in the port notation of docs/reference/language.md (`N-E`, `W>N`, `EL-S`), `over` are
    the ports of the segment it bridges, and `borders` is set only for a fill segment that is
    written out by hand. Lines end at no `added` area unless they say so. `node` is the entry of the
    manifest, if there is one.
    """

    kind: str
    at: str
    span: Span = field(compare=False, repr=False)
    over: str | None = None
    borders: tuple[str, ...] | None = None
    attributes: Mapping[str, int | bool | str | None] = field(default_factory=dict)
    added: bool = False
    node: Node | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class End:
    """The end of a segment inside its piece.

    It is at the segment of index `segment`, at the rim position `rim` (see `geometry.ring`), or
    with neither at the hub.
    """

    segment: int | None = None
    rim: int | None = None


@dataclass(frozen=True)
class OutlineSegment:
    """A segment of a piece in rotation 0.

    `ports` are in ring order (clockwise from the north-west corner), `cells` are the (x, y) it
    covers. `borders` are the indices, in the same piece, of the segments it touches whose kind its
    own kind `borders`, and `touches` those of any kind. `end` is its end inside, or None. `over` is
    the index of the segment it bridges.
    """

    kind: str
    ports: tuple[Port, ...]
    cells: tuple[tuple[int, int], ...]
    borders: tuple[int, ...] = ()
    attributes: Mapping[str, int | bool | str | None] = field(default_factory=dict)
    end: End | None = None
    over: int | None = None
    touches: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outline:
    """All segments of a piece.

    The drawn ones come first in the order written, then the filled ones in ring order of their
    first port. `sides` is the kind of every outer side, keyed (x, y, side), None for an empty side.
    `size` is (width, height) in cells. `hub` is the rim position towards which a hub with only one
    segment lies, None for one in the middle. The sides in `agreeing` agree with every side.
    """

    size: tuple[int, int]
    segments: tuple[OutlineSegment, ...]
    sides: Mapping[tuple[int, int, int], str | None]
    hub: int | None = None
    agreeing: frozenset[tuple[int, int, int]] = frozenset()

    def called(self, kind: str, place: str) -> int | None:
        """Return the segment of a kind that holds a side or lane, or none for `I`.

        None unless there is exactly one.
        """
        found = [index for index, segment in enumerate(self.segments)
                 if segment.kind == kind and place in self._places(segment)]  # fmt: skip
        return found[0] if len(found) == 1 else None

    def place(self, index: int) -> str:
        """Return a name by which `called` finds a segment: a side if it is its own, or a lane."""
        segment = self.segments[index]
        places = sorted(self._places(segment), key=lambda each: (len(each), each))
        own = (each for each in places if self.called(segment.kind, each) == index)
        return next(own, places[0])

    def _places(self, segment: OutlineSegment) -> set[str]:
        lanes = {port_name(port, self.size) for port in segment.ports} or {"I"}
        return lanes | {side_name((p.x, p.y, p.side), self.size) for p in segment.ports}

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point, in hundredths of a cell from the upper left, is on the piece."""
        if self.size == HEXAGON:
            across, down = abs(x - 50), abs(y - 50)
            return across <= 50 and down <= (50 - across / 2) / ROW_OF_HEXAGONS
        return 0 <= x <= 100 * self.size[0] and 0 <= y <= 100 * self.size[1]


# --- the rim -------------------------------------------------------------------------------------

Size = tuple[int, int]
Side = tuple[int, int, int]

LEFT, CENTRE, RIGHT = range(3)
# Rim positions run clockwise like the ring: port number k lies at k * LANE, the point between it
# and the next port half a lane on; the odd positions lie between any two of these.
LANE = 4
ROW_OF_HEXAGONS = 0.75**0.5
"""The distance of two rows of hexagons whose width is 1."""
APOTHEM_OF_TRIANGLE = 0.4
"""The distance of the middle of a triangle from its sides, where that of a square is 0.5."""

STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""The (x, y) step over the sides N, E, S, W."""
STEPS_OF_HEXAGON = ((1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1))
"""The (x, y) step over the sides NE, E, SE, SW, W, NW."""
STEPS_OF_TRIANGLE = ((0, -1), (1, 0), (1, 0), (0, 1), (-1, 0), (-1, 0))
"""The (x, y) step over the sides N, NE, SE, S, SW, NW; see `has_side`."""


class OneCell(tuple[int, int]):
    """The size of a piece of one cell that is not equal to the size of a square."""

    name: str

    @classmethod
    def of(cls, name: str) -> OneCell:
        """Return the size that equals those of this name only."""
        size = cls((1, 1))
        size.name = name
        return size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OneCell) and other.name == self.name

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


HEXAGON: Size = OneCell.of("HEXAGON")
UPRIGHT: Size = OneCell.of("UPRIGHT")
"""The size of a triangle in rotation 0, which points up: its sides are NE, S and NW."""
INVERTED: Size = OneCell.of("INVERTED")
"""The size of a triangle that points down: its sides are N, SE and SW."""
CELL_OF = {SQUARES: (1, 1), HEXAGONS: HEXAGON, TRIANGLES: UPRIGHT}
"""The size of a piece of one cell, in rotation 0, by the form of the cell."""


def side_names(size: Size) -> tuple[str, ...]:
    """Return the names of the sides of each cell of a piece, clockwise, with those it has not.

    A piece has as many rotations.
    """
    if size in (UPRIGHT, INVERTED):
        return SIDES_OF_TRIANGLE
    return SIDES_OF_HEXAGON if size == HEXAGON else SIDES


def steps(cells: str, form: str) -> tuple[tuple[int, int], ...]:
    """Return the (x, y) step over each side on a grid of a form, in a game of pieces of `cells`.

    On squares in a game with six sides, where no piece has segments, some sides have one neighbour.
    """
    if cells == SQUARES:
        return STEPS
    if cells == TRIANGLES:
        return STEPS_OF_TRIANGLE
    if form == HEXAGONS:
        return STEPS_OF_HEXAGON
    return tuple((x * (y == 0), y) for x, y in STEPS_OF_HEXAGON)


def points_up(x: int, y: int) -> bool:
    """Return whether the triangle x east and y south of the centre of a grid points up."""
    return (x + y) % 2 == 0


def has_side(form: str, x: int, y: int, side: int) -> bool:
    """Return whether a cell of a form, x east and y south of the centre, has a side."""
    return form != TRIANGLES or points_up(x, y) == (side % 2 == 1)


_STEPS = {SQUARES: STEPS, HEXAGONS: STEPS_OF_HEXAGON, TRIANGLES: STEPS_OF_TRIANGLE}


def over_sides(form: str, x: int, y: int) -> Iterator[tuple[int, int]]:
    """Yield the places x east and y south of the cells over the sides of a cell of a form."""
    for side, (east, south) in enumerate(_STEPS[form]):
        if has_side(form, x, y, side):
            yield x + east, y + south


def points_there(form: str, x: int, y: int, rotation: int) -> bool:
    """Return whether a piece in a rotation points where a cell of a form does."""
    return form != TRIANGLES or points_up(x, y) == (rotation % 2 == 0)


def drawn_at(form: str, x: int, y: int) -> tuple[float, float]:
    """Return how far east and south of the centre of a grid a cell is drawn, in cells."""
    if form == TRIANGLES:
        apart = APOTHEM_OF_TRIANGLE * 3**0.5
        return apart * x, APOTHEM_OF_TRIANGLE * (3 * y - (not points_up(x, y)))
    return (x + y / 2, ROW_OF_HEXAGONS * y) if form == HEXAGONS else (x, y)


def is_one_cell(size: Size) -> bool:
    """Return whether a piece of a size covers one cell."""
    return size == (1, 1) or isinstance(size, OneCell)


@cache
def outer_sides(size: Size) -> tuple[Side, ...]:
    """Return the outer sides (x, y, side) of a piece, clockwise from the north-west."""
    if isinstance(size, OneCell):
        first, step = {HEXAGON: (0, 1), UPRIGHT: (1, 2), INVERTED: (0, 2)}[size]
        return tuple((0, 0, side) for side in range(first, len(SIDES_OF_HEXAGON), step))
    width, height = size
    return (
        *((x, 0, 0) for x in range(width)),
        *((width - 1, y, 1) for y in range(height)),
        *((x, height - 1, 2) for x in reversed(range(width))),
        *((0, y, 3) for y in reversed(range(height))),
    )


@cache
def ring(size: Size) -> tuple[Port, ...]:
    """Return all ports of a piece of `size` cells in ring order."""
    return tuple(Port(*side, lane) for side in outer_sides(size) for lane in range(3))


@cache
def ring_index(size: Size) -> dict[Port, int]:
    """Return the index of each port in `ring(size)`."""
    return {port: index for index, port in enumerate(ring(size))}


def turned(size: Size, rotation: int) -> Size:
    """Return the size of a piece after `rotation` turns by one side."""
    if rotation % 2 == 0 or size == HEXAGON:
        return size
    if isinstance(size, OneCell):
        return INVERTED if size == UPRIGHT else UPRIGHT
    return size[1], size[0]


def rotate_cell(cell: tuple[int, int], rotation: int, size: Size) -> tuple[int, int]:
    """Return the position of a cell after `rotation` clockwise turns of the piece by one side.

    `size` is that of the piece before turning.
    """
    (x, y), (width, height) = cell, size
    for _ in range(rotation % len(SIDES)):
        x, y, width, height = height - 1 - y, x, height, width
    return x, y


def rotate(port: Port, rotation: int, size: Size = (1, 1)) -> Port:
    """Return the position of a port after `rotation` clockwise turns of the piece by one side.

    `size` is that of the piece before turning.
    """
    x, y = rotate_cell((port.x, port.y), rotation, size)
    return Port(x, y, (port.side + rotation) % len(side_names(size)), port.lane)


def turned_side(side: Side, rotation: int, size: Size) -> Side:
    """Return the position of a side after `rotation` clockwise turns of the piece by one side."""
    x, y, number = side
    return (*rotate_cell((x, y), rotation, size), (number + rotation) % len(side_names(size)))


def distinct_rotations(outline: Outline) -> tuple[int, ...]:
    """Return the rotations in which an outline looks different from all lower rotations."""
    looks = [_look(outline, rotation) for rotation in range(len(side_names(outline.size)))]
    return tuple(turn for turn, look in enumerate(looks) if look not in looks[:turn])


def _look(outline: Outline, rotation: int) -> tuple[object, ...]:
    """Return everything that can be seen of a turned piece, whatever the order of its segments."""
    size = outline.size

    def seen(index: int) -> tuple[object, ...]:
        segment = outline.segments[index]
        ports = frozenset(rotate(port, rotation, size) for port in segment.ports)
        cells = frozenset(rotate_cell(cell, rotation, size) for cell in segment.cells)
        attributes = tuple(sorted((key, repr(value)) for key, value in segment.attributes.items()))
        return segment.kind, ports, cells, attributes

    def whole(index: int) -> tuple[object, ...]:
        segment = outline.segments[index]
        end = segment.end
        rim = len(ring(size)) * LANE
        inner: object = None
        if end is not None:
            turn = rotation * (rim // len(side_names(size)))
            inner = (
                None if end.segment is None else seen(end.segment),
                None if end.rim is None else (end.rim + turn) % rim,
            )
        over = None if segment.over is None else seen(segment.over)
        return seen(index), frozenset(map(seen, segment.touches)), inner, over

    parts = Counter(whole(index) for index in range(len(outline.segments)))
    agreeing = frozenset(turned_side(side, rotation, size) for side in outline.agreeing)
    return turned(size, rotation), parts, agreeing


def side_name(side: Side, size: Size) -> str:
    """Return a side as authors write it: `N`, or `r0c1.N` on a piece of several cells."""
    x, y, number = side
    name = side_names(size)[number]
    return name if is_one_cell(size) else f"r{y}c{x}.{name}"


def port_name(port: Port, size: Size) -> str:
    """Return a port as authors write it: `NL`, or `r0c1.NL` on a piece of several cells."""
    return side_name((port.x, port.y, port.side), size) + LANES[port.lane]


def port_text(ports: Iterable[Port], shape: Shape, size: Size = (1, 1)) -> str:
    """Return the name of a segment by the ports it holds, clockwise from the north-west corner.

    `size` is that of the piece as it lies. Sides held whole are written as letters (`N.E`), single
    lanes with their lane (`EL.EC`); a line by its sides (`E.W`), a fill by its left and right lanes
    (`EL.WR`); a segment without ports is `I`. On a piece of several cells each side carries its
    cell (`r0c1N`).
    """
    return ".".join(word.replace(".", "") for word in port_words(ports, shape, size)) or "I"


def port_words(ports: Iterable[Port], shape: Shape, size: Size) -> list[str]:
    """Return the words of `port_text`, each as authors write it (`N`, `EL`, `r0c1.N`)."""
    lanes: dict[Side, list[int]] = {}
    for port in sorted(ports, key=ring_index(size).__getitem__):
        lanes.setdefault((port.x, port.y, port.side), []).append(port.lane)
    return [
        side_name(side, size) + lane
        for side, held in lanes.items()
        for lane in _lane_texts(held, shape)
    ]


def drawn_shape(ports: Iterable[Port]) -> Shape:
    """Return the shape by which pictures of pieces name ports, whatever the segment's shape.

    It is a line if only the centres of sides are held, otherwise an area.
    """
    return Shape.LINE if all(port.lane == CENTRE for port in ports) else Shape.AREA


def _lane_texts(held: list[int], shape: Shape) -> list[str]:
    match shape:
        case Shape.LINE:
            return [LANES[lane] if lane != CENTRE else "" for lane in held]
        case Shape.FILL:
            outer = [lane for lane in held if lane != CENTRE]
            return [LANES[lane] for lane in outer or held]
        case Shape.AREA | Shape.INSIDE:
            return [""] if len(held) == len(LANES) else [LANES[lane] for lane in held]
