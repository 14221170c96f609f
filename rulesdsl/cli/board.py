"""What lies on the grids of a game, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from rulesdsl.cli.cells import HEIGHT, WIDTH, Look, Picture, draw_piece
from rulesdsl.cli.console import Styled
from rulesdsl.cli.words import Words
from rulesdsl.geometry.picture import letters
from rulesdsl.model.geometry import Shape
from rulesdsl.model.values import Cell, Piece, Segment
from rulesdsl.play import Place, State
from rulesdsl.play.boards import Board, boards, standing
from rulesdsl.play.names import Names
from rulesdsl.run.engine import Laid

Mark = tuple[str, str]
"""A character and its style."""

Canvas = dict[tuple[int, int], Mark]
"""What is drawn where, by column and row of characters."""


@dataclass(frozen=True)
class Painter:
    """Draws boards: `look` says how, `words` names what is on them, `width` is the number of
    columns there is room for (None: any)."""

    look: Look
    words: Words
    width: int | None = None

    def board(
        self, state: State, last: Place | None = None, choices: Mapping[Place, str] | None = None
    ) -> list[Styled]:
        """All grids on which something lies or may be chosen, and a legend; nothing if there is
        none. A board too wide is cut off around `last`. `choices` are written into their cells.
        """
        drawn = _Drawn(state, self.look)
        found: list[Styled] = []
        for board in drawn.boards(choices or {}):
            canvas, cells = drawn.canvas(board, choices or {})
            if self.words.several_grids or "[" in board.name:
                found.append([(board.name, "title")])
            focus = last if last is not None and last.grid == board.name else None
            found += self._frame(canvas, cells, focus)
        return [*found, *self._legend(drawn)] if found else []

    def pieces(self, drawn: Iterable[tuple[str, Picture]]) -> list[Styled]:
        """Pictures of pieces side by side, as many as there is room for, each under its title."""
        rows: list[list[tuple[str, Picture]]] = [[]]
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
        self, canvas: Canvas, cells: set[tuple[int, int]], last: Place | None
    ) -> list[Styled]:
        """The canvas with coordinates, as much of it as there is room for."""
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
        numbers = "".join(str(x).center(WIDTH) for x in shown)
        found.append([(" " * margin + numbers, "frame")])
        for y in ys:
            for row in range(y * HEIGHT, (y + 1) * HEIGHT):
                label = str(y) if row % HEIGHT == HEIGHT // 2 else ""
                line: list[str | Mark] = [(label.rjust(margin - 1) + " ", "frame")]
                columns = range(shown.start * WIDTH, shown.stop * WIDTH)
                line += joined(canvas.get((column, row), (" ", "fill")) for column in columns)
                found.append(line)
        return found

    def _legend(self, drawn: _Drawn) -> list[Styled]:
        """What the signs mean, in as many lines as it takes."""
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
        """All signs on a board, each with its style and meaning."""
        for kind in drawn.kinds:
            shape, sign = self.look.shapes[kind], self.look.signs[kind]
            if shape is not Shape.FILL:
                shown = sign[10] if shape is Shape.LINE else sign
                yield shown, shape.value, self.words.label(kind)
        for key, letter in drawn.attributes.items():
            if key in drawn.shown_attributes:
                yield letter, "attribute", self.words.label(key)
        for colour, letter in drawn.owners.items():
            yield letter, f"player {colour}", self.words.label(colour)


class _Drawn:
    """A state while it is drawn."""

    def __init__(self, state: State, look: Look) -> None:
        self.state, self.look = state, look
        self.names: Names = state.names
        self.game = state.game.checked.game
        self.owners = {c: s.upper() for c, s in letters(state.players).items()}
        carried = {a.key: a.name for a in self.game.attributes if a.owners & look.shapes.keys()}
        letter = letters(dict.fromkeys(carried.values()))
        self.attributes = {key: letter[name] for key, name in carried.items()}
        self.shown_attributes: set[str] = set()
        self.kinds: dict[str, None] = {}
        self.standing = standing(state)

    def boards(self, choices: Mapping[Place, str]) -> list[Board]:
        """The grids to be drawn."""
        return boards(self.state, self.standing, {place.grid for place in choices})

    def canvas(
        self, board: Board, choices: Mapping[Place, str]
    ) -> tuple[Canvas, set[tuple[int, int]]]:
        """Everything on a grid, and the cells that are not empty."""
        canvas: Canvas = {}
        cells: set[tuple[int, int]] = set()
        for item in board.laid:
            cells |= _paste(canvas, self._picture(item), item.cell)
        for cell in board.cells:
            cells.add((cell.x, cell.y))
            _write(canvas, cell.x, cell.y, self._marks(cell))
        for place, text in choices.items():
            if place.grid == board.name:
                cells.add((place.x, place.y))
                _write(canvas, place.x, place.y, [(char, "choice") for char in text])
        return canvas, cells

    def _picture(self, item: Laid) -> Picture:
        """A laid piece with what is on it."""
        outline = self.names.outline(item.piece)
        if outline is None:
            text = self.names.kind(item.piece).text[: WIDTH - 1].center(WIDTH)
            blank = [(" ", "fill")] * WIDTH
            rows = [blank, [(char, "title") for char in text], blank]
            return Picture((1, 1), rows)
        picture = draw_piece(outline, item.rotation, self.look)
        for index, segment in enumerate(outline.segments):
            self.kinds.setdefault(segment.kind)
            marks = self._marks(Segment(item.piece.index, index))
            for key, value in segment.attributes.items():
                if value not in (None, False, 0) and key in self.attributes:
                    self.shown_attributes.add(key)
                    marks.append((self.attributes[key], "attribute"))
            for mark, (column, row) in zip(marks, picture.spots[index], strict=False):
                picture.chars[row][column] = mark
        return picture

    def _marks(self, place: Segment | Cell) -> list[Mark]:
        """What stands at a place."""
        return [self._mark(piece) for piece in self.standing.get(place, ())]

    def _mark(self, handle: Piece) -> Mark:
        """A piece that stands on another: the letter of its owner, or of its kind."""
        piece = self.game.pieces[handle.index]
        if piece.seat is None:
            return self.game.kinds[piece.kind].name[0].lower(), "attribute"
        colour = self.game.roles.colours[piece.seat]
        return self.owners[colour], f"player {colour}"


def _paste(canvas: Canvas, picture: Picture, cell: Cell) -> set[tuple[int, int]]:
    """Draw a picture with its north-west corner on a cell; the cells it covers."""
    for row, chars in enumerate(picture.chars):
        for column, mark in enumerate(chars):
            canvas[cell.x * WIDTH + column, cell.y * HEIGHT + row] = mark
    width, height = picture.size
    return {(cell.x + x, cell.y + y) for x in range(width) for y in range(height)}


def _write(canvas: Canvas, x: int, y: int, marks: list[Mark]) -> None:
    """Write into the middle of a cell."""
    left = x * WIDTH + max(0, (WIDTH - len(marks)) // 2)
    for offset, mark in enumerate(marks[:WIDTH]):
        canvas[left + offset, y * HEIGHT + HEIGHT // 2] = mark


def _window(xs: range, width: int | None, margin: int, focus: int) -> range:
    """The columns of cells to show: all, or as many as fit with `focus` in the middle."""
    room = len(xs) if width is None else max(1, (width - margin) // WIDTH)
    if room >= len(xs):
        return xs
    start = min(max(focus - room // 2, xs.start), xs.stop - room)
    return range(start, start + room)


def joined(marks: Iterable[Mark]) -> Iterator[Mark]:
    """Neighbours of one style in one piece."""
    text, style = "", ""
    for char, own in marks:
        if own != style and text:
            yield text, style
            text = ""
        text, style = text + char, own
    if text:
        yield text, style


def _side_by_side(row: list[tuple[str, Picture]]) -> Iterator[Styled]:
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
