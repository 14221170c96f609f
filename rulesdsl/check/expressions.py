"""Expressions: from the syntax tree to the checked tree."""

from __future__ import annotations

from typing import assert_never

from rulesdsl.check import errors
from rulesdsl.check.calls import call
from rulesdsl.check.compare import compare
from rulesdsl.check.facts import known
from rulesdsl.check.indexes import read_index
from rulesdsl.check.names import read_dotted, read_name
from rulesdsl.check.ranging import aggregate, comprehension, reach
from rulesdsl.check.scope import Context, as_set, poison
from rulesdsl.check.types import arithmetic, join, negated, required
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.types import (
    BOOL,
    ERROR,
    INT,
    NONE,
    ZONE,
    IntType,
    SetType,
    Type,
)


def infer(ctx: Context, node: ast.Expr, hint: Type | None) -> checked.Expr:
    """The expression with its type. `hint` is the type its place expects, which tells apart names
    that mean several things; the result may be of another type."""
    match node:
        case ast.Int(value=value):
            return checked.Const(node.span, IntType(value, value), value)
        case ast.Bool(value=truth):
            return checked.Const(node.span, BOOL, truth)
        case ast.NoneLiteral():
            return checked.Const(node.span, NONE, None)
        case ast.Name():
            return read_name(ctx, node, hint)
        case ast.Attribute():
            return read_dotted(ctx, node, hint)
        case ast.Index():
            return read_index(ctx, node)
        case ast.Call():
            return call(ctx, node)
        case ast.Unary():
            return _unary(ctx, node)
        case ast.Binary(operator="and" | "or"):
            return _logic(ctx, node)
        case ast.Binary():
            return _arithmetic(ctx, node, hint)
        case ast.Compare():
            return compare(ctx, node)
        case ast.IfElse():
            return _if_else(ctx, node, hint)
        case ast.Range():
            return _range(ctx, node)
        case ast.SetLiteral():
            return _set(ctx, node, hint)
        case ast.Comprehension():
            return comprehension(ctx, node, hint)
        case ast.Aggregate():
            return aggregate(ctx, node)
        case ast.Reach():
            return reach(ctx, node, hint)
        case ast.Previous():
            return _previous(ctx, node)
        case ast.Proceed():
            message = "`proceed` stands alone, after `let x =` or after `return`"
            errors.misplaced(ctx.report, message, node.span)
            return poison(node.span)
    assert_never(node)


def _unary(ctx: Context, node: ast.Unary) -> checked.Expr:
    if node.operator == "not":
        return checked.Not(node.span, BOOL, ctx.expect(node.operand, BOOL, "what follows `not`"))
    operand = ctx.expect(node.operand, INT, "what follows `-`")
    if not isinstance(operand.type, IntType):
        return poison(node.span)
    return checked.Negate(node.span, negated(operand.type), operand)


def _logic(ctx: Context, node: ast.Binary) -> checked.Expr:
    why = f"a side of `{node.operator}`"
    left = ctx.expect(node.left, BOOL, why)
    with ctx.knowing(known(ctx, left, node.operator == "and")):
        right = ctx.expect(node.right, BOOL, why)
    return checked.Binary(node.span, BOOL, node.operator, left, right)


_SETS = {"+": "union", "-": "difference"}


def _arithmetic(ctx: Context, node: ast.Binary, hint: Type | None) -> checked.Expr:
    first, second = node.left, node.right
    if isinstance(first, ast.SetLiteral):
        second, first = first, second
    one = ctx.infer(ctx, first, hint)
    wanted = as_set(ctx, one).type if one.type == ZONE else one.type
    other = ctx.infer(ctx, second, wanted if isinstance(wanted, SetType) else hint)
    left, right = (one, other) if first is node.left else (other, one)
    if ERROR in (left.type, right.type):
        return poison(node.span)
    if node.operator in _SETS and isinstance(as_set(ctx, left).type, SetType):
        return _set_operation(ctx, node, as_set(ctx, left), as_set(ctx, right))
    left, right = (ctx.coerce(e, INT, f"a side of `{node.operator}`") for e in (left, right))
    if not isinstance(left.type, IntType) or not isinstance(right.type, IntType):
        return poison(node.span)
    if node.operator in ("div", "mod") and right.type.low <= 0 <= right.type.high:
        _divisor(ctx, node, right)
        return poison(node.span)
    type_ = arithmetic(node.operator, left.type, right.type)
    return checked.Binary(node.span, type_, node.operator, left, right)


def _set_operation(
    ctx: Context, node: ast.Binary, left: checked.Expr, right: checked.Expr
) -> checked.Expr:
    both = join(left.type, right.type)
    if both is None or not isinstance(right.type, SetType):
        what = f"the sides of `{node.operator}`"
        errors.no_common_type(ctx.report, node.span, left.type, right.type, what)
        return poison(node.span)
    type_ = both if node.operator == "+" else left.type
    return checked.Binary(node.span, type_, _SETS[node.operator], left, right)


def _divisor(ctx: Context, node: ast.Binary, divisor: checked.Expr) -> None:
    text = divisor.span.text
    zero = divisor.type == IntType(0, 0)
    ctx.report.error(
        "divisor",
        "the divisor is 0" if zero else f"the divisor `{text}` may be 0",
        divisor.span,
        help=()
        if zero
        else (f"write `{node.operator} max(1, {text})`, or test `{text} > 0` first",),
    )


def _if_else(ctx: Context, node: ast.IfElse, hint: Type | None) -> checked.Expr:
    condition = ctx.expect(node.condition, BOOL, "the condition")
    with ctx.knowing(known(ctx, condition)):
        then = ctx.infer(ctx, node.then, hint)
    with ctx.knowing(known(ctx, condition, False)):
        otherwise = ctx.infer(ctx, node.otherwise, hint or then.type)
    if isinstance(hint, SetType):
        then, otherwise = as_set(ctx, then), as_set(ctx, otherwise)
    type_ = join(then.type, otherwise.type)
    if type_ is None:
        what = "the two sides of `if`"
        errors.no_common_type(ctx.report, node.span, then.type, otherwise.type, what)
        return poison(node.span)
    return checked.IfElse(node.span, type_, condition, then, otherwise)


def _range(ctx: Context, node: ast.Range) -> checked.Expr:
    low = ctx.expect(node.low, INT, "a bound")
    high = ctx.expect(node.high, INT, "a bound")
    if not isinstance(low.type, IntType) or not isinstance(high.type, IntType):
        return poison(node.span)
    first, last = low.type.low, high.type.high
    item = IntType(first, max(first, last))
    return checked.RangeSet(node.span, SetType(item), low, high)


def _set(ctx: Context, node: ast.SetLiteral, hint: Type | None) -> checked.Expr:
    wanted = required(hint) if hint is not None else None
    item = wanted.item if isinstance(wanted, SetType) else None
    if not node.items:
        if item is None:
            message = "nothing tells what this empty set may hold"
            help_lines = ("say so where it is stored: `var x: set of player = {}`",)
            ctx.report.error("type-mismatch", message, node.span, help=help_lines)
            return poison(node.span)
        return checked.SetLiteral(node.span, SetType(item), ())
    items = tuple(ctx.infer(ctx, each, item) for each in node.items)
    if any(errors.set_in_set(ctx.report, each) for each in items):
        return poison(node.span)
    type_: Type | None = items[0].type
    for each in items[1:]:
        type_ = join(type_, each.type) if type_ is not None else None
    if type_ is None or type_ == NONE:
        ctx.report.error("type-mismatch", "the members have nothing in common", node.span)
        return poison(node.span)
    if type_ == ERROR:
        return poison(node.span)
    return checked.SetLiteral(node.span, SetType(type_), items)


def _previous(ctx: Context, node: ast.Previous) -> checked.Expr:
    if ctx.previous is None:
        message = "`previous` has a meaning in `refine` only"
        errors.misplaced(ctx.report, message, node.span)
        return poison(node.span)
    if node.ruleset is not None and not ctx.symbols.may_qualify(node.ruleset, ctx.ruleset):
        known_ = ctx.symbols.game.reach[ctx.ruleset]
        errors.unknown(ctx.report, "ruleset in sight called", node.ruleset, node.span, known_)
        return poison(node.span)
    ruleset = None
    if node.ruleset is not None:
        ctx.use(node.ruleset, uses.word("ruleset", node.ruleset))
        ruleset = str(node.ruleset)
    return checked.Previous(node.span, ctx.previous, ruleset)
