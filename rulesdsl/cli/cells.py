"""One square piece in characters, drawn from the shapes of what lies on it.

Every cell of a piece is `WIDTH` by `HEIGHT` characters: lines run from the middles of sides to the
centre, areas fill the sides they hold and the centre between them, inside segments stand in the
centre, and fills are what is left, with a dot in each corner. `Glyphs` says what is drawn for which
kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rulesdsl.geometry.ring import rotate, rotate_cell, turned
from rulesdsl.model.game import FeatureKindDef
from rulesdsl.model.geometry import Outline, Shape

WIDTH, HEIGHT = 7, 3

Spot = tuple[int, int]
"""A character by column and row, from the north-west corner of the piece."""

Lane = tuple[int, int]
"""A side (0..3 for N, E, S, W) and a lane of it (0..2 for left, centre, right from inside)."""

_RIM: dict[Lane, tuple[Spot, ...]] = {
    (0, 0): ((1, 0), (2, 0)),
    (0, 1): ((3, 0),),
    (0, 2): ((4, 0), (5, 0)),
    (1, 1): ((6, 1), (5, 1)),
    (2, 0): ((5, 2), (4, 2)),
    (2, 1): ((3, 2),),
    (2, 2): ((2, 2), (1, 2)),
    (3, 1): ((0, 1), (1, 1)),
}
_CORNERS: dict[Spot, tuple[Lane, Lane]] = {
    (0, 0): ((3, 2), (0, 0)),
    (6, 0): ((0, 2), (1, 0)),
    (6, 2): ((1, 2), (2, 0)),
    (0, 2): ((2, 2), (3, 0)),
}
_CENTRE: Spot = (3, 1)
_MIDDLE: tuple[Spot, ...] = ((2, 1), _CENTRE, (4, 1))
_ARMS: tuple[tuple[Spot, ...], ...] = (
    ((3, 0),),
    ((6, 1), (5, 1), (4, 1)),
    ((3, 2),),
    ((0, 1), (1, 1), (2, 1)),
)
_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
_OPPOSITE = ({0, 2}, {1, 3})


@dataclass(frozen=True)
class Glyphs:
    """Characters by shape, the first for the first kind of that shape and so on, around again when
    they run out. A line has 16, by the sides that meet (bits N 1, E 2, S 4, W 8)."""

    lines: tuple[str, ...]
    areas: str
    insides: str
    corner: str
    meeting: str
    crossing: str
    passing: tuple[str, str]


SYMBOLS = Glyphs(
    lines=(" ╵╶└╷│┌├╴┘─┴┐┤┬┼", " ║═╚║║╔╠═╝═╩╗╣╦╬", " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"),
    areas="▒░▓",
    insides="▣◈◉",
    corner="·",
    meeting="•",
    crossing="╫",
    passing=("\u2572", "\u2571"),
)
PLAIN = Glyphs(
    lines=(" |-+||++-+-+++++", " :=*::**=*=*****", " !~x!!xx~x~xxxxx"),
    areas="#%&",
    insides="@$0",
    corner=".",
    meeting="o",
    crossing="H",
    passing=("\\", "/"),
)


@dataclass(frozen=True)
class Look:
    """What every feature kind (by full name) looks like: its shape, and its characters (one, or the
    16 of a line)."""

    glyphs: Glyphs
    shapes: Mapping[str, Shape]
    signs: Mapping[str, str]

    @classmethod
    def of(cls, kinds: tuple[FeatureKindDef, ...], glyphs: Glyphs) -> Look:
        """The look of all feature kinds of a game."""
        tables: dict[Shape, tuple[str, ...]] = {
            Shape.LINE: glyphs.lines,
            Shape.AREA: tuple(glyphs.areas),
            Shape.FILL: (" ",),
            Shape.INSIDE: tuple(glyphs.insides),
        }
        signs: dict[str, str] = {}
        seen: dict[Shape, int] = dict.fromkeys(tables, 0)
        for kind in kinds:
            shape, name = kind.shape.shape, kind.shape.name
            signs[name] = tables[shape][seen[shape] % len(tables[shape])]
            seen[shape] += 1
        return cls(glyphs, {kind.shape.name: kind.shape.shape for kind in kinds}, signs)


@dataclass
class Picture:
    """A drawn piece of `size` cells: `chars[row][column]`, and for every segment the characters
    that show it, those in its middle first."""

    size: tuple[int, int]
    chars: list[list[tuple[str, str]]]
    spots: dict[int, list[Spot]] = field(default_factory=dict)

    def write(self, spot: Spot, text: str, style: str) -> None:
        """Write into a row, from a spot on, as far as there is room."""
        column, row = spot
        for offset, char in enumerate(text[: len(self.chars[row]) - column]):
            self.chars[row][column + offset] = (char, style)


def draw_piece(outline: Outline, rotation: int, look: Look) -> Picture:
    """A piece turned by `rotation` quarters, in characters with their styles."""
    size = turned(outline.size, rotation)
    width, height = size
    chars = [[(" ", "fill")] * (width * WIDTH) for _ in range(height * HEIGHT)]
    picture = Picture(size, chars, {index: [] for index in range(len(outline.segments))})
    laid = _Laid(outline, rotation, look)
    for y in range(height):
        for x in range(width):
            for (column, row), (char, index) in _Cell(laid, (x, y)).draw().items():
                spot = (x * WIDTH + column, y * HEIGHT + row)
                style = "line" if index is None else laid.shape(index).value
                chars[spot[1]][spot[0]] = (char, style)
                if index is not None:
                    picture.spots[index].append(spot)
    picture.spots = {index: _middle_first(spots) for index, spots in picture.spots.items()}
    return picture


class _Laid:
    """A piece as it lies: which segment holds a lane of a cell."""

    def __init__(self, outline: Outline, rotation: int, look: Look) -> None:
        self.outline, self.look = outline, look
        self.cells = [
            frozenset(rotate_cell(cell, rotation, outline.size) for cell in segment.cells)
            for segment in outline.segments
        ]
        self.held: dict[tuple[Spot, Lane], int] = {}
        for index, segment in enumerate(outline.segments):
            for port in segment.ports:
                at = rotate(port, rotation, outline.size)
                self.held[(at.x, at.y), (at.side, at.lane)] = index
        for index in sorted(range(len(self.cells)), key=self._rank):
            self._hold_inner_sides(index)

    def shape(self, index: int) -> Shape:
        return self.look.shapes[self.outline.segments[index].kind]

    def sign(self, index: int) -> str:
        return self.look.signs[self.outline.segments[index].kind]

    def _rank(self, index: int) -> bool:
        return self.shape(index) is Shape.FILL

    def _hold_inner_sides(self, index: int) -> None:
        """A segment on two neighbouring cells holds the side between them."""
        lanes = {Shape.LINE: (1,), Shape.INSIDE: ()}.get(self.shape(index), (0, 1, 2))
        for x, y in self.cells[index]:
            for side, (dx, dy) in enumerate(_STEPS):
                if (x + dx, y + dy) in self.cells[index]:
                    for lane in lanes:
                        self.held.setdefault(((x, y), (side, lane)), index)


class _Cell:
    """One cell while it is drawn: `shown` says what stands at a spot, and for which segment."""

    def __init__(self, laid: _Laid, cell: Spot) -> None:
        self.laid = laid
        self.on = [index for index, cells in enumerate(laid.cells) if cell in cells]
        self.held = {lane: index for (at, lane), index in laid.held.items() if at == cell}
        self.sides: dict[int, set[int]] = {index: set() for index in self.on}
        for (side, _), index in self.held.items():
            self.sides.setdefault(index, set()).add(side)
        self.shown: dict[Spot, tuple[str, int | None]] = {}

    def draw(self) -> dict[Spot, tuple[str, int | None]]:
        self._rim()
        self._areas()
        self._fills()
        self._lines()
        self._insides()
        return self.shown

    def of(self, shape: Shape) -> list[int]:
        return [index for index in self.on if self.laid.shape(index) is shape]

    def _put(self, spot: Spot, index: int) -> None:
        sign = " " if self.laid.shape(index) is Shape.LINE else self.laid.sign(index)
        self.shown[spot] = (sign, index)

    def _rim(self) -> None:
        for lane, spots in _RIM.items():
            for spot in spots:
                if lane in self.held:
                    self._put(spot, self.held[lane])
        for spot, lanes in _CORNERS.items():
            holders = list(dict.fromkeys(self.held[lane] for lane in lanes if lane in self.held))
            fills = [index for index in holders if self.laid.shape(index) is Shape.FILL]
            if fills:
                self.shown[spot] = (self.laid.look.glyphs.corner, fills[0])
            elif len(holders) == 1:
                self._put(spot, holders[0])

    def _areas(self) -> None:
        """Between the sides it holds, an area fills the middle, or the corner of it."""
        for index in self.of(Shape.AREA):
            sides = self.sides[index]
            if len(sides) > 2 or sides in _OPPOSITE:
                for spot in _MIDDLE:
                    self._put(spot, index)
            elif len(sides) == 2:
                self._put((4, 1) if 1 in sides else (2, 1), index)

    def _fills(self) -> None:
        """What nothing else covers belongs to the fill, if there is only one."""
        fills = self.of(Shape.FILL)
        if len(fills) == 1:
            for spot in _MIDDLE:
                if spot not in self.shown:
                    self._put(spot, fills[0])

    def _lines(self) -> None:
        lines = self.of(Shape.LINE)
        for index in lines:
            for side in self.sides[index]:
                char = self.laid.sign(index)[5 if side in (0, 2) else 10]
                for spot in _ARMS[side]:
                    self.shown[spot] = (char, index)
        through = [index for index in lines if len(self.sides[index]) > 1]
        covered = self.shown.get(_CENTRE, ("", None))[1]
        open_centre = covered is None or self.laid.shape(covered) is not Shape.AREA
        if through or (lines and open_centre):
            self.shown[_CENTRE] = self._centre(lines)

    def _centre(self, lines: list[int]) -> tuple[str, int | None]:
        """What stands where lines meet."""
        glyphs = self.laid.look.glyphs
        if len(lines) == 1:
            mask = sum(1 << side for side in self.sides[lines[0]])
            return self.laid.sign(lines[0])[mask], lines[0]
        pairs = [self.sides[index] for index in lines]
        if len(lines) == 2 and all(len(pair) == 2 for pair in pairs):
            if pairs[0] in _OPPOSITE:
                return glyphs.crossing, None
            return glyphs.passing[0 if {0, 1} in pairs else 1], None
        return glyphs.meeting, None

    def _insides(self) -> None:
        for index, spot in zip(self.of(Shape.INSIDE), (_CENTRE, (2, 1), (4, 1)), strict=False):
            self.shown[spot] = (self.laid.sign(index), index)


def _middle_first(spots: list[Spot]) -> list[Spot]:
    """Sorted by how far they are from their middle; a row is as far as two columns."""
    if not spots:
        return []
    column = sum(spot[0] for spot in spots) / len(spots)
    row = sum(spot[1] for spot in spots) / len(spots)

    def away(spot: Spot) -> tuple[float, int, int]:
        across, down = spot[0] - column, 2 * (spot[1] - row)
        return across * across + down * down, spot[1], spot[0]

    return sorted(spots, key=away)
