"""All icons and colours that a look can name, on one sheet."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.draw.badges import badge_lines
from rulesdsl.draw.colours import COLOURS, INK, PLAYERS
from rulesdsl.draw.icons import ICONS
from rulesdsl.draw.looks import Badge
from rulesdsl.draw.svg import Lines, document, element, moved, text

_COLUMNS, _WIDE, _HIGH = 10, 86.0, 84.0


def samples_svg(size: float = 100.0) -> str:
    """Every icon, then every colour, each with its name; an icon is drawn at two sizes."""
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
