"""Conversion of values to plain data and back.

Plain data are null, booleans, integers, and lists that begin with a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulesdsl.engines.history import SavedError
from rulesdsl.engines.reference.box import GameBox
from rulesdsl.model import types
from rulesdsl.model.checked import Checked
from rulesdsl.model.types import EnumType, IntType, OptionalType, SetType, Type
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
    as_set,
)


def plain(value: object) -> Any:
    """Return a value, or a tuple of values, as plain data; strings are returned unchanged."""
    match value:
        case None | bool() | int() | str():
            return value
        case tuple():
            return ["set", *(plain(item) for item in value)]
        case Player(seat):
            return ["player", seat]
        case EnumMember(enum, index):
            return ["member", enum, index]
        case Kind(index):
            return ["kind", index]
        case Face(kind, index):
            return ["face", kind, index]
        case Piece(index):
            return ["piece", index]
        case Segment(piece, index):
            return ["segment", piece, index]
        case Feature(Segment(piece, index)):
            return ["feature", piece, index]
        case Cell(grid, owner, y, x):
            return ["cell", grid, owner, y, x]
        case Placement(Cell(grid, owner, y, x), rotation):
            return ["placement", grid, owner, y, x, rotation]
        case Zone(zone, index):
            return ["zone", zone, index]
        case Grid(grid, index):
            return ["grid", grid, index]
        case Space(track, index):
            return ["space", track, index]
        case _:
            raise AssertionError(f"{value!r} is not a value")


_HANDLES: dict[str, tuple[int, Callable[..., Value]]] = {
    "player": (1, Player),
    "kind": (1, Kind),
    "face": (2, Face),
    "piece": (1, Piece),
    "segment": (2, Segment),
    "feature": (2, lambda piece, index: Feature(Segment(piece, index))),
    "cell": (4, Cell),
    "placement": (5, lambda grid, owner, y, x, turns: Placement(Cell(grid, owner, y, x), turns)),
    "zone": (2, Zone),
    "grid": (2, Grid),
    "space": (2, Space),
}
"""The number of integers in the plain form of each handle, and the function that makes it."""

_CLASSES: dict[Type, type] = {
    types.BOOL: bool,
    types.PLAYER: Player,
    types.PIECE: Piece,
    types.KIND: Kind,
    types.FACE: Face,
    types.SEGMENT: Segment,
    types.FEATURE: Feature,
    types.CELL: Cell,
    types.PLACEMENT: Placement,
    types.ZONE: Zone,
    types.SPACE: Space,
    types.GRID: Grid,
}

_GIVEN: dict[str, tuple[tuple[type, ...], ...]] = {
    "place": ((Piece,), (Placement,)),
    "move": ((Piece,), (Zone, Segment, Space, Cell)),
    "shuffle": ((Zone,),),
    "reveal": ((Piece,),),
    "conceal": ((Piece,),),
    "turn_to": ((Piece,), (Face,)),
    "link": ((Segment,), (Segment,)),
    "unlink": ((Segment,), (Segment,)),
}
"""The types of the arguments of the effects that positions can apply."""


class Reader:
    """A reader of untrusted plain values of one game; all methods raise SavedError.

    Values must exist in the game and have the expected type.
    """

    def __init__(self, checked: Checked, players: int) -> None:
        self.checked = checked
        self.players = players
        self.box = GameBox(checked.game, players)

    def arguments(self, effect: str, data: list[Any]) -> tuple[Value, ...]:
        """Return the arguments of an effect."""
        given = self.values(data[0]) if len(data) == 1 else ()
        wanted = _GIVEN.get(effect, ((),))
        if len(given) != len(wanted) or not all(map(isinstance, given, wanted)):
            raise SavedError(f"`{effect}` is not given that")
        return given

    def datum(
        self, state: str, owner: object, index: object, value: object
    ) -> tuple[Value, tuple[Value, ...], Value]:
        """Return the owner, the index and the value of a state."""
        if state not in self.checked.states:
            raise SavedError("a state is not there")
        definition = self.checked.states[state]
        found = self.value(owner), self.values(index), self.value(value)
        if not self._owns(found[0], definition.owner):
            raise SavedError(f"`{state}` is not kept there")
        if len(found[1]) != len(definition.index) or not all(
            map(self._fits, found[1], definition.index)
        ):
            raise SavedError(f"`{state}` has another index")
        if not self._fits(found[2], definition.type):
            raise SavedError(f"`{state}` cannot be that")
        return found

    def values(self, data: object) -> tuple[Value, ...]:
        """Return several values, saved as a set."""
        match data:
            case ["set", *items]:
                return tuple(map(self.value, items))
        raise SavedError("a list of values is missing")

    def value(self, data: object) -> Value:
        """Return a saved value, which must exist."""
        found: Value
        match data:
            case ["set", *items]:
                found = tuple(map(self._single, items))
            case _:
                return self._single(data)
        if as_set(found) != found:
            raise SavedError("a set is not in order")
        return found

    def _single(self, data: object) -> Value:
        """Return a saved value that is not a set."""
        found: Value
        match data:
            case None | bool() | int():
                found = data
            case ["member", str(enum), int(index)]:
                found = EnumMember(enum, index)
            case [str(word), *numbers] if word in _HANDLES:
                count, make = _HANDLES[word]
                if len(numbers) != count or any(type(number) is not int for number in numbers):
                    raise SavedError("a value is missing")
                found = make(*numbers)
            case _:
                raise SavedError("a value is missing")
        if not self._exists(found):
            raise SavedError("a value is not there in this game")
        return found

    def _exists(self, value: Value) -> bool:
        """Return whether a value exists in the game with its number of players."""
        box = self.box
        match value:
            case None | bool():
                return True
            case int():
                return types.INT_MIN <= value <= types.INT_MAX
            case Player(seat):
                return seat in box.seats
            case EnumMember(enum, index):
                return 0 <= index < len(box.enums.get(enum, ()))
            case Kind(index):
                return 0 <= index < len(box.game.kinds)
            case Face(kind, index):
                return self._exists(Kind(kind)) and 0 <= index < len(box.game.kinds[kind].faces)
            case Piece() | Zone() | Grid() | Space():
                return value in box
            case Segment():
                return self._segment(value)
            case Feature(segment):
                return self._segment(segment)
            case Cell(grid, owner):
                return Grid(grid, owner) in box and box.inside(value)
            case Placement(Cell(grid, owner), rotation):
                return Grid(grid, owner) in box and rotation in range(4)
            case _:
                return False

    def _segment(self, segment: Segment) -> bool:
        piece = Piece(segment.piece)
        if piece not in self.box:
            return False
        kind = self.box.kind(piece)
        outlines = [face.outline for face in kind.faces] if kind.faces else [kind.outline]
        return 0 <= segment.index < max(len(o.segments) if o else 0 for o in outlines)

    def _fits(self, value: Value, kind: Type) -> bool:
        """Return whether an existing value has this type."""
        match kind:
            case OptionalType(item):
                return value is None or self._fits(value, item)
            case SetType(item):
                return isinstance(value, tuple) and all(self._fits(each, item) for each in value)
            case IntType(low, high):
                return type(value) is int and low <= value <= high
            case EnumType(name):
                return isinstance(value, EnumMember) and value.enum == name
            case _ if kind.name in types.PIECE_CLASSES:
                return isinstance(value, Piece) and self.box.cls(value) == kind.name
            case _:
                return kind in _CLASSES and isinstance(value, _CLASSES[kind])

    def _owns(self, value: Value, owner: str) -> bool:
        """Return whether a state of this owner can be kept for a value."""
        match value:
            case None:
                return owner == "game"
            case Player():
                return owner == "player"
            case Piece():
                return owner in ("piece", self.box.cls(value))
            case Segment():
                return owner == "segment"
            case Cell():
                return owner == "cell"
            case _:
                return False
