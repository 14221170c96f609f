"""What is known of numbers before the game begins: in which range an expression stays."""

from __future__ import annotations

from rulesdsl.model.checked import Const, Expr
from rulesdsl.model.types import INT_MAX, INT_MIN, IntType, OptionalType

Range = tuple[int, int]
"""The least and the largest number, both included."""

WHOLE: Range = (INT_MIN, INT_MAX)


def range_of(expression: Expr) -> Range:
    """The range of a number, from its type or its value."""
    if isinstance(expression, Const) and isinstance(expression.value, int):
        return int(expression.value), int(expression.value)
    type_ = expression.type
    if isinstance(type_, OptionalType):
        type_ = type_.item
    return (type_.low, type_.high) if isinstance(type_, IntType) else WHOLE


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
