"""Does a value exist in a game, and is it of a type? For values that come from outside."""

from __future__ import annotations

from rulesdsl.model.types import (
    BOOL,
    CELL,
    FACE,
    FEATURE,
    GRID,
    INT_MAX,
    INT_MIN,
    KIND,
    PIECE,
    PIECE_CLASSES,
    PLACEMENT,
    PLAYER,
    SEGMENT,
    SPACE,
    ZONE,
    EnumType,
    IntType,
    OptionalType,
    SetType,
    Type,
)
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
from rulesdsl.run.reference.box import Box
from rulesdsl.run.reference.ordered import as_set

_CLASSES: dict[Type, type] = {
    BOOL: bool,
    PLAYER: Player,
    PIECE: Piece,
    KIND: Kind,
    FACE: Face,
    SEGMENT: Segment,
    FEATURE: Feature,
    CELL: Cell,
    PLACEMENT: Placement,
    ZONE: Zone,
    SPACE: Space,
    GRID: Grid,
}


def exists(value: Value, box: Box) -> bool:
    """Is there such a thing in the game as it is played?"""
    match value:
        case None | bool():
            return True
        case int():
            return INT_MIN <= value <= INT_MAX
        case tuple():
            return all(exists(item, box) for item in value) and as_set(value) == value
        case Player(seat):
            return seat in box.seats
        case EnumMember(enum, index):
            return 0 <= index < len(box.enums.get(enum, ()))
        case Kind(index):
            return 0 <= index < len(box.game.kinds)
        case Face(kind, index):
            return exists(Kind(kind), box) and 0 <= index < len(box.game.kinds[kind].faces)
        case Piece() | Zone() | Grid() | Space():
            return value in box
        case Segment():
            return _segment(value, box)
        case Feature(segment):
            return _segment(segment, box)
        case Cell(grid, owner):
            return Grid(grid, owner) in box and box.inside(value)
        case Placement(Cell(grid, owner), rotation):
            return Grid(grid, owner) in box and rotation in range(4)


def _segment(segment: Segment, box: Box) -> bool:
    piece = Piece(segment.piece)
    if piece not in box:
        return False
    kind = box.kind(piece)
    outlines = [face.outline for face in kind.faces] if kind.faces else [kind.outline]
    return 0 <= segment.index < max(len(o.segments) if o else 0 for o in outlines)


def fits(value: Value, kind: Type, box: Box) -> bool:
    """Is the value, which exists, of that type?"""
    match kind:
        case OptionalType(item):
            return value is None or fits(value, item, box)
        case SetType(item):
            return isinstance(value, tuple) and all(fits(member, item, box) for member in value)
        case IntType(low, high):
            return type(value) is int and low <= value <= high
        case EnumType(name):
            return isinstance(value, EnumMember) and value.enum == name
        case _ if kind.name in PIECE_CLASSES:
            return isinstance(value, Piece) and box.cls(value) == kind.name
        case _:
            return kind in _CLASSES and isinstance(value, _CLASSES[kind])


def fits_owner(value: Value, owner: str, box: Box) -> bool:
    """Can a state of that owner (game, player, a piece class, segment or cell) be kept there?"""
    if owner == "game":
        return value is None
    match value:
        case Player():
            return owner == "player"
        case Piece():
            return owner in ("piece", box.cls(value))
        case Segment():
            return owner == "segment"
        case Cell():
            return owner == "cell"
        case _:
            return False


def alike(value: Value, kind: Type) -> bool:
    """Is the value of the same sort as that type, whatever its range or class, or none?"""
    match kind:
        case _ if value is None:
            return True
        case OptionalType(item):
            return alike(value, item)
        case SetType(item):
            return isinstance(value, tuple) and all(
                member is not None and alike(member, item) for member in value
            )
        case IntType():
            return type(value) is int
        case EnumType(name):
            return isinstance(value, EnumMember) and value.enum == name
        case _ if kind.name in PIECE_CLASSES:
            return isinstance(value, Piece)
        case _:
            return kind not in _CLASSES or isinstance(value, _CLASSES[kind])
