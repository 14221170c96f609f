"""Operations on types: conversion, ranges of arithmetic, and the number of values."""

from __future__ import annotations

from rulesdsl.model.game import LinkedGame
from rulesdsl.model.types import (
    BOOL,
    ERROR,
    INT_MAX,
    INT_MIN,
    KIND,
    NONE,
    PIECE,
    PIECE_CLASSES,
    PLAYER,
    SIDE,
    EnumType,
    IntType,
    NamedType,
    OptionalType,
    SetType,
    Type,
)

NATURAL = IntType(0, INT_MAX)
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
"""The negation of each comparison."""
MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""The comparison with its sides exchanged."""
CLASSES = {name: NamedType(name) for name in PIECE_CLASSES}


def is_piece(found: Type) -> bool:
    """Say whether a type is `piece` or one of its classes."""
    return found == PIECE or found in CLASSES.values()


def required(found: Type) -> Type:
    """Return the type without `none`."""
    return found.item if isinstance(found, OptionalType) else found


def optional(found: Type) -> Type:
    """Return the type with `none`."""
    if isinstance(found, OptionalType) or found in (NONE, ERROR):
        return found
    return OptionalType(found)


def fits(found: Type, wanted: Type) -> bool:
    """Say whether a value of type `found` is accepted where `wanted` is expected.

    Ranges of integers do not count here: they are checked at each store.
    """
    if found is wanted or ERROR in (found, wanted):
        return True
    match found, wanted:
        case OptionalType(a), OptionalType(b):
            return fits(a, b)
        case _, OptionalType(b):
            return found == NONE or fits(found, b)
        case IntType(), IntType():
            return True
        case SetType(a), SetType(b):
            return fits(a, b)
    return found == wanted or (wanted == PIECE and is_piece(found))


def may_leave(found: Type, wanted: Type) -> bool:
    """Say whether a value of type `found`, which fits `wanted`, may be outside of a range in it."""
    match required(found), required(wanted):
        case IntType(a, b), IntType(low, high):
            return a < low or high < b
        case SetType(a), SetType(b):
            return may_leave(a, b)
    return False


def join(a: Type, b: Type) -> Type | None:
    """Return the narrowest type that both types fit, None if there is none."""
    if ERROR in (a, b):
        return ERROR
    if a == NONE or b == NONE:
        return optional(b if a == NONE else a)
    match a, b:
        case (OptionalType(), _) | (_, OptionalType()):
            both = join(required(a), required(b))
            return None if both is None else optional(both)
        case IntType(), IntType():
            return IntType(min(a.low, b.low), max(a.high, b.high))
        case SetType(x), SetType(y):
            item = join(x, y)
            return None if item is None else SetType(item)
    if a == b:
        return a
    return PIECE if is_piece(a) and is_piece(b) else None


def disjoint(a: IntType, b: IntType) -> bool:
    """Say whether two ranges have no number in common."""
    return a.high < b.low or b.high < a.low


def _range(*corners: int) -> IntType:
    clamped = [max(INT_MIN, min(INT_MAX, corner)) for corner in corners]
    return IntType(min(clamped), max(clamped))


def arithmetic(operator: str, a: IntType, b: IntType) -> IntType:
    """Return the range of `a operator b`; the divisor's range does not contain 0."""
    match operator:
        case "+":
            return _range(a.low + b.low, a.high + b.high)
        case "-":
            return _range(a.low - b.high, a.high - b.low)
        case "*":
            return _range(*(x * y for x in (a.low, a.high) for y in (b.low, b.high)))
        case "div":
            return _range(*(x // y for x in (a.low, a.high) for y in (b.low, b.high)))
    return IntType(0, b.high - 1) if b.low > 0 else IntType(b.low + 1, 0)


def negated(a: IntType) -> IntType:
    """Return the range of `-a`."""
    return _range(-a.low, -a.high)


def larger(a: IntType, b: IntType) -> IntType:
    """Return the range of `max(a, b)`."""
    return IntType(max(a.low, b.low), max(a.high, b.high))


def smaller(a: IntType, b: IntType) -> IntType:
    """Return the range of `min(a, b)`."""
    return IntType(min(a.low, b.low), min(a.high, b.high))


def compared(operator: str, a: IntType, b: IntType) -> IntType | None:
    """Return the part of the range `a` where `a operator b` holds, None if it is empty."""
    low, high = a.low, a.high
    match operator:
        case "<":
            high = min(high, b.high - 1)
        case "<=":
            high = min(high, b.high)
        case ">":
            low = max(low, b.low + 1)
        case ">=":
            low = max(low, b.low)
        case "==":
            low, high = max(low, b.low), min(high, b.high)
        case "!=" if b.low == b.high:
            low += low == b.low
            high -= high == b.high
    return IntType(low, high) if low <= high else None


# --- the number of values -------------------------------------------------------------------------


MAX_SET = 64
"""The largest domain of a stored set, which takes one bit for each value."""


def domain(game: LinkedGame, type_: Type) -> int | None:
    """Return the number of values of a type in this game, None if it depends on the board."""
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
