"""Conditions of the IR, simplified where that is plain to see."""

from __future__ import annotations

from rulesdsl.model import ir

TRUE, FALSE = ir.Truth(True), ir.Truth(False)


def negation(condition: ir.Expr) -> ir.Expr:
    """Does it not hold?"""
    match condition:
        case ir.Truth(value):
            return ir.Truth(not value)
        case ir.Unary("not", operand):
            return operand
        case ir.Compare(operator, left, right):
            return ir.Compare(ir.OPPOSITE[operator], left, right)
    return ir.Unary("not", condition)


def both(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """Do both hold? The right one is evaluated only where the left one does."""
    if left == TRUE:
        return right
    if left == FALSE or right == TRUE:
        return left
    return ir.Logic("and", left, right)


def either(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """Does one hold? The right one is evaluated only where the left one does not."""
    if left == FALSE:
        return right
    if left == TRUE or right == FALSE:
        return left
    return ir.Logic("or", left, right)


def as_number(value: ir.Expr, is_bool: bool) -> ir.Expr:
    """A value as a number: 1 or 0 for a bool."""
    if not is_bool:
        return value
    if isinstance(value, ir.Truth):
        return ir.Const(int(value.value))
    return ir.Unary("int", value)


def is_plain(value: ir.Expr) -> bool:
    """Is it a constant or a local, which costs nothing to name twice and cannot fault?"""
    return isinstance(value, ir.Const | ir.Truth | ir.Local)
