"""Options in words: `House on the village in the north`."""

from __future__ import annotations

from rulesdsl.cli.words import Words
from rulesdsl.model.values import Feature, Kind, Piece, Placement, Segment, Value
from rulesdsl.play import State
from rulesdsl.play.segments import at_cell
from rulesdsl.play.watch import Say


def saying(words: Words) -> Say:
    """Return a function that says moves as options in words."""
    return lambda state, move: OptionTexts(state, words).text(state.moves().index(move))


class OptionTexts:
    """The legal moves of a state in words."""

    def __init__(self, state: State, words: Words) -> None:
        decision = state.position.decision
        assert decision is not None, "someone is asked"
        self._state, self._words = state, words
        self._candidates = decision.candidates
        self._seat = decision.seat
        self._about = {value for _, value in decision.arguments if isinstance(value, Piece)}

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
        return at_cell(text, (laid.cell.x, laid.cell.y) if laid else None)

    def _segment_on_piece(self, segment: Segment) -> str:
        """Return words that tell a segment from the others of its kind on the same piece."""
        piece, names = Piece(segment.piece), self._state.names
        laid = self._state.position.placement_of(piece)
        kind = self._state.game.checked.game.pieces[segment.piece].kind
        rotation = laid.rotation if laid else 0
        return self._words.segments.text(kind, names.face(piece), segment.index, rotation)
