"""What binders range over: the members of a domain that their `where` asks for first."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, TypeGuard

from rulesdsl.lower.emit import MINUS, ZERO
from rulesdsl.lower.expressions import domains, presence
from rulesdsl.lower.expressions.domains import Domain
from rulesdsl.lower.expressions.features import holds_features
from rulesdsl.lower.logic import both
from rulesdsl.model import ir
from rulesdsl.model.asked import Conditions, asked, owner_asked
from rulesdsl.model.checked import Binary, Binder, CallBuiltin, Expr, IsKind, Local, Not
from rulesdsl.model.types import CELL, SetType, Type

if TYPE_CHECKING:
    from rulesdsl.lower.expressions.expressions import Expressions


def of_binder(x: Expressions, binder: Binder) -> Domain:
    """What a binder ranges over: members of such kinds and owners as its `where` begins with."""
    kinds, _ = asked(binder)
    match binder.domain, kinds:
        case (
            CallBuiltin(function="features", arguments=(cells,)),
            (IsKind(object=Local(), test="feature", name=kind), *more),
        ) if cells.type == SetType(CELL):
            number = ir.Const(x.lowering.kinds_of_features[kind])
            found = domains.stored(x.named("set", _of_kind(x, cells, number), binder.span))
            return _narrowed(x, replace(found, whole=None), binder, tuple(more))
        case (
            CallBuiltin(function="segments", arguments=(piece,)),
            (IsKind(object=Local(), test="feature", name=kind), *_),
        ) if presence.is_piece(piece.type):
            over = domains.segments(x, piece, x.lowering.kinds_of_features[kind])
            return _narrowed(x, over, binder, kinds)
    return _narrowed(x, domains.domain(x, binder.domain, len(binder.names)), binder, kinds)


def are_placements(binder: Binder) -> bool:
    """Does a binder range over where a piece can be laid?"""
    return _placing(binder.domain) and len(binder.names) == 1


def _placing(domain: Expr) -> TypeGuard[CallBuiltin]:
    return isinstance(domain, CallBuiltin) and domain.function == "placements"


def laid(x: Expressions, binder: Binder) -> tuple[ir.Expr, ir.Expr]:
    """The grid and the piece of a binder over placements, which can be named any number of
    times."""
    assert _placing(binder.domain)
    grid, piece = (x.named("of", x.required(each)) for each in binder.domain.arguments)
    return grid, piece


def of_placements(grid: ir.Expr, piece: ir.Expr) -> Domain:
    """The placements that a grid offers a piece, one after the other: only where it `is_quick` to
    find them."""

    def after(at: ir.Expr) -> ir.Expr:
        return ir.Call("placement_after", (grid, piece, at))

    return Domain(after(MINUS), ZERO, ZERO, domains.same, after=after)


def _narrowed(x: Expressions, over: Domain, binder: Binder, asks: Conditions) -> Domain:
    """The members of a domain that are of the kinds and owners asked for."""
    if asks and over.known is not None and _holds_pieces(binder.domain.type):
        over, asks = _chosen(x, over, over.known, binder.names[0], asks)
    if not asks:
        return over
    only = over.only
    fresh = holds_features(binder.domain.type)

    def holds(member: ir.Expr) -> ir.Expr:
        with x.bind(binder.names[0], member, fresh):
            tests = [x.condition(ask) for ask in asks]
        first = [] if only is None else [only(member)]
        return reduce(both, [*first, *tests])

    return replace(over, only=holds)


def _chosen(
    x: Expressions, over: Domain, pieces: tuple[int, ...], name: str, asks: Conditions
) -> tuple[Domain, Conditions]:
    """Those of some pieces that conditions ask for, and the conditions that are left to ask."""
    owner: Expr | None = None
    left = list(asks)
    while left:
        wanted = owner_asked(left[0], name)
        if wanted is None:
            pieces = tuple(each for each in pieces if _is_of(x, each, left[0]))
        elif owner is None:
            owner = wanted
        else:
            break
        del left[0]
    chosen = domains.listed(x, pieces) if owner is None else _owned(x, pieces, owner)
    return replace(chosen, only=over.only), tuple(left)


def _owned(x: Expressions, pieces: tuple[int, ...], owner: Expr) -> Domain:
    """Those of some pieces that belong to a player: every player has as many."""
    rows = [
        tuple(each for each in pieces if _seat(x, each) == seat)
        for seat in range(x.lowering.players)
    ]
    width = len(rows[0])
    assert all(len(row) == width for row in rows), "every player has the same of each kind"
    members = tuple(chain.from_iterable(rows))
    table = x.lowering.const_table(x.lowering.name("owned", str(pieces)), members)
    player = x.named("owner", x.required(owner), owner.span)
    before = ir.Binary("*", player, ir.Const(width))
    size = ir.Const(width)
    return Domain(
        ZERO, size, size, lambda index: ir.Load(table, domains.plus_folded(before, index))
    )


def _seat(x: Expressions, piece: int) -> int | None:
    return x.lowering.game.pieces[piece].seat


def _holds_pieces(type_: Type) -> bool:
    return isinstance(type_, SetType) and presence.is_piece(type_.item)


def _is_of(x: Expressions, piece: int, kind: Expr) -> bool:
    """Is a component of a kind, as a part of a binder asks?"""
    match kind:
        case IsKind(test="class", name=name):
            return presence.kind_of(x.lowering, piece).cls == name
        case IsKind(test="kind", name=name):
            return presence.kind_of(x.lowering, piece).key == name
        case Not(operand=operand):
            return not _is_of(x, piece, operand)
        case Binary(operator="and", left=left, right=right):
            return _is_of(x, piece, left) and _is_of(x, piece, right)
        case Binary(operator="or", left=left, right=right):
            return _is_of(x, piece, left) or _is_of(x, piece, right)
    return False  # none, a feature


def _of_kind(x: Expressions, cells: Expr, kind: ir.Expr) -> ir.Expr:
    """The features of a kind on some cells; `looked` counts all."""
    match cells:
        case CallBuiltin(function="ring", arguments=(piece,)) if presence.is_piece(piece.type):
            return ir.Call("features_around", (x.required(piece), kind))
    return ir.Call("features_of_kind", (x.required(cells), kind))
