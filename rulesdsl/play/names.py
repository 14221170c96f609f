"""Values of a game as people and programs write them.

Every handle has a plain form (a string, or a tuple for places) that is the same on every engine:
`red`, `corner`, `lane@E.W`, `Spot(x=0, y=-1, rotation=90, grid='board')`. Coordinates: x east,
y south, rotation in degrees clockwise.
"""

from __future__ import annotations

from typing import NamedTuple, assert_never

from rulesdsl.geometry.ring import port_text, rotate, turned
from rulesdsl.model.game import Game, KindDef
from rulesdsl.model.geometry import Outline, Shape
from rulesdsl.model.names import short_name
from rulesdsl.model.types import SIDE, SIDE_NAMES
from rulesdsl.model.values import (
    Cell,
    EnumMember,
    Face,
    Feature,
    Grid,
    Kind,
    Piece,
    Placement,
    Player,
    Segment,
    Space,
    Value,
    Zone,
)
from rulesdsl.run.engine import Laid, Position


class Place(NamedTuple):
    """A cell: x east, y south of the centre of the grid named `grid`."""

    x: int
    y: int
    grid: str

    def __str__(self) -> str:
        return f"({self.x},{self.y})"


class Spot(NamedTuple):
    """A placement: the cell of the piece's north-west corner as placed, degrees clockwise."""

    x: int
    y: int
    rotation: int
    grid: str

    def __str__(self) -> str:
        return f"({self.x},{self.y},{self.rotation})"


Plain = int | bool | str | None | Place | Spot | tuple["Plain", ...]


class Names:
    """The plain forms of the values of one position.

    `short` is what moves show; `full` tells apart values that share a short form.
    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.game: Game = position.checked.game
        self._laid: dict[Piece, Laid] | None = None

    def short(self, value: Value) -> Plain:
        """The plain form: ints, booleans and None as they are."""
        if value is None or isinstance(value, int):
            return value
        match value:
            case tuple():
                return tuple(self.short(item) for item in value)
            case Player(seat):
                return self.game.roles.colours[seat]
            case EnumMember():
                return self._member(value)
            case Kind(index):
                return self.game.kinds[index].text
            case Face(kind, index):
                return self.game.kinds[kind].faces[index].name
            case Piece(index):
                return self._piece(index)
            case Segment():
                return self.segment(value)
            case Feature(segment):
                return self.segment(segment) + self._where(segment)
            case Cell():
                return Place(value.x, value.y, self._instance_of_cell(value))
            case Placement(cell, rotation):
                return Spot(cell.x, cell.y, 90 * rotation, self._instance_of_cell(cell))
            case Zone(zone, index):
                declared = self.game.zones[zone]
                return declared.name + self._instance(declared.per, index)
            case Grid(grid, index):
                return self.grid(grid, index)
            case Space(track, index):
                return f"{self.game.tracks[track].name}[{index}]"
            case _:
                assert_never(value)

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
        declared = self.game.grids[grid]
        return declared.name + self._instance(declared.per, index)

    def segment(self, segment: Segment) -> str:
        """`kind@ports` as placed, clockwise from NL (rotation 0 for a piece that is not laid)."""
        outline = self.outline(Piece(segment.piece))
        assert outline is not None, "a segment belongs to an outline"
        found = outline.segments[segment.index]
        shape = self._shape(found.kind)
        rotation = self._rotation(Piece(segment.piece))
        ports = [rotate(port, rotation, outline.size) for port in found.ports]
        kind = short_name(found.kind)
        where = port_text(ports, shape, turned(outline.size, rotation))
        return f"{kind}@{where}{self._twin(outline, segment)}"

    def outline(self, piece: Piece) -> Outline | None:
        """What lies on a piece now: a die shows its face."""
        kind = self.kind(piece)
        if kind.cls != "die":
            return kind.outline
        face = self.position.face_of(piece)
        return kind.faces[face.index].outline

    def kind(self, piece: Piece) -> KindDef:
        """The component entry of a piece."""
        return self.game.kinds[self.game.pieces[piece.index].kind]

    def laid(self, piece: Piece) -> Laid | None:
        """Where a piece lies on a grid, or None."""
        if self._laid is None:
            self._laid = {item.piece: item for item in self.position.laid()}
        return self._laid.get(piece)

    def _rotation(self, piece: Piece) -> int:
        found = self.laid(piece)
        return found.rotation if found else 0

    def _where(self, segment: Segment) -> str:
        found = self.laid(Piece(segment.piece))
        if found is None:
            return f"#{self.game.pieces[segment.piece].copy}"
        return f"({found.cell.x},{found.cell.y})"

    def _twin(self, outline: Outline, segment: Segment) -> str:
        """Tells apart segments of one piece that hold no ports."""
        own = outline.segments[segment.index]
        twins = [i for i, s in enumerate(outline.segments) if s.kind == own.kind and not s.ports]
        if own.ports or len(twins) < 2:
            return ""
        return str(twins.index(segment.index) + 1)

    def _shape(self, kind: str) -> Shape:
        return next(k.shape.shape for k in self.game.feature_kinds if k.shape.name == kind)

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

    def _member(self, member: EnumMember) -> str:
        if member.enum == SIDE.name:
            return SIDE_NAMES[member.index]
        return next(e for e in self.game.enums if e.key == member.enum).members[member.index]

    def _instance(self, per: str | None, index: int) -> str:
        if per is None:
            return ""
        if per == "player":
            return f"[{self.game.roles.colours[index]}]"
        return f"[{self._member(EnumMember(per, index))}]"

    def _instance_of_cell(self, cell: Cell) -> str:
        return self.grid(cell.grid, cell.owner)
