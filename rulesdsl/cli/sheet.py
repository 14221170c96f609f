"""The screen of a game as text: board, options, last moves and prompt in any number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from textwrap import wrap

from rulesdsl.cli.board import HEIGHT, WIDTH, Plane, joined
from rulesdsl.cli.console import Styled
from rulesdsl.play import Place
from rulesdsl.records import dataclass

Cell = tuple[int, int]
"""A column and a row of characters of a board."""

_SIDE_BY_SIDE = 60
"""The fewest columns at which options are beside the board."""
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


LEGEND = 2
"""The most lines of a legend."""
ROOM_FOR_LEGEND = 12
"""The fewest lines of a board with a legend."""


@dataclass(frozen=True)
class Sheet:
    """The content of the screen.

    `texts` are the numbered answers, of which `chosen` is picked with Enter. `focus` is the middle
    of the board that is shown, None for all of it. `page` covers everything else, from its row
    `row` on.
    """

    title: str
    status: Sequence[str] = ()
    planes: Sequence[Plane] = ()
    plane: int = 0
    focus: Cell | None = None
    legend: Sequence[Styled] = ()
    picture: Sequence[Styled] = ()
    texts: Sequence[str] = ()
    chosen: int = 0
    log: Sequence[Sequence[Styled]] = ()
    question: Styled = ()
    message: Sequence[str] = ()
    typed: str = ""
    keys: str = ""
    page: Sequence[Styled] | None = None
    row: int = 0
    busy: str = field(default="", compare=False)


@dataclass(frozen=True)
class SheetLayout:
    """The rows and columns of the parts of a screen."""

    width: int
    height: int
    status: int
    middle: int
    log: int
    message: int
    board: tuple[int, int]
    options: tuple[int, int]
    beside: bool


def layout(sheet: Sheet, width: int, height: int) -> SheetLayout:
    """Divide a screen: the board gets what the other parts leave."""
    log = 3 if height < 30 else 6
    message = min(len(_wrapped(sheet.message, width)), 4)
    stands = len(_wrapped(sheet.status, width)) if sheet.planes else 0
    status = min(stands, max(1, height // 6))
    middle = max(0, height - 4 - status - log - message)
    if not sheet.texts:
        return SheetLayout(
            width, height, status, middle, log, message, (width, middle), (0, 0), True
        )
    longest = max((len(text) for text in sheet.texts), default=0) + 5
    if width >= _SIDE_BY_SIDE:
        across = min(max(longest, 24), width // 2 - 2)
        board, options = (width - across - 3, middle), (across, middle)
    else:
        rows = min(len(sheet.texts), middle // 2)
        board, options = (width, middle - rows), (width, rows)
    return SheetLayout(
        width, height, status, middle, log, message, board, options, width >= _SIDE_BY_SIDE
    )


def compose(sheet: Sheet, width: int, height: int, elapsed: float = 0.0) -> list[Styled]:
    """Return the screen: `height` lines of `width` columns; `elapsed` turns the spinner."""
    if sheet.page is not None:
        rows = list(sheet.page[sheet.row : sheet.row + height - 2])
        title: Styled = [(f" {sheet.title}".ljust(width), "bar")]
        lines = [title, *rows, *[[]] * (height - 2 - len(rows)), [(sheet.keys, "faint")]]
        return [cut(line, width) for line in lines][:height]
    parts = layout(sheet, width, height)
    lines = [[(f" {sheet.title}".ljust(width), "bar")]]
    lines += _fitted(sheet.status, width, parts.status) if sheet.planes else []
    lines += _middle(sheet, parts)
    lines += _last_moves(sheet.log, parts.log)
    lines.append(sheet.question)
    lines += [[(text, "warning")] for text in _wrapped(sheet.message, width)[: parts.message]]
    if sheet.busy and elapsed > 0.5:
        turn = _SPINNER[int(elapsed * 8) % len(_SPINNER)]
        lines.append([f"{turn} {sheet.busy}"])
    else:
        lines.append([("> ", "title"), sheet.typed, ("█" if sheet.texts else "", "faint")])
    lines.append([(sheet.keys, "faint")])
    return [cut(line, width) for line in lines[-height:]]


def _middle(sheet: Sheet, parts: SheetLayout) -> list[Styled]:
    """Return the board and the options, beside or below it."""
    wide, high = parts.board
    board = board_of(sheet, wide, high) if sheet.planes else _fitted(sheet.status, wide, high)
    board += [[]] * (high - len(board))
    if not sheet.texts:
        return board
    across, rows = parts.options
    options = _options(sheet, across, rows)
    if not parts.beside:
        return [*board, *options, *[[]] * (rows - len(options))]
    options += [[]] * (high - len(options))
    return [
        [*cut(left, wide), (" │ ", "faint"), *right]
        for left, right in zip(board, options, strict=True)
    ]


def _options(sheet: Sheet, width: int, height: int) -> list[Styled]:
    """Return the picture of the piece, and as many answers as fit around the chosen one."""
    picture = list(sheet.picture) if height >= len(sheet.picture) + 6 else []
    entries = [f"{number:>3} {text}" for number, text in enumerate(sheet.texts, 1)]
    wide = max(map(len, entries)) + 1
    if 2 * wide <= width:
        return [*picture, *_in_columns(sheet, entries, wide, width // wide, height - len(picture))]
    rows: list[tuple[int, str]] = []
    for number, text in enumerate(sheet.texts):
        first, *rest = wrap(text, max(8, width - 5)) or [""]
        rows += [(number, f"{number + 1:>3} {first}"), *((number, f"    {each}") for each in rest)]
    left = height - len(picture)
    if len(rows) > left:
        left -= 1
        at = next(row for row, (number, _) in enumerate(rows) if number == sheet.chosen)
        top = min(max(0, at - left // 2), len(rows) - left)
        shown = rows[top : top + left]
        ends = f"    … {shown[0][0] + 1}-{shown[-1][0] + 1} / {len(sheet.texts)}" if shown else ""
        note: list[Styled] = [[(ends, "faint")]]
    else:
        shown, note = rows, []
    lines: list[Styled] = [
        [(text.ljust(width), "chosen" if number == sheet.chosen else "text")]
        for number, text in shown
    ]
    return [*picture, *lines, *note][:height]


def _in_columns(
    sheet: Sheet, entries: Sequence[str], wide: int, columns: int, height: int
) -> list[Styled]:
    """Return short answers side by side, the rows around the chosen one if not all fit."""
    rows = [
        [
            (entry.ljust(wide), "chosen" if number == sheet.chosen else "text")
            for number, entry in enumerate(entries[start : start + columns], start)
        ]
        for start in range(0, len(entries), columns)
    ]
    top = min(max(0, sheet.chosen // columns - height // 2), max(0, len(rows) - height))
    return [*rows[top : top + height]]


def _last_moves(log: Sequence[Sequence[Styled]], rows: int) -> list[Styled]:
    """Return the last moves with their points, whole ones only, and the very last in any case."""
    found: list[Styled] = []
    for move in reversed(log):
        joined_points = [move[0], *_joined(move[1:])]
        if found and len(found) + len(joined_points) > rows:
            break
        found = [*joined_points, *found]
    return [*found[:rows], *[[]] * (rows - len(found))]


def _joined(lines: Sequence[Styled]) -> list[Styled]:
    """Return the points of a move on one line."""
    pieces = [piece for line in lines for piece in line]
    return [pieces] if pieces else []


# --- the board -----------------------------------------------------------------------------------


def board_of(sheet: Sheet, width: int, height: int) -> list[Styled]:
    """Return the part of a board around the focus that fits, with coordinates at its rim."""
    plane = sheet.planes[sheet.plane % len(sheet.planes)]
    legend = _flowing(sheet.legend, width)[:LEGEND] if height >= ROOM_FOR_LEGEND else []
    margin = max(len(str(y)) for y in (plane.ys.start, plane.ys.stop - 1)) + 1
    inner = width - margin, height - 1 - len(legend)
    left, top = origin(plane, sheet.focus, *inner)
    across = range(left, left + min(inner[0], len(plane.xs) * WIDTH))
    down = range(top, top + max(0, min(inner[1], len(plane.ys) * HEIGHT)))
    head = [" "] * inner[0]
    for x in plane.xs:
        at = x * WIDTH + WIDTH // 2 - left
        text = str(x)
        if at - len(text) // 2 >= 0 and at + len(text) <= inner[0]:
            head[at - len(text) // 2 : at - len(text) // 2 + len(text)] = text
    lines: list[Styled] = [[(" " * margin + "".join(head), "frame")]]
    for row in down:
        label = str(row // HEIGHT) if row % HEIGHT == HEIGHT // 2 else ""
        marks = joined(plane.canvas.get((column, row), (" ", "fill")) for column in across)
        lines.append([(label.rjust(margin - 1) + " ", "frame"), *marks])
    return [*lines, *legend]


def origin(plane: Plane, focus: Cell | None, width: int, height: int) -> Cell:
    """Return the first column and row to show so that the focus is in the middle."""
    starts = []
    for cells, unit, room, at in (
        (plane.xs, WIDTH, width, focus[0] if focus else None),
        (plane.ys, HEIGHT, height, focus[1] if focus else None),
    ):
        first, last = cells.start * unit, cells.stop * unit
        middle = (first + last) // 2 if at is None else at
        starts.append(
            first if last - first <= room else min(max(first, middle - room // 2), last - room)
        )
    return starts[0], starts[1]


def scrolled(plane: Plane, focus: Cell | None, by: Cell) -> Cell:
    """Return the focus after scrolling by some columns and rows; it stays on the board."""
    ends = ((plane.xs, WIDTH), (plane.ys, HEIGHT))
    middle = [(cells.start + cells.stop) * unit // 2 for cells, unit in ends]
    now = focus or (middle[0], middle[1])
    moved = [
        min(max(at + step, cells.start * unit), cells.stop * unit)
        for at, step, (cells, unit) in zip(now, by, ends, strict=True)
    ]
    return moved[0], moved[1]


# --- lines ---------------------------------------------------------------------------------------


def middle(place: Place) -> Cell:
    """Return the character in the middle of a cell."""
    return place.x * WIDTH + WIDTH // 2, place.y * HEIGHT + HEIGHT // 2


def cut(line: Styled, width: int) -> Styled:
    """Return a line of exactly `width` columns."""
    found: list[str | tuple[str, str]] = []
    left = width
    for piece in line:
        text, role = (piece, "text") if isinstance(piece, str) else piece
        if left > 0 and text:
            found.append((text[:left], role))
            left -= len(text[:left])
    return [*found, (" " * left, "text")] if left else found


def _flowing(items: Sequence[Styled], width: int) -> list[Styled]:
    """Return items one after the other, in as many lines as needed."""
    lines: list[list[str | tuple[str, str]]] = []
    used = width
    for item in items:
        wide = len(text_of(item)) + 3
        if used + wide > width:
            lines.append([])
            used = 0
        lines[-1] += [*item, "   "]
        used += wide
    return list(lines)


def text_of(line: Styled) -> str:
    """Return a line without its styles."""
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in line)


def _fitted(texts: Sequence[str], width: int, height: int) -> list[Styled]:
    """Return texts in lines that fit, with a note on the last one if there are more."""
    lines: list[Styled] = [[line] for line in _wrapped(texts, width - 2)]
    if len(lines) <= height:
        return lines
    return [*lines[: height - 1], [*lines[height - 1], (" …", "faint")]] if height else []


def _wrapped(texts: Sequence[str], width: int) -> list[str]:
    return [
        line
        for text in texts
        for line in wrap(text, max(8, width), subsequent_indent="  ", break_on_hyphens=False)
    ]
