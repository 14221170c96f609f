"""Sheets of many pieces: captioned to look at, or every copy to be cut out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rulesdsl.draw.icons import ICONS
from rulesdsl.draw.looks import COLOURS, INK, PLAYERS, Badge
from rulesdsl.draw.pieces import Drawn, Pieces, badge_lines
from rulesdsl.draw.svg import CELL, Lines, document, element, moved, text, wrapped
from rulesdsl.model.game import KindDef

_COLUMNS, _WIDE, _HIGH = 10, 86.0, 84.0


def samples_svg(size: float = 100.0) -> str:
    """Draw every icon, at two sizes, then every colour, each with its name."""
    fills = [COLOURS[name] for name in PLAYERS]
    cells = [_icon(name, fills[number % len(fills)]) for number, name in enumerate(sorted(ICONS))]
    blank = -len(cells) % _COLUMNS
    cells += [[] for _ in range(blank)]
    cells += [list(_colour(name)) for name in COLOURS]
    width, height = _COLUMNS * _WIDE, -(-len(cells) // _COLUMNS) * _HIGH
    lines: Lines = [element("rect", width=width, height=height, fill=COLOURS["meadow"])]
    for number, cell in enumerate(cells):
        row, column = divmod(number, _COLUMNS)
        lines += moved(cell, column * _WIDE, row * _HIGH)
    return document(lines, width, height, size / 100, "icons and colours")


def _icon(name: str, fill: str) -> Lines:
    badge = Badge(name, "", fill)
    large, small = badge_lines(badge, (38, 34), 50), badge_lines(badge, (72, 52), 17)
    return [*large, *small, _name(name)]


def _colour(name: str) -> Iterator[str]:
    yield element(
        "rect", x=13, y=12, width=60, height=46, rx=6, fill=COLOURS[name], stroke=INK,
        stroke_width=1.5,
    )  # fmt: skip
    yield _name(name)


def _name(name: str) -> str:
    return text(name, (_WIDE / 2, 72), 12, _WIDE - 6, fill=INK)


WIDTH = 8.0
"""Number of cells side by side."""
_GAP, _CAPTION = 14.0, 22.0


@dataclass(frozen=True)
class _Item:
    """A drawing and its caption."""

    drawn: Drawn
    caption: str


def sheet_svg(
    chosen: Sequence[tuple[Pieces, KindDef]], size: float = 100.0, *, copies: bool = False
) -> str:
    """Draw the chosen kinds on a sheet, with cells `size` pixels wide.

    There is one of each, with its name and number of copies; with `copies`, all copies side by side
    and without captions.
    """
    items: list[_Item] = []
    for pieces, kind in chosen:
        game = pieces.game.checked.game
        index = game.kinds.index(kind)
        count = sum(piece.kind == index for piece in game.pieces)
        drawn = pieces.draw(kind)
        if copies:
            items += [_Item(drawn, "")] * count
        else:
            items.append(_Item(drawn, f"{pieces.title(kind)} \u00d7{count}"))
    gap, caption = (0.0, 0.0) if copies else (_GAP, _CAPTION)
    lines, (width, height) = _packed(items, gap, caption)
    paper = element("rect", width=width, height=height, fill="#ffffff")
    return document([paper, *lines], width, height, size / CELL, _title(chosen))


def _title(chosen: Iterable[tuple[Pieces, KindDef]]) -> str:
    names = (pieces.game.labels(kind.ruleset, pieces.language) for pieces, kind in chosen)
    return ", ".join(dict.fromkeys(names))


def _packed(items: Sequence[_Item], gap: float, caption: float) -> Drawn:
    """Place items from left to right, wrapped into rows."""
    most = max([WIDTH * (CELL + gap) + gap, *(item.drawn[1][0] + 2 * gap for item in items)])
    lines: Lines = []
    x = y = gap
    row = right = 0.0
    for item in items:
        drawn, (width, height) = item.drawn
        if x > gap and x + width + gap > most + 0.1:
            x, y, row = gap, y + row + caption + gap, 0.0
        lines += moved(drawn, x, y)
        if caption:
            at = (x + width / 2, y + height + 9)
            lines += wrapped(item.caption, at, 11, width + gap - 6, fill=INK)
        x, row = x + width + gap, max(row, height)
        right = max(right, x)
    return lines, (max(right, 1.0), max(y + row + caption + gap, 1.0))
