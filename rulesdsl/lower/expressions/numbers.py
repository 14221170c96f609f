"""What is known of numbers before the game begins: in which range an expression stays."""

from __future__ import annotations

from rulesdsl.lower.tables.carried import WHOLE, Carried, Range
from rulesdsl.model.checked import (
    Aggregate,
    Binary,
    CallBuiltin,
    Const,
    Expr,
    IfElse,
    Negate,
    ReadAttribute,
)
from rulesdsl.model.types import FEATURE, IntType, OptionalType

FUEL = 200_000
"""As many bindings there can be between two decisions."""

_ARITHMETIC = ("+", "-", "*", "div")
_LANES = 12
"""How many ports a cell can have."""


def range_of(expression: Expr, carried: Carried | None = None) -> Range:
    """The range of a number, from its type or value and, if that is given, what the game has."""
    low, high = _typed(expression)
    if carried is None:
        return low, high
    known = _known(expression, carried)
    return max(low, known[0]), min(high, known[1])


def _typed(expression: Expr) -> Range:
    if isinstance(expression, Const) and isinstance(expression.value, int):
        return int(expression.value), int(expression.value)
    type_ = expression.type
    if isinstance(type_, OptionalType):
        type_ = type_.item
    return (type_.low, type_.high) if isinstance(type_, IntType) else WHOLE


def _known(expression: Expr, carried: Carried) -> Range:
    """What the game tells, for numbers that are none of `none`."""
    match expression:
        case Binary(operator=operator, left=left, right=right) if operator in _ARITHMETIC:
            return combined(operator, range_of(left, carried), range_of(right, carried))
        case Negate(operand=operand):
            low, high = range_of(operand, carried)
            return -high, -low
        case IfElse(then=then, otherwise=otherwise):
            a, b = range_of(then, carried), range_of(otherwise, carried)
            return min(a[0], b[0]), max(a[1], b[1])
        case Aggregate(function="count"):
            return 0, max(FUEL, len(carried.game.pieces))
        case CallBuiltin(function=name):
            return _builtin(name, carried)
        case ReadAttribute(attribute=key, object=owner):
            return carried.attribute(key, owner.type == FEATURE)
    return WHOLE


def _builtin(name: str, carried: Carried) -> Range:
    game = carried.game
    match name:
        case "cells":
            return 0, carried.cells
        case "ends":
            return 0, _LANES * carried.cells
        case "seat":
            return 1, game.roles.most
        case "rotation":
            return 0, 3
        case "position":
            return 1, len(game.pieces)
        case "index":
            return 0, max((track.length - 1 for track in game.tracks), default=0)
    return WHOLE


def combined(operator: str, a: Range, b: Range) -> Range:
    """The range of `a operator b` over integers without bounds; a divisor is never 0."""
    match operator:
        case "+":
            return a[0] + b[0], a[1] + b[1]
        case "-":
            return a[0] - b[1], a[1] - b[0]
        case "*":
            corners = [x * y for x in a for y in b]
        case "div":
            divisors = [y for y in (*b, -1, 1) if b[0] <= y <= b[1] and y != 0]
            corners = [x // y for x in a for y in divisors] or list(WHOLE)
        case _:
            raise AssertionError(f"no operator {operator}")
    return min(corners), max(corners)


def within(inner: Range, outer: Range) -> bool:
    """Is everything in one range in the other as well?"""
    return outer[0] <= inner[0] and inner[1] <= outer[1]
