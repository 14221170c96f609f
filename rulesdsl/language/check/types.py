"""Operations on types: conversion, ranges of arithmetic, and the number of values."""

from __future__ import annotations

from rulesdsl.language.model import types
from rulesdsl.language.model.game import LinkedGame

NATURAL = types.IntType(0, types.INT_MAX)
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
"""The negation of each comparison."""
MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""The comparison with its sides exchanged."""
CLASSES = {name: types.NamedType(name) for name in types.PIECE_CLASSES}


def is_piece(found: types.Type) -> bool:
    """Return whether a type is `piece` or one of its classes."""
    return found == types.PIECE or found in CLASSES.values()


def required(found: types.Type) -> types.Type:
    """Return the type without `none`."""
    return found.item if isinstance(found, types.OptionalType) else found


def optional(found: types.Type) -> types.Type:
    """Return the type with `none`."""
    if isinstance(found, types.OptionalType) or found in (types.NONE, types.ERROR):
        return found
    return types.OptionalType(found)


def fits(found: types.Type, wanted: types.Type) -> bool:
    """Return whether a value of type `found` is accepted where `wanted` is expected.

    Ranges of integers do not count here: they are checked at each store.
    """
    if found is wanted or types.ERROR in (found, wanted):
        return True
    match found, wanted:
        case types.OptionalType(a), types.OptionalType(b):
            return fits(a, b)
        case _, types.OptionalType(b):
            return found == types.NONE or fits(found, b)
        case types.IntType(), types.IntType():
            return True
        case types.SetType(a), types.SetType(b):
            return fits(a, b)
    return found == wanted or (wanted == types.PIECE and is_piece(found))


def may_leave(found: types.Type, wanted: types.Type) -> bool:
    """Return whether a value of type `found`, which fits `wanted`, may be outside a range in it."""
    match required(found), required(wanted):
        case types.IntType(a, b), types.IntType(low, high):
            return a < low or high < b
        case types.SetType(a), types.SetType(b):
            return may_leave(a, b)
    return False


def join(a: types.Type, b: types.Type) -> types.Type | None:
    """Return the narrowest type that both types fit, None if there is none."""
    if types.ERROR in (a, b):
        return types.ERROR
    if a == types.NONE or b == types.NONE:
        return optional(b if a == types.NONE else a)
    match a, b:
        case (types.OptionalType(), _) | (_, types.OptionalType()):
            both = join(required(a), required(b))
            return None if both is None else optional(both)
        case types.IntType(), types.IntType():
            return types.IntType(min(a.low, b.low), max(a.high, b.high))
        case types.SetType(x), types.SetType(y):
            item = join(x, y)
            return None if item is None else types.SetType(item)
    if a == b:
        return a
    return types.PIECE if is_piece(a) and is_piece(b) else None


def disjoint(a: types.IntType, b: types.IntType) -> bool:
    """Return whether two ranges have no number in common."""
    return a.high < b.low or b.high < a.low


def _range(*corners: int) -> types.IntType:
    clamped = [max(types.INT_MIN, min(types.INT_MAX, corner)) for corner in corners]
    return types.IntType(min(clamped), max(clamped))


def arithmetic(operator: str, a: types.IntType, b: types.IntType) -> types.IntType:
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
    return types.IntType(0, b.high - 1) if b.low > 0 else types.IntType(b.low + 1, 0)


def negated(a: types.IntType) -> types.IntType:
    """Return the range of `-a`."""
    return _range(-a.low, -a.high)


def larger(a: types.IntType, b: types.IntType) -> types.IntType:
    """Return the range of `max(a, b)`."""
    return types.IntType(max(a.low, b.low), max(a.high, b.high))


def smaller(a: types.IntType, b: types.IntType) -> types.IntType:
    """Return the range of `min(a, b)`."""
    return types.IntType(min(a.low, b.low), min(a.high, b.high))


def compared(operator: str, a: types.IntType, b: types.IntType) -> types.IntType | None:
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
    return types.IntType(low, high) if low <= high else None


# --- the number of values -------------------------------------------------------------------------


MAX_SET = 64
"""The largest domain of a stored set, which takes one bit for each value."""


def domain(game: LinkedGame, type_: types.Type) -> int | None:
    """Return the number of values of a type in this game, None if it depends on the board."""
    match type_:
        case types.IntType(low, high):
            return high - low + 1
        case types.EnumType(name) if type_ != types.SIDE:
            return next((len(enum.members) for enum in game.enums if enum.key == name), None)
        case types.NamedType(name) if name in types.PIECE_CLASSES:
            return sum(game.kinds[piece.kind].cls == name for piece in game.pieces)
    sizes: dict[types.Type, int] = {
        types.BOOL: 2,
        types.SIDE: game.sides,
        types.PLAYER: game.roles.most,
        types.KIND: len(game.kinds),
        types.PIECE: len(game.pieces),
    }
    return sizes.get(type_)
