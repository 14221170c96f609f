"""Sets that expressions make: on the heap, members ascending."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rulesdsl.lower.emit import MINUS
from rulesdsl.lower.expressions import domains, features
from rulesdsl.lower.logic import as_number
from rulesdsl.model import ir
from rulesdsl.model.checked import Binary, Const, EnumSet, Expr, RangeSet, SetLiteral
from rulesdsl.model.types import BOOL, NONE, OptionalType, SetType, Type

if TYPE_CHECKING:
    from rulesdsl.lower.expressions.expressions import Expressions

_FEW = 4
"""As many members are pushed one by one, more of them in a loop."""


def made(x: Expressions, node: RangeSet | EnumSet | SetLiteral) -> ir.Expr:
    """The set that a range, an enum or a literal stands for."""
    if isinstance(node, SetLiteral):
        assert isinstance(node.type, SetType)
        if constant(x, node) is not None:
            return known(x, node)
        return _inserted(x, node, node.type.item)
    return filled(x, domains.domain(x, node), node)


def constant(x: Expressions, expression: Expr) -> tuple[int, ...] | None:
    """The members of a set, ascending, if they are known before the game begins."""
    encoding = x.lowering.encoding
    match expression:
        case Const(type=SetType(item), value=tuple(values)):
            return tuple(sorted({encoding.encode(value, item) for value in values}))
        case SetLiteral(type=SetType(item), items=items):
            if not all(isinstance(each, Const) for each in items):
                return None
            constants = [each for each in items if isinstance(each, Const)]
            return tuple(sorted({encoding.encode(each.value, item) for each in constants}))
    return None


def known(x: Expressions, node: Const | SetLiteral) -> ir.Expr:
    """The set of what is known before the game begins."""
    members = constant(x, node)
    assert members is not None
    if len(members) <= _FEW:
        return literal(x, [ir.Const(number) for number in members])
    return filled(x, domains.domain(x, node), node)


def literal(x: Expressions, members: Iterable[ir.Expr]) -> ir.Expr:
    """The set of a few numbers, given in ascending order."""
    found = x.builder.let("set", ir.Call("begin"))
    for member in members:
        x.builder.do("push", found, member)
    return found


def filled(x: Expressions, over: domains.Domain, node: Expr) -> ir.Expr:
    """The set of all members of a domain."""
    found = x.builder.let("set", ir.Call("begin"), node.span)
    with domains.going_over(x, over, "member", node.span) as member:
        x.builder.do("push", found, member, span=node.span)
    return found


def _inserted(x: Expressions, node: SetLiteral, item: Type) -> ir.Expr:
    assert not isinstance(item, SetType), "sets hold no sets"
    found = x.builder.let("set", ir.Call("begin"), node.span)
    for each in node.items:
        number = as_number(x.fitted(each, item), item == BOOL)
        x.builder.do("insert", found, number, span=each.span)
    return found


def combined(x: Expressions, node: Binary) -> ir.Expr:
    """`union` or `difference`, of features as they are connected now."""
    left, right = (current(x, side, side.type) for side in (node.left, node.right))
    return ir.Call(node.operator, (left, right))


def needs_refresh(x: Expressions, expression: Expr) -> bool:
    """May there be features in it that are no longer what is connected now?"""
    return features.holds_features(expression.type) and not x.freshness.is_fresh(expression)


def current(x: Expressions, expression: Expr, wanted: Type) -> ir.Expr:
    """A set as it is to be compared: features as they are connected now, fault NOT_LAID."""
    value = x.fitted(expression, wanted)
    if expression.type == NONE or not needs_refresh(x, expression):
        return value
    if not isinstance(expression.type, OptionalType):
        return ir.Call("refresh", (value,))
    value = x.named("set", value, expression.span)
    return ir.Select(ir.Compare("==", value, MINUS), value, ir.Call("refresh", (value,)))
