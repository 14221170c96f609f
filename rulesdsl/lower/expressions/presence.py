"""Which pieces are in the game as it is played, and what is known of the pieces of a type.

Rules cannot come by a piece that is not in the game: they never have to be checked for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulesdsl.model.game import KindDef, PieceDef
from rulesdsl.model.types import PIECE, PIECE_CLASSES, NamedType, OptionalType, Type

if TYPE_CHECKING:
    from rulesdsl.lower.context import Lowering

CLASS_OF = dict(zip(("tiles", "cards", "dice", "tokens", "figures"), PIECE_CLASSES, strict=True))
"""The class whose pieces each of these builtins gives."""


def is_piece(type_: Type) -> bool:
    """Is it `piece` or one of its classes?"""
    return type_ == PIECE or (isinstance(type_, NamedType) and type_.name in PIECE_CLASSES)


def pieces_of(lowering: Lowering, cls: str) -> tuple[int, ...]:
    """The pieces of a class that are in the game."""
    return tuple(
        number
        for number, piece in enumerate(lowering.game.pieces)
        if lowering.game.kinds[piece.kind].cls == cls and _played(lowering, piece)
    )


def kind_of(lowering: Lowering, piece: int) -> KindDef:
    """The kind of a piece."""
    return lowering.game.kinds[lowering.game.pieces[piece].kind]


def has_faces(lowering: Lowering, type_: Type) -> bool:
    """May a piece of the type have faces?"""
    return any(kind.faces for kind in kinds_of(lowering, type_))


def kinds_of(lowering: Lowering, type_: Type) -> list[KindDef]:
    """The kinds that pieces of the type are of."""
    return [kind for kind in lowering.game.kinds if _fits(kind, type_)]


def _fits(kind: KindDef, type_: Type) -> bool:
    if isinstance(type_, OptionalType):
        type_ = type_.item
    return type_ == PIECE or type_ == NamedType(kind.cls)


def _played(lowering: Lowering, piece: PieceDef) -> bool:
    return piece.seat is None or piece.seat < lowering.players
