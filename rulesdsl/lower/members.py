"""What binders range over: the members of a domain that their `where` asks for first."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, TypeGuard

from rulesdsl.lower import domains, presence
from rulesdsl.lower.domains import Domain
from rulesdsl.lower.emit import MINUS, ZERO
from rulesdsl.lower.features import holds_features
from rulesdsl.lower.logic import both
from rulesdsl.model import ir
from rulesdsl.model.asked import Conditions, asked
from rulesdsl.model.checked import Binary, Binder, CallBuiltin, Expr, IsKind, Local, Not
from rulesdsl.model.types import CELL, SetType, Type

if TYPE_CHECKING:
    from rulesdsl.lower.expressions import Expressions


def of_binder(x: Expressions, binder: Binder) -> Domain:
    """What a binder ranges over: members of the kinds that its `where` begins with asking for."""
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


def _narrowed(x: Expressions, over: Domain, binder: Binder, kinds: Conditions) -> Domain:
    """The members of a domain that are of the kinds asked for."""
    if not kinds:
        return over
    only = over.only
    if over.known is not None and _holds_pieces(binder.domain.type):
        of_kind = tuple(n for n in over.known if all(_is_of(x, n, kind) for kind in kinds))
        return replace(domains.listed(x, of_kind), only=only)
    fresh = holds_features(binder.domain.type)

    def holds(member: ir.Expr) -> ir.Expr:
        with x.bind(binder.names[0], member, fresh):
            tests = [x.condition(kind) for kind in kinds]
        first = [] if only is None else [only(member)]
        return reduce(both, [*first, *tests])

    return replace(over, only=holds)


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
