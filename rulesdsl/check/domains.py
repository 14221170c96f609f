"""How many values a type has, where that is known before the game begins."""

from __future__ import annotations

from rulesdsl.model.game import Game
from rulesdsl.model.types import (
    BOOL,
    KIND,
    PIECE,
    PIECE_CLASSES,
    PLAYER,
    SIDE,
    EnumType,
    IntType,
    NamedType,
    Type,
)

MAX_SET = 64
"""The largest domain of a set that a state keeps: one bit for each value of it."""


def domain(game: Game, type_: Type) -> int | None:
    """How many values the type has in this game; None for what depends on the board."""
    match type_:
        case IntType(low, high):
            return high - low + 1
        case EnumType(name) if type_ != SIDE:
            return next((len(enum.members) for enum in game.enums if enum.key == name), None)
        case NamedType(name) if name in PIECE_CLASSES:
            return sum(game.kinds[piece.kind].cls == name for piece in game.pieces)
    sizes: dict[Type, int] = {
        BOOL: 2,
        SIDE: 4,
        PLAYER: game.roles.most,
        KIND: len(game.kinds),
        PIECE: len(game.pieces),
    }
    return sizes.get(type_)
