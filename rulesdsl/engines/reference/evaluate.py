"""The evaluation of expressions, which has no side effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from operator import ge, gt, le, lt
from typing import Any

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.reference import rules
from rulesdsl.engines.reference.board import BuiltinFault
from rulesdsl.engines.reference.builtins import (
    attribute,
    builtin_of,
    feature_kind,
    feature_of,
    in_place,
    pieces_in,
)
from rulesdsl.engines.reference.context import (
    Context,
    Scope,
    StateKey,
    Terms,
    bounded,
    misfit,
    number,
    set_members,
)
from rulesdsl.model import checked, types
from rulesdsl.model.flow import FLOWING, domain_name
from rulesdsl.model.game import IndexedDef
from rulesdsl.model.values import (
    EnumMember,
    Feature,
    Grid,
    Kind,
    Piece,
    Player,
    Segment,
    Space,
    Value,
    Zone,
    as_set,
    order_key,
)
from rulesdsl.runtime import faults

# --- binders -------------------------------------------------------------------------------------

Items = tuple[tuple[Value, ...], ...]
"""The values of the names of a binder, for each round."""


def members(
    context: Context, value: Value, span: Span, *, blind: bool = False
) -> tuple[Value, ...]:
    """Return the members of a set, or the pieces of a zone, in canonical order.

    With `blind`, the zone may be one that nobody sees.
    """
    if isinstance(value, Zone):
        if blind:
            return as_set(context.world.members(value))
        try:
            return pieces_in(context.world, value)
        except BuiltinFault as fault:
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
                return feature_of(context.world, value)
            except BuiltinFault as fault:
                raise PlayError(fault.message, span) from fault
        case tuple():
            return as_set(current(context, item, span) for item in value)
        case _:
            return value


def items(context: Context, binder: checked.Binder, scope: Scope) -> Iterator[tuple[Value, ...]]:
    """Return the unfiltered items of a binder: single values, or unordered pairs."""
    over = context.quiet(binder.domain, scope)
    domain = members(context, over, binder.domain.span, blind=binder.blind)
    return combinations(domain, len(binder.names))


def each(
    context: Context,
    binders: tuple[checked.Binder, ...],
    scope: Scope,
    found: Callable[[], bool],
) -> bool:
    """Call `found` for every binding of nested binders, in canonical order, until it returns True.

    The names are bound in the scope. Returns whether a call returned True.
    """
    if not binders:
        return found()
    binder, inner = binders[0], binders[1:]
    known, stopped = scope.locals, False
    only = binder.names[0] if len(binder.names) == 1 else None
    for item in items(context, binder, scope):
        context.spend(binder.span)
        if only is not None:
            known[only] = item[0]
        else:
            known.update(zip(binder.names, item, strict=True))
        if context.holds(binder.where, scope):
            stopped = each(context, inner, scope, found)
            if stopped:
                break
    for name in binder.names:
        known.pop(name, None)
    return stopped


def first(context: Context, binder: checked.Binder) -> tuple[Value, ...] | None:
    """Return the first binding of a binder without locals around it, in canonical order.

    It is None if there is none.
    """
    scope, found = Scope(), list[tuple[Value, ...]]()

    def keep() -> bool:
        found.append(tuple(scope.locals[name] for name in binder.names))
        return True

    each(context, (binder,), scope, keep)
    return found[0] if found else None


def rounds(context: Context, loop: checked.For, scope: Scope) -> Items:
    """Return the items of a loop, computed before its first round.

    Segments and features are in the order of their cells. With `start`, they are in turn order from
    that player, and those without an owner come last.
    """
    kept: list[tuple[Value, ...]] = []

    def keep() -> bool:
        kept.append(tuple(scope.locals[name] for name in loop.binder.names))
        return False

    each(context, (loop.binder,), scope, keep)
    if len(loop.binder.names) == 1 and kept and isinstance(kept[0][0], Segment | Feature):
        return tuple((each,) for each in in_place(context.world, [item[0] for item in kept]))
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
            raise PlayError(
                "only a loop over players or components with an owner can begin at a player", span
            )


def comprehension(context: Context, node: checked.Comprehension, scope: Scope) -> Value:
    """Return the set of the values of a comprehension."""
    found: list[Value] = []

    def keep() -> bool:
        found.append(context.quiet(node.value, scope))
        return False

    each(context, node.binders, scope, keep)
    return as_set(found)


def reach(context: Context, node: checked.Reach, scope: Scope) -> Value:
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


def aggregate(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
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
                raise PlayError(
                    f"`the` needs exactly one element, but there is {amount}", node.span
                )
            return found[0]
        case "most" if node.value is not None:
            return _commonest(context, node, scope)
        case "most":
            return _most(context, node, scope)
        case "top":
            return _top(context, node, scope)
        case "alike":
            total = max(_groups(context, node, scope).values(), default=0)
            domain = domain_name(context.checked.game, node.binders[0].domain)
            context.read(domain or "alike", total)
            return total
        case _:
            raise AssertionError(f"no aggregate {node.function}")


def _term(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    if node.value is None:
        return scope.locals[node.binders[0].names[0]]
    return context.evaluate(node.value, scope)


def _count(context: Context, node: checked.Aggregate, scope: Scope) -> int:
    binder = node.binders[0]
    total = 0

    def found() -> bool:
        nonlocal total
        total += 1
        return False

    plain = len(node.binders) == 1 and len(binder.names) == 1 and binder.where is None
    if plain and binder.domain.type == types.ZONE:
        # The pieces of a zone may be counted even if they are hidden.
        total = _size(context, context.quiet(binder.domain, scope), binder.domain.span)
    else:
        each(context, node.binders, scope, found)
    context.read(domain_name(context.checked.game, binder.domain) or "count", total)
    return total


def _size(context: Context, zone: Value, span: Span) -> int:
    if not isinstance(zone, Zone):
        raise PlayError("none is not a zone", span)
    try:
        return context.world.state["amount"][context.world.number(zone)]
    except BuiltinFault as fault:
        raise PlayError(fault.message, span) from fault


def _sum(context: Context, node: checked.Aggregate, scope: Scope) -> int:
    total, start = 0, context.mark()

    def found() -> bool:
        nonlocal total
        term = number(_term(context, node, scope), node.span)
        total = bounded(total + term, node.span)
        return False

    each(context, node.binders, scope, found)
    if context.mark() == start:
        context.read(domain_name(context.checked.game, node.binders[0].domain) or "sum", total)
    return total


def _extreme(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
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
        raise PlayError(f"`{node.function}` of an empty set", node.span)
    return context.evaluate(node.default, scope)


def _found(context: Context, node: checked.Aggregate, scope: Scope, most: int) -> list[Value]:
    found: list[Value] = []

    def keep() -> bool:
        found.append(_term(context, node, scope))
        return len(found) == most

    each(context, node.binders, scope, keep)
    return found


def _most(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
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


def _top(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    """Return the elements with the largest keys; of equal ones, the first in canonical order."""
    assert node.amount is not None
    amount = context.integer(node.amount, scope)
    found: list[tuple[list[int], Value]] = []

    def keep() -> bool:
        keys = [-context.integer(key, scope) for key in node.keys]
        found.append((keys, _term(context, node, scope)))
        return False

    each(context, node.binders, scope, keep)
    found.sort(key=lambda row: row[0])
    return as_set(value for _, value in found[: max(0, amount)])


def _groups(context: Context, node: checked.Aggregate, scope: Scope) -> Counter[Value]:
    """Return how many elements have each value of a term."""
    assert node.value is not None
    term, found = node.value, Counter[Value]()

    def note() -> bool:
        found[current(context, context.quiet(term, scope), term.span)] += 1
        return False

    each(context, node.binders, scope, note)
    return found


def _commonest(context: Context, node: checked.Aggregate, scope: Scope) -> Value:
    found = _groups(context, node, scope)
    most = max(found.values(), default=0)
    return as_set(value for value, times in found.items() if times == most)


_ORDER: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


class Evaluator(Context):
    """A context that evaluates expressions."""

    def evaluate(self, expression: checked.Expr, scope: Scope) -> Value:
        return _EVALUATE[type(expression)](self, expression, scope)

    def _not(self, node: checked.Not, scope: Scope) -> bool:
        return self.evaluate(node.operand, scope) is False

    def _negate(self, node: checked.Negate, scope: Scope) -> int:
        return bounded(-self.integer(node.operand, scope), node.span)

    def _if_else(self, node: checked.IfElse, scope: Scope) -> Value:
        chosen = self.holds(node.condition, scope)
        return self.evaluate(node.then if chosen else node.otherwise, scope)

    def _enum_set(self, node: checked.EnumSet, scope: Scope) -> Value:
        members = self.world.box.enums[node.enum]
        return tuple(EnumMember(node.enum, i) for i in range(len(members)))

    def _set_literal(self, node: checked.SetLiteral, scope: Scope) -> Value:
        return as_set([self.quiet(item, scope) for item in node.items])

    # --- reading -----------------------------------------------------------------------------

    def _local(self, node: checked.Local, scope: Scope) -> Value:
        if self.trace is not None:
            self.trace.extend(scope.terms.get(node.name, ()))
        return scope.locals[node.name]

    def _state(self, node: checked.ReadState, scope: Scope) -> Value:
        key = self.state_key(node.state, node.owner, node.index, scope, node.span)
        value = self.stored(key)
        self.read(node.state, value)
        return value

    def state_key(
        self,
        state: str,
        owner: checked.Expr | None,
        index: tuple[checked.Expr, ...],
        scope: Scope,
        span: Span,
    ) -> StateKey:
        """Return the key of the datum for a state with its owner and index.

        Raises PlayError for an owner that is none, and for an owner or index that is a colour
        nobody plays.
        """
        holder: Value = None
        if owner is not None:
            holder = self.quiet(owner, scope)
            if holder is None:
                raise PlayError(f"none has no `{state}`", span)
        places = tuple([self.quiet(part, scope) for part in index])
        for player in (holder, *places):
            if isinstance(player, Player) and player.seat not in self.world.box.seats:
                absent = self.world.box.player_text(player.seat)
                raise PlayError(f"{absent} does not play in this game", span)
        return state, holder, places

    def stored(self, key: StateKey) -> Value:
        """Return the datum with this key."""
        return self.states[key] if key in self.states else self.initial[key[0]]

    def _attribute(self, node: checked.ReadAttribute | checked.AttributeAt, scope: Scope) -> Value:
        owner, key = self.quiet(node.object, scope), node.attribute
        if isinstance(node, checked.AttributeAt):
            member = self.quiet(node.index, scope)
            assert isinstance(member, EnumMember)
            key = f"{key}.{self.world.box.enums[member.enum][member.index]}"
        try:
            value = attribute(self.world, self.attributes[key], owner)
        except BuiltinFault as fault:
            raise PlayError(fault.message, node.span) from fault
        if isinstance(node.type, types.IntType):
            self.read(key.partition(".")[0], value)
        return value

    def _entry(self, node: checked.EntryAt, scope: Scope) -> Value:
        game = self.checked.game
        indices = [self.quiet(each, scope) for each in node.index]
        index = indices[0] if indices else None
        match node.what:
            case "table":
                table = game.tables[node.number]
                entry = number(index, node.span)
                if not table.low <= entry < table.low + len(table.values):
                    raise PlayError(f"`{table.name}` has no entry {entry}", node.span)
                value = table.values[entry - table.low]
                self.read(table.key, value)
                return value
            case "track":
                track = game.tracks[node.number]
                space = number(index, node.span)
                if not 0 <= space < track.length:
                    raise PlayError(f"`{track.name}` has no space {space}", node.span)
                return Space(node.number, space)
            case "zone":
                return Zone(node.number, self._instance(game.zones[node.number], indices, node))
            case "grid":
                return Grid(node.number, self._instance(game.grids[node.number], indices, node))
            case _:
                raise AssertionError(f"no entries of {node.what}")

    def _instance(self, place: IndexedDef, indices: Sequence[Value], node: checked.EntryAt) -> int:
        numbers = [0, 0]
        for at, index in enumerate(indices):
            match index:
                case Player():
                    numbers[at] = index.seat
                case EnumMember():
                    numbers[at] = index.index
                case _:
                    raise PlayError(f"none is not an index of `{place.name}`", node.span)
        return numbers[0] * place.inner + numbers[1]

    # --- calling -----------------------------------------------------------------------------

    def _value(self, node: checked.CallValue, scope: Scope) -> Value:
        arguments, terms = self.arguments(node.arguments, scope)
        kept = self.trace
        if not isinstance(node.type, types.IntType):
            self.trace = None
        value = rules.value_of(self, node.value, arguments, terms, node.span)
        self.trace = kept
        return value

    def arguments(
        self, expressions: tuple[checked.Expr, ...], scope: Scope
    ) -> tuple[tuple[Value, ...], tuple[Terms, ...]]:
        """Return the values of arguments, from left to right, and the readings of each.

        There are no readings if they are not wanted.
        """
        if not self.follows:
            return tuple([self.quiet(expression, scope) for expression in expressions]), ()
        pairs = [self.traced(expression, scope) for expression in expressions]
        return tuple([value for value, _ in pairs]), tuple([terms for _, terms in pairs])

    def _builtin(self, node: checked.CallBuiltin, scope: Scope) -> Value:
        flowing = node.function in FLOWING
        given: list[Value] = []
        for part in node.arguments:
            given.append(self.evaluate(part, scope) if flowing else self.quiet(part, scope))
        if None in given:
            raise PlayError(f"`{node.function}` of none", node.span)
        try:
            value = self._function(node)(self.world, *given)
        except BuiltinFault as fault:
            raise PlayError(fault.message, node.span) from fault
        if isinstance(node.type, types.IntType) and not flowing:
            self.read(node.function, value)
        return value

    def _function(self, node: checked.CallBuiltin) -> Callable[..., Value]:
        """Return the function for a call, looked up once."""
        calls = self.world.board.calls
        known = calls.get(id(node))
        if known is None or known[0] is not node:
            known = calls[id(node)] = node, builtin_of(self.world.board, node)
        return known[1]

    # --- operators ---------------------------------------------------------------------------

    def _binary(self, node: checked.Binary, scope: Scope) -> Value:
        match node.operator:
            case "or":
                return self.holds(node.left, scope) or self.holds(node.right, scope)
            case "and":
                return self.holds(node.left, scope) and self.holds(node.right, scope)
            case "union" | "difference":
                left = members(self, self.quiet(node.left, scope), node.left.span)
                right = members(self, self.quiet(node.right, scope), node.right.span)
                if node.operator == "union":
                    return as_set(left + right)
                others = frozenset(right)
                return tuple([item for item in left if item not in others])
        return self._arithmetic(node, scope)

    def _arithmetic(self, node: checked.Binary, scope: Scope) -> int:
        left, right = self.integer(node.left, scope), self.integer(node.right, scope)
        match node.operator:
            case "+":
                return bounded(left + right, node.span)
            case "-":
                return bounded(left - right, node.span)
            case "*":
                return bounded(left * right, node.span)
        if right == 0:
            raise PlayError("a division by zero", node.span)
        match node.operator:
            case "div":
                return bounded(left // right, node.span)
            case "mod":
                return left % right
            case _:
                raise AssertionError(f"no operator {node.operator}")

    def _ranged(self, node: checked.Ranged, scope: Scope) -> Value:
        value = self.evaluate(node.operand, scope)
        if value is None and not isinstance(node.type, types.OptionalType):
            raise PlayError(f"`{node.operand.span.text}` is none", node.span)
        found = misfit(node.type, value)
        if found is not None:
            wanted, part = found
            raise PlayError(f"{part} does not fit {wanted}", node.span)
        return value

    def _compare(self, node: checked.Compare, scope: Scope) -> bool:
        left, right = self.quiet(node.left, scope), self.quiet(node.right, scope)
        if node.operator in ("==", "!="):
            left = current(self, left, node.left.span)
            right = current(self, right, node.right.span)
            return (left == right) is (node.operator == "==")
        if left is None or right is None:
            raise PlayError("none cannot be compared by size", node.span)
        return _ORDER[node.operator](order_key(left), order_key(right))

    def _member(self, node: checked.Member, scope: Scope) -> bool:
        item = current(self, self.quiet(node.item, scope), node.item.span)
        if isinstance(node.set, checked.RangeSet):
            low, high = self._bounds(node.set, scope)
            return low <= number(item, node.item.span) <= high
        return item in members(self, self.quiet(node.set, scope), node.set.span)

    def _range(self, node: checked.RangeSet, scope: Scope) -> Value:
        low, high = self._bounds(node, scope)
        if high - low >= faults.NUMBERS:
            raise PlayError(f"a range of more than {faults.NUMBERS} numbers", node.span)
        return tuple(range(low, high + 1))

    def _bounds(self, node: checked.RangeSet, scope: Scope) -> tuple[int, int]:
        low, high = self.quiet(node.low, scope), self.quiet(node.high, scope)
        return number(low, node.low.span), number(high, node.high.span)

    def _subsets(self, node: checked.SubsetRange, scope: Scope) -> Value:
        whole = members(self, self.quiet(node.set, scope), node.set.span)
        low, high = 0, len(whole)
        if node.low is not None and node.high is not None:
            low = number(self.quiet(node.low, scope), node.low.span)
            high = number(self.quiet(node.high, scope), node.high.span)
        offering = self.offering if node.offered else None
        alike = offering(whole, scope, node.span) if offering is not None else -1
        numbers = self.world.numbers(whole)
        try:
            found = self.world.listed(self.world.call("subsets", numbers, low, high, alike))
        except faults.Fault as fault:
            raise PlayError(faults.MESSAGES[fault.code], node.span) from None
        values = dict(zip(numbers, whole, strict=True))
        return tuple(tuple(values[each] for each in self.world.listed(at)) for at in found)

    def _is_kind(self, node: checked.IsKind, scope: Scope) -> bool:
        thing = self.quiet(node.object, scope)
        match thing, node.test:
            case None, "none":
                return True
            case Piece(), "class":
                return self.world.box.cls(thing) == node.name
            case Piece(), "kind":
                return self.world.box.kind(thing).key == node.name
            case Kind(), "class":
                return self.checked.game.kinds[thing.index].cls == node.name
            case Kind(), "kind":
                return self.checked.game.kinds[thing.index].key == node.name
            case Segment(), "feature":
                return self._feature_kind(thing, node.span) == node.name
            case Feature(), "feature":
                now = current(self, thing, node.span)
                assert isinstance(now, Feature)
                return self._feature_kind(now.segment, node.span) == node.name
        return False

    def _feature_kind(self, segment: Segment, span: Span) -> str:
        try:
            return feature_kind(self.world, segment)
        except BuiltinFault as fault:
            raise PlayError(fault.message, span) from fault


_EVALUATE: dict[type[checked.Expr], Callable[[Evaluator, Any, Scope], Value]] = {
    checked.Local: Evaluator._local,
    checked.Const: lambda context, node, scope: node.value,
    checked.CallBuiltin: Evaluator._builtin,
    checked.ReadState: Evaluator._state,
    checked.ReadAttribute: Evaluator._attribute,
    checked.AttributeAt: Evaluator._attribute,
    checked.Compare: Evaluator._compare,
    checked.Binary: Evaluator._binary,
    checked.CallValue: Evaluator._value,
    checked.IsKind: Evaluator._is_kind,
    checked.Aggregate: aggregate,
    checked.Not: Evaluator._not,
    checked.IfElse: Evaluator._if_else,
    checked.Member: Evaluator._member,
    checked.EntryAt: Evaluator._entry,
    checked.Ranged: Evaluator._ranged,
    checked.Negate: Evaluator._negate,
    checked.RangeSet: Evaluator._range,
    checked.SubsetRange: Evaluator._subsets,
    checked.EnumSet: Evaluator._enum_set,
    checked.SetLiteral: Evaluator._set_literal,
    checked.Comprehension: comprehension,
    checked.Reach: reach,
    checked.Previous: rules.previous,
}
"""The function that evaluates each kind of expression."""
