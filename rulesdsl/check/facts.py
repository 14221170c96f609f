"""What a condition tells about locals where it holds, and where it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rulesdsl.check.scope import Context, Fact, Facts, meet
from rulesdsl.check.types import CLASSES, MIRRORED, OPPOSITE, compared, is_piece, join, required
from rulesdsl.model import ast, checked
from rulesdsl.model.game import KindDef
from rulesdsl.model.types import BOOL, NONE, PIECE, PLAYER, IntType, OptionalType, SetType, Type


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
        case checked.CallBuiltin(function="owned", arguments=(checked.Local(name=name),)):
            return {name: _component_fact(ctx, lambda kind: kind.owned == holds)}
        case checked.ReadAttribute(object=checked.Local(name=name, type=type_), attribute=key) if (
            is_piece(type_)
        ):
            return {
                name: _component_fact(ctx, lambda kind: kind.attributes.get(key, holds) is holds)
            }
        case checked.Member(item=item, set=over) if holds and over.type == SetType(PLAYER):
            return _owned_fact(ctx, item)
        case checked.Compare(operator=operator, left=left, right=right):
            operator = operator if holds else OPPOSITE[operator]
            facts = {
                **_compare_fact(operator, left, right.type),
                **_compare_fact(MIRRORED[operator], right, left.type),
            }
            if operator == "==" and PLAYER in (left.type, right.type):
                facts |= {**_owned_fact(ctx, left), **_owned_fact(ctx, right)}
            return facts
    return {}


def kinds_of(ctx: Context, found: checked.Expr) -> frozenset[str] | None:
    """The kinds that a component may be of, where more is known than its class."""
    match found:
        case checked.Local(name=name):
            return ctx.facts.get(name, Fact()).kinds
        case checked.Aggregate(
            function="first" | "the", binders=(checked.Binder(names=(name,), where=where),)
        ) if where is not None:
            return known(ctx, where).get(name, Fact()).kinds
    return None


def _component_fact(ctx: Context, of: Callable[[KindDef], bool]) -> Fact:
    return Fact(kinds=frozenset(kind.key for kind in ctx.symbols.game.kinds if of(kind)))


def _owned_fact(ctx: Context, owner: checked.Expr) -> dict[str, Fact]:
    """Narrow a component whose owner is a player."""
    match owner:
        case checked.CallBuiltin(function="owner", arguments=(checked.Local(name=name),)):
            return {name: _component_fact(ctx, lambda kind: kind.owned)}
    return {}


def _kind_fact(
    ctx: Context, local: checked.Local, test: checked.IsKind, holds: bool
) -> Fact | None:
    match test.test:
        case "none":
            return Fact(NONE if holds else required(local.type))
        case "class" if is_piece(local.type):
            fact = _component_fact(ctx, lambda kind: (kind.cls == test.name) == holds)
            return replace(fact, type=CLASSES[test.name] if holds else None)
        case "kind" if is_piece(local.type):
            fact = _component_fact(ctx, lambda kind: (kind.key == test.name) == holds)
            if not holds or local.type != PIECE:
                return fact
            of_name = (kind.cls for kind in ctx.symbols.game.kinds if kind.key == test.name)
            return replace(fact, type=CLASSES[next(of_name)])
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
