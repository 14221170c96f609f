"""Expressions and types as text that can be broken into lines.

Parentheses stand where precedence needs them, and where the author put them around an operation
that is part of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from rulesdsl.parse.breaking import AFTER_OPERATOR, LINE, Brackets, Group, Nest, Text, flat


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

# Parentheses that are further away than this many blanks are not looked for.
_NEAR = 200

Operation = Unary | Binary | Compare | IfElse | Range


def unparse_expr(expr: Expr) -> str:
    """The text of an expression on one line; parsing it gives `expr` again."""
    return flat(expression(expr))


def expression(expr: Expr) -> Text:
    """An expression as text that can be broken."""
    return _at(expr, Level.EXPR)


def _at(expr: Expr, level: Level) -> Text:
    """The text of `expr` where the grammar takes what holds at least as tightly as `level`."""
    text = _text(expr)
    return text if _level(expr) >= level else Brackets("(", text, ")", grouping=True)


def _part(expr: Expr, level: Level) -> Text:
    """The same for a part of an operation; one that stands in parentheses keeps them."""
    if isinstance(expr, Operation) and _in_parentheses(expr):
        return Brackets("(", _text(expr), ")", grouping=True)
    return _at(expr, level)


def _in_parentheses(expr: Expr) -> bool:
    """Whether the author wrote parentheses around it; it is part of an operation."""
    span, text = expr.span, expr.span.source.text
    before, after = text[max(0, span.start - _NEAR) : span.start], text[span.end : span.end + _NEAR]
    return before.rstrip().endswith("(") and after.lstrip().startswith(")")


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


def _text(expr: Expr) -> Text:
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
            return (_at(expr.object, Level.POSTFIX), f".{_name(expr.name, expr.quoted)}")
        case Index():
            index = Brackets("[", expression(expr.index), "]")
            return (_at(expr.object, Level.POSTFIX), index)
        case Call():
            return (_at(expr.function, Level.POSTFIX), Brackets("(", _list(expr.arguments), ")"))
        case Unary() | Binary() | Compare() | IfElse() | Range():
            return _operation(expr)
        case SetLiteral():
            return Brackets("{", _list(expr.items), "}")
        case Comprehension():
            return Brackets("{", _ranging(expr.value, expr.binders), "}")
        case Aggregate():
            return _aggregate(expr)
        case Reach():
            parts = (expr.name, LINE, "from ", expression(expr.start), LINE, "by ")
            return ("reach", Brackets("(", (*parts, expression(expr.step)), ")"))
        case _:
            assert_never(expr)


def _operation(expr: Operation) -> Text:
    level = _level(expr)
    match expr:
        case Unary():
            blank = " " if expr.operator == "not" else ""
            return (f"{expr.operator}{blank}", _part(expr.operand, level))
        case Binary():
            chain = _chain(expr, level)
            return chain if level is Level.PRODUCT else Group(Nest(chain))
        case Compare():
            left, right = _part(expr.left, Level.RANGE), _part(expr.right, Level.RANGE)
            return (left, f" {expr.operator} ", right)
        case IfElse():
            then, condition = _part(expr.then, Level.OR), _part(expr.condition, Level.OR)
            otherwise = _part(expr.otherwise, Level.EXPR)
            return Group((then, LINE, "if ", condition, LINE, "else ", otherwise))
        case Range():
            return (_part(expr.low, Level.SUM), "..", _part(expr.high, Level.SUM))
        case _:
            assert_never(expr)


def _chain(expr: Binary, level: Level) -> Text:
    """Operations of one level in a row: all on one line, or each part on its own; factors, which
    are mostly short, stay together."""
    left = expr.left
    same = isinstance(left, Binary) and _level(left) == level and not _in_parentheses(left)
    before = _chain(left, level) if same and isinstance(left, Binary) else _part(left, level)
    right = _part(expr.right, Level(level + 1))
    after: Text = " " if level is Level.PRODUCT else AFTER_OPERATOR
    return (before, f" {expr.operator}", after, right)


def _name(name: str, quoted: bool) -> str:
    return f"'{name}'" if quoted else name


def _list(items: Iterable[Expr]) -> Text:
    return listed([expression(item) for item in items])


def listed(items: Sequence[Text]) -> Text:
    """Texts parted by commas: all on one line, or each on its own."""
    return tuple(
        part for i, item in enumerate(items) for part in ((",", LINE) if i else ()) + (item,)
    )


def _ranging(value: Expr | None, binders: tuple[Binder, ...]) -> Text:
    ranges = listed([binder(each) for each in binders])
    if value is None:
        return ranges
    ranges = Group(Nest(ranges)) if len(binders) > 1 else ranges
    return (expression(value), LINE, "for ", ranges) if binders else expression(value)


def _aggregate(expr: Aggregate) -> Text:
    binders, where = expr.binders, None
    if expr.keys and binders:
        last = binders[-1]
        binders = (*binders[:-1], Binder(last.span, last.names, last.domain))
        where = last.where
    text: Text = _ranging(expr.value, binders)
    text = (text, LINE, "by ", _list(expr.keys)) if expr.keys else text
    text = (text, LINE, "where ", expression(where)) if where else text
    text = (text, LINE, "else ", expression(expr.default)) if expr.default else text
    return (expr.function, Brackets("(", text, ")"))


def binder(found: Binder, *, within: bool = True) -> Text:
    """A binder as text that can be broken; only `within` brackets before its condition."""
    first, *more = found.names
    names = f"{{{', '.join(found.names)}}}" if more else first
    secret = "secret " if found.secret else ""
    text: Text = (f"{secret}{names} in ", _at(found.domain, Level.RANGE))
    where: Text = (LINE, "where ", expression(found.where)) if found.where else ""
    return Group((text, Nest(where) if within else where))


def type_text(type_: TypeRef) -> Text:
    """A type as text that can be broken."""
    bounds: Text = ""
    if type_.low is not None and type_.high is not None:
        bounds = (" ", _at(type_.low, Level.SUM), "..", _at(type_.high, Level.SUM))
    set_, mark = "set of " if type_.is_set else "", "?" if type_.optional else ""
    return (f"{set_}{type_.name}", bounds, mark)


def parameters(params: Iterable[Param]) -> Text:
    """Parameters with their brackets as text that can be broken."""
    texts = [(p.name, ": ", type_text(p.type)) if p.type else p.name for p in params]
    return Brackets("(", listed(texts), ")")
