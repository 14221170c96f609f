"""Operators: arithmetic that never leaves 32 bits, comparisons, membership, kinds."""

from __future__ import annotations

from typing import cast

from rulesdsl.engine.lower import emit, runtime
from rulesdsl.engine.lower.expressions import facts, sets
from rulesdsl.engine.lower.expressions.operands import Operands
from rulesdsl.engine.lower.tables.box import WHOLE, Range
from rulesdsl.engine.lower.tables.encoding import is_set, none_of, without_none
from rulesdsl.engine.runtime import faults, heap, knowledge, tables
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked, ir, types

_FEW = 6
"""The most constants that are compared one by one."""

_OPERATORS: dict[str, ir.BinaryOp] = {"+": "+", "-": "-", "*": "*", "div": "//", "mod": "%"}


# --- numbers -------------------------------------------------------------------------------------


def arithmetic(x: Operands, node: checked.Binary) -> ir.Expr:
    """Return the result of `+`, `-`, `*`, `div` or `mod`.

    Fault ZERO for a divisor 0, or OVERFLOW outside of 32 bits.
    """
    value = _computed(x, node)
    if node.operator == "mod":
        return value
    found = facts.combined(node.operator, x.range_of(node.left), x.range_of(node.right))
    return limited(x, value, found, WHOLE, faults.OVERFLOW, node.span)


def _computed(x: Operands, node: checked.Binary) -> ir.Expr:
    left, right = x.required(node.left), x.required(node.right)
    if node.operator in ("div", "mod"):
        low, high = x.range_of(node.right)
        if low <= 0 <= high:
            right = x.named("divisor", right, node.right.span)
            x.builder.trap_if(ir.Compare("==", right, emit.ZERO), faults.ZERO, node.span)
    return ir.Binary(_OPERATORS[node.operator], left, right)


def negate(x: Operands, node: checked.Negate) -> ir.Expr:
    """Return `-n`; fault OVERFLOW."""
    value = ir.Unary("-", x.required(node.operand))
    low, high = x.range_of(node.operand)
    return limited(x, value, (-high, -low), WHOLE, faults.OVERFLOW, node.span)


def limited(
    x: Operands, value: ir.Expr, found: Range, wanted: Range, code: int, span: Span
) -> ir.Expr:
    """Return a number in the range `found`; fault `code` if it is outside of `wanted`."""
    if facts.within(found, wanted):
        return value
    value = x.named("number", value, span)
    x.builder.trap_if(_outside(value, found, wanted), code, span)
    return value


def _outside(value: ir.Expr, found: Range, wanted: Range) -> ir.Expr:
    low = ir.Compare("<", value, ir.Const(wanted[0])) if found[0] < wanted[0] else emit.FALSE
    high = ir.Compare(">", value, ir.Const(wanted[1])) if found[1] > wanted[1] else emit.FALSE
    return emit.either(low, high)


def ranged(x: Operands, node: checked.Ranged) -> ir.Expr:
    """Return a value that fits the type; fault RANGE if a number does not, NONE for `none`."""
    wanted, operand = node.type, node.operand
    if operand.type == types.OptionalType(wanted):
        return emit.as_value(x.required(operand), wanted)
    if isinstance(wanted, types.OptionalType):
        return _ranged_optional(x, node, wanted.item)
    if isinstance(wanted, types.SetType) and _number(wanted.item) is not None:
        return _ranged_set(x, node, wanted.item)
    if not isinstance(wanted, types.IntType):
        return x.fitted(operand, wanted)
    bounds = (wanted.low, wanted.high)
    plain = not x.lowering.optimised
    if not plain and isinstance(operand, checked.Binary) and operand.operator in ("+", "-", "*"):
        # A number that does not fit 32 bits does not fit the range either: one check is enough.
        found = facts.combined(
            operand.operator, x.range_of(operand.left), x.range_of(operand.right)
        )
        return limited(x, _computed(x, operand), found, bounds, faults.RANGE, node.span)
    return limited(x, x.required(operand), x.range_of(operand), bounds, faults.RANGE, node.span)


def _ranged_optional(x: Operands, node: checked.Ranged, item: types.Type) -> ir.Expr:
    value = x.named("some", x.fitted(node.operand, node.type), node.span)
    there = ir.Compare("!=", value, ir.Const(none_of(node.type)))
    if isinstance(item, types.IntType):
        outside = _outside(value, x.range_of(node.operand), (item.low, item.high))
        if outside != emit.FALSE:
            x.builder.trap_if(emit.both(there, outside), faults.RANGE, node.span)
    if isinstance(item, types.SetType) and isinstance(item.item, types.IntType):
        with x.builder.block() as inside:
            _check_members(x, value, item.item, node.span)
        x.builder.emit(ir.If(there, tuple(inside), (), node.span))
    return value


def _ranged_set(x: Operands, node: checked.Ranged, item: types.Type) -> ir.Expr:
    value = x.named("all", x.value(node.operand), node.span)
    number = _number(item)
    assert number is not None
    _check_members(x, value, number, node.span)
    return value


def _number(type_: types.Type) -> types.IntType | None:
    number = without_none(type_)
    return number if isinstance(number, types.IntType) else None


def _check_members(x: Operands, members: ir.Expr, wanted: types.IntType, span: Span) -> None:
    """Fault RANGE if a member that is not none does not fit."""
    with sets.going_over(x, sets.stored(members), "member", span) as member:
        outside = _outside(member, WHOLE, (wanted.low, wanted.high))
        there = ir.Compare("!=", member, ir.Const(none_of(wanted)))
        x.builder.trap_if(emit.both(there, outside), faults.RANGE, span)


# --- comparing -----------------------------------------------------------------------------------


def compare(x: Operands, node: checked.Compare) -> ir.Expr:
    """Return the result of `==` and the other comparisons.

    Features are equal if they are connected now; fault NOT_LAID.
    """
    operator = cast(ir.CompareOp, node.operator)
    if operator not in ("==", "!="):
        return ir.Compare(operator, x.required(node.left), x.required(node.right))
    common = _common(node.left.type, node.right.type)
    if is_set(common):
        same = _same_sets(x, node, common)
        return same if operator == "==" else emit.negation(same)
    if common == types.BOOL:
        return _same_bools(x, node, operator)
    left, right = (sets.current_feature(x, side, common) for side in (node.left, node.right))
    return ir.Compare(operator, left, right)


def _common(a: types.Type, b: types.Type) -> types.Type:
    """Return a type that holds the numbers of both types."""
    if isinstance(a, types.OptionalType) or b == types.NONE:
        return a
    if isinstance(b, types.OptionalType) or a == types.NONE:
        return b
    return a


def _same_bools(x: Operands, node: checked.Compare, operator: ir.CompareOp) -> ir.Expr:
    left, right = x.condition(node.left), x.condition(node.right)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ir.Truth):
            return other if one.value == (operator == "==") else emit.negation(other)
    return ir.Compare(operator, emit.as_number(left, types.BOOL), emit.as_number(right, types.BOOL))


def _same_sets(x: Operands, node: checked.Compare, common: types.Type) -> ir.Expr:
    """Return the condition that two sets have the same members.

    Each may be `none` if the common type is optional.
    """
    with x.clean():
        left, right = (
            x.named("set", sets.current(x, side, common), side.span)
            for side in (node.left, node.right)
        )
        same: ir.Expr = runtime.call(heap.equal, left, right)
        if isinstance(common, types.OptionalType):
            nothing = emit.either(
                ir.Compare("==", left, emit.MINUS), ir.Compare("==", right, emit.MINUS)
            )
            same = ir.Select(nothing, ir.Compare("==", left, right), same)
        return x.builder.let("same", same, node.span, "bool")


def member(x: Operands, node: checked.Member) -> ir.Expr:
    """Return the result of `item in set`, for a set or a zone.

    Features are compared as they are connected now.
    """
    if isinstance(node.set, checked.RangeSet):
        return _between(x, node, node.set)
    if node.set.type == types.ZONE:
        return _in_zone(x, node)
    assert isinstance(node.set.type, types.SetType)
    wanted = node.set.type.item
    if isinstance(node.item.type, types.OptionalType) and not isinstance(
        wanted, types.OptionalType
    ):
        wanted = types.OptionalType(wanted)
    item = sets.current_feature(x, node.item, wanted)
    if x.lowering.tracing is not None:
        return _among(x, node, item, wanted)
    match node.set:
        case checked.EnumSet() | checked.CallBuiltin(function="players", arguments=()) if (
            not isinstance(wanted, types.OptionalType)
        ):
            if isinstance(node.set, checked.EnumSet):
                return emit.TRUE if emit.is_plain(item) else ir.Compare(">=", item, emit.ZERO)
            return ir.Compare("<", item, ir.Const(x.lowering.players))
        case checked.CallBuiltin(function=name, arguments=(place,)) if (
            name in facts.CLASS_OF
            and place.type
            in (
                types.SPACE,
                types.SEGMENT,
            )
        ):
            return _stands_on(x, node, item, facts.CLASS_OF[name], place)
    known = sets.constant(x, node.set)
    if known is not None and len(known) <= _FEW:
        item = x.named("item", emit.as_number(item, wanted), node.span)
        found: ir.Expr = emit.FALSE
        for number in known:
            found = emit.either(found, ir.Compare("==", item, ir.Const(number)))
        return found
    return _among(x, node, item, wanted)


def _among(x: Operands, node: checked.Member, item: ir.Expr, wanted: types.Type) -> ir.Expr:
    """Return the condition that an item is in a set on the heap."""
    with x.clean():
        among = sets.current(x, node.set, node.set.type)
        has = runtime.call(heap.has, among, emit.as_number(item, wanted))
        return x.builder.let("among", has, node.span, "bool")


def _stands_on(
    x: Operands, node: checked.Member, item: ir.Expr, cls: str, place: checked.Expr
) -> ir.Expr:
    """Return the condition that a piece is of a class and stands on a space or segment."""
    item = x.named("item", item, node.span)
    first: ir.Expr = runtime.load(tables.ZONES, emit.ZERO)
    if place.type == types.SEGMENT:
        first = ir.Binary("+", first, runtime.load(tables.SPACES, emit.ZERO))
    there: ir.Expr = ir.Binary("+", first, x.required(place))
    there = ir.Compare("==", runtime.load(tables.place, item), there)
    if node.item.type != types.NamedType(cls):
        number = ir.Const(x.lowering.classes[cls])
        there = emit.both(there, ir.Compare("==", runtime.load(tables.piece_class, item), number))
    if isinstance(node.item.type, types.OptionalType):
        return emit.both(ir.Compare(">=", item, emit.ZERO), there)
    return there


def _between(x: Operands, node: checked.Member, bounds: checked.RangeSet) -> ir.Expr:
    item = x.named("item", x.required(node.item), node.span)
    low, high = x.required(bounds.low), x.required(bounds.high)
    return emit.both(ir.Compare(">=", item, low), ir.Compare("<=", item, high))


def _in_zone(x: Operands, node: checked.Member) -> ir.Expr:
    """Return the condition that a piece is in a zone.

    Fault HIDDEN if that may not be known.
    """
    item = x.named("item", x.value(node.item), node.span)
    zone = x.named("zone", x.required(node.set), node.set.span)
    x.builder.trap_if(runtime.call(knowledge.hides, zone), faults.HIDDEN, node.set.span)
    there = ir.Compare("==", runtime.load(tables.place, item), zone)
    if isinstance(node.item.type, types.OptionalType):
        return emit.both(ir.Compare(">=", item, emit.ZERO), there)
    return there


# --- kinds ---------------------------------------------------------------------------------------


def is_kind(x: Operands, node: checked.IsKind) -> ir.Expr:
    """Return the result of `object is name`; `none` is of no kind."""
    type_ = node.object.type
    if node.test == "none":
        if type_ == types.NONE:
            return emit.TRUE
        return _is_none(x, node, type_)
    if type_ == types.NONE:
        return emit.FALSE
    if not isinstance(type_, types.OptionalType):
        return _tested(x, node, x.value(node.object), type_)
    thing = x.named("thing", x.value(node.object), node.span)
    there = ir.Compare(">=", thing, emit.ZERO)
    with x.builder.block() as emitted:
        test = _tested(x, node, thing, type_.item)
    assert not emitted, "a test of a kind is one expression"
    return emit.both(there, test)


def _is_none(x: Operands, node: checked.IsKind, type_: types.Type) -> ir.Expr:
    if not isinstance(type_, types.OptionalType):
        return emit.FALSE
    if not isinstance(type_.item, types.SetType):
        return ir.Compare("==", x.value(node.object), ir.Const(none_of(type_)))
    with x.clean():
        nothing = ir.Compare("==", x.value(node.object), emit.MINUS)
        return x.builder.let("nothing", nothing, node.span, "bool")


def _tested(x: Operands, node: checked.IsKind, thing: ir.Expr, type_: types.Type) -> ir.Expr:
    """Return the result of the test for a thing that is not `none`."""
    if node.test == "feature":
        kind = x.lowering.kinds_of_features[node.name]
        fresh = type_ == types.SEGMENT or x.freshness.is_fresh(node.object)
        return ir.Compare("==", sets.kind(x, thing, fresh, type_), ir.Const(kind))
    kinds = x.lowering.game.kinds
    if node.test == "class":
        if type_ != types.KIND:
            cls = x.lowering.classes[node.name]
            return ir.Compare("==", runtime.load(tables.piece_class, thing), ir.Const(cls))
        wanted = [number for number, kind in enumerate(kinds) if kind.cls == node.name]
    else:
        wanted = [number for number, kind in enumerate(kinds) if kind.key == node.name]
    of = thing if type_ == types.KIND else runtime.load(tables.piece_kind, thing)
    return _one_of(x, of, wanted, f"{node.test} {node.name}")


def _one_of(x: Operands, number: ir.Expr, wanted: list[int], name: str) -> ir.Expr:
    if not wanted:
        return emit.FALSE
    if len(wanted) == 1:
        return ir.Compare("==", number, ir.Const(wanted[0]))
    if isinstance(number, ir.Local) and wanted == list(range(wanted[0], wanted[-1] + 1)):
        low, high = ir.Const(wanted[0]), ir.Const(wanted[-1])
        return emit.both(ir.Compare(">=", number, low), ir.Compare("<=", number, high))
    flags = tuple(int(i in wanted) for i in range(len(x.lowering.game.kinds)))
    table = x.lowering.const_table(x.lowering.name("kinds", name), flags)
    return ir.Compare("!=", ir.Load(table, number), emit.ZERO)
