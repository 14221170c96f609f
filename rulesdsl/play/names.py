"""Values of a game at one moment as people and programs write them (see `rulesdsl.play.forms`)."""

from __future__ import annotations

from rulesdsl.model.game import Game, KindDef
from rulesdsl.model.geometry import Outline
from rulesdsl.model.values import Feature, Piece, Segment, Space, Value
from rulesdsl.play.forms import Forms, Plain, grid_name, outline_of
from rulesdsl.run.engine import Position


class Names:
    """The plain forms of the values of one position. `forms` are those of its game, if there are
    any yet.

    `short` is what moves show; `full` tells apart values that share a short form.
    """

    def __init__(self, position: Position, forms: Forms | None = None) -> None:
        self.position = position
        self.game: Game = position.checked.game
        self.forms = forms or Forms(self.game)

    def short(self, value: Value) -> Plain:
        """The plain form: ints, booleans and None as they are."""
        if value is None or isinstance(value, int):
            return value
        match value:
            case Segment():
                return self.segment(value)
            case Piece(index):
                return self._piece(index)
            case Feature(segment):
                return self.segment(segment) + self._where(segment)
            case tuple():
                return tuple(self.short(item) for item in value)
            case _:
                return self.forms.lasting(value)

    def full(self, value: Value) -> Plain:
        """A form no other value of the game shares."""
        match value:
            case Piece():
                return self._piece_in_full(value)
            case Segment():
                return self.segment(value) + self._where(value)
            case _:
                return self.short(value)

    def grid(self, grid: int, index: int) -> str:
        """The name of a grid instance: `board`, `pad[red]`."""
        return grid_name(self.game, grid, index)

    def segment(self, segment: Segment) -> str:
        """`kind@ports` as placed, clockwise from NL (rotation 0 for a piece that is not laid)."""
        piece = Piece(segment.piece)
        laid = self.position.placement_of(piece)
        rotation = laid.rotation if laid else 0
        kind = self.game.pieces[piece.index].kind
        return self.forms.segment(kind, self._face(piece), segment.index, rotation)

    def outline(self, piece: Piece) -> Outline | None:
        """What lies on a piece now: a die shows its face."""
        return outline_of(self.game, self.game.pieces[piece.index].kind, self._face(piece))

    def kind(self, piece: Piece) -> KindDef:
        """The component entry of a piece."""
        return self.game.kinds[self.game.pieces[piece.index].kind]

    def _face(self, piece: Piece) -> int | None:
        """The number of the face of a die that lies up; None for anything else."""
        return self.position.face_of(piece).index if self.kind(piece).cls == "die" else None

    def _where(self, segment: Segment) -> str:
        found = self.position.placement_of(Piece(segment.piece))
        if found is None:
            return f"#{self.game.pieces[segment.piece].copy}"
        return f"({found.cell.x},{found.cell.y})"

    def _piece(self, index: int) -> str:
        """With its owner, if it has one; a die with the face that lies up."""
        piece = self.game.pieces[index]
        owner = "" if piece.seat is None else f"{self.game.roles.colours[piece.seat]}."
        kind = self.game.kinds[piece.kind]
        if kind.faces:
            return f"{owner}{kind.text}:{self.short(self.position.face_of(Piece(index)))}"
        return owner + kind.text

    def _piece_in_full(self, piece: Piece) -> str:
        """With the segment or space it alone of its name stands on, otherwise with its number."""
        name, place = self._piece(piece.index), self.position.place_of(piece)
        if isinstance(place, (Segment, Space)) and not self._beside_its_like(piece, place):
            return f"{name}:{self.full(place)}"
        return f"{self._origin(piece)}{name}#{self.game.pieces[piece.index].copy}"

    def _origin(self, piece: Piece) -> str:
        """The ruleset of a piece, where another one has pieces of the same name."""
        own = self.kind(piece)
        named = {kind.ruleset for kind in self.game.kinds if kind.name == own.name}
        return f"{own.ruleset}/" if len(named) > 1 else ""

    def _beside_its_like(self, piece: Piece, place: Value) -> bool:
        own = self.game.pieces[piece.index]
        return any(
            self.position.place_of(Piece(index)) == place
            for index, other in enumerate(self.game.pieces)
            if (other.kind, other.seat) == (own.kind, own.seat) and index != piece.index
        )
