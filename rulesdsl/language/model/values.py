"""Values of the language that are not numbers, booleans or none: small ordered handles.

Their order is the canonical order of the language. Indices refer to the tables of a `LinkedGame`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from rulesdsl.base.records import dataclass


@dataclass(frozen=True, order=True, slots=True)
class Player:
    """A player by seat, from 0."""

    seat: int


@dataclass(frozen=True, order=True, slots=True)
class EnumMember:
    """The member `index` of the enum with full name `enum`."""

    enum: str
    index: int


@dataclass(frozen=True, order=True, slots=True)
class Kind:
    """A component entry (one variant of it): index into `Game.kinds`."""

    index: int


@dataclass(frozen=True, order=True, slots=True)
class Face:
    """Face `index` of the die entry `kind` (index into `Game.kinds`)."""

    kind: int
    index: int


@dataclass(frozen=True, order=True, slots=True)
class Piece:
    """A component: index into `Game.pieces`."""

    index: int


@dataclass(frozen=True, order=True, slots=True)
class Segment:
    """Segment `index` of the outline of piece `piece`."""

    piece: int
    index: int


@dataclass(frozen=True, order=True, slots=True)
class Feature:
    """The segments connected now to `segment`, which was the smallest of them when asked."""

    segment: Segment


@dataclass(frozen=True, order=True, slots=True)
class Cell:
    """A cell of grid instance (`grid`, `owner`); x east, y south, (0, 0) is the centre."""

    grid: int
    owner: int
    y: int
    x: int


@dataclass(frozen=True, order=True, slots=True)
class Placement:
    """A placement of a piece.

    `cell` is that of its north-west corner as placed; `rotation` is in turns by one side clockwise
    (0..3, or 0..5 with six sides).
    """

    cell: Cell
    rotation: int


@dataclass(frozen=True, order=True, slots=True)
class Zone:
    """Zone declaration `zone` (index into `Game.zones`), instance `index` (seat, enum index, 0)."""

    zone: int
    index: int


@dataclass(frozen=True, order=True, slots=True)
class Grid:
    """Grid declaration `grid` (index into `Game.grids`), instance `index`."""

    grid: int
    index: int


@dataclass(frozen=True, order=True, slots=True)
class Space:
    """Space `index` of track `track` (index into `Game.tracks`)."""

    track: int
    index: int


Handle = (
    Player
    | EnumMember
    | Kind
    | Face
    | Piece
    | Segment
    | Feature
    | Cell
    | Placement
    | Zone
    | Grid
    | Space
)
Value = int | bool | None | Handle | tuple["Value", ...]
"""A run-time value; a set is a tuple in canonical order without repeats."""


TYPES: tuple[type, ...] = (type(None), bool, int, *get_args(Handle), tuple)
_RANK = {cls: rank for rank, cls in enumerate(TYPES)}


def order_key(value: Value) -> tuple[int, object]:
    """Return the sort key for the canonical order; values of different types are sorted by type."""
    if value is None:
        return (0, 0)
    if isinstance(value, tuple):
        return (_RANK[tuple], tuple(order_key(item) for item in value))
    return (_RANK[type(value)], value)


def as_set(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return the values as a set: in canonical order, without repeats."""
    return tuple(sorted(set(values), key=order_key))
