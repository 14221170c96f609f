"""Conversion of values to plain data and back: the numbers that programs use for them."""

from __future__ import annotations

from typing import Any

from rulesdsl.engine.lower.tables.encoding import Encoding
from rulesdsl.engine.run.history import SavedError
from rulesdsl.engine.run.words.box import GameBox
from rulesdsl.language.model import types
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.types import EnumType, IntType, NamedType, OptionalType, SetType, Type
from rulesdsl.language.model.values import (
    Cell,
    Feature,
    Grid,
    Piece,
    Placement,
    Segment,
    Value,
    as_set,
)

EFFECTS: dict[str, tuple[tuple[Type, ...], ...]] = {
    "place": ((types.PIECE,), (types.PLACEMENT,)),
    "move": ((types.PIECE,), (types.ZONE, types.SEGMENT, types.SPACE, types.CELL), (types.INT,)),
    "shuffle": ((types.ZONE,),),
    "reveal": ((types.PIECE,), (types.PLAYER,)),
    "conceal": ((types.PIECE,),),
    "turn_to": ((types.PIECE,), (types.FACE,)),
    "link": ((types.SEGMENT,), (types.SEGMENT,)),
    "unlink": ((types.SEGMENT,), (types.SEGMENT,)),
}
"""The types of the arguments of the effects that positions can apply."""


class PlainValues:
    """The plain data of the values of one game: numbers, null, and lists of numbers for sets.

    Plain data are untrusted. Reading raises SavedError unless they are values of the expected
    types that exist in the game.
    """

    def __init__(self, checked: Checked, players: int) -> None:
        self.checked = checked
        self.box = GameBox(checked.game, players)
        self.encoding = Encoding(checked, players)

    def plain(self, value: Value) -> Any:
        """Return a value as plain data."""
        if isinstance(value, tuple):
            return [self.plain(item) for item in value]
        return None if value is None else self.encoding.encode(value, types.ANY)

    def typed(self, value: Value) -> list[Any]:
        """Return an argument of an effect as plain data, with the name of its type."""
        return [type(value).__name__.lower(), self.plain(value)]

    def arguments(self, effect: str, data: list[Any]) -> tuple[Value, ...]:
        """Return the arguments of an effect."""
        wanted = EFFECTS.get(effect, ())
        given = [
            (types.INT if each[0] == "int" else NamedType(each[0]), each[1])
            for each in data
            if isinstance(each, list) and len(each) == 2 and isinstance(each[0], str)
        ]
        # `reveal` without a player: to all; `move` without a position: to the end.
        enough = 0 <= len(wanted) - len(data) <= (effect in ("reveal", "move"))
        enough &= len(data) < 3 or (given[1:2] != [] and given[1][0] == types.ZONE)
        fits = [kind in kinds for (kind, _), kinds in zip(given, wanted, strict=False)]
        if not wanted or len(given) != len(data) or not enough or not all(fits):
            raise SavedError(f"`{effect}` is not given that")
        return tuple(self.value(each, kind) for kind, each in given)

    def datum(
        self, state: str, owner: object, index: object, value: object
    ) -> tuple[Value, tuple[Value, ...], Value]:
        """Return the owner, the index and the value of a state."""
        if state not in self.checked.states:
            raise SavedError("a state is not there")
        kept = self.checked.states[state]
        if not isinstance(index, list) or len(index) != len(kept.index):
            raise SavedError(f"`{state}` has another index")
        if (kept.owner == "game") != (owner is None):
            raise SavedError(f"`{state}` is not kept there")
        at = tuple(map(self.value, index, kept.index))
        held = None if owner is None else self.value(owner, NamedType(kept.owner))
        return held, at, self.value(value, kept.type)

    def value(self, data: object, type_: Type) -> Value:
        """Return a saved value of a type."""
        match type_, data:
            case OptionalType(), None:
                return None
            case OptionalType(item), _:
                return self.value(data, item)
            case SetType(item), list():
                found = tuple(self.value(each, item) for each in data)
                if as_set(found) != found:
                    raise SavedError("a set is not in order")
                return found
            case IntType() | EnumType() | NamedType(), int() if type(data) is int:
                value = self.encoding.decode(data, type_)
                if self._exists(value, data, type_):
                    return value
        raise SavedError("a value is not there in this game")

    def _exists(self, value: Value, number: int, type_: Type) -> bool:
        """Return whether a value exists that was decoded from a number."""
        box, encoding = self.box, self.encoding
        match type_:
            case IntType(low, high):
                return low <= number <= high
            case EnumType(name):
                return 0 <= number < encoding.enums[name]
        match value:
            case bool():
                return number in (0, 1)
            case Piece():
                return value in box and str(type_) in ("piece", box.cls(value))
            case Segment(piece) | Feature(Segment(piece)):
                return Piece(piece) in box
            case Cell(grid, owner):
                return Grid(grid, owner) in box and box.inside(value)
            case Placement(cell):
                return self._exists(cell, number, types.CELL)
        sizes: dict[Type, int] = {
            types.PLAYER: box.players,
            types.KIND: len(box.game.kinds),
            types.FACE: encoding.kind_face[-1],
            types.ZONE: encoding.zone_first[-1],
            types.GRID: encoding.grid_first[-1],
            types.SPACE: encoding.track_first[-1],
        }
        return 0 <= number < sizes.get(type_, 0)
