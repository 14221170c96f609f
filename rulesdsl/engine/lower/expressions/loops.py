"""Binders as loops, and the constructs made of them: sets, aggregates, rounds of statements.

A loop costs a step for each of its bindings, all charged before the first one, whether or not it
runs to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial, reduce

from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.emit import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    as_number,
    as_value,
    binder_names,
    both,
    either,
    negation,
    plus_folded,
)
from rulesdsl.engine.lower.expressions import operators, sets
from rulesdsl.engine.lower.expressions.operands import Operands
from rulesdsl.engine.lower.tables.box import WHOLE
from rulesdsl.engine.lower.tables.encoding import NO_NUMBER, none_of
from rulesdsl.engine.runtime import faults, heap, placements, questions, tables
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked, ir
from rulesdsl.language.model.types import (
    BOOL,
    FEATURE,
    INT_MAX,
    PLAYER,
    SEGMENT,
    ZONE,
    OptionalType,
    SetType,
)

Found = Callable[[], None]


# --- loops ---------------------------------------------------------------------------------------


def nest(
    x: Operands,
    binders: tuple[checked.Binder, ...],
    found: Found,
    stop: str = "",
) -> None:
    """Emit the nested loops of binders; `found` emits the code for a binding.

    With `stop`, the name of a bool local, it may set that and emit `Break`: all loops are left.
    """
    if not binders:
        found()
        return
    binder, inner = binders[0], binders[1:]
    inside = partial(_inner, x, inner, found, stop)
    if stop and sets.one_by_one(x, binder):
        _one_by_one(x, binder, inside, stop)
        return
    with x.clean(sets.on_heap(x, binder.domain, len(binder.names))):
        loop(x, binder, sets.of_binder(x, binder), inside, stop)


def _one_by_one(x: Operands, binder: checked.Binder, found: Found, stop: str) -> None:
    """Emit a loop over placements that may end with the first.

    They are found one after the other instead of gathered before, if that is possible.
    """
    grid, piece = sets.laid(x, binder)
    with x.builder.block() as quick:
        loop(x, binder, sets.of_placements(grid, piece), found, stop)
    with x.builder.block() as slow, x.clean():
        gathered = x.named("set", runtime.call(placements.placements, grid, piece), binder.span)
        loop(x, binder, sets.stored(gathered), found, stop)
    is_quick = runtime.call(placements.is_quick, grid, piece)
    x.builder.emit(ir.If(is_quick, tuple(quick), tuple(slow), binder.span))


def _inner(x: Operands, binders: tuple[checked.Binder, ...], found: Found, stop: str) -> None:
    nest(x, binders, found, stop)
    if binders:
        _leave(x, stop)


def _leave(x: Operands, stop: str) -> None:
    if stop:
        x.builder.emit(ir.If(ir.Local(stop), (ir.Break(),)))


def loop(
    x: Operands, binder: checked.Binder, over: sets.Domain, found: Found, stop: str = ""
) -> None:
    """Emit the loop of one binder over its domain (see `sets.of_binder`).

    `found` emits the code for members for which its `where` holds.
    """
    spend(x, over, len(binder.names), binder.span)
    where = _asked(x, binder, over)
    fresh = sets.holds_features(binder.domain.type)

    def bound(members: tuple[ir.Expr, ...]) -> None:
        with ExitStack() as stack:
            for name, member in zip(binder.names, members, strict=True):
                stack.enter_context(x.bind(name, member, fresh))
                trace_name(x, binder, name, member)
            holds = x.condition(where)
            if holds == TRUE:
                found()
                return
            with x.builder.block() as body:
                found()
            x.builder.emit(ir.If(holds, tuple(body), (), binder.span))

    _loop(x, binder, over, over.low, (), bound, stop)


def trace_name(x: Operands, binder: checked.Binder, name: str, member: ir.Expr) -> None:
    """Emit that a name of a binder has a value, in a traced program."""
    (_, type_), *_ = binder_names(binder)
    x.lowering.trace(x.builder, "bind", binder, member, type_=type_, name=name)


def _asked(x: Operands, binder: checked.Binder, over: sets.Domain) -> checked.Expr | None:
    """Return the condition to test for each member: all of its `where` unless optimised."""
    if not x.lowering.optimised:
        return binder.where
    asks = sets.asked(binder) if over.asks is None else over.asks
    left = [each for each in asks if not _is_free(x, each)]
    return reduce(_and, left) if left else None


def is_open(x: Operands, binder: checked.Binder) -> bool:
    """Return whether a binder is known to take every member of its domain."""
    if not x.lowering.optimised:
        return binder.where is None
    return all(_is_free(x, each) for each in sets.asked(binder))


def _is_free(x: Operands, condition: checked.Expr) -> bool:
    """Return whether a condition always holds.

    It does for a value with policy `all` and no rules: what no rule forbids is allowed.
    """
    match condition:
        case checked.CallValue(value=value, arguments=arguments) if all(
            isinstance(each, checked.Local | checked.Const) for each in arguments
        ):
            definition = x.lowering.checked.values[value]
            return definition.policy == "all" and not definition.rules
    return False


def _and(left: checked.Expr, right: checked.Expr) -> checked.Expr:
    return checked.Binary(left.span, BOOL, "and", left, right)


def _loop(
    x: Operands,
    binder: checked.Binder,
    over: sets.Domain,
    low: ir.Expr,
    bound: tuple[ir.Expr, ...],
    found: Callable[[tuple[ir.Expr, ...]], None],
    stop: str,
) -> None:
    """Emit the loop of the next name, over the members after those that are bound already."""
    name = binder.names[len(bound)]
    with sets.going_from(x, over, low, name, binder.span) as (index, member):
        members = (*bound, member)
        if len(members) < len(binder.names):
            after = plus_folded(index, ONE)
            _loop(x, binder, over, after, members, found, stop)
            _leave(x, stop)
            return
        if over.after is not None and over.size == ZERO:
            x.builder.emit(ir.Spend(ONE, binder.span))
        found(members)


def bindings(over: sets.Domain, names: int) -> ir.Expr:
    """Return the number of bindings of one or two names."""
    if names == 1:
        return over.size
    assert names == 2, "binders have one or two names"
    one_less = plus_folded(over.size, ir.Const(-1))
    return ir.Binary("//", ir.Binary("*", over.size, one_less), ir.Const(2))


def spend(x: Operands, over: sets.Domain, names: int, span: Span) -> None:
    """Emit the charge for the steps of all bindings at once."""
    amount = bindings(over, names)
    if amount != ZERO:
        x.builder.emit(ir.Spend(amount, span))


# --- rounds of statements ------------------------------------------------------------------------


_IN_PLACE = (SetType(SEGMENT), SetType(FEATURE))
"""The sets whose elements a loop visits in the order of their cells."""


def rounds(x: Operands, node: checked.For) -> ir.Expr:
    """Return the rounds of a loop as a list of rows."""
    binder = node.binder
    over = sets.of_binder(x, binder)
    growing = sets.Growing(x, "rounds", node.span)

    def push() -> None:
        for name in binder.names:
            growing.push(x.bound(name))

    loop(x, binder, over, push)
    found = growing.finished()
    if len(binder.names) == 1 and binder.domain.type in _IN_PLACE:
        features = ONE if binder.domain.type == SetType(FEATURE) else ZERO
        return runtime.call(questions.in_place_order, found, features)
    if node.start is None:
        return found
    start = x.required(node.start, faults.NOBODY)
    by_player = binder.domain.type == SetType(PLAYER)
    seats_of = ZERO if by_player else ONE
    return runtime.call(heap.turn_by_seat, found, ir.Const(len(binder.names)), start, seats_of)


def visit(x: Operands, node: checked.For, body: Found) -> None:
    """Emit an IR loop over the rounds of a loop of the rules."""
    binder = node.binder
    placed = binder.domain.type in _IN_PLACE
    if len(binder.names) > 1 or binder.where is not None or node.start is not None or placed:
        _visit_rows(x, node, body)
        return
    over = sets.domain(x, binder.domain)
    if over.only is not None:
        # The set of members is determined before the first round.
        over = sets.stored(sets.filled(x, over, binder.domain))
    spend(x, over, 1, binder.span)
    name = binder.names[0]
    x.lowering.trace(x.builder, "loop", node)
    with sets.going_over(x, over, name, node.span) as member, x.bind(name, member):
        x.builder.emit(ir.Spend(ONE, node.span))
        trace_name(x, binder, name, member)
        body()
    x.lowering.trace(x.builder, "looped", node)


def _visit_rows(x: Operands, node: checked.For, body: Found) -> None:
    names = node.binder.names
    rows = sets.stored(x.named("rows", rounds(x, node), node.span))
    x.lowering.trace(x.builder, "loop", node)
    width = ir.Const(len(names))
    row = ir.Local(x.builder.fresh("row"))
    with x.builder.block() as inner, ExitStack() as stack:
        x.builder.emit(ir.Spend(ONE, node.span))
        before = row if len(names) == 1 else ir.Binary("*", row, width)
        first = plus_folded(rows.low, before)
        for place, name in enumerate(names):
            entry = rows.item(plus_folded(first, ir.Const(place)))
            member = x.builder.let(name, entry, node.span)
            stack.enter_context(x.bind(name, member))
            trace_name(x, node.binder, name, member)
        body()
    count = rows.size if len(names) == 1 else ir.Binary("//", rows.size, width)
    x.builder.emit(ir.For(row.name, ZERO, count, tuple(inner), node.span))
    x.lowering.trace(x.builder, "looped", node)


# --- sets ----------------------------------------------------------------------------------------


def comprehension(x: Operands, node: checked.Comprehension) -> ir.Expr:
    """Return the set of the values of a term."""
    assert not isinstance(node.value.type, SetType), "sets hold no sets"
    if len(node.binders) > 1:
        return _gathered(x, node, node.binders)
    binder = node.binders[0]
    over = sets.of_binder(x, binder)
    in_order = isinstance(node.value, checked.Local) and binder.names == (node.value.name,)
    if in_order and binder.where is None and over.whole is not None:
        return over.whole
    growing = sets.Growing(x, "found", node.span)
    loop(x, binder, over, lambda: growing.push(x.number(node.value)))
    found = growing.finished()
    return found if in_order else runtime.call(heap.put_sorted, found)


def _gathered(
    x: Operands, node: checked.Comprehension, binders: tuple[checked.Binder, ...]
) -> ir.Expr:
    """Return the set of the term's values for some binders; the outer ones are bound.

    A set can only grow as the topmost: if inner domains lie above it, their results are added
    round by round.
    """
    binder, inner = binders[0], binders[1:]
    over = sets.of_binder(x, binder)
    if not any(sets.on_heap(x, each.domain, len(each.names)) for each in inner):
        growing = sets.Growing(x, "found", node.span)
        push = partial(nest, x, inner, lambda: growing.push(x.number(node.value)))
        loop(x, binder, over, push)
        return runtime.call(heap.put_sorted, growing.finished())
    found = x.builder.let("found", runtime.call(heap.begin), node.span)

    def add() -> None:
        both = runtime.call(heap.union, found, _gathered(x, node, inner))
        x.builder.do(heap.keep, found, both, span=node.span)

    loop(x, binder, over, add)
    return found


def reach(x: Operands, node: checked.Reach) -> ir.Expr:
    """Return the closure of a start set under the step.

    `found` is everything found so far; `todo`, which lies above it, is what was found last.
    """
    emit, let = x.builder.emit, x.builder.let
    base = let("base", runtime.load(tables.heap_top, ZERO), node.span)
    start = sets.current(x, node.start, node.start.type)
    found = let("reached", runtime.call(heap.keep, base, start), node.span)
    todo = let("todo", runtime.call(heap.copy, found), node.span)
    with x.builder.block() as round_:
        over = sets.stored(todo)
        spend(x, over, 1, node.span)
        new = let("new", runtime.call(heap.begin), node.span)
        with (
            sets.going_over(x, over, node.name, node.span) as member,
            x.bind(node.name, member, sets.holds_features(node.type)),
        ):
            step = sets.current(x, node.step, node.step.type)
            x.builder.do(heap.keep, new, runtime.call(heap.union, new, step), span=node.span)
        all_ = let("both", runtime.call(heap.union, found, new), node.span)
        fresh = let("fresh", runtime.call(heap.difference, new, found), node.span)
        x.builder.do(heap.keep, found, all_, span=node.span)
        kept = runtime.call(heap.keep, runtime.load(tables.heap_top, ZERO), fresh)
        emit(ir.Assign(todo.name, kept, node.span))
    more = ir.Compare(">", runtime.load(tables.heap, todo), ZERO)
    emit(ir.While(more, tuple(round_), node.span))
    emit(runtime.store(tables.heap_top, ZERO, todo, node.span))
    return found


# --- aggregates -----------------------------------------------------------------------------------


def aggregate(x: Operands, node: checked.Aggregate) -> ir.Expr:
    """Return the value of an aggregate over the bindings of its binders."""
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
        case "most" if node.value is not None:
            found = _terms(x, node)
            return runtime.call(heap.repeated, found, runtime.call(heap.longest, found))
        case "most":
            return _most(x, node)
        case "top":
            return _top(x, node)
        case "alike":
            return _alike(x, node)
        case _:
            raise AssertionError(f"no aggregate {node.function}")


def _count(x: Operands, node: checked.Aggregate) -> ir.Expr:
    binder = node.binders[0]
    plain = len(node.binders) == 1 and binder.where is None
    if not plain or sets.on_places(x, binder.domain) is not None:
        total = x.builder.let("total", ZERO, node.span)
        one_more = ir.Assign(total.name, ir.Binary("+", total, ir.Const(1)), node.span)
        nest(x, node.binders, lambda: x.builder.emit(one_more))
        return total
    if len(binder.names) == 1 and binder.domain.type == ZONE:
        # The pieces of a zone may be counted where nobody may know which they are.
        return runtime.load(tables.amount, x.required(binder.domain))
    with x.clean(sets.on_heap(x, binder.domain, len(binder.names))):
        over = sets.domain(x, binder.domain, len(binder.names), blind=binder.blind)
        spend(x, over, len(binder.names), binder.span)
        return x.named("total", bindings(over, len(binder.names)), node.span)


def _sum(x: Operands, node: checked.Aggregate) -> ir.Expr:
    """Return the sum.

    Fault OVERFLOW as soon as a partial sum does not fit.
    """
    total = x.builder.let("total", ZERO, node.span)
    low, high = (0, 0) if node.value is None else x.range_of(node.value)
    most = (min(0, low * faults.STEPS), max(0, high * faults.STEPS))
    turning = low < 0 < high

    def add() -> None:
        x.builder.emit(ir.Assign(total.name, ir.Binary("+", total, _term(x, node)), node.span))
        if turning:
            operators.limited(x, total, most, WHOLE, faults.OVERFLOW, node.span)

    nest(x, node.binders, add)
    # A sum that only grows or only shrinks is checked at the end: it cannot come back.
    return (
        total if turning else operators.limited(x, total, most, WHOLE, faults.OVERFLOW, node.span)
    )


def _term(x: Operands, node: checked.Aggregate) -> ir.Expr:
    if node.value is None:
        return x.bound(node.binders[0].names[0])
    return x.required(node.value)


def _extreme(x: Operands, node: checked.Aggregate) -> ir.Expr:
    operator: ir.BinaryOp = "max" if node.function == "max" else "min"
    nothing = ir.Const(NO_NUMBER if operator == "max" else INT_MAX + 1)
    best = x.builder.let("best", nothing, node.span)

    def compare() -> None:
        value = ir.Binary(operator, best, _term(x, node))
        x.builder.emit(ir.Assign(best.name, value, node.span))

    nest(x, node.binders, compare)
    empty = ir.Compare("==", best, nothing)
    if node.default is None:
        x.builder.trap_if(empty, faults.NOTHING, node.span)
        return best
    default = node.default
    return x.choose(empty, lambda: x.fitted(default, node.type), lambda: best, node)


def _decided(x: Operands, node: checked.Aggregate) -> ir.Expr:
    """Return the value of `any` or `all`; the first deciding binding ends the loop."""
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


def _first(x: Operands, node: checked.Aggregate) -> ir.Expr:
    """Return the first binding, else `none`; the type says whether there certainly is one."""
    type_ = node.type
    nothing = none_of(type_) if isinstance(type_, OptionalType) else 0
    first = x.builder.let("first", ir.Const(nothing), node.span)
    found = x.boolean("found", False)

    def keep() -> None:
        x.builder.emit(ir.Assign(first.name, _bound(x, node), node.span))
        x.builder.emit(ir.Assign(found.name, ir.Truth(True), node.span))
        x.builder.emit(ir.Break(node.span))

    nest(x, node.binders, keep, found.name)
    return as_value(first, node.type)


def _the(x: Operands, node: checked.Aggregate) -> ir.Expr:
    """Return the only binding.

    Fault NOT_ONE if there is none or more than one.
    """
    only = x.builder.let("only", ZERO, node.span)
    found = x.boolean("found", False)

    def keep() -> None:
        x.builder.trap_if(found, faults.NOT_ONE, node.span)
        x.builder.emit(ir.Assign(found.name, ir.Truth(True), node.span))
        x.builder.emit(ir.Assign(only.name, _bound(x, node), node.span))

    nest(x, node.binders, keep)
    x.builder.trap_if(negation(found), faults.NOT_ONE, node.span)
    return as_value(only, node.type)


def _bound(x: Operands, node: checked.Aggregate) -> ir.Expr:
    if node.value is not None:
        return x.number(node.value)
    return x.bound(node.binders[0].names[0])


def _most(x: Operands, node: checked.Aggregate) -> ir.Expr:
    """Return the set of all members with the largest keys; the first key counts most."""
    binder = node.binders[0]
    over = sets.of_binder(x, binder)
    best = [x.builder.let("best", ir.Const(NO_NUMBER), node.span) for _ in node.keys]
    found = sets.Growing(x, "found", node.span)

    def compare() -> None:
        keys = [x.named("key", x.required(key), key.span) for key in node.keys]
        more: ir.Expr = FALSE
        same: ir.Expr = TRUE
        for key, so_far in reversed(list(zip(keys, best, strict=True))):
            same = both(ir.Compare("==", key, so_far), same)
            tied = FALSE if more == FALSE else both(ir.Compare("==", key, so_far), more)
            more = either(ir.Compare(">", key, so_far), tied)
        push = found.pushing(_bound(x, node))
        anew: ir.Block = (
            *(ir.Assign(b.name, key, node.span) for b, key in zip(best, keys, strict=True)),
            ir.Assign(found.end.name, plus_folded(found.items, ONE), node.span),
            push,
        )
        x.builder.emit(ir.If(more, anew, (ir.If(same, (push,), (), node.span),), node.span))

    loop(x, binder, over, compare)
    return found.finished()


def _top(x: Operands, node: checked.Aggregate) -> ir.Expr:
    """Return the set of so many members with the largest keys, in rows of keys and member."""
    assert node.amount is not None
    amount = x.named("amount", x.required(node.amount), node.span)
    binder = node.binders[0]
    over = sets.of_binder(x, binder)
    rows = sets.Growing(x, "rows", node.span)

    def push() -> None:
        keys = [x.named("key", x.required(key), key.span) for key in node.keys]
        for entry in (*keys, _bound(x, node)):
            rows.push(entry)

    loop(x, binder, over, push)
    width = ir.Const(len(node.keys) + 1)
    return runtime.call(heap.greatest, rows.finished(), width, amount)


def _terms(x: Operands, node: checked.Aggregate) -> ir.Local:
    """Return the sorted list of the values of the term, one for each binding."""
    value = node.value
    assert value is not None
    binder = node.binders[0]
    over = sets.of_binder(x, binder)
    growing = sets.Growing(x, "found", node.span)

    def push() -> None:
        growing.push(as_number(sets.current_feature(x, value, value.type), value.type))

    loop(x, binder, over, push)
    found = growing.finished()
    x.builder.do(heap.sort, found, span=node.span)
    return found


def _alike(x: Operands, node: checked.Aggregate) -> ir.Expr:
    with x.clean():
        return x.builder.let("alike", runtime.call(heap.longest, _terms(x, node)), node.span)


# --- conditions that refuse nothing ---------------------------------------------------------------


def may_refuse(x: Operands, binder: checked.Binder) -> ir.Expr | None:
    """Return the condition that the `where` of a binder can refuse any member at all.

    Return None if every member has to be examined. The condition is known for a value with
    policy `all` whose rules check all members of a domain: if the domain is empty, nothing is
    refused.
    """
    call = binder.where
    if not isinstance(call, checked.CallValue) or not all(
        isinstance(g, checked.Local) for g in call.arguments
    ):
        return None
    definition = x.lowering.checked.values[call.value]
    if definition.policy != "all":
        return None
    found = [_rule_refuses(x, rule, call, binder.names[0]) for rule in definition.rules]
    known = [each for each in found if each is not None]
    if not known or len(known) < len(found):
        return None
    while len(known) > 1:  # in pairs, to keep the tree shallow
        known = [reduce(partial(ir.Logic, "or"), known[n : n + 2]) for n in range(0, len(known), 2)]
    return known[0]


def _rule_refuses(
    x: Operands, rule: checked.Rule, call: checked.CallValue, member: str
) -> ir.Expr | None:
    """Return the condition that the domain of a rule's `all` has members, so that it can refuse.

    Return None if the domain may differ from member to member.
    """
    match rule.body:
        case (checked.Return(value=checked.Aggregate(function="all", binders=(inner, *_))),) if (
            rule.guard is None
        ):
            domain = inner.domain
        case _:
            return None
    inside = checked.walk(domain)
    if any(isinstance(node, checked.CallValue) for node in inside):
        return None  # it may fail where there is no member to ask about
    names = {node.name for node in inside if isinstance(node, checked.Local)}
    with ExitStack() as stack:
        for name, argument in zip(rule.params, call.arguments, strict=True):
            assert isinstance(argument, checked.Local)
            if argument.name == member:
                if name in names:
                    return None
            else:
                stack.enter_context(x.bind(name, x.value(argument)))
        nothing = sets.of_binder(x, inner).unless
    return None if nothing == FALSE else negation(nothing)
