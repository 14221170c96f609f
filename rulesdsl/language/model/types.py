"""The types of the language."""

from __future__ import annotations

from rulesdsl.base.records import dataclass
from rulesdsl.language.model.names import short_name

INT_MIN = -(2**31)
INT_MAX = 2**31 - 1


@dataclass(frozen=True)
class IntType:
    """Integers from `low` to `high`, both included."""

    low: int = INT_MIN
    high: int = INT_MAX

    def __str__(self) -> str:
        if (self.low, self.high) == (INT_MIN, INT_MAX):
            return "int"
        return f"int {self.low}..{self.high}"


@dataclass(frozen=True)
class NamedType:
    """A built-in type by its name in the language; see `NAMED`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class EnumType:
    """An enum, by full name `ruleset/name`; `side` is built in."""

    name: str

    def __str__(self) -> str:
        return short_name(self.name)


@dataclass(frozen=True)
class SetType:
    item: Type

    def __str__(self) -> str:
        return f"set of {self.item}"


@dataclass(frozen=True)
class OptionalType:
    item: Type

    def __str__(self) -> str:
        return f"{self.item}?"


Type = IntType | NamedType | EnumType | SetType | OptionalType

INT = IntType()
BOOL = NamedType("bool")
PLAYER = NamedType("player")
PIECE = NamedType("piece")
TILE = NamedType("tile")
CARD = NamedType("card")
DIE = NamedType("die")
TOKEN = NamedType("token")
FIGURE = NamedType("figure")
KIND = NamedType("kind")
FACE = NamedType("face")
SEGMENT = NamedType("segment")
FEATURE = NamedType("feature")
CELL = NamedType("cell")
PLACEMENT = NamedType("placement")
ZONE = NamedType("zone")
SPACE = NamedType("space")
GRID = NamedType("grid")
SIDE = EnumType("side")
SIDE_NAMES = ("n", "e", "s", "w")
SIDE_NAMES_OF_HEXAGON = ("ne", "e", "se", "sw", "w", "nw")
SIDE_NAMES_OF_TRIANGLE = ("n", "ne", "se", "s", "sw", "nw")
"""The members of `side`, clockwise, if pieces are squares, hexagons and triangles."""

# `none` alone, before it meets an optional; a call without a result; a type that suppresses errors
# which only follow from another one; the placeholder of generic signatures.
NONE = NamedType("none")
UNIT = NamedType("nothing")
ERROR = NamedType("error")
ANY = NamedType("T")

PIECE_CLASSES = ("tile", "card", "die", "token", "figure")
LAID_CLASSES = PIECE_CLASSES[:3]
"""The classes of pieces that can lie side by side on a grid, at placements."""
_ENTITIES = (BOOL, PLAYER, PIECE, TILE, CARD, DIE, TOKEN, FIGURE, KIND, FACE, SEGMENT, FEATURE)
_PLACES = (CELL, PLACEMENT, ZONE, SPACE, GRID)
NAMED = {t.name: t for t in (*_ENTITIES, *_PLACES)}
