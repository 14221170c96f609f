"""What a condition tells about locals where it holds, and where it does not."""

from __future__ import annotations

from rulesdsl.check.scope import Context, Fact, Facts, meet
from rulesdsl.check.types import CLASSES, MIRRORED, OPPOSITE, compared, is_piece, join, required
from rulesdsl.model import ast, checked
from rulesdsl.model.types import BOOL, NONE, PIECE, IntType, OptionalType, Type


def condition(ctx: Context, node: ast.Expr | None) -> checked.Expr | None:
    """A guard or `where`, if there is one; what it tells is known from here on."""
    if node is None:
        return None
    found = ctx.expect(node, BOOL, "the condition")
    ctx.learn(known(ctx, found))
    return found


def known(ctx: Context, condition: checked.Expr, holds: bool = True) -> Facts:
    """What is known of locals where `condition` is true, or, with `holds` false, is false."""
    match condition:
        case checked.Not(operand=operand):
            return known(ctx, operand, not holds)
        case checked.Binary(operator="and" | "or" as operator, left=left, right=right):
            a, b = known(ctx, left, holds), known(ctx, right, holds)
            return _both(a, b) if (operator == "and") == holds else either(a, b)
        case checked.IsKind(object=checked.Local(name=name) as local):
            fact = _kind_fact(ctx, local, condition, holds)
            return {} if fact is None else {name: fact}
        case checked.Compare(operator=operator, left=left, right=right):
            operator = operator if holds else OPPOSITE[operator]
            return {
                **_compare_fact(operator, left, right.type),
                **_compare_fact(MIRRORED[operator], right, left.type),
            }
    return {}


def _kind_fact(
    ctx: Context, local: checked.Local, test: checked.IsKind, holds: bool
) -> Fact | None:
    match test.test:
        case "none":
            return Fact(NONE if holds else required(local.type))
        case "class" if holds and is_piece(local.type):
            return Fact(CLASSES[test.name])
        case "kind" if holds and local.type == PIECE:
            of_name = (kind.cls for kind in ctx.symbols.game.kinds if kind.key == test.name)
            return Fact(CLASSES[next(of_name)])
        case "feature":
            every = frozenset(kind.key for kind in ctx.symbols.game.feature_kinds)
            return Fact(None, frozenset({test.name}) if holds else every - {test.name})
    return None


def _compare_fact(operator: str, side: checked.Expr, other: Type) -> Facts:
    if not isinstance(side, checked.Local):
        return {}
    if isinstance(side.type, IntType) and isinstance(other, IntType):
        left = compared(operator, side.type, other)
        return {} if left is None else {side.name: Fact(left)}
    if operator == "==" and isinstance(side.type, OptionalType):
        return {} if isinstance(other, OptionalType) else {side.name: Fact(side.type.item)}
    return {}


def _both(a: Facts, b: Facts) -> Facts:
    return {**a, **{key: meet(a[key], fact) if key in a else fact for key, fact in b.items()}}


def either(a: Facts, b: Facts) -> dict[str, Fact]:
    """What is known where one of two things happened."""
    found = {}
    for key in a.keys() & b.keys():
        one, other = a[key], b[key]
        type_ = join(one.type, other.type) if one.type and other.type else None
        kinds = None
        if one.kinds is not None and other.kinds is not None:
            kinds = one.kinds | other.kinds
        if type_ is not None or kinds is not None:
            found[key] = Fact(type_, kinds)
    return found
