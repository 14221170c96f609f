"""Segments of pieces in words: `village in the north`."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, hypot, pi

from rulesdsl.model.geometry import Outline, Port, Shape, rotate, turned
from rulesdsl.play.game import Game
from rulesdsl.play.names import SegmentName, outline_of
from rulesdsl.texts import section

_COMPASS = (
    "east",
    "south-east",
    "south",
    "south-west",
    "west",
    "north-west",
    "north",
    "north-east",
)
_MIDDLE = 0.12
"""A segment whose middle is at most this part of a cell from that of its piece has no direction."""


class SegmentTexts:
    """Segments of pieces in the words of one language, in those of English if it has none."""

    def __init__(self, game: Game, language: str) -> None:
        self._game, self._language = game, language
        self._texts = section("segments", language)
        kinds = game.checked.game.feature_kinds
        self._shapes = {kind.shape.name: kind.shape.shape for kind in kinds}

    def name(self, name: SegmentName) -> str:
        """Return words for a segment with its cell: `village in the north (0,0)`."""
        return at_cell(self.text(name.kind, name.face, name.segment, name.rotation), name.cell)

    def text(self, kind: int, face: int | None, index: int, rotation: int) -> str:
        """Return words that tell a segment from the others of its kind on the same piece.

        The piece is of this kind, and a die shows this face.
        """
        outline = outline_of(self._game.checked.game, kind, face)
        assert outline is not None, "a segment belongs to an outline"
        own = outline.segments[index].kind
        alike = [i for i, other in enumerate(outline.segments) if other.kind == own]
        label = self._label(own)
        if len(alike) == 1:
            return label
        directions = {each: _direction(outline, each, rotation) for each in alike}
        if len(set(directions.values())) < len(alike):
            exact = self._game.forms.segment(kind, face, index, rotation).partition("@")[2]
            return f"{label} {exact}"
        direction = directions[index]
        if direction is None:
            return self._texts["in-the-middle"].format(kind=label)
        side = self._texts[direction]
        line = self._line_between(outline, index, alike)
        if line is not None:
            name = self._label(line)
            key = "beside-name" if name[:1].isupper() else "beside"
            return self._texts[key].format(kind=label, side=side, line=name)
        return self._texts["in-the"].format(kind=label, side=side)

    def _label(self, name: str) -> str:
        return self._game.labels(name, self._language)

    def _line_between(self, outline: Outline, index: int, alike: Sequence[int]) -> str | None:
        """Return the kind of the one line that parts two segments of a piece, None otherwise."""
        lines = [
            segment.kind
            for segment in outline.segments
            if self._shapes[segment.kind] is Shape.LINE and len(segment.ports) > 1
        ]
        fills = self._shapes[outline.segments[index].kind] is Shape.FILL
        return lines[0] if fills and len(alike) == 2 and len(lines) == 1 else None


def at_cell(text: str, cell: tuple[int, int] | None) -> str:
    """Return the words of a segment with its cell, without one those alone."""
    return text if cell is None else f"{text} ({cell[0]},{cell[1]})"


def _direction(outline: Outline, index: int, rotation: int) -> str | None:
    """Return the direction in which a segment lies on a turned piece, None in the middle.

    It is one of eight: `north`, `north-east` and so on, clockwise.
    """
    size = turned(outline.size, rotation)
    ports = outline.segments[index].ports
    points = [_point(rotate(port, rotation, outline.size)) for port in ports]
    if not points:
        return None
    east = sum(x for x, _ in points) / len(points) - size[0] / 2
    south = sum(y for _, y in points) / len(points) - size[1] / 2
    if hypot(east, south) <= _MIDDLE:
        return None
    return _COMPASS[round(atan2(south, east) / (pi / 4)) % len(_COMPASS)]


def _point(port: Port) -> tuple[float, float]:
    """Return the middle of a lane in cells, from the north-west corner of the piece."""
    along = (1 + 2 * port.lane) / 6
    x, y = ((along, 0.0), (1.0, along), (1 - along, 1.0), (0.0, 1 - along))[port.side]
    return port.x + x, port.y + y
