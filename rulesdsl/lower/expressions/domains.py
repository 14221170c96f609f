"""What loops go over: numbers in a row, entries of a table, or the members of a set on the heap."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rulesdsl.core import faults
from rulesdsl.diagnostics import Span
from rulesdsl.lower.emit import ONE, ZERO
from rulesdsl.lower.expressions import presence, sets
from rulesdsl.lower.expressions.presence import CLASS_OF
from rulesdsl.lower.expressions.states import plus
from rulesdsl.lower.logic import FALSE, both, negation
from rulesdsl.lower.tables.shapes import WORD
from rulesdsl.model import ir
from rulesdsl.model.checked import (
    CallBuiltin,
    EntryAt,
    EnumSet,
    Expr,
    Local,
    RangeSet,
    Typed,
)
from rulesdsl.model.types import SPACE, ZONE, OptionalType, SetType

if TYPE_CHECKING:
    from rulesdsl.lower.expressions.expressions import Expressions

MAX_RANGE = 100_000
"""The largest range that can be gone through."""


@dataclass(frozen=True)
class Domain:
    """Members by ascending index, from `low` up to `high` - 1. `item` gives the one of an index;
    with `only`, those are the members for which it holds. `low`, `high` and `size` (as many as
    there are indices) can be named any number of times."""

    low: ir.Expr
    high: ir.Expr
    size: ir.Expr
    item: Callable[[ir.Expr], ir.Expr]
    whole: ir.Expr | None = None
    """The set on the heap, if there is one."""
    only: Callable[[ir.Expr], ir.Expr] | None = None
    known: tuple[int, ...] | None = None
    """All members of all indices, if they are known."""
    unless: ir.Expr = FALSE
    """Where this holds there is no member, which need not be found out one by one."""
    after: Callable[[ir.Expr], ir.Expr] | None = None
    """Gives the index after an index, where that is not the next number; -1 after the last."""

    @property
    def counts(self) -> bool:
        """Is every index the member itself?"""
        return self.item is same


def same(index: ir.Expr) -> ir.Expr:
    """Every index is the member itself."""
    return index


def numbers(first: ir.Expr, size: ir.Expr) -> Domain:
    """That many numbers in a row."""
    return Domain(first, plus_folded(first, size), size, same)


def stored(members: ir.Expr) -> Domain:
    """The members of a set or list on the heap, which can be named any number of times."""
    low = plus_folded(members, ONE)
    size = ir.Load("heap", members)
    high = plus_folded(low, size)
    return Domain(low, high, size, lambda index: ir.Load("heap", index), members)


def listed(x: Expressions, items: tuple[int, ...]) -> Domain:
    """Numbers that are known."""
    size = ir.Const(len(items))
    if is_row(items):
        return replace(numbers(ir.Const(items[0] if items else 0), size), known=items)
    name = x.lowering.const_table(x.lowering.name("set", str(items)), items)
    return Domain(ZERO, size, size, lambda index: ir.Load(name, index), known=items)


def is_row(items: tuple[int, ...]) -> bool:
    """Does each number follow the one before?"""
    return not items or items == tuple(range(items[0], items[0] + len(items)))


def plus_folded(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """The sum, worked out where both are known."""
    if isinstance(a, ir.Const) and isinstance(b, ir.Const):
        return ir.Const(a.value + b.value)
    return plus(a, b)


def domain(x: Expressions, expression: Expr, names: int = 1) -> Domain:
    """The members of a set, or the pieces of a zone, as they are to be gone through by that many
    names at once: features as they are connected now. Faults as the language says."""
    direct = _direct(x, expression)
    if direct is not None and direct.only is not None and names > 1:
        direct = None
    if direct is not None:
        return direct
    if expression.type == ZONE:
        found: ir.Expr = ir.Call("zone_pieces", (x.required(expression),))
    else:
        found = sets.current(x, expression, expression.type)
    found = x.named("set", found, expression.span)
    if isinstance(expression.type, OptionalType):
        nothing = ir.Compare("<", found, ZERO)
        x.builder.trap_if(nothing, faults.NONE, expression.span)
    return stored(found)


def on_heap(x: Expressions, expression: Expr, names: int = 1) -> bool:
    """Does going over it by that many names at once make sets on the heap?"""
    match expression:
        case EnumSet() | RangeSet() | CallBuiltin(function="players", arguments=()):
            return False
        case CallBuiltin(function=name, arguments=()) if name in CLASS_OF:
            return False
        case CallBuiltin(function="segments", arguments=(piece,)) if presence.is_piece(piece.type):
            return False
        case Local(type=SetType()) if x.is_kept(expression):
            return sets.needs_refresh(x, expression)
    if names == 1 and on_places(x, expression) is not None:
        return False
    return sets.constant(x, expression) is None


def _direct(x: Expressions, expression: Expr) -> Domain | None:
    """The domain, if it takes no set on the heap."""
    match expression:
        case CallBuiltin(function="players", arguments=()):
            return numbers(ZERO, ir.Const(x.lowering.players))
        case EnumSet(enum=enum):
            return numbers(ZERO, ir.Const(x.lowering.encoding.enums[enum]))
        case RangeSet():
            return between(x, expression)
        case CallBuiltin(function=name, arguments=()) if name in CLASS_OF:
            return listed(x, presence.pieces_of(x.lowering, CLASS_OF[name]))
        case CallBuiltin(function="segments", arguments=(piece,)) if presence.is_piece(piece.type):
            return segments(x, piece)
    known = sets.constant(x, expression)
    if known is not None:
        return listed(x, known)
    return on_places(x, expression)


def on_places(x: Expressions, expression: Expr) -> Domain | None:
    """The pieces of a class on a grid, or on spaces in a row, that is known: those of all there are
    that are there."""
    return _on_grid(x, expression) or _on_track(x, expression)


def _on_grid(x: Expressions, expression: Expr) -> Domain | None:
    match expression:
        case CallBuiltin(function=name, arguments=(EntryAt(what="grid", index=None) as grid,)) if (
            name in CLASS_OF
        ):
            there = x.required(grid)
            assert isinstance(there, ir.Const), "a grid without an index is known"
            pieces = listed(x, presence.pieces_of(x.lowering, CLASS_OF[name]))
            under = "grid_under"
            return replace(
                pieces, only=lambda piece: ir.Compare("==", ir.Call(under, (piece,)), there)
            )
    return None


def _on_track(x: Expressions, expression: Expr) -> Domain | None:
    match expression:
        case CallBuiltin(function=name, arguments=(Typed(type=SetType(item)) as spaces,)) if (
            name in CLASS_OF and item == SPACE
        ):
            known = sets.constant(x, spaces)
            if not known or not is_row(known):
                return None
            first = x.lowering.encoding.zone_first[-1] + known[0]
            pieces = listed(x, presence.pieces_of(x.lowering, CLASS_OF[name]))
            return replace(pieces, only=lambda piece: _stands(piece, first, len(known)))
    return None


def _stands(piece: ir.Expr, first: int, size: int) -> ir.Expr:
    """Is a piece at one of some places in a row?"""
    place = ir.Load("place", piece)
    if size == 1:
        return ir.Compare("==", place, ir.Const(first))
    after = ir.Compare("<", place, ir.Const(first + size))
    return both(ir.Compare(">=", place, ir.Const(first)), after)


def between(x: Expressions, node: RangeSet) -> Domain:
    """The numbers from one to another; fault WIDE_RANGE."""
    low = x.named("low", x.required(node.low), node.low.span)
    last = x.named("last", x.required(node.high), node.high.span)
    first, end = x.range_of(node.low), x.range_of(node.high)
    if end[1] - first[0] >= MAX_RANGE:
        width = ir.Binary("-", last, low)
        wide = ir.Compare(">=", width, ir.Const(MAX_RANGE))
        x.builder.trap_if(wide, faults.WIDE_RANGE, node.span)
    if isinstance(low, ir.Const) and isinstance(last, ir.Const):
        return numbers(low, ir.Const(max(0, last.value - low.value + 1)))
    high = plus_folded(last, ONE)
    size = high if low == ZERO else ir.Binary("-", high, low)
    if first[1] > end[0] + 1:
        size = ir.Binary("max", size, ZERO)
    return Domain(low, high, size, same)


def segments(x: Expressions, piece: Expr, kind: int = WORD) -> Domain:
    """The segments of a piece, which have numbers in a row; those of a feature kind are asked for
    if one is given."""
    thing = x.named("piece", x.required(piece), piece.span)
    shape: ir.Expr = ir.Load("piece_shape", thing)
    if presence.has_faces(x.lowering, piece.type):
        up = ir.Binary("*", ir.Load("face", thing), ir.Const(4))
        shape = x.named("shape", ir.Binary("+", shape, up), piece.span)
    shown = x.named("shown", ir.Load("shape_parts", shape), piece.span)
    over = numbers(x.named("first", ir.Load("piece_segment", thing), piece.span), shown)
    if kind >= WORD:
        return over
    drawn = ir.Binary("&", ir.Load("shape_kinds", shape), ir.Const(1 << kind))
    return replace(over, unless=ir.Compare("==", drawn, ZERO))


@contextmanager
def going_over(x: Expressions, over: Domain, hint: str, span: Span) -> Iterator[ir.Expr]:
    """A loop; gives the member of a round, which can be named any number of times. It takes no
    fuel."""
    with going_from(x, over, over.low, hint, span) as (_, member):
        yield member


@contextmanager
def going_from(
    x: Expressions, over: Domain, low: ir.Expr, hint: str, span: Span
) -> Iterator[tuple[ir.Expr, ir.Expr]]:
    """A loop from some index on; gives the index and the member of a round."""
    hint = identifier(hint)
    index = ir.Local(x.builder.fresh(hint if over.counts else "at"))
    with x.builder.block() as body:
        member = index if over.counts else x.builder.let(hint, over.item(index), span)
        if over.only is None:
            yield index, member
        else:
            with x.builder.block() as inner:
                yield index, member
            x.builder.emit(ir.If(over.only(member), tuple(inner), (), span))
    with x.builder.block() as rounds:
        if over.after is None:
            x.builder.emit(ir.For(index.name, low, over.high, tuple(body), span))
        else:
            x.builder.emit(ir.Assign(index.name, low, span))
            again = ir.Assign(index.name, over.after(index), span)
            more = ir.Compare(">=", index, ZERO)
            x.builder.emit(ir.While(more, (*body, again), span))
    if over.unless != FALSE:
        rounds = [ir.If(negation(over.unless), tuple(rounds), (), span)]
    for statement in rounds:
        x.builder.emit(statement)


def identifier(name: str) -> str:
    """The name of a local of the rules as an identifier."""
    return re.sub(r"\W", "_", name)
