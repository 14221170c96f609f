"""Sets that expressions make, and domains: the members that loops iterate over.

A set is on the heap, members ascending. A domain is consecutive numbers, entries of a table, or the
members of a set; a binder narrows it to the kinds and owners that its `where` tests first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import TypeGuard

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.emit import (
    FALSE,
    MINUS,
    ONE,
    ZERO,
    as_number,
    both,
    negation,
    plus_folded,
)
from rulesdsl.engine.lower.expressions import facts
from rulesdsl.engine.lower.expressions.operands import Operands
from rulesdsl.engine.lower.tables.box import WORD
from rulesdsl.engine.lower.tables.encoding import set_item, without_none
from rulesdsl.engine.runtime import faults, groups, heap, placements, questions, tables
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked, ir, types

# --- sets on the heap -----------------------------------------------------------------------------

_FEW = 4
"""The most members that are pushed one by one; more are pushed in a loop."""


class Growing:
    """A set or list that is being built on top of the heap; its end is in a local."""

    def __init__(self, x: Operands, hint: str, span: Span | None = None) -> None:
        self._builder = x.builder
        self._span = span
        self.items = x.builder.let(hint, runtime.call(heap.begin), span)
        self.end = x.builder.let("end", plus_folded(self.items, ONE), span)

    def pushing(self, item: ir.Expr) -> ir.Stmt:
        """Return the statement that appends an item."""
        return ir.Assign(self.end.name, runtime.call(heap.pushed, self.end, item), self._span)

    def push(self, item: ir.Expr) -> None:
        """Emit that an item is appended."""
        self._builder.emit(self.pushing(item))

    def finished(self) -> ir.Local:
        """Emit the end of the growth, and return the set or list."""
        self._builder.do(heap.finished, self.items, self.end, span=self._span)
        return self.items


def made(x: Operands, node: checked.RangeSet | checked.EnumSet | checked.SetLiteral) -> ir.Expr:
    """Return the set of a range, an enum or a literal."""
    if isinstance(node, checked.SetLiteral):
        assert isinstance(node.type, types.SetType)
        if constant(x, node) is not None:
            return known(x, node)
        return _inserted(x, node, node.type.item)
    return filled_directly(x, node)


def constant(x: Operands, expression: checked.Expr) -> tuple[int, ...] | None:
    """Return the members of a set, ascending, if they are known before the game begins."""
    encoding = x.lowering.encoding
    match expression:
        case checked.Const(type=types.SetType(item), value=tuple(values)):
            return tuple(sorted({encoding.encode(value, item) for value in values}))
        case checked.SetLiteral(type=types.SetType(item), items=items):
            if not all(isinstance(each, checked.Const) for each in items):
                return None
            constants = [each for each in items if isinstance(each, checked.Const)]
            return tuple(sorted({encoding.encode(each.value, item) for each in constants}))
    return None


def known(x: Operands, node: checked.Const | checked.SetLiteral) -> ir.Expr:
    """Return the set of members that are known before the game begins."""
    members = constant(x, node)
    assert members is not None
    if len(members) <= _FEW:
        return literal(x, [ir.Const(number) for number in members])
    return filled_directly(x, node)


def literal(x: Operands, members: Iterable[ir.Expr]) -> ir.Expr:
    """Return the set of a few numbers, given in ascending order."""
    found = Growing(x, "set")
    for member in members:
        found.push(member)
    return found.finished()


def filled_directly(x: Operands, node: checked.Expr) -> ir.Expr:
    """Return a set whose domain needs no set on the heap."""
    over = direct(x, node)
    assert over is not None, "it is known without a set"
    return filled(x, over, node)


def filled(x: Operands, over: Domain, node: checked.Expr) -> ir.Expr:
    """Return the set of all members of a domain."""
    found = Growing(x, "set", node.span)
    with going_over(x, over, "member", node.span) as member:
        found.push(member)
    return found.finished()


def _inserted(x: Operands, node: checked.SetLiteral, item: types.Type) -> ir.Expr:
    assert not isinstance(item, types.SetType), "sets hold no sets"
    found = x.builder.let("set", runtime.call(heap.begin), node.span)
    for each in node.items:
        number = as_number(x.fitted(each, item), item)
        x.builder.do(heap.insert, found, number, span=each.span)
    return found


def combined(x: Operands, node: checked.Binary) -> ir.Expr:
    """Return the `union` or `difference` of sets, with features as they are connected now."""
    left, right = (current(x, side, side.type) for side in (node.left, node.right))
    return ir.Call(node.operator, (left, right))


def needs_refresh(x: Operands, expression: checked.Expr) -> bool:
    """Return whether a value may hold features that are not current."""
    return holds_features(expression.type) and not x.freshness.is_fresh(expression)


def current(x: Operands, expression: checked.Expr, wanted: types.Type) -> ir.Expr:
    """Return a set for comparison, with features as they are connected now; fault NOT_LAID."""
    value = x.fitted(expression, wanted)
    if expression.type == types.NONE or not needs_refresh(x, expression):
        return value
    if not isinstance(expression.type, types.OptionalType):
        return runtime.call(questions.refresh, value)
    value = x.named("set", value, expression.span)
    return ir.Select(ir.Compare("==", value, MINUS), value, runtime.call(questions.refresh, value))


# --- domains --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Domain:
    """Members by ascending index, from `low` up to `high` - 1; `item` returns that of an index.

    With `only`, the members are those for which it holds. `low`, `high` and `size` (the number
    of indices) can be used any number of times.
    """

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
    """The condition that there is no member, so that they need not be examined one by one."""
    after: Callable[[ir.Expr], ir.Expr] | None = None
    """A function that returns the index after an index, if that is not the next number; -1
    after the last."""
    asks: tuple[checked.Expr, ...] | None = None
    """The conditions of a binder that are still to be tested for each member, if they are not
    all of its `where`."""

    @property
    def counts(self) -> bool:
        """True if every index is the member itself."""
        return self.item is same


def same(index: ir.Expr) -> ir.Expr:
    """Return the index, for domains in which it is the member itself."""
    return index


def numbers(first: ir.Expr, size: ir.Expr) -> Domain:
    """Return the domain of consecutive numbers."""
    return Domain(first, plus_folded(first, size), size, same)


def stored(members: ir.Expr) -> Domain:
    """Return the domain of a set or list on the heap, which can be used any number of times."""
    low = plus_folded(members, ONE)
    size = runtime.load(tables.heap, members)
    high = plus_folded(low, size)
    return Domain(low, high, size, lambda index: runtime.load(tables.heap, index), members)


def listed(x: Operands, items: tuple[int, ...]) -> Domain:
    """Return the domain of known numbers."""
    size = ir.Const(len(items))
    if is_row(items):
        return replace(numbers(ir.Const(items[0] if items else 0), size), known=items)
    name = x.lowering.const_table(x.lowering.name("set", str(items)), items)
    return Domain(ZERO, size, size, lambda index: ir.Load(name, index), known=items)


def is_row(items: tuple[int, ...]) -> bool:
    """Return whether numbers are consecutive."""
    return not items or items == tuple(range(items[0], items[0] + len(items)))


def domain(
    x: Operands,
    expression: checked.Expr,
    names: int = 1,
    *,
    blind: bool = False,
) -> Domain:
    """Return the domain of the members of a set, or of the pieces of a zone.

    It is for loops with that many names at once; with `blind` the zone may be one that nobody sees.
    Features are as they are connected now. Faults as the language says.
    """
    if isinstance(expression, checked.SubsetRange):
        return _subsets(x, expression)
    known = None if x.lowering.tracing else direct(x, expression)
    if known is not None and (known.only is None or names == 1):
        return known
    if expression.type == types.ZONE:
        inside = questions.all_pieces if blind else questions.zone_pieces
        found: ir.Expr = runtime.call(inside, x.required(expression))
    else:
        found = current(x, expression, expression.type)
    found = x.named("set", found, expression.span)
    if isinstance(expression.type, types.OptionalType):
        nothing = ir.Compare("<", found, ZERO)
        x.builder.trap_if(nothing, faults.NONE, expression.span)
    return stored(found)


def _subsets(x: Operands, node: checked.SubsetRange) -> Domain:
    """Return the domain of the subsets of a set; fault MANY_SUBSETS, and NOT_KNOWN for a move."""
    x.lowering.trace(x.builder, "begin", node)
    whole = filled_once(x, node.set)
    low: ir.Expr = ZERO if node.low is None else x.required(node.low)
    high: ir.Expr = runtime.load(tables.heap, whole) if node.high is None else x.required(node.high)
    alike: ir.Expr = MINUS
    if node.offered and x.offering is not None and facts.is_piece(member_type(node)):
        alike = x.named("alike", x.offering(whole), node.span)
        if x.lowering.tracing is not None:
            alike = x.lowering.tracing.alike(x.builder, node, alike)
    found = runtime.call(heap.subsets, whole, low, high, alike)
    subsets = x.named("subsets", found, node.span)
    x.lowering.trace(x.builder, "end", node, subsets, type_=node.type)
    return replace(stored(subsets), whole=None)


def member_type(node: checked.SubsetRange) -> types.Type:
    """Return the type of the members of subsets."""
    assert isinstance(node.type, types.SetType)
    assert isinstance(node.type.item, types.SetType)
    return node.type.item.item


def filled_once(x: Operands, expression: checked.Expr) -> ir.Expr:
    """Return a set or the pieces of a zone on the heap, as often as needed."""
    over = domain(x, expression)
    return over.whole if over.whole is not None else filled(x, over, expression)


def on_heap(x: Operands, expression: checked.Expr, names: int = 1) -> bool:
    """Return whether iterating over an expression by that many names at once allocates sets."""
    if x.lowering.tracing is not None:
        return True
    match expression:
        case (
            checked.EnumSet()
            | checked.RangeSet()
            | checked.CallBuiltin(function="players", arguments=())
        ):
            return False
        case checked.CallBuiltin(function=name, arguments=()) if name in facts.CLASS_OF:
            return False
        case checked.CallBuiltin(function="segments", arguments=(piece,)) if facts.is_piece(
            piece.type
        ):
            return False
        case checked.Local(type=types.SetType()) if x.is_kept(expression):
            return needs_refresh(x, expression)
    if names == 1 and on_places(x, expression) is not None:
        return False
    return constant(x, expression) is None


def direct(x: Operands, expression: checked.Expr) -> Domain | None:
    """Return the domain of an expression, if that takes no set on the heap."""
    match expression:
        case checked.CallBuiltin(function="players", arguments=()):
            return numbers(ZERO, ir.Const(x.lowering.players))
        case checked.EnumSet(enum=enum):
            return numbers(ZERO, ir.Const(x.lowering.encoding.enums[enum]))
        case checked.RangeSet():
            return between(x, expression)
        case checked.CallBuiltin(function=name, arguments=()) if name in facts.CLASS_OF:
            return listed(x, facts.pieces_of(x.lowering, facts.CLASS_OF[name]))
        case checked.CallBuiltin(function="segments", arguments=(piece,)) if facts.is_piece(
            piece.type
        ):
            return segments(x, piece)
    known = constant(x, expression)
    if known is not None:
        return listed(x, known)
    return on_places(x, expression)


def on_places(x: Operands, expression: checked.Expr) -> Domain | None:
    """Return the domain of the pieces of a class on a known grid, or on known consecutive spaces.

    It goes over all pieces of the class and keeps those that are there.
    """
    if not x.lowering.optimised:
        return None
    return _on_grid(x, expression) or _on_track(x, expression)


def _on_grid(x: Operands, expression: checked.Expr) -> Domain | None:
    match expression:
        case checked.CallBuiltin(
            function=name, arguments=(checked.EntryAt(what="grid", index=()) as grid,)
        ) if name in facts.CLASS_OF:
            there = x.required(grid)
            assert isinstance(there, ir.Const), "a grid without an index is known"
            pieces = listed(x, facts.pieces_of(x.lowering, facts.CLASS_OF[name]))
            under = "grid_under"
            return replace(
                pieces, only=lambda piece: ir.Compare("==", ir.Call(under, (piece,)), there)
            )
    return None


def _on_track(x: Operands, expression: checked.Expr) -> Domain | None:
    match expression:
        case checked.CallBuiltin(
            function=name, arguments=(checked.Typed(type=types.SetType(item)) as spaces,)
        ) if name in facts.CLASS_OF and item == types.SPACE:
            known = constant(x, spaces)
            if not known or not is_row(known):
                return None
            first = x.lowering.encoding.zone_first[-1] + known[0]
            pieces = listed(x, facts.pieces_of(x.lowering, facts.CLASS_OF[name]))
            return replace(pieces, only=lambda piece: _stands(piece, first, len(known)))
    return None


def _stands(piece: ir.Expr, first: int, size: int) -> ir.Expr:
    place = runtime.load(tables.place, piece)
    if size == 1:
        return ir.Compare("==", place, ir.Const(first))
    after = ir.Compare("<", place, ir.Const(first + size))
    return both(ir.Compare(">=", place, ir.Const(first)), after)


def between(x: Operands, node: checked.RangeSet) -> Domain:
    """Return the domain of the numbers from one to another; fault WIDE_RANGE."""
    low = x.named("low", x.required(node.low), node.low.span)
    last = x.named("last", x.required(node.high), node.high.span)
    first, end = x.range_of(node.low), x.range_of(node.high)
    if end[1] - first[0] >= faults.NUMBERS:
        width = ir.Binary("-", last, low)
        wide = ir.Compare(">=", width, ir.Const(faults.NUMBERS))
        x.builder.trap_if(wide, faults.WIDE_RANGE, node.span)
    if isinstance(low, ir.Const) and isinstance(last, ir.Const):
        return numbers(low, ir.Const(max(0, last.value - low.value + 1)))
    high = plus_folded(last, ONE)
    size = high if low == ZERO else ir.Binary("-", high, low)
    if first[1] > end[0] + 1:
        size = ir.Binary("max", size, ZERO)
    return Domain(low, high, size, same)


def segments(x: Operands, piece: checked.Expr, kind: int = WORD) -> Domain:
    """Return the domain of the segments of a piece, which are consecutive numbers.

    If a feature kind is given, they are narrowed to its segments.
    """
    thing = x.named("piece", x.required(piece), piece.span)
    shape: ir.Expr = runtime.load(tables.piece_shape, thing)
    if facts.has_faces(x.lowering, piece.type):
        up = ir.Binary("*", runtime.load(tables.face, thing), ir.Const(4))
        shape = x.named("shape", ir.Binary("+", shape, up), piece.span)
    shown = x.named("shown", runtime.load(tables.shape_parts, shape), piece.span)
    over = numbers(x.named("first", runtime.load(tables.piece_segment, thing), piece.span), shown)
    if kind >= WORD:
        return over
    drawn = ir.Binary("&", runtime.load(tables.shape_kinds, shape), ir.Const(1 << kind))
    return replace(over, unless=ir.Compare("==", drawn, ZERO))


@contextmanager
def going_over(x: Operands, over: Domain, hint: str, span: Span) -> Iterator[ir.Expr]:
    """Emit a loop and yield the member of a round, which can be used any number of times.

    The loop costs no steps.
    """
    with going_from(x, over, over.low, hint, span) as (_, member):
        yield member


@contextmanager
def going_from(
    x: Operands, over: Domain, low: ir.Expr, hint: str, span: Span
) -> Iterator[tuple[ir.Expr, ir.Expr]]:
    """Emit a loop from an index on, and yield the index and the member of a round."""
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


# --- members that a binder asks for ---------------------------------------------------------------


def asked(binder: checked.Binder) -> tuple[checked.Expr, ...]:
    """Return the conditions that the `where` of a binder tests, in order."""
    return () if binder.where is None else tuple(_joined(binder.where))


def _owner_asked(condition: checked.Expr, name: str) -> checked.Expr | None:
    """Return the player whom a condition requires as the owner of a name's value.

    Return None if the condition tests anything else. Evaluating the player never fails.
    """
    match condition:
        case checked.Compare(operator="==", left=left, right=right):
            if _owns(left, name) and _is_plain(right, name):
                return right
            if _owns(right, name) and _is_plain(left, name):
                return left
    return None


def _joined(where: checked.Expr) -> Iterator[checked.Expr]:
    if isinstance(where, checked.Binary) and where.operator == "and":
        yield from _joined(where.left)
        yield from _joined(where.right)
    else:
        yield where


def _asks_kind(condition: checked.Expr, name: str) -> bool:
    match condition:
        case checked.IsKind(object=checked.Local(name=asked)):
            return asked == name
        case checked.Not(operand=operand):
            return _asks_kind(operand, name)
        case checked.Binary(operator="and" | "or", left=left, right=right):
            return _asks_kind(left, name) and _asks_kind(right, name)
    return False


def _owns(expression: checked.Expr, name: str) -> bool:
    match expression:
        case checked.CallBuiltin(function="owner", arguments=(checked.Local(name=asked),)):
            return asked == name
    return False


def _is_plain(player: checked.Expr, name: str) -> bool:
    """Return whether an expression is a player, the same for every member, and cheap to read."""
    match player:
        case checked.Typed(type=type_) if type_ != types.PLAYER:
            return False
        case checked.Local(name=asked):
            return asked != name
        case checked.ReadState(owner=owner, index=index):
            return owner is None and not index
    return isinstance(player, checked.Const)


def of_binder(x: Operands, binder: checked.Binder) -> Domain:
    """Return the domain of a binder, narrowed to the kinds and owners that its `where` begins with.

    It is narrowed as far as these are known at once, in an optimised program.
    """
    if len(binder.names) > 1 or not x.lowering.optimised:
        return domain(x, binder.domain, len(binder.names), blind=binder.blind)
    name, asks = binder.names[0], asked(binder)
    match binder.domain, asks:
        case (
            checked.CallBuiltin(function="features", arguments=(cells,)),
            (checked.IsKind(object=checked.Local(name=thing), test="feature", name=kind), *more),
        ) if thing == name and cells.type == types.SetType(types.CELL):
            number = ir.Const(x.lowering.kinds_of_features[kind])
            found = stored(x.named("set", _of_kind(x, cells, number), binder.span))
            return replace(found, whole=None, asks=tuple(more))
        case (
            checked.CallBuiltin(function="segments", arguments=(piece,)),
            (checked.IsKind(object=checked.Local(name=thing), test="feature", name=kind), *_),
        ) if thing == name and facts.is_piece(piece.type):
            return segments(x, piece, x.lowering.kinds_of_features[kind])
    over = domain(x, binder.domain, blind=binder.blind)
    held = binder.domain.type
    holds_pieces = isinstance(held, types.SetType) and facts.is_piece(held.item)
    if asks and holds_pieces and over.known is not None:
        return _chosen(x, over, over.known, name, asks)
    return over


def one_by_one(x: Operands, binder: checked.Binder) -> bool:
    """Return whether a binder ranges over placements that need not be gathered."""
    return x.lowering.optimised and _placing(binder.domain) and len(binder.names) == 1


def _placing(domain: checked.Expr) -> TypeGuard[checked.CallBuiltin]:
    return isinstance(domain, checked.CallBuiltin) and domain.function == "placements"


def laid(x: Operands, binder: checked.Binder) -> tuple[ir.Expr, ir.Expr]:
    """Return the grid and the piece of a binder over placements.

    Both can be used any number of times.
    """
    assert _placing(binder.domain)
    grid, piece = (x.named("of", x.required(each)) for each in binder.domain.arguments)
    return grid, piece


def of_placements(grid: ir.Expr, piece: ir.Expr) -> Domain:
    """Return the domain of the placements that a grid offers a piece, one after the other.

    Requires `is_quick`.
    """

    def after(at: ir.Expr) -> ir.Expr:
        return runtime.call(placements.placement_after, grid, piece, at)

    return Domain(after(MINUS), ZERO, ZERO, same, after=after)


def _chosen(
    x: Operands, over: Domain, pieces: tuple[int, ...], name: str, asks: tuple[checked.Expr, ...]
) -> Domain:
    """Return the domain of those of some pieces that satisfy the first conditions."""
    owner: checked.Expr | None = None
    left, passed = list(asks), list[checked.Expr]()
    while left:
        wanted = _owner_asked(left[0], name)
        if _asks_kind(left[0], name):
            pieces = tuple(each for each in pieces if _is_of(x, each, left[0]))
        elif owner is None and wanted is not None:
            owner = wanted
        elif _never_fails(left[0], name):
            passed.append(left[0])
        else:
            break
        del left[0]
    chosen = listed(x, pieces) if owner is None else _owned(x, pieces, owner)
    return replace(chosen, only=over.only, asks=(*passed, *left))


def _never_fails(condition: checked.Expr, name: str) -> bool:
    """Return whether a condition can be left untested for pieces that a later one refuses.

    Members of a class take part in the game, so asking where they are never fails.
    """
    match condition:
        case checked.CallBuiltin(function="on_board", arguments=(checked.Local(name=asked),)):
            return asked == name
        case checked.Not(operand=operand):
            return _never_fails(operand, name)
    return False


def _owned(x: Operands, pieces: tuple[int, ...], owner: checked.Expr) -> Domain:
    """Return the domain of those of some pieces that belong to a player.

    Every player has the same number of them.
    """
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
    return Domain(ZERO, size, size, lambda index: ir.Load(table, plus_folded(before, index)))


def _seat(x: Operands, piece: int) -> int | None:
    return x.lowering.game.pieces[piece].seat


def _is_of(x: Operands, piece: int, kind: checked.Expr) -> bool:
    match kind:
        case checked.IsKind(test="class", name=name):
            return facts.kind_of(x.lowering, piece).cls == name
        case checked.IsKind(test="kind", name=name):
            return facts.kind_of(x.lowering, piece).key == name
        case checked.Not(operand=operand):
            return not _is_of(x, piece, operand)
        case checked.Binary(operator="and", left=left, right=right):
            return _is_of(x, piece, left) and _is_of(x, piece, right)
        case checked.Binary(operator="or", left=left, right=right):
            return _is_of(x, piece, left) or _is_of(x, piece, right)
    return False  # none, a feature


def _of_kind(x: Operands, cells: checked.Expr, kind: ir.Expr) -> ir.Expr:
    """Return the features of a kind on some cells."""
    match cells:
        case checked.CallBuiltin(function="ring", arguments=(piece,)) if facts.is_piece(piece.type):
            return runtime.call(questions.features_around, x.required(piece), kind)
    return runtime.call(questions.features_of_kind, x.required(cells), kind)


# --- features -------------------------------------------------------------------------------------

_SEGMENT_KIND = "segment_kind"


def current_feature(x: Operands, expression: checked.Expr, wanted: types.Type) -> ir.Expr:
    """Return a value of type `wanted` for comparison.

    Fault NOT_LAID for a feature that has left the grid. Bools are IR bools.
    """
    value = x.fitted(expression, wanted)
    held = expression.type
    if expression.type == types.NONE or x.freshness.is_fresh(expression):
        return value
    if held == types.FEATURE:
        return runtime.call(groups.first_of, value)
    if isinstance(held, types.OptionalType) and held.item == types.FEATURE:
        value = x.named("feature", value, expression.span)
        nothing = ir.Compare("==", value, MINUS)
        return ir.Select(nothing, value, runtime.call(groups.first_of, value))
    return value


def kind(x: Operands, segment: ir.Expr, fresh: bool, type_: types.Type) -> ir.Expr:
    """Return the number of the feature kind of a segment, or of a feature (`type_`).

    Fault if a segment is not shown or a feature, which is not `fresh`, has left the grid.
    """
    if not x.lowering.drawn_on_faces:
        table = _segment_kinds(x.lowering)
        if type_ != types.FEATURE or fresh:
            return ir.Load(table, segment)
        # Connected segments are of one kind. A segment on no grid has leader -1, which faults.
        return ir.Load(table, runtime.load(tables.leader, segment))
    if type_ == types.FEATURE and not fresh:
        segment = runtime.call(groups.first_of, segment)
    return runtime.call(groups.feature_kind, segment)


def _segment_kinds(lowering: Lowering) -> str:
    if _SEGMENT_KIND in lowering.tables:
        return _SEGMENT_KIND
    kinds = [
        lowering.kinds_of_features[segment.kind]
        for piece in lowering.game.pieces
        for outline in [lowering.game.kinds[piece.kind].outline]
        for segment in (outline.segments if outline else ())
    ]
    return lowering.const_table(_SEGMENT_KIND, tuple(kinds), "The feature kind of a segment.")


def holds_features(type_: types.Type) -> bool:
    """Return whether a type is a set of features."""
    item = set_item(type_)
    return item is not None and without_none(item) == types.FEATURE
