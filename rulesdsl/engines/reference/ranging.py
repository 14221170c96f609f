"""Iteration over binders, and the expressions and loops that use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.reference.board import feature_of
from rulesdsl.engines.reference.context import Context, Scope, bounded, number, set_members
from rulesdsl.engines.reference.evaluate import pieces_in
from rulesdsl.engines.reference.fault import Fault
from rulesdsl.engines.reference.ordered import as_set
from rulesdsl.model.checked import (
    Aggregate,
    Binder,
    CallBuiltin,
    CallValue,
    Comprehension,
    EntryAt,
    Expr,
    For,
    Reach,
)
from rulesdsl.model.types import ZONE
from rulesdsl.model.values import Feature, Piece, Player, Value, Zone

Items = tuple[tuple[Value, ...], ...]
"""The values of the names of a binder, for each round."""


def members(context: Context, value: Value, span: Span) -> tuple[Value, ...]:
    """Return the members of a set, or the pieces of a zone, in canonical order."""
    if isinstance(value, Zone):
        try:
            return as_set(pieces_in(context.world, value))
        except Fault as fault:
            raise PlayError(fault.message, span) from fault
    found = set_members(value, span)
    if found and isinstance(found[0], Feature):
        return as_set(current(context, item, span) for item in found)
    return found


def current(context: Context, value: Value, span: Span) -> Value:
    """Return a value for comparison: features are replaced by the current ones."""
    match value:
        case Feature():
            try:
                return feature_of(context.world, value.segment)
            except Fault as fault:
                raise PlayError(fault.message, span) from fault
        case tuple():
            return as_set(current(context, item, span) for item in value)
        case _:
            return value


def items(context: Context, binder: Binder, scope: Scope) -> Iterator[tuple[Value, ...]]:
    """Return the unfiltered items of a binder: single values, or unordered pairs."""
    domain = members(context, context.quiet(binder.domain, scope), binder.domain.span)
    return combinations(domain, len(binder.names))


def each(
    context: Context,
    binders: tuple[Binder, ...],
    scope: Scope,
    found: Callable[[], bool],
) -> bool:
    """Call `found` for every binding of nested binders, in canonical order, until it returns True.

    The names are bound in the scope. Returns whether a call returned True.
    """
    if not binders:
        return found()
    binder, inner = binders[0], binders[1:]
    stopped = False
    for item in items(context, binder, scope):
        context.spend(binder.span)
        scope.locals.update(zip(binder.names, item, strict=True))
        if context.holds(binder.where, scope):
            stopped = each(context, inner, scope, found)
            if stopped:
                break
    for name in binder.names:
        scope.locals.pop(name, None)
    return stopped


def first(context: Context, binder: Binder) -> tuple[Value, ...] | None:
    """Return the first binding of a binder without locals around it, in canonical order.

    It is None if there is none.
    """
    scope, found = Scope(), list[tuple[Value, ...]]()

    def keep() -> bool:
        found.append(tuple(scope.locals[name] for name in binder.names))
        return True

    each(context, (binder,), scope, keep)
    return found[0] if found else None


def rounds(context: Context, loop: For, scope: Scope) -> Items:
    """Return the items of a loop, computed before its first round.

    With `start`, they are in turn order from that player, and those without an owner come last.
    """
    kept: list[tuple[Value, ...]] = []

    def keep() -> bool:
        kept.append(tuple(scope.locals[name] for name in loop.binder.names))
        return False

    each(context, (loop.binder,), scope, keep)
    if loop.start is None:
        return tuple(kept)
    start = context.quiet(loop.start, scope)
    if not isinstance(start, Player):
        raise PlayError("there is no player to begin with", loop.start.span)
    players = context.world.box.players

    def turn(item: tuple[Value, ...]) -> int:
        seat = _seat(context, item[0], loop.span)
        return players if seat is None else (seat - start.seat) % players

    return tuple(sorted(kept, key=turn))


def _seat(context: Context, value: Value, span: Span) -> int | None:
    """Return the seat of a player, or of the owner of a piece."""
    match value:
        case Player(seat):
            return seat
        case Piece(index):
            return context.checked.game.pieces[index].seat
        case _:
            raise PlayError("only players and components with an owner can be gone round", span)


def comprehension(context: Context, node: Comprehension, scope: Scope) -> Value:
    """Return the set of the values of a comprehension."""
    found: list[Value] = []

    def keep() -> bool:
        found.append(context.quiet(node.value, scope))
        return False

    each(context, node.binders, scope, keep)
    return as_set(found)


def reach(context: Context, node: Reach, scope: Scope) -> Value:
    """Return everything that is reached from the start by repeating the step."""
    todo = list(members(context, context.quiet(node.start, scope), node.start.span))
    found = set(todo)
    while todo:
        context.spend(node.span)
        scope.locals[node.name] = todo.pop()
        step = members(context, context.quiet(node.step, scope), node.step.span)
        new = [item for item in step if item not in found]
        todo.extend(new)
        found.update(new)
    scope.locals.pop(node.name, None)
    return as_set(found)


# --- aggregates ----------------------------------------------------------------------------------


def aggregate(context: Context, node: Aggregate, scope: Scope) -> Value:
    """Return the value of an aggregate over the bindings of its binders."""
    match node.function:
        case "count":
            return _count(context, node, scope)
        case "sum":
            return _sum(context, node, scope)
        case "max" | "min":
            return _extreme(context, node, scope)
        case "any":
            return each(context, node.binders, scope, lambda: context.holds(node.value, scope))
        case "all":
            return not each(
                context, node.binders, scope, lambda: not context.holds(node.value, scope)
            )
        case "first":
            found = _found(context, node, scope, most=1)
            return found[0] if found else None
        case "the":
            found = _found(context, node, scope, most=2)
            if len(found) != 1:
                amount = "more than one" if found else "none"
                raise PlayError(f"`the` asks for exactly one, and there is {amount}", node.span)
            return found[0]
        case "most":
            return _most(context, node, scope)
        case _:
            raise AssertionError(f"no aggregate {node.function}")


def _term(context: Context, node: Aggregate, scope: Scope) -> Value:
    if node.value is None:
        return scope.locals[node.binders[0].names[0]]
    return context.evaluate(node.value, scope)


def _count(context: Context, node: Aggregate, scope: Scope) -> int:
    binder = node.binders[0]
    total = 0

    def found() -> bool:
        nonlocal total
        total += 1
        return False

    plain = len(node.binders) == 1 and len(binder.names) == 1 and binder.where is None
    if plain and binder.domain.type == ZONE:
        # The pieces of a zone may be counted even if they are hidden.
        total = _size(context, context.quiet(binder.domain, scope), binder.domain.span)
    else:
        each(context, node.binders, scope, found)
    context.read(_domain_name(context, binder.domain) or "count", total)
    return total


def _size(context: Context, zone: Value, span: Span) -> int:
    if not isinstance(zone, Zone):
        raise PlayError("none is no zone", span)
    try:
        return len(context.world.members(zone))
    except Fault as fault:
        raise PlayError(fault.message, span) from fault


def _sum(context: Context, node: Aggregate, scope: Scope) -> int:
    total, start = 0, context.mark()

    def found() -> bool:
        nonlocal total
        term = number(_term(context, node, scope), node.span)
        total = bounded(total + term, node.span)
        return False

    each(context, node.binders, scope, found)
    if context.mark() == start:
        context.read(_domain_name(context, node.binders[0].domain) or "sum", total)
    return total


def _extreme(context: Context, node: Aggregate, scope: Scope) -> Value:
    best: int | None = None
    start = context.mark()

    def found() -> bool:
        nonlocal best
        middle = context.mark()
        term = number(_term(context, node, scope), node.span)
        if best is None or (term > best if node.function == "max" else term < best):
            context.forget(start, middle)
            best = term
        else:
            context.forget(middle, context.mark())
        return False

    each(context, node.binders, scope, found)
    if best is not None:
        return best
    if node.default is None:
        raise PlayError(f"`{node.function}` of nothing", node.span)
    return context.evaluate(node.default, scope)


def _found(context: Context, node: Aggregate, scope: Scope, most: int) -> list[Value]:
    found: list[Value] = []

    def keep() -> bool:
        found.append(_term(context, node, scope))
        return len(found) == most

    each(context, node.binders, scope, keep)
    return found


def _most(context: Context, node: Aggregate, scope: Scope) -> Value:
    best: list[int] = []
    found: list[Value] = []

    def compare() -> bool:
        keys = [context.integer(key, scope) for key in node.keys]
        if not found or keys > best:
            best[:], found[:] = keys, []
        if keys == best:
            found.append(_term(context, node, scope))
        return False

    each(context, node.binders, scope, compare)
    return as_set(found)


def _domain_name(context: Context, domain: Expr) -> str:
    """Return the name of the function, zone or value that a domain calls, else an empty one."""
    match domain:
        case CallBuiltin():
            return domain.function
        case CallValue():
            return domain.value
        case EntryAt(what="zone"):
            return context.checked.game.zones[domain.number].key
        case Comprehension():
            return _domain_name(context, domain.binders[0].domain)
        case _:
            return ""
