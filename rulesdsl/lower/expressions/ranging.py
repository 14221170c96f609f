"""Binders as loops, and the sets that are made with them.

Every binding takes one step of fuel. Where a loop always goes to its end they are taken all at
once before it: together with whatever else happens it comes to the same.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial, reduce
from typing import TYPE_CHECKING

from rulesdsl.core import faults
from rulesdsl.diagnostics import Span
from rulesdsl.lower.emit import ONE, ZERO
from rulesdsl.lower.expressions import domains, members, sets
from rulesdsl.lower.expressions.domains import (
    Domain,
    going_from,
    going_over,
    identifier,
    plus_folded,
)
from rulesdsl.lower.expressions.features import holds_features
from rulesdsl.lower.expressions.states import plus
from rulesdsl.lower.logic import TRUE
from rulesdsl.lower.tables.encoding import is_set
from rulesdsl.model import ir
from rulesdsl.model.asked import Conditions, asked
from rulesdsl.model.checked import (
    Binary,
    Binder,
    CallValue,
    Comprehension,
    Const,
    Expr,
    For,
    Local,
    Reach,
    ReadState,
    walk,
)
from rulesdsl.model.types import BOOL, PLAYER, SetType

if TYPE_CHECKING:
    from rulesdsl.lower.expressions.expressions import Expressions

Found = Callable[[], None]


# --- loops ---------------------------------------------------------------------------------------


def nest(
    x: Expressions,
    binders: tuple[Binder, ...],
    found: Found,
    stop: str = "",
    once: CallValue | None = None,
) -> None:
    """The loops of binders inside each other; `found` emits what is done for a binding. With
    `stop`, the name of a bool local, it may set that and emit `Break`: all loops are left. `once`
    is worked out once for a binding of the only binder (see `Expressions.once`)."""
    if not binders:
        found()
        return
    binder, inner = binders[0], binders[1:]
    inside = partial(_inner, x, inner, found, stop)
    if stop and members.are_placements(binder):
        _one_by_one(x, binder, inside, stop)
        return
    with x.clean(domains.on_heap(x, binder.domain, len(binder.names))):
        over = members.of_binder(x, binder)
        with x.once(once):
            loop(x, binder, over, inside, stop)


def _one_by_one(x: Expressions, binder: Binder, found: Found, stop: str) -> None:
    """A loop over placements that may end with the first: they are not gathered before it, where
    they can be found one after the other."""
    grid, piece = members.laid(x, binder)
    with x.builder.block() as quick:
        loop(x, binder, members.of_placements(grid, piece), found, stop)
    with x.builder.block() as slow, x.clean():
        gathered = x.named("set", ir.Call("placements", (grid, piece)), binder.span)
        loop(x, binder, domains.stored(gathered), found, stop)
    is_quick = ir.Call("is_quick", (grid, piece))
    x.builder.emit(ir.If(is_quick, tuple(quick), tuple(slow), binder.span))


def _inner(x: Expressions, binders: tuple[Binder, ...], found: Found, stop: str) -> None:
    nest(x, binders, found, stop)
    if binders:
        _leave(x, stop)


def _leave(x: Expressions, stop: str) -> None:
    """Leave the loop around one that was left."""
    if stop:
        x.builder.emit(ir.If(ir.Local(stop), (ir.Break(),)))


def loop(x: Expressions, binder: Binder, over: Domain, found: Found, stop: str = "") -> None:
    """The loop of one binder over its domain (see `members.of_binder`): `found` is what is done
    where its `where` holds."""
    each = fuel(x, binder)
    if not stop and over.only is None:
        spend(x, over, len(binder.names), binder.span, each)
        each = 0
    _loop(x, binder, over, over.low, (), found, stop, each)


def condition(x: Expressions, binder: Binder) -> Expr | None:
    """What the `where` of a binder asks of the members of its domain; None if it always holds."""
    kinds, others = asked(binder)
    if not kinds:
        return None if _is_free(x, others) else binder.where
    return None if _is_free(x, others) else reduce(_and, others)


def fuel(x: Expressions, binder: Binder) -> int:
    """How many steps of fuel a binding takes: finding out that a condition always holds takes one
    as well."""
    _, others = asked(binder)
    return 2 if others and _is_free(x, others) else 1


def _is_free(x: Expressions, conditions: Conditions) -> bool:
    """Is there nothing to ask? What no rule forbids is allowed."""
    match conditions:
        case ():
            return True
        case (CallValue(value=value, arguments=arguments),) if all(
            isinstance(each, Local | Const) for each in arguments
        ):
            definition = x.lowering.checked.values[value]
            return definition.policy == "all" and not definition.rules
    return False


def _and(left: Expr, right: Expr) -> Expr:
    return Binary(left.span, BOOL, "and", left, right)


def _loop(
    x: Expressions,
    binder: Binder,
    over: Domain,
    low: ir.Expr,
    bound: tuple[ir.Expr, ...],
    found: Found,
    stop: str,
    each: int,
) -> None:
    """The loop of the next name, after those that are bound already: of later members only. It
    takes fuel for `each` binding."""
    name = binder.names[len(bound)]
    with going_from(x, over, low, name, binder.span) as (index, member):
        members = (*bound, member)
        if len(members) < len(binder.names):
            after = plus_folded(index, ONE)
            _loop(x, binder, over, after, members, found, stop, each)
            _leave(x, stop)
            return
        if each:
            x.builder.emit(ir.Spend(ir.Const(each), binder.span))
        _where(x, binder, members, found)


def _where(x: Expressions, binder: Binder, members: tuple[ir.Expr, ...], found: Found) -> None:
    fresh = holds_features(binder.domain.type)
    with ExitStack() as stack:
        for name, member in zip(binder.names, members, strict=True):
            stack.enter_context(x.bind(name, member, fresh))
        holds = x.condition(condition(x, binder))
        if holds == TRUE:
            found()
            return
        with x.builder.block() as body:
            found()
        x.builder.emit(ir.If(holds, tuple(body), (), binder.span))


def bindings(over: Domain, names: int) -> ir.Expr:
    """How many bindings of that many names (one or two) there are."""
    if names == 1:
        return over.size
    assert names == 2, "binders have one or two names"
    one_less = plus_folded(over.size, ir.Const(-1))
    return ir.Binary("//", ir.Binary("*", over.size, one_less), ir.Const(2))


def spend(x: Expressions, over: Domain, names: int, span: Span, each: int = 1) -> None:
    """Take the fuel of all bindings at once."""
    amount = bindings(over, names)
    if each > 1:
        amount = ir.Binary("*", amount, ir.Const(each))
    if amount != ZERO:
        x.builder.emit(ir.Spend(amount, span))


# --- what statements loop over -------------------------------------------------------------------


def rounds(x: Expressions, node: For) -> ir.Expr:
    """What a loop visits, as a list of rows."""
    binder = node.binder
    over = members.of_binder(x, binder)
    found = x.builder.let("rounds", ir.Call("begin"), node.span)

    def push() -> None:
        for name in binder.names:
            x.builder.do("push", found, x.bound(name), span=node.span)

    loop(x, binder, over, push)
    if node.start is None:
        return found
    start = x.required(node.start, faults.NOBODY)
    by_player = binder.domain.type == SetType(PLAYER)
    seats_of = ZERO if by_player else ONE
    return ir.Call("turn_by_seat", (found, ir.Const(len(binder.names)), start, seats_of))


def visit(x: Expressions, node: For, body: Found) -> None:
    """One IR loop over what a loop of the rules visits."""
    binder = node.binder
    if len(binder.names) > 1 or binder.where is not None or node.start is not None:
        _visit_rows(x, node, body)
        return
    over = domains.domain(x, binder.domain)
    if over.only is not None:
        # Who is there is found out before the first round.
        over = domains.stored(sets.filled(x, over, binder.domain))
    spend(x, over, 1, binder.span)
    with going_over(x, over, binder.names[0], node.span) as member:
        x.builder.emit(ir.Spend(ONE, node.span))
        with x.bind(binder.names[0], member):
            body()


def _visit_rows(x: Expressions, node: For, body: Found) -> None:
    names = node.binder.names
    rows = domains.stored(x.named("rows", rounds(x, node), node.span))
    width = ir.Const(len(names))
    row = ir.Local(x.builder.fresh("row"))
    with x.builder.block() as inner, ExitStack() as stack:
        x.builder.emit(ir.Spend(ONE, node.span))
        before = row if len(names) == 1 else ir.Binary("*", row, width)
        first = plus_folded(rows.low, before)
        for place, name in enumerate(names):
            entry = rows.item(plus_folded(first, ir.Const(place)))
            member = x.builder.let(identifier(name), entry, node.span)
            stack.enter_context(x.bind(name, member))
        body()
    count = rows.size if len(names) == 1 else ir.Binary("//", rows.size, width)
    x.builder.emit(ir.For(row.name, ZERO, count, tuple(inner), node.span))


# --- sets ----------------------------------------------------------------------------------------


def comprehension(x: Expressions, node: Comprehension) -> ir.Expr:
    """The set of the values of a term."""
    assert not isinstance(node.value.type, SetType), "sets hold no sets"
    if len(node.binders) > 1:
        return _gathered(x, node, node.binders)
    binder = node.binders[0]
    over = members.of_binder(x, binder)
    in_order = isinstance(node.value, Local) and binder.names == (node.value.name,)
    if in_order and binder.where is None and over.whole is not None:
        spend(x, over, 1, binder.span)
        return over.whole
    if in_order and over.whole is not None and _is_new(binder.domain):
        return _sifted(x, binder, over, over.whole, node.span)
    found = _begun(x, node)
    loop(x, binder, over, lambda: _push(x, node, found))
    return found if in_order else ir.Call("put_sorted", (found,))


def _is_new(domain: Expr) -> bool:
    """Is a set made for this expression alone, so that nothing else sees what becomes of it?"""
    return not any(
        isinstance(node, Local | ReadState) and is_set(node.type) for node in walk(domain)
    )


def _sifted(x: Expressions, binder: Binder, over: Domain, whole: ir.Expr, span: Span) -> ir.Expr:
    """The members of a new set that a binder lets through: they move up in it."""
    end = x.builder.let("end", over.low, span)

    def move_up() -> None:
        x.builder.emit(ir.Store("heap", end, x.bound(binder.names[0]), span))
        x.builder.emit(ir.Assign(end.name, plus(end, ONE), span))

    loop(x, binder, over, move_up)
    x.builder.emit(ir.Store("heap", whole, ir.Binary("-", end, over.low), span))
    x.builder.do("release", end, span=span)
    return whole


def _begun(x: Expressions, node: Comprehension) -> ir.Expr:
    return x.builder.let("found", ir.Call("begin"), node.span)


def _push(x: Expressions, node: Comprehension, found: ir.Expr) -> None:
    x.builder.do("push", found, x.number(node.value), span=node.span)


def _gathered(x: Expressions, node: Comprehension, binders: tuple[Binder, ...]) -> ir.Expr:
    """The set of what the term is for some binders, the outer ones being bound. A set can only grow
    as the topmost: where inner domains lie above it, what they give is added round by round."""
    binder, inner = binders[0], binders[1:]
    over = members.of_binder(x, binder)
    found = _begun(x, node)
    if not any(domains.on_heap(x, each.domain, len(each.names)) for each in inner):
        loop(x, binder, over, lambda: nest(x, inner, lambda: _push(x, node, found)))
        return ir.Call("put_sorted", (found,))

    def add() -> None:
        both = ir.Call("union", (found, _gathered(x, node, inner)))
        x.builder.do("keep", found, both, span=node.span)

    loop(x, binder, over, add)
    return found


def reach(x: Expressions, node: Reach) -> ir.Expr:
    """Everything found from the start by the step, again and again: `found` is all so far, `todo`
    what was found last, which lies above it."""
    emit, let = x.builder.emit, x.builder.let
    base = let("base", ir.Load("heap_top", ZERO), node.span)
    start = sets.current(x, node.start, node.start.type)
    found = let("reached", ir.Call("keep", (base, start)), node.span)
    todo = let("todo", ir.Call("copy", (found,)), node.span)
    with x.builder.block() as round_:
        over = domains.stored(todo)
        spend(x, over, 1, node.span)
        new = let("new", ir.Call("begin"), node.span)
        with (
            going_over(x, over, node.name, node.span) as member,
            x.bind(node.name, member, holds_features(node.type)),
        ):
            step = sets.current(x, node.step, node.step.type)
            x.builder.do("keep", new, ir.Call("union", (new, step)), span=node.span)
        all_ = let("both", ir.Call("union", (found, new)), node.span)
        fresh = let("fresh", ir.Call("difference", (new, found)), node.span)
        x.builder.do("keep", found, all_, span=node.span)
        kept = ir.Call("keep", (ir.Load("heap_top", ZERO), fresh))
        emit(ir.Assign(todo.name, kept, node.span))
    more = ir.Compare(">", ir.Load("heap", todo), ZERO)
    emit(ir.While(more, tuple(round_), node.span))
    emit(ir.Store("heap_top", ZERO, todo, node.span))
    return found
