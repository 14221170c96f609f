"""`count`, `sum`, `max`, `min`, `any`, `all`, `most`, `first`, `the`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulesdsl.core import faults
from rulesdsl.lower.emit import ZERO
from rulesdsl.lower.expressions import domains, members
from rulesdsl.lower.expressions.operators import limited
from rulesdsl.lower.expressions.ranging import bindings, condition, fuel, loop, nest, spend
from rulesdsl.lower.logic import FALSE, TRUE, both, either, negation
from rulesdsl.lower.tables.carried import WHOLE
from rulesdsl.lower.tables.encoding import NO_NUMBER, none_of
from rulesdsl.model import ir
from rulesdsl.model.checked import Aggregate, Binary, CallBuiltin, CallValue, Compare, walk
from rulesdsl.model.types import BOOL, INT_MAX, ZONE, IntType, OptionalType

if TYPE_CHECKING:
    from rulesdsl.lower.expressions.expressions import Expressions

FUEL = 200_000
"""As many bindings there can be between two decisions."""


def aggregate(x: Expressions, node: Aggregate) -> ir.Expr:
    """What an aggregate makes of the bindings of its binders."""
    match node.function:
        case "count":
            return _count(x, node)
        case "sum":
            return _sum(x, node)
        case "max" | "min":
            return _extreme(x, node)
        case "any" | "all":
            return _decided(x, node)
        case "first":
            return _first(x, node)
        case "the":
            return _the(x, node)
        case "most":
            return _most(x, node)
        case _:
            raise AssertionError(f"no aggregate {node.function}")


def _count(x: Expressions, node: Aggregate) -> ir.Expr:
    binder = node.binders[0]
    plain = len(node.binders) == 1 and binder.where is None
    if not plain or domains.on_places(x, binder.domain) is not None:
        total = x.builder.let("total", ZERO, node.span)
        one_more = ir.Assign(total.name, ir.Binary("+", total, ir.Const(1)), node.span)
        nest(x, node.binders, lambda: x.builder.emit(one_more))
        return total
    if len(binder.names) == 1 and binder.domain.type == ZONE:
        # The pieces of a zone may be counted where nobody may know which they are.
        return ir.Load("amount", x.required(binder.domain))
    with x.clean(domains.on_heap(x, binder.domain, len(binder.names))):
        over = domains.domain(x, binder.domain, len(binder.names))
        spend(x, over, len(binder.names), binder.span)
        return x.named("total", bindings(over, len(binder.names)), node.span)


def _sum(x: Expressions, node: Aggregate) -> ir.Expr:
    """Fault OVERFLOW as soon as the sum so far does not fit."""
    total = x.builder.let("total", ZERO, node.span)
    low, high = (0, 0) if node.value is None else x.range_of(node.value)
    most = (min(0, low * FUEL), max(0, high * FUEL))
    turning = low < 0 < high

    def add() -> None:
        x.builder.emit(ir.Assign(total.name, ir.Binary("+", total, _term(x, node)), node.span))
        if turning:
            limited(x, total, most, WHOLE, faults.OVERFLOW, node.span)

    nest(x, node.binders, add, once=_repeated(node))
    # What only grows or only shrinks is looked at in the end: it cannot come back.
    return total if turning else limited(x, total, most, WHOLE, faults.OVERFLOW, node.span)


def _term(x: Expressions, node: Aggregate) -> ir.Expr:
    if node.value is None:
        return x.bound(node.binders[0].names[0])
    return x.required(node.value)


def _extreme(x: Expressions, node: Aggregate) -> ir.Expr:
    operator: ir.BinaryOp = "max" if node.function == "max" else "min"
    nothing = ir.Const(NO_NUMBER if operator == "max" else INT_MAX + 1)
    best = x.builder.let("best", nothing, node.span)

    def compare() -> None:
        value = ir.Binary(operator, best, _term(x, node))
        x.builder.emit(ir.Assign(best.name, value, node.span))

    nest(x, node.binders, compare, once=_repeated(node))
    empty = ir.Compare("==", best, nothing)
    if node.default is None:
        x.builder.trap_if(empty, faults.NOTHING, node.span)
        return best
    default = node.default
    return x.choose(empty, lambda: x.fitted(default, node.type), lambda: best, node)


def _decided(x: Expressions, node: Aggregate) -> ir.Expr:
    """`any` and `all`: the first that decides ends it."""
    if _asks_for_any_placement(x, node):
        return _any_placement(x, node)
    decided = x.boolean("decided", False)

    def test() -> None:
        ends = x.condition(node.value)
        if node.function == "all":
            ends = negation(ends)
        leave: ir.Block = (ir.Assign(decided.name, ir.Truth(True), node.span), ir.Break(node.span))
        for statement in leave if ends == TRUE else (ir.If(ends, leave, (), node.span),):
            x.builder.emit(statement)

    nest(x, node.binders, test, decided.name)
    return decided if node.function == "any" else negation(decided)


def _asks_for_any_placement(x: Expressions, node: Aggregate) -> bool:
    """Is it whether there is a placement, whichever?"""
    binder = node.binders[0]
    return (
        (node.function, node.value, len(node.binders), len(binder.names)) == ("any", None, 1, 1)
        and isinstance(binder.domain, CallBuiltin)
        and binder.domain.function == "placements"
        and condition(x, binder) is None
    )


def _any_placement(x: Expressions, node: Aggregate) -> ir.Expr:
    binder = node.binders[0]
    assert isinstance(binder.domain, CallBuiltin)
    given = tuple(x.required(each) for each in binder.domain.arguments)
    found = x.builder.let("found", ir.Call("any_placement", given), node.span, "bool")
    taken = ir.Spend(ir.Const(fuel(x, binder)), binder.span)
    x.builder.emit(ir.If(found, (taken,), (), node.span))
    return found


def _first(x: Expressions, node: Aggregate) -> ir.Expr:
    """The first binding, else none; the type tells whether there certainly is one."""
    type_ = node.type
    nothing = none_of(type_) if isinstance(type_, OptionalType) else 0
    first = x.builder.let("first", ir.Const(nothing), node.span)
    found = x.boolean("found", False)

    def keep() -> None:
        x.builder.emit(ir.Assign(first.name, _bound(x, node), node.span))
        x.builder.emit(ir.Assign(found.name, ir.Truth(True), node.span))
        x.builder.emit(ir.Break(node.span))

    nest(x, node.binders, keep, found.name)
    return _as_value(first, node)


def _the(x: Expressions, node: Aggregate) -> ir.Expr:
    """The only binding; fault NOT_ONE."""
    only = x.builder.let("only", ZERO, node.span)
    found = x.boolean("found", False)

    def keep() -> None:
        x.builder.trap_if(found, faults.NOT_ONE, node.span)
        x.builder.emit(ir.Assign(found.name, ir.Truth(True), node.span))
        x.builder.emit(ir.Assign(only.name, _bound(x, node), node.span))

    nest(x, node.binders, keep)
    x.builder.trap_if(negation(found), faults.NOT_ONE, node.span)
    return _as_value(only, node)


def _bound(x: Expressions, node: Aggregate) -> ir.Expr:
    """What is found, as a number."""
    if node.value is not None:
        return x.number(node.value)
    return x.bound(node.binders[0].names[0])


def _as_value(number: ir.Local, node: Aggregate) -> ir.Expr:
    return ir.Compare("!=", number, ZERO) if node.type == BOOL else number


def _most(x: Expressions, node: Aggregate) -> ir.Expr:
    """All members with the largest keys, the first key counting most."""
    binder = node.binders[0]
    over = members.of_binder(x, binder)
    best = [x.builder.let("best", ir.Const(NO_NUMBER), node.span) for _ in node.keys]
    found = x.builder.let("found", ir.Call("begin"), node.span)

    def compare() -> None:
        keys = [x.named("key", x.required(key), key.span) for key in node.keys]
        more: ir.Expr = FALSE
        same: ir.Expr = TRUE
        for key, so_far in reversed(list(zip(keys, best, strict=True))):
            same = both(ir.Compare("==", key, so_far), same)
            tied = FALSE if more == FALSE else both(ir.Compare("==", key, so_far), more)
            more = either(ir.Compare(">", key, so_far), tied)
        push = ir.Do(ir.Call("push", (found, _bound(x, node))), node.span)
        anew: ir.Block = (
            *(ir.Assign(b.name, key, node.span) for b, key in zip(best, keys, strict=True)),
            ir.Store("heap", found, ZERO, node.span),
            ir.Store("heap_top", ZERO, ir.Binary("+", found, ir.Const(1)), node.span),
            push,
        )
        x.builder.emit(ir.If(more, anew, (ir.If(same, (push,), (), node.span),), node.span))

    with x.once(_repeated(node)):
        loop(x, binder, over, compare)
    return found


def _repeated(node: Aggregate) -> CallValue | None:
    """A value that is compared first in the `where` of an aggregate, and named again for what is
    found."""
    if len(node.binders) > 1:
        return None
    test = node.binders[0].where
    while isinstance(test, Binary) and test.operator == "and":
        test = test.left
    sides = (test.left, test.right) if isinstance(test, Compare) else ()
    named = [*node.keys] if node.value is None else [node.value]
    again = [each for each in walk(tuple(named)) if isinstance(each, CallValue)]
    calls = [side for side in sides if isinstance(side, CallValue) and side in again]
    return next((call for call in calls if isinstance(call.type, IntType)), None)
