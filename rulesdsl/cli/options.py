"""Options in words: `House on the village in the north`."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, hypot, pi

from rulesdsl.cli.words import Words
from rulesdsl.model.geometry import Outline, Port, Shape, rotate, turned
from rulesdsl.model.values import Feature, Kind, Piece, Placement, Segment, Value
from rulesdsl.play import State

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
_MIDDLE = 0.1
"""A segment whose middle is at most this part of a cell from that of its piece has no direction."""


class OptionTexts:
    """The legal moves of a state in words."""

    def __init__(self, state: State, words: Words) -> None:
        decision = state.position.decision
        assert decision is not None, "someone is asked"
        self._state, self._words = state, words
        self._candidates = decision.candidates
        self._seat = decision.seat
        self._about = {value for _, value in decision.arguments if isinstance(value, Piece)}
        self._shapes = {
            kind.shape.name: kind.shape.shape for kind in state.game.checked.game.feature_kinds
        }

    def text(self, index: int) -> str:
        """Return the text of the legal move of this index."""
        candidate = self._candidates[index]
        label = self._words.label(candidate.name).replace("_", " ")
        said = ""
        for _, value in candidate.arguments:
            text = self.value(value)
            if said and isinstance(value, Segment | Feature):
                said = self._words.texts("on", piece=said, place=text)
            else:
                said = f"{said}, {text}" if said else text
        return f"{label} {said}".strip()

    def value(self, value: Value) -> str:
        """Return the words of a value."""
        names = self._state.names
        match value:
            case Segment():
                return self._segment(value)
            case Feature(segment):
                return self._placed(self._segment_on_piece(segment), segment)
            case Piece():
                return self._piece(value)
            case Kind() | Placement():
                return self._words.value(names.short(value))
            case tuple():
                return ", ".join(map(self.value, value)) or self._words.texts("none")
            case _:
                return self._words.value(names.short(value))

    def _piece(self, piece: Piece) -> str:
        """Return the name of a piece, with its owner if that is another player."""
        names, place = self._state.names, self._state.position.place_of(piece)
        own = self._state.game.checked.game.pieces[piece.index].seat == self._seat
        own = own and not names.kind(piece).faces
        name = self._words.value(names.kind(piece).text if own else names.short(piece))
        if isinstance(place, Segment):
            return self._words.texts("on", piece=name, place=self._segment(place))
        return name

    def _segment(self, segment: Segment) -> str:
        """Return the words of a segment, with the cell of a piece that the choice is not about."""
        text = self._segment_on_piece(segment)
        return text if Piece(segment.piece) in self._about else self._placed(text, segment)

    def _placed(self, text: str, segment: Segment) -> str:
        laid = self._state.position.placement_of(Piece(segment.piece))
        if laid is None:
            return text
        return f"{text} ({laid.cell.x},{laid.cell.y})"

    def _segment_on_piece(self, segment: Segment) -> str:
        """Return words that tell a segment from the others of its kind on the same piece."""
        piece = Piece(segment.piece)
        outline = self._state.names.outline(piece)
        assert outline is not None, "a segment belongs to an outline"
        laid = self._state.position.placement_of(piece)
        rotation = laid.rotation if laid else 0
        kind = outline.segments[segment.index].kind
        alike = [i for i, other in enumerate(outline.segments) if other.kind == kind]
        label = self._words.label(kind)
        if len(alike) == 1:
            return label
        directions = {index: direction(outline, [index], rotation) for index in alike}
        if len(set(directions.values())) < len(alike) or None in directions.values():
            exact = str(self._state.names.segment(segment)).partition("@")[2]
            return f"{label} {exact}"
        side = self._words.texts(directions[segment.index] or "")
        line = self._line_between(outline, segment.index, alike)
        if line is not None:
            name = self._words.label(line)
            key = "beside-name" if name[:1].isupper() else "beside"
            return self._words.texts(key, kind=label, side=side, line=name)
        return self._words.texts("in-the", kind=label, side=side)

    def _line_between(self, outline: Outline, index: int, alike: Sequence[int]) -> str | None:
        """Return the kind of the one line that parts two segments of a piece, None otherwise."""
        lines = [
            segment.kind
            for segment in outline.segments
            if self._shapes[segment.kind] is Shape.LINE and len(segment.ports) > 1
        ]
        fills = self._shapes[outline.segments[index].kind] is Shape.FILL
        return lines[0] if fills and len(alike) == 2 and len(lines) == 1 else None


def direction(outline: Outline, segments: Sequence[int], rotation: int) -> str | None:
    """Return the direction in which segments lie on a piece turned by quarters, None in the middle.

    It is one of eight: `north`, `north-east` and so on, clockwise.
    """
    size = turned(outline.size, rotation)
    points = [
        _point(rotate(port, rotation, outline.size))
        for index in segments
        for port in outline.segments[index].ports
    ]
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
