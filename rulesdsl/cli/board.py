"""Pieces and boards as text for terminals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from string import ascii_lowercase

from rulesdsl.base.records import dataclass
from rulesdsl.cli.console import Console, Styled
from rulesdsl.cli.words import Words
from rulesdsl.engine.run.interface import Laid
from rulesdsl.language.diagnostics.report import copies
from rulesdsl.language.geometry.notation import draw, frame, letters
from rulesdsl.language.model.game import FaceDef, FeatureKindDef, KindDef
from rulesdsl.language.model.geometry import (
    HEXAGON,
    HEXAGONS,
    UPRIGHT,
    Outline,
    Shape,
    rotate,
    rotate_cell,
    turned,
)
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.values import Cell, Piece, Segment
from rulesdsl.play import Place, State
from rulesdsl.play.names import PlainForms
from rulesdsl.play.table import Board, boards, occupants

Mark = tuple[str, str]
"""A character and its style."""

Canvas = dict[tuple[int, int], Mark]
"""Marks by column and row of characters."""


@dataclass(frozen=True)
class Painter:
    """Draws boards as text.

    `look` has the characters, `words` the names of things, and `width` is the number of columns
    available (None: no limit).
    """

    look: TerminalStyle
    words: Words
    width: int | None = None

    def board(
        self, state: State, last: Place | None = None, choices: Mapping[Place, str] | None = None
    ) -> list[Styled]:
        """Return the boards that are not empty or have choices, and a legend.

        Nothing is returned if there is no such board. A board that is too wide is cropped around
        `last`. `choices` are written into their cells.
        """
        drawn = _Drawn(state, self.look)
        found: list[Styled] = []
        for board in drawn.boards(choices or {}):
            hexagons = drawn.game.grids[board.grid.grid].cells == HEXAGONS
            canvas, cells = drawn.canvas(board, choices or {}, hexagons)
            if self.words.several_grids or "[" in board.name:
                found.append([(board.name, "title")])
            focus = last if last is not None and last.grid == board.name else None
            if focus is not None and hexagons:
                focus = focus._replace(x=focus.x + focus.y // 2)
            found += self._frame(canvas, cells, focus, hexagons)
        return [*found, *self._legend(drawn)] if found else []

    def pieces(self, drawn: Iterable[tuple[str, DrawnPiece]]) -> list[Styled]:
        """Return pictures of pieces with titles, as many side by side as fit."""
        rows: list[list[tuple[str, DrawnPiece]]] = [[]]
        used = 0
        for title, picture in drawn:
            wide = picture.size[0] * WIDTH + 3
            if rows[-1] and used + wide > (self.width or 80):
                rows.append([])
                used = 0
            rows[-1].append((title, picture))
            used += wide
        return [line for row in rows if row for line in _side_by_side(row)]

    def _frame(
        self, canvas: Canvas, cells: set[tuple[int, int]], last: Place | None, hexagons: bool
    ) -> list[Styled]:
        """Return the canvas with coordinates, cropped to the columns available.

        Hexagons have their coordinates in themselves; every second row of them begins half a cell
        further east.
        """
        xs = range(min(x for x, _ in cells), max(x for x, _ in cells) + 1)
        margin = max(len(str(y)) for _, y in cells) + 1
        shown = _window(xs, self.width, margin, last.x if last else xs[len(xs) // 2])
        rows = [y for x, y in cells if x in shown]
        ys = range(min(rows, default=0), max(rows, default=-1) + 1)
        found: list[Styled] = []
        if len(shown) < len(xs):
            note = self.words.texts(
                "cropped",
                shown=len(shown),
                all=len(xs),
                place=f"x={last.x if last else xs[len(xs) // 2]}",
                needed=margin + WIDTH * len(xs),
            )
            found.append([(note, "faint")])
        if not hexagons:
            numbers = "".join(str(x).center(WIDTH) for x in shown)
            found.append([(" " * margin + numbers, "frame")])
        for y in ys:
            for row in range(y * HEIGHT, (y + 1) * HEIGHT):
                label = str(y) if row % HEIGHT == HEIGHT // 2 and not hexagons else ""
                line: list[str | Mark] = [(label.rjust(margin - 1) + " ", "frame")]
                end = shown.stop * WIDTH + (WIDTH // 2 if hexagons else 0)
                columns = range(shown.start * WIDTH, end)
                line += joined(canvas.get((column, row), (" ", "fill")) for column in columns)
                found.append(line)
        return found

    def _legend(self, drawn: _Drawn) -> list[Styled]:
        lines: list[list[str | Mark]] = [[]]
        used = 0
        for sign, style, text in self._signs(drawn):
            wide = len(f"{sign} {text}   ")
            if used and used + wide > (self.width or 80):
                lines.append([])
                used = 0
            lines[-1] += [(sign, style), f" {text}   "]
            used += wide
        return [line for line in lines if line]

    def _signs(self, drawn: _Drawn) -> Iterator[tuple[str, str, str]]:
        """Yield all signs on a board, each with its style and meaning."""
        for kind in drawn.kinds:
            shape, sign = self.look.shapes[kind], self.look.signs[kind]
            if shape is not Shape.FILL:
                shown = sign[10] if shape is Shape.LINE else sign
                shown = "a-a b-b" if kind in self.look.crossing else shown
                yield shown, shape.value, self.words.label(kind)
        for key, letter in drawn.attributes.items():
            if key in drawn.shown_attributes:
                yield letter, "attribute", self.words.label(key)
        for key, letter in drawn.shown_kinds.items():
            yield letter, "attribute", self.words.label(key)
        for colour, letter in drawn.owners.items():
            yield letter, f"player {colour}", self.words.label(colour)


class _Drawn:
    """A state that is being drawn."""

    def __init__(self, state: State, look: TerminalStyle) -> None:
        self.state, self.look = state, look
        self.names: PlainForms = state.names
        self.game = state.game.checked.game
        self.owners = {c: s.upper() for c, s in letters(state.players).items()}
        carried = {a.key: a.name for a in self.game.attributes if a.owners & look.shapes.keys()}
        letter = letters(dict.fromkeys(carried.values()))
        movable = [kind for kind in self.game.kinds if kind.cls in ("token", "figure")]
        self.letters = letters(dict.fromkeys(kind.name for kind in movable))
        self.attributes = {key: letter[name] for key, name in carried.items()}
        self.shown_attributes: set[str] = set()
        self.shown_kinds: dict[str, str] = {}
        self.kinds: dict[str, None] = {}
        self.standing = occupants(state)

    def boards(self, choices: Mapping[Place, str]) -> list[Board]:
        return boards(self.state, self.standing, {place.grid for place in choices})

    def canvas(
        self, board: Board, choices: Mapping[Place, str], hexagons: bool
    ) -> tuple[Canvas, set[tuple[int, int]]]:
        """Return the drawing of a grid, and its cells that are not empty.

        Cells of a row of hexagons are counted from the westernmost column of all rows.
        """
        canvas: Canvas = {}
        cells: set[tuple[int, int]] = set()
        for item in board.laid:
            if hexagons and self.names.outline(item.piece) is not None:
                cells.add(_paste_hexagon(canvas, self._picture(item), item.cell))
            elif hexagons:
                chars = [mark for mark in self._picture(item).chars[HEIGHT // 2] if mark[0] != " "]
                cells.add(_hexagon(canvas, item.cell.x, item.cell.y, chars))
            else:
                cells |= _paste(canvas, self._picture(item), (item.cell.x, item.cell.y))
        marked = [((cell.x, cell.y), self._named(cell)) for cell in board.cells]
        for place, text in choices.items():
            if place.grid == board.name:
                marked.append(((place.x, place.y), [(char, "choice") for char in text]))
        write = _hexagon if hexagons else _write
        for (x, y), marks in marked:
            cells.add(write(canvas, x, y, marks))
        return canvas, cells

    def _picture(self, item: Laid) -> DrawnPiece:
        outline = self.names.outline(item.piece)
        if outline is None:
            text = self.names.kind(item.piece).text[: WIDTH - 1].center(WIDTH)
            blank = [(" ", "fill")] * WIDTH
            rows = [blank, [(char, "title") for char in text], blank]
            return DrawnPiece((1, 1), rows)
        picture = draw_piece(outline, item.rotation, self.look)
        for index, segment in enumerate(outline.segments):
            self.kinds.setdefault(segment.kind)
            there = Segment(item.piece.index, index)
            marks = [self._mark(piece) for piece in self.standing.get(there, ())]
            for key, value in segment.attributes.items():
                if value not in (None, False, 0) and key in self.attributes:
                    self.shown_attributes.add(key)
                    marks.append((self.attributes[key], "attribute"))
            for mark, (column, row) in zip(marks, picture.spots[index], strict=False):
                picture.chars[row][column] = mark
        return picture

    def _named(self, cell: Cell) -> list[Mark]:
        """Return the marks of the occupants of a cell, with their kinds if there are several.

        A stack has the marks of its top and its height.
        """
        found: list[Mark] = []
        here = self.standing.get(cell, ())
        stacked = self.game.grids[cell.grid].ordered and len(here) > 1
        for handle in here[-1:] if stacked else here:
            piece = self.game.pieces[handle.index]
            found.append(self._mark(handle))
            if piece.seat is not None and len(self.letters) > 1:
                kind = self.game.kinds[piece.kind]
                self.shown_kinds[kind.key] = self.letters[kind.name]
                found.append((self.letters[kind.name], found[-1][1]))
        return [*found, (str(len(here)), found[-1][1])] if stacked else found

    def _mark(self, handle: Piece) -> Mark:
        """Return the mark of an occupant: the letter of its owner, or of its kind."""
        piece = self.game.pieces[handle.index]
        if piece.seat is None:
            return self.game.kinds[piece.kind].name[0].lower(), "attribute"
        colour = self.game.roles.colours[piece.seat]
        return self.owners[colour], f"player {colour}"


def _put(canvas: Canvas, left: int, top: int, rows: Iterable[Sequence[Mark]]) -> None:
    for row, marks in enumerate(rows, top):
        for column, mark in enumerate(marks, left):
            canvas[column, row] = mark


def _paste(canvas: Canvas, picture: DrawnPiece, at: tuple[int, int]) -> set[tuple[int, int]]:
    """Draw a picture with its north-west corner on a cell and return the cells it covers."""
    left, top = at
    _put(canvas, left * WIDTH, top * HEIGHT, picture.chars)
    width, height = picture.size
    return {(left + x, top + y) for x in range(width) for y in range(height)}


def _write(canvas: Canvas, x: int, y: int, marks: list[Mark]) -> tuple[int, int]:
    """Write into the middle of a cell; return its column and row."""
    left = x * WIDTH + max(0, (WIDTH - len(marks)) // 2)
    _put(canvas, left, y * HEIGHT + HEIGHT // 2, [marks[:WIDTH]])
    return x, y


def _hexagon(canvas: Canvas, x: int, y: int, marks: list[Mark]) -> tuple[int, int]:
    """Write into a hexagon, below its coordinates; return its column and row in the picture."""
    column, odd = x + y // 2, y % 2
    for row, line in enumerate(([(char, "frame") for char in f"{x},{y}"], marks)):
        left = column * WIDTH + odd * WIDTH // 2 + max(0, (WIDTH - len(line)) // 2)
        _put(canvas, left, y * HEIGHT + row, [line[:WIDTH]])
    return column, y


def _paste_hexagon(canvas: Canvas, picture: DrawnPiece, cell: Cell) -> tuple[int, int]:
    """Draw a picture in a hexagon; return its column and row in the picture of the board."""
    column = cell.x + cell.y // 2
    left = column * WIDTH + cell.y % 2 * WIDTH // 2
    _put(canvas, left, cell.y * HEIGHT, picture.chars)
    return column, cell.y


def _window(xs: range, width: int | None, margin: int, focus: int) -> range:
    """Return the columns of cells to show: all, or as many as fit around `focus`."""
    room = len(xs) if width is None else max(1, (width - margin) // WIDTH)
    if room >= len(xs):
        return xs
    start = min(max(focus - room // 2, xs.start), xs.stop - room)
    return range(start, start + room)


def joined(marks: Iterable[Mark]) -> Iterator[Mark]:
    """Yield the marks with neighbours of one style joined."""
    text, style = "", ""
    for char, own in marks:
        if own != style and text:
            yield text, style
            text = ""
        text, style = text + char, own
    if text:
        yield text, style


def _side_by_side(row: list[tuple[str, DrawnPiece]]) -> Iterator[Styled]:
    height = max(len(picture.chars) for _, picture in row)
    widths = [picture.size[0] * WIDTH for _, picture in row]
    yield [
        (title.center(width) + "   ", "choice" if title else "text")
        for (title, _), width in zip(row, widths, strict=True)
    ]
    for number in range(height):
        line: list[str | Mark] = []
        for (_, picture), width in zip(row, widths, strict=True):
            chars = picture.chars[number] if number < len(picture.chars) else []
            line += [*joined(chars), " " * (width - len(chars) + 3)]
        yield line


WIDTH, HEIGHT = 7, 3

Spot = tuple[int, int]
"""A character by column and row, from the north-west corner of the piece."""

Lane = tuple[int, int]
"""A side (0..3 for N, E, S, W) and a lane of it (0..2 for left, centre, right from inside)."""


@dataclass(frozen=True)
class CellMarks:
    """The characters of a cell: those of its lanes, and of the corners between two lanes.

    `ports` are those of the lanes of each side if a line crosses everything, `arms` the way of a
    line from each side to the middle; `meets` has the bit of each side in the mask of the sides
    that meet there (see `Glyphs`).
    """

    rim: Mapping[Lane, tuple[Spot, ...]]
    corners: Mapping[Spot, tuple[Lane, Lane]]
    ports: tuple[tuple[Spot, Spot, Spot], ...]
    arms: tuple[tuple[Spot, ...], ...]
    meets: tuple[int, ...]

    @property
    def opposite(self) -> list[set[int]]:
        """The pairs of sides that lie opposite each other."""
        half = len(self.meets) // 2
        return [{side, side + half} for side in range(half)]


_SQUARE = CellMarks(
    rim={
        (0, 0): ((1, 0), (2, 0)),
        (0, 1): ((3, 0),),
        (0, 2): ((4, 0), (5, 0)),
        (1, 1): ((6, 1), (5, 1)),
        (2, 0): ((5, 2), (4, 2)),
        (2, 1): ((3, 2),),
        (2, 2): ((2, 2), (1, 2)),
        (3, 1): ((0, 1), (1, 1)),
    },
    corners={
        (0, 0): ((3, 2), (0, 0)),
        (6, 0): ((0, 2), (1, 0)),
        (6, 2): ((1, 2), (2, 0)),
        (0, 2): ((2, 2), (3, 0)),
    },
    ports=(
        ((2, 0), (3, 0), (4, 0)),
        ((6, 0), (6, 1), (6, 2)),
        ((4, 2), (3, 2), (2, 2)),
        ((0, 2), (0, 1), (0, 0)),
    ),
    arms=(((3, 0),), ((6, 1), (5, 1), (4, 1)), ((3, 2),), ((0, 1), (1, 1), (2, 1))),
    meets=(1, 2, 4, 8),
)
_NE, _E, _SE = ((4, 0), (5, 0), (6, 0)), ((5, 1), (6, 1), (6, 1)), ((6, 2), (5, 2), (4, 2))
_SW, _W, _NW = ((2, 2), (1, 2), (0, 2)), ((1, 1), (0, 1), (0, 1)), ((0, 0), (1, 0), (2, 0))
_HEXAGON = CellMarks(
    rim={
        **{
            (side, lane): (spots[lane],)
            for side, spots in ((0, _NE), (2, _SE))
            for lane in range(3)
        },
        **{
            (side, lane): (spots[lane],)
            for side, spots in ((3, _SW), (5, _NW))
            for lane in range(3)
        },
        (1, 1): ((6, 1), (5, 1)),
        (4, 1): ((0, 1), (1, 1)),
    },
    corners={(3, 0): ((5, 2), (0, 0)), (3, 2): ((2, 2), (3, 0))},
    ports=(_NE, _E, _SE, _SW, _W, _NW),
    arms=(
        _NE[1:2],
        ((6, 1), (5, 1), (4, 1)),
        _SE[1:2],
        _SW[1:2],
        ((0, 1), (1, 1), (2, 1)),
        _NW[1:2],
    ),
    meets=(1, 2, 4, 4, 8, 1),
)
_LIKE = (0, 1, 1, 2, 3, 3)
"""The side of a square beside which each side of a triangle is written."""
_TRIANGLE = CellMarks(
    rim={
        (side, lane): spots
        for side, like in enumerate(_LIKE)
        for (other, lane), spots in _SQUARE.rim.items()
        if other == like
    },
    corners={},
    ports=tuple(_SQUARE.ports[like] for like in _LIKE),
    arms=tuple(_SQUARE.arms[like] for like in _LIKE),
    meets=tuple(_SQUARE.meets[like] for like in _LIKE),
)
_CENTRE: Spot = (3, 1)
_MIDDLE: tuple[Spot, ...] = ((2, 1), _CENTRE, (4, 1))
_LEVEL: dict[int, Spot] = {2: (4, 1), 8: (2, 1)}
"""The characters beside the middle towards the east and the west, by the bit of that side."""
_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


@dataclass(frozen=True)
class Glyphs:
    """Characters by shape, the first for the first kind of that shape and so on, cyclically.

    A line has 16 characters, by the sides that meet (bits N 1, E 2, S 4, W 8).
    """

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
class TerminalStyle:
    """The shape of every feature kind (by full name), and its characters.

    These are one character, or the 16 of a line.
    """

    glyphs: Glyphs
    shapes: Mapping[str, Shape]
    signs: Mapping[str, str]
    crossing: frozenset[str] = frozenset()

    @classmethod
    def of(cls, kinds: tuple[FeatureKindDef, ...], glyphs: Glyphs) -> TerminalStyle:
        """Return the look of all feature kinds of a game."""
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
        shapes = {kind.shape.name: kind.shape.shape for kind in kinds}
        crossing = frozenset(kind.shape.name for kind in kinds if kind.shape.crosses)
        return cls(glyphs, shapes, signs, crossing)


@dataclass
class DrawnPiece:
    """A drawn piece of `size` cells.

    `chars[row][column]` are its characters with their styles, and `spots` those that show each
    segment, those in its middle first.
    """

    size: tuple[int, int]
    chars: list[list[tuple[str, str]]]
    spots: dict[int, list[Spot]] = field(default_factory=dict)

    def write(self, spot: Spot, text: str, style: str) -> None:
        """Write a text into a row, starting at a spot, as far as it fits."""
        column, row = spot
        for offset, char in enumerate(text[: len(self.chars[row]) - column]):
            self.chars[row][column + offset] = (char, style)


def draw_piece(outline: Outline, rotation: int, look: TerminalStyle) -> DrawnPiece:
    """Return the picture of a piece in a rotation."""
    size = turned(outline.size, rotation)
    width, height = size
    chars = [[(" ", "fill")] * (width * WIDTH) for _ in range(height * HEIGHT)]
    picture = DrawnPiece(size, chars, {index: [] for index in range(len(outline.segments))})
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
    """A piece as it lies, with the segment that holds each lane of a cell."""

    def __init__(self, outline: Outline, rotation: int, look: TerminalStyle) -> None:
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
        for index in sorted(
            range(len(self.cells)), key=lambda each: self.shape(each) is Shape.FILL
        ):
            self._hold_inner_sides(index)

    def shape(self, index: int) -> Shape:
        return self.look.shapes[self.outline.segments[index].kind]

    def sign(self, index: int) -> str:
        return self.look.signs[self.outline.segments[index].kind]

    def crosses(self, index: int) -> bool:
        return self.outline.segments[index].kind in self.look.crossing

    def _hold_inner_sides(self, index: int) -> None:
        """Let a segment on two neighbouring cells hold the side between them."""
        lanes = {Shape.LINE: (1,), Shape.INSIDE: ()}.get(self.shape(index), (0, 1, 2))
        for x, y in self.cells[index]:
            for side, (dx, dy) in enumerate(_STEPS):
                if (x + dx, y + dy) in self.cells[index]:
                    for lane in lanes:
                        self.held.setdefault(((x, y), (side, lane)), index)


class _Cell:
    """A cell that is being drawn; `shown` has the character at each spot, and its segment."""

    def __init__(self, laid: _Laid, cell: Spot) -> None:
        self.laid = laid
        self.spots = {HEXAGON: _HEXAGON, UPRIGHT: _TRIANGLE}.get(laid.outline.size, _SQUARE)
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
        self._crossing()
        self._insides()
        return self.shown

    def of(self, shape: Shape) -> list[int]:
        return [index for index in self.on if self.laid.shape(index) is shape]

    def _put(self, spot: Spot, index: int) -> None:
        sign = " " if self.laid.shape(index) is Shape.LINE else self.laid.sign(index)
        self.shown[spot] = (sign, index)

    def _rim(self) -> None:
        for lane, spots in self.spots.rim.items():
            for spot in spots:
                if lane in self.held:
                    self._put(spot, self.held[lane])
        for spot, lanes in self.spots.corners.items():
            holders = list(dict.fromkeys(self.held[lane] for lane in lanes if lane in self.held))
            fills = [index for index in holders if self.laid.shape(index) is Shape.FILL]
            if fills:
                self.shown[spot] = (self.laid.look.glyphs.corner, fills[0])
            elif len(holders) == 1:
                self._put(spot, holders[0])

    def _areas(self) -> None:
        """Fill the middle of an area between the sides it holds, or a corner of it."""
        for index in self.of(Shape.AREA):
            sides = self.sides[index]
            if len(sides) > 2 or sides in self.spots.opposite:
                for spot in _MIDDLE:
                    self._put(spot, index)
            elif len(sides) == 2:
                for side in sides:
                    if self.spots.meets[side] in _LEVEL:
                        self._put(_LEVEL[self.spots.meets[side]], index)

    def _fills(self) -> None:
        """Give the empty spots to the fill, if there is only one."""
        fills = self.of(Shape.FILL)
        if len(fills) == 1:
            for spot in _MIDDLE:
                if spot not in self.shown:
                    self._put(spot, fills[0])

    def _lines(self) -> None:
        lines = [index for index in self.of(Shape.LINE) if not self.laid.crosses(index)]
        for index in lines:
            for side in self.sides[index]:
                char = self.laid.sign(index)[10 if self.spots.meets[side] in _LEVEL else 5]
                for spot in self.spots.arms[side]:
                    self.shown[spot] = (char, index)
        through = [index for index in lines if len(self.sides[index]) > 1]
        covered = self.shown.get(_CENTRE, ("", None))[1]
        open_centre = covered is None or self.laid.shape(covered) is not Shape.AREA
        if through or (lines and open_centre):
            self.shown[_CENTRE] = self._centre(lines)

    def _centre(self, lines: list[int]) -> tuple[str, int | None]:
        """Return the character where lines meet, and its segment."""
        glyphs = self.laid.look.glyphs
        if len(lines) == 1:
            mask = sum({self.spots.meets[side] for side in self.sides[lines[0]]})
            return self.laid.sign(lines[0])[mask], lines[0]
        pairs = [self.sides[index] for index in lines]
        if len(lines) == 2 and all(len(pair) == 2 for pair in pairs):
            if pairs[0] in self.spots.opposite:
                return glyphs.crossing, None
            return glyphs.passing[0 if {0, 1} in pairs else 1], None
        return glyphs.meeting, None

    def _crossing(self) -> None:
        """Write the same letter at all ports of a line that crosses everything."""
        lines = [index for index in self.of(Shape.LINE) if self.laid.crosses(index)]
        for letter, index in zip(ascii_lowercase, lines, strict=False):
            for side, lane in (held for held, other in self.held.items() if other == index):
                self.shown[self.spots.ports[side][lane]] = (letter, index)

    def _insides(self) -> None:
        for index, spot in zip(self.of(Shape.INSIDE), (_CENTRE, (2, 1), (4, 1)), strict=False):
            self.shown[spot] = (self.laid.sign(index), index)


def _middle_first(spots: list[Spot]) -> list[Spot]:
    """Return the spots by their distance from their middle; a row counts as two columns."""
    if not spots:
        return []
    column = sum(spot[0] for spot in spots) / len(spots)
    row = sum(spot[1] for spot in spots) / len(spots)

    def away(spot: Spot) -> tuple[float, int, int]:
        across, down = spot[0] - column, 2 * (spot[1] - row)
        return across * across + down * down, spot[1], spot[0]

    return sorted(spots, key=away)


_ROUND, _PLAIN = "╭─╮│╰╯", "+-+|++"
"""The rim of a card."""


def portrait(kind: KindDef, words: Words, painter: Painter, console: Console) -> None:
    """Write a component with its name.

    A tile comes with the ports of its segments, a card with a frame, a die face by face.
    """
    game = words.game.checked.game
    index = game.kinds.index(kind)
    count = sum(piece.kind == index for piece in game.pieces)
    varied = game.copies[index]
    told = copies(varied) if len(varied) > 1 else f"x{count}"
    label = words.game.labels.find(kind.key, words.language)
    title = f"{kind.ruleset}/{kind.text}"
    console.say((title, "title"), f"  {label}  {told}" if label else f"  {told}")
    if kind.outline is not None:
        fills = {each.key for each in game.feature_kinds if each.shape.shape is Shape.FILL}
        lines = draw(kind.outline, fills)
        rim = len(frame(kind.outline.size, lambda _: ""))
        console.write(_beside(draw_piece(kind.outline, 0, painter.look), lines, rim))
    elif kind.faces:
        faces = [
            (f"{each.name} x{each.count}" if each.count > 1 else each.name, _face(each, painter))
            for each in kind.faces
        ]
        console.write([["  ", *line] for line in painter.pieces(faces)])
    else:
        console.write(_card(label or kind.name, kind, words, console.symbols))
    if said := words.game.labels.said(kind.key, words.language):
        console.prose(f"  {said}", indent=2)
    console.say()


def _beside(picture: DrawnPiece, told: list[str], rim: int) -> Iterator[Styled]:
    """Yield the picture of a piece, with its rim of so many lines and its legend to the right."""
    wide = picture.size[0] * WIDTH
    blank: list[tuple[str, str]] = [(" " * wide, "fill")]
    shown = [blank, *([*joined(row)] for row in picture.chars)]
    for number in range(max(rim, len(shown))):
        line = told[number] if number < rim else ""
        yield ["  ", *(shown[number] if number < len(shown) else blank), f"   {line}"]
    for line in told[rim:]:
        yield [f"  {line}"]


def _face(face: FaceDef, painter: Painter) -> DrawnPiece:
    """Return the picture of a face of a die, blank if nothing is drawn on it."""
    if face.outline is not None:
        return draw_piece(face.outline, 0, painter.look)
    blank = [(" ", "fill")] * WIDTH
    return DrawnPiece((1, 1), [[*blank] for _ in range(HEIGHT)])


def _card(title: str, kind: KindDef, words: Words, symbols: bool) -> Iterator[Styled]:
    said = {short_name(key): value for key, value in kind.attributes.items()}
    names = max((len(name) for name in said), default=0)
    rows = [f"{name.ljust(names)}  {words.value(value)}" for name, value in said.items()]
    wide = max(len(row) for row in (title, *rows))
    left, line, right, side, below, corner = tuple(_ROUND if symbols else _PLAIN)
    yield [f"  {left}{line * (wide + 2)}{right}"]
    yield [f"  {side} ", (title.ljust(wide), "choice"), f" {side}"]
    for row in rows:
        yield [f"  {side} {row.ljust(wide)} {side}"]
    yield [f"  {below}{line * (wide + 2)}{corner}"]
