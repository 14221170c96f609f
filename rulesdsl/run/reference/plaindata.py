"""Values as plain data (null, booleans, integers, lists that begin with a word) and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


class DataError(Exception):
    """Data that nothing was written as; `message` says what is wrong."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def encode(value: Value) -> Any:
    """A value as data."""
    match value:
        case None | bool() | int():
            return value
        case tuple():
            return ["set", *(encode(item) for item in value)]
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
            raise AssertionError(f"{value!r} is no value")


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
"""How many integers each handle is written with, and what makes it of them."""


def decode(data: object) -> Value:
    """The value that was encoded; raises DataError. Whether it exists is not looked at."""
    match data:
        case None | bool() | int():
            return data
        case ["set", *items]:
            return decode_all(items)
        case ["member", str(enum), index]:
            return EnumMember(enum, whole(index))
        case [str(word), *numbers] if word in _HANDLES and len(numbers) == _HANDLES[word][0]:
            return _HANDLES[word][1](*[whole(number) for number in numbers])
        case _:
            raise DataError("a value is missing")


def decode_all(data: object) -> tuple[Value, ...]:
    """The values of a list; raises DataError."""
    return tuple(decode(item) for item in listed(data))


def whole(data: object) -> int:
    """An integer; raises DataError."""
    if type(data) is not int:
        raise DataError("a number is missing")
    return data


def listed(data: object) -> list[Any]:
    """A list; raises DataError."""
    if not isinstance(data, list):
        raise DataError("a list is missing")
    return data


def named(data: object) -> str | None:
    """A name or null; raises DataError."""
    if data is not None and not isinstance(data, str):
        raise DataError("a name is missing")
    return data


def truth(data: object) -> bool:
    """True or false; raises DataError."""
    if not isinstance(data, bool):
        raise DataError("true or false is missing")
    return data


def fields(data: object, *names: str) -> dict[str, Any]:
    """A mapping with exactly these keys; raises DataError."""
    if not isinstance(data, dict) or data.keys() != set(names):
        raise DataError(f"a mapping with {', '.join(names)} is missing")
    return data
