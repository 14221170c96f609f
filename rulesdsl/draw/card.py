"""Cards, dice, tokens and figures as SVG."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.draw.badges import badge_lines
from rulesdsl.draw.colours import COLOURS, INK, PAPER
from rulesdsl.draw.looks import MIDDLE, Badge, Looks, shown
from rulesdsl.draw.paths import CELL, Point
from rulesdsl.draw.svg import Lines, element, group, moved, text
from rulesdsl.draw.tile import MARK, Tile
from rulesdsl.model.game import FaceDef, KindDef, Plain
from rulesdsl.model.names import short_name

CARD = (100.0, 140.0)
_CORNER, _PICTURE = 26.0, 56.0
_GAP, _FACES = 8.0, 8
"""Between the faces of a die, and how many stand in a row."""
_FIGURE, _LARGEST = 74.0, 96.0


def card(kind: KindDef, looks: Looks, title: str) -> Lines:
    """A card: its attributes in the corner, a picture in the middle, its title below."""
    width, height = CARD
    declared = looks.style(kind.key)
    fill = looks.ground(kind.attributes) or COLOURS["cream"]
    said = shown(looks, kind.attributes)
    middle = [badge for key, badge in said if looks.at(key) == MIDDLE]
    if declared.icon or declared.text:
        middle = [looks.piece(kind)]
    corner = [(key, badge) for key, badge in said if looks.at(key) != MIDDLE]
    lines = [
        element("rect", x=1.5, y=1.5, width=width - 3, height=height - 3, rx=9, fill=fill,
                stroke=INK, stroke_width=2),
        element("rect", x=5, y=height - 27, width=width - 10, height=22, rx=6, fill=PAPER),
        text(title, (width / 2, height - 16), 13, width - 18, fill=INK),
    ]  # fmt: skip
    for number, (_, badge) in enumerate(corner[:3]):
        lines += badge_lines(badge, (19 + 31 * number, 20), _CORNER)
    for number, badge in enumerate(middle[:1]):
        lines += badge_lines(badge, (width / 2, 74 + number), _PICTURE)
    if not middle:
        lines += _told(corner, kind, looks)
    return lines


def _told(said: list[tuple[str, Badge]], kind: KindDef, looks: Looks) -> Iterator[str]:
    """What the corner shows, in words: for a card of which no picture is declared."""
    for number, (key, _) in enumerate(said[:4]):
        at = (CARD[0] / 2, 52 + 17 * number)
        yield text(f"{short_name(key)} {_word(kind.attributes[key])}", at, 13, 88, fill=INK)


def _word(value: Plain) -> str:
    return "yes" if value is True else str(value)


def die(kind: KindDef, looks: Looks) -> Lines:
    """All faces of a die, side by side in as many rows as it takes."""
    lines: Lines = []
    for number, face in enumerate(kind.faces):
        row, column = divmod(number, _FACES)
        at = (column * (CELL + _GAP), row * (CELL + _GAP))
        lines += moved(die_face(kind, face, looks), *at)
    return lines


def die_size(kind: KindDef) -> Point:
    """How much room a die takes."""
    columns, rows = min(_FACES, len(kind.faces)), -(-len(kind.faces) // _FACES)
    return columns * (CELL + _GAP) - _GAP, rows * (CELL + _GAP) - _GAP


def die_face(kind: KindDef, face: FaceDef, looks: Looks) -> Lines:
    """One face: what is drawn on it, or its icon, or its name."""
    lines = [
        element(
            "rect", x=2, y=2, width=96, height=96, rx=16, fill=PAPER, stroke=INK, stroke_width=3
        )
    ]
    said = [badge for _, badge in shown(looks, face.attributes)]
    if face.outline is not None:
        tile = Tile(face.outline, face.attributes, looks)
        lines += group(tile.lines(), transform="translate(12 12) scale(0.76)")
        lines.append(
            element(
                "rect", x=12, y=12, width=76, height=76, fill="none", stroke=INK, stroke_width=2
            )
        )
        return lines
    badge = looks.face(kind, face.name)
    lines += badge_lines(badge, (50, 50), 68)
    for number, each in enumerate(said[:3]):
        lines += badge_lines(each, (22 + 28 * number, 82), 22)
    return lines


def token(kind: KindDef, looks: Looks, colour: str | None = None) -> Lines:
    """A token: a disc with its icon, or its attributes, or a letter."""
    style = looks.style(kind.key)
    said = [badge for _, badge in shown(looks, kind.attributes)]
    fill = colour or looks.ground(kind.attributes) or COLOURS["sand"]
    lines = [element("circle", cx=50, cy=50, r=46, fill=fill, stroke=INK, stroke_width=3)]
    if style.icon or style.text or not said:
        lines += badge_lines(looks.piece(kind), (50, 50), 62)
        said = said[: 1 if style.icon else 0]
        return lines + [line for each in said for line in badge_lines(each, (50, 84), 26)]
    return lines + badge_lines(said[0], (50, 50), 62)


def figure(kind: KindDef, looks: Looks, colour: str | None = None) -> Lines:
    """A figure, in the colour of its owner."""
    size = min(_LARGEST, looks.size(kind, MARK) / MARK * _FIGURE)
    return badge_lines(looks.piece(kind, colour), (CELL / 2, CELL / 2), size)
