"""What lies in the zones that everybody sees, row by row, and what stands on tracks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import ceil

from rulesdsl.draw.badges import badge_lines
from rulesdsl.draw.card import die_face
from rulesdsl.draw.colours import INK, PAPER
from rulesdsl.draw.paths import CELL
from rulesdsl.draw.piece import Drawn, Pieces
from rulesdsl.draw.svg import Lines, element, group, moved, text
from rulesdsl.model.game import ZoneDef
from rulesdsl.model.values import Piece, Space, Zone
from rulesdsl.play import State
from rulesdsl.play.things import instances, seen_by_all

_TITLE, _GAP, _MARGIN = 150.0, 8.0, 12.0
_LARGE, _SMALL = 64.0, 34.0
"""How wide cards, tiles and dice are, and other pieces."""
_SPACE, _MOST = 46.0, 120
"""How wide a space of a track is; of a track of more spaces only those are drawn that hold
something."""

_Alike = tuple[Piece | None, int]
"""A piece, None if it lies face down, and how many there are that look like it."""


def zones(pieces: Pieces, state: State, width: float) -> Drawn:
    """A row for every zone in which something lies that all see; within `width`."""
    lines: Lines = []
    y = 0.0
    for number, declared in enumerate(state.game.checked.game.zones):
        if declared.visible != "all":
            continue
        for index in range(instances(state, declared.per)):
            zone = Zone(number, index)
            if seen := seen_by_all(state, zone):
                row, height = _row(pieces, state, _alike(state, seen, declared.ordered), width)
                title = _title(pieces, state, zone, declared)
                name = text(title, (_TITLE / 2, height / 2), 15, _TITLE - 16, fill=INK)
                lines += moved([name, *row], 0, y)
                y += height + _GAP
    return lines, (width, y + _GAP if y else 0.0)


def tracks(pieces: Pieces, state: State, width: float) -> Drawn:
    """The spaces of every track on which something stands, within `width`."""
    standing: dict[Space, list[Piece]] = {}
    for index, piece in enumerate(state.game.checked.game.pieces):
        if piece.seat is not None and piece.seat >= len(state.players):
            continue
        place = state.position.place_of(Piece(index))
        if isinstance(place, Space):
            standing.setdefault(place, []).append(Piece(index))
    lines: Lines = []
    y = 0.0
    for number, declared in enumerate(state.game.checked.game.tracks):
        held = [space.index for space in sorted(standing) if space.track == number]
        shown = range(declared.length) if declared.length <= _MOST else held
        columns = max(1, int((width - _TITLE - _MARGIN) / _SPACE))
        if not held:
            continue
        title = pieces.game.labels(declared.key, pieces.language)
        lines.append(text(title, (_TITLE / 2, y + _SPACE / 2), 15, _TITLE - 16, fill=INK))
        places = {
            index: (order % columns * _SPACE, order // columns * _SPACE)
            for order, index in enumerate(shown)
        }
        spaces = [line for index, at in places.items() for line in moved(_space(index), *at)]
        lines += moved(pieces.share(spaces), _TITLE, y)
        for index, (left, top) in places.items():
            here = standing.get(Space(number, index), [])
            lines += moved(_standing(pieces, state, here), _TITLE + left, y + top)
        y += -(-len(shown) // columns) * _SPACE + _GAP
    return lines, (width, y + _GAP if y else 0.0)


def _space(index: int) -> Lines:
    """A space with its number."""
    return [
        element("rect", width=_SPACE, height=_SPACE, fill=PAPER, stroke=INK, stroke_width=1),
        text(str(index), (_SPACE / 2, _SPACE / 2), 15, _SPACE - 8, fill="#b9b2a6"),
    ]


def _standing(pieces: Pieces, state: State, here: Sequence[Piece]) -> Lines:
    """What stands on a space, in rows of as many as there are rows."""
    lines: Lines = []
    rows = ceil(len(here) ** 0.5)
    for order, piece in enumerate(here):
        badge, _ = pieces.mark(state, piece, 1)
        at = ((order % rows + 0.5) * _SPACE / rows, (order // rows + 0.5) * _SPACE / rows)
        lines += badge_lines(badge, at, min(_SMALL, 0.9 * _SPACE / rows))
    return lines


def _title(pieces: Pieces, state: State, zone: Zone, declared: ZoneDef) -> str:
    """The name of a zone, and whose or what it is."""
    labels, language = pieces.game.labels, pieces.language
    name = labels(declared.key, language)
    if declared.per is None:
        return name
    if declared.per == "player":
        return f"{name}: {labels(state.players[zone.index], language)}"
    enums = state.game.checked.game.enums
    enum = next(enum for enum in enums if enum.key == declared.per)
    return f"{name}: {labels(f'{enum.key}.{enum.members[zone.index]}', language)}"


def _alike(state: State, seen: Sequence[Piece | None], ordered: bool) -> list[_Alike]:
    """Pieces with how often they are there; where order counts only neighbours are put together."""

    def look(piece: Piece | None) -> tuple[int, int, int]:
        if piece is None:
            return -1, -1, 0
        own = state.game.checked.game.pieces[piece.index]
        die = state.names.kind(piece).faces
        face = state.position.face_of(piece).index if die else 0
        return own.kind, -1 if own.seat is None else own.seat, face

    found = seen if ordered else sorted(seen, key=lambda each: (look(each), each or Piece(-1)))
    groups = (list(group) for _, group in groupby(found, look))
    return [(group[0], len(group)) for group in groups]


def _row(
    pieces: Pieces, state: State, alike: Sequence[_Alike], width: float
) -> tuple[Lines, float]:
    """Pieces from left to right, in as many lines as it takes; and how high that is."""
    lines: Lines = []
    x, y, high = _TITLE, 0.0, 0.0
    for piece, count in alike:
        drawn, (wide, height) = _small(pieces, state, piece)
        if x > _TITLE and x + wide + _MARGIN > width:
            x, y, high = _TITLE, y + high + _GAP, 0.0
        lines += moved(drawn, x, y)
        if count > 1:
            lines.append(_count(count, x + wide - 4, y + height - 9))
        x, high = x + wide + _GAP, max(high, height)
    return lines, y + high


def _back() -> Lines:
    """Draw what lies face down."""
    size = _LARGE - 4
    return [
        element("rect", x=2, y=2, width=size, height=size, rx=6, fill="#b9b2a6", stroke=INK),
        text("?", (_LARGE / 2, _LARGE / 2), 28, _LARGE, fill=INK),
    ]


def _count(count: int, x: float, y: float) -> str:
    halo = {"stroke": PAPER, "paint_order": "stroke", "stroke_linejoin": "round"}
    return text(f"\u00d7{count}", (x, y), 15, 40, fill=INK, stroke_width=4, **halo)


def _small(pieces: Pieces, state: State, piece: Piece | None) -> Drawn:
    """A piece as it lies in a zone: a die with the face that lies up, a card perhaps face down."""
    if piece is None:
        return _back(), (_LARGE, _LARGE)
    kind = state.names.kind(piece)
    if kind.cls in ("figure", "token"):
        badge, size = pieces.mark(state, piece, _SMALL)
        drawn = badge_lines(badge, (size / 2, size / 2), size)
        return pieces.share(drawn), (size + 6, size)
    if kind.faces:
        face = kind.faces[state.position.face_of(piece).index]
        drawn, (wide, height) = die_face(kind, face, pieces.looks), (CELL, CELL)
    else:
        drawn, (wide, height) = pieces.draw(kind)
    scale = _LARGE / wide
    lines = group(pieces.share(drawn), transform=f"scale({scale:.3f})")
    return lines, (wide * scale, height * scale)
