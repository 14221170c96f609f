"""Written types and their bounds."""

from __future__ import annotations

from rulesdsl.check import errors
from rulesdsl.check.scope import Context
from rulesdsl.model import ast, uses
from rulesdsl.model.folding import fold
from rulesdsl.model.names import written_name
from rulesdsl.model.types import (
    ERROR,
    INT,
    INT_MAX,
    INT_MIN,
    NAMED,
    SIDE,
    EnumType,
    IntType,
    OptionalType,
    SetType,
    Type,
)


def written_type(ctx: Context, node: ast.TypeRef) -> Type:
    """The type that is written; `ERROR` after a mistake."""
    type_ = _named(ctx, node)
    if type_ == ERROR:
        return ERROR
    if node.is_set:
        type_ = SetType(type_)
    return OptionalType(type_) if node.optional else type_


def _named(ctx: Context, node: ast.TypeRef) -> Type:
    *qualifiers, name = node.name.parts
    if not qualifiers:
        if name in NAMED or name in ("int", SIDE.name):
            ctx.use(name, uses.word("type", name))
        if name == "int":
            return _integer(ctx, node)
        if name in NAMED:
            return NAMED[name]
        if name == SIDE.name:
            return SIDE
    symbols = ctx.symbols
    qualifier = qualifiers[0] if qualifiers else None
    if qualifier is not None:
        ctx.use(qualifier, uses.word("ruleset", qualifier))
    nouns = symbols.find(symbols.nouns, name, ctx.ruleset, qualifier)
    enums = [noun for noun in nouns if noun.what == "enum"]
    span = name.span
    if len(enums) == 1:
        ctx.use(name, uses.declared("enum", enums[0].key))
        return EnumType(enums[0].key)
    if enums:
        errors.ambiguous(ctx.report, name, span, [written_name(noun.key) for noun in enums])
        return ERROR
    known = {*NAMED, "int", SIDE.name}
    for each in symbols.seen(symbols.nouns, ctx.ruleset, qualifier):
        if any(n.what == "enum" for n in symbols.find(symbols.nouns, each, ctx.ruleset, qualifier)):
            known.add(each)
    errors.unknown(ctx.report, "type", name, span, known)
    return ERROR


def _integer(ctx: Context, node: ast.TypeRef) -> Type:
    if node.low is None or node.high is None:
        return INT
    low, high = constant(ctx, node.low), constant(ctx, node.high)
    if low is None or high is None:
        return INT
    if low > high:
        ctx.report.error("range", f"there is no integer from {low} to {high}", node.span)
        return INT
    return IntType(low, high)


def constant(ctx: Context, node: ast.Expr) -> int | None:
    """The integer an expression over settings gives; None after a mistake."""
    found = ctx.expect(node, INT, "a bound")
    if found.type == ERROR:
        return None
    value = fold(found)
    if not isinstance(value, int):
        message = "this is not known before the game begins"
        help_lines = ("use numbers and `settings` only",)
        ctx.report.error("type-mismatch", message, node.span, help=help_lines)
        return None
    if not INT_MIN <= value <= INT_MAX:
        ctx.report.error("range", "integers have 32 bits", node.span)
        return None
    return value
