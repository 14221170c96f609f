"""Expressions and types as text, with no more parentheses than their precedence needs."""

from __future__ import annotations

from enum import IntEnum
from typing import assert_never

from rulesdsl.model.ast import (
    Aggregate,
    Attribute,
    Binary,
    Binder,
    Bool,
    Call,
    Compare,
    Comprehension,
    Expr,
    IfElse,
    Index,
    Int,
    Name,
    NoneLiteral,
    Param,
    Previous,
    Proceed,
    Range,
    Reach,
    SetLiteral,
    TypeRef,
    Unary,
)


class Level(IntEnum):
    """How tightly an expression holds together, as the grammar nests it."""

    EXPR = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARE = 4
    RANGE = 5
    SUM = 6
    PRODUCT = 7
    SIGN = 8
    POSTFIX = 9


_BINARY = {
    "or": Level.OR,
    "and": Level.AND,
    "+": Level.SUM,
    "-": Level.SUM,
    "*": Level.PRODUCT,
    "div": Level.PRODUCT,
    "mod": Level.PRODUCT,
}
_UNARY = {"not": Level.NOT, "-": Level.SIGN}


def unparse_expr(expr: Expr) -> str:
    """The text of an expression on one line; parsing it gives `expr` again."""
    return _at(expr, Level.EXPR)


def _at(expr: Expr, level: Level) -> str:
    """The text of `expr` where the grammar takes what holds at least as tightly as `level`."""
    text = _text(expr)
    return text if _level(expr) >= level else f"({text})"


def _level(expr: Expr) -> Level:
    match expr:
        case IfElse():
            return Level.EXPR
        case Binary():
            return _BINARY[expr.operator]
        case Unary():
            return _UNARY[expr.operator]
        case Compare():
            return Level.COMPARE
        case Previous():
            return Level.COMPARE if expr.ruleset else Level.POSTFIX
        case Range():
            return Level.RANGE
        case _:
            return Level.POSTFIX


def _text(expr: Expr) -> str:
    match expr:
        case Int():
            return str(expr.value)
        case Bool():
            return "true" if expr.value else "false"
        case NoneLiteral():
            return "none"
        case Proceed():
            return "proceed"
        case Previous():
            return f"previous in {expr.ruleset}" if expr.ruleset else "previous"
        case Name():
            return _name(expr.name, expr.quoted)
        case Attribute():
            return f"{_at(expr.object, Level.POSTFIX)}.{_name(expr.name, expr.quoted)}"
        case Index():
            return f"{_at(expr.object, Level.POSTFIX)}[{unparse_expr(expr.index)}]"
        case Call():
            return f"{_at(expr.function, Level.POSTFIX)}({_list(expr.arguments)})"
        case Unary() | Binary() | Compare() | IfElse() | Range():
            return _operation(expr)
        case SetLiteral():
            return f"{{{_list(expr.items)}}}"
        case Comprehension():
            return f"{{{_ranging(expr.value, expr.binders)}}}"
        case Aggregate():
            return _aggregate(expr)
        case Reach():
            start, step = unparse_expr(expr.start), unparse_expr(expr.step)
            return f"reach({expr.name} from {start} by {step})"
        case _:
            assert_never(expr)


def _operation(expr: Unary | Binary | Compare | IfElse | Range) -> str:
    level = _level(expr)
    match expr:
        case Unary():
            blank = " " if expr.operator == "not" else ""
            return f"{expr.operator}{blank}{_at(expr.operand, level)}"
        case Binary():
            right = _at(expr.right, Level(level + 1))
            return f"{_at(expr.left, level)} {expr.operator} {right}"
        case Compare():
            left, right = _at(expr.left, Level.RANGE), _at(expr.right, Level.RANGE)
            return f"{left} {expr.operator} {right}"
        case IfElse():
            then, condition = _at(expr.then, Level.OR), _at(expr.condition, Level.OR)
            return f"{then} if {condition} else {unparse_expr(expr.otherwise)}"
        case Range():
            return f"{_at(expr.low, Level.SUM)}..{_at(expr.high, Level.SUM)}"
        case _:
            assert_never(expr)


def _name(name: str, quoted: bool) -> str:
    return f"'{name}'" if quoted else name


def _list(items: tuple[Expr, ...]) -> str:
    return ", ".join(unparse_expr(item) for item in items)


def _ranging(value: Expr | None, binders: tuple[Binder, ...]) -> str:
    ranges = ", ".join(unparse_binder(binder) for binder in binders)
    if value is None:
        return ranges
    return f"{unparse_expr(value)} for {ranges}" if binders else unparse_expr(value)


def _aggregate(expr: Aggregate) -> str:
    binders, where = expr.binders, None
    if expr.keys and binders:
        last = binders[-1]
        binders = (*binders[:-1], Binder(last.span, last.names, last.domain))
        where = last.where
    text = _ranging(expr.value, binders)
    text += f" by {_list(expr.keys)}" if expr.keys else ""
    text += f" where {unparse_expr(where)}" if where else ""
    text += f" else {unparse_expr(expr.default)}" if expr.default else ""
    return f"{expr.function}({text})"


def unparse_binder(binder: Binder) -> str:
    """The text of a binder."""
    first, *more = binder.names
    names = f"{{{', '.join(binder.names)}}}" if more else first
    secret = "secret " if binder.secret else ""
    where = f" where {unparse_expr(binder.where)}" if binder.where else ""
    return f"{secret}{names} in {_at(binder.domain, Level.RANGE)}{where}"


def unparse_type(type_: TypeRef) -> str:
    """The text of a type."""
    bounds = ""
    if type_.low is not None and type_.high is not None:
        bounds = f" {_at(type_.low, Level.SUM)}..{_at(type_.high, Level.SUM)}"
    mark = "?" if type_.optional else ""
    return f"{'set of ' if type_.is_set else ''}{type_.name}{bounds}{mark}"


def unparse_params(params: tuple[Param, ...]) -> str:
    """The text of parameters with their brackets."""
    texts = (f"{p.name}: {unparse_type(p.type)}" if p.type else p.name for p in params)
    return f"({', '.join(texts)})"
