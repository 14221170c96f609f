"""The evaluation of expressions, which has no side effects."""

from __future__ import annotations

from collections.abc import Callable
from operator import ge, gt, le, lt
from typing import Any, assert_never

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.reference import board, ranging, rules
from rulesdsl.engines.reference.attributes import attribute
from rulesdsl.engines.reference.context import (
    Context,
    Scope,
    StateKey,
    Terms,
    bounded,
    misfit,
    number,
)
from rulesdsl.engines.reference.fault import Fault
from rulesdsl.engines.reference.functions import call
from rulesdsl.engines.reference.ordered import as_set, order_key
from rulesdsl.model.checked import (
    Aggregate,
    Binary,
    CallBuiltin,
    CallValue,
    Compare,
    Comprehension,
    Const,
    EntryAt,
    EnumSet,
    Expr,
    IfElse,
    IsKind,
    Local,
    Member,
    Negate,
    Not,
    Previous,
    Ranged,
    RangeSet,
    Reach,
    ReadAttribute,
    ReadState,
    SetLiteral,
)
from rulesdsl.model.types import IntType
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
)
from rulesdsl.runtime import limits

FLOWING = frozenset({"abs", "max", "min", "half_up", "div_up"})
"""The functions whose result has the readings of their arguments."""

_ORDER: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


class Evaluator(Context):
    """A context that evaluates expressions."""

    def evaluate(self, expression: Expr, scope: Scope) -> Value:
        match expression:
            case Local():
                return self._local(expression, scope)
            case Const():
                return expression.value
            case CallBuiltin():
                return self._builtin(expression, scope)
            case ReadState():
                return self._state(expression, scope)
            case ReadAttribute():
                return self._attribute(expression, scope)
            case Compare():
                return self._compare(expression, scope)
            case Binary():
                return self._binary(expression, scope)
            case CallValue():
                return self._value(expression, scope)
            case IsKind():
                return self._is_kind(expression, scope)
            case Aggregate():
                return ranging.aggregate(self, expression, scope)
            case Not():
                return self.evaluate(expression.operand, scope) is False
            case IfElse():
                chosen = self.holds(expression.condition, scope)
                return self.evaluate(expression.then if chosen else expression.otherwise, scope)
            case Member():
                return self._member(expression, scope)
            case EntryAt():
                return self._entry(expression, scope)
            case Ranged():
                return self._ranged(expression, scope)
            case Negate():
                return bounded(-self.integer(expression.operand, scope), expression.span)
            case _:
                return self._set(expression, scope)

    def _set(
        self,
        expression: RangeSet | EnumSet | SetLiteral | Comprehension | Reach | Previous,
        scope: Scope,
    ) -> Value:
        match expression:
            case RangeSet():
                return self._range(expression, scope)
            case EnumSet():
                members = self.world.box.enums[expression.enum]
                return tuple(EnumMember(expression.enum, i) for i in range(len(members)))
            case SetLiteral():
                return as_set([self.quiet(item, scope) for item in expression.items])
            case Comprehension():
                return ranging.comprehension(self, expression, scope)
            case Reach():
                return ranging.reach(self, expression, scope)
            case Previous():
                return rules.previous(self, expression, scope)
            case _:
                assert_never(expression)

    # --- reading -----------------------------------------------------------------------------

    def _local(self, node: Local, scope: Scope) -> Value:
        if self.trace is not None:
            self.trace.extend(scope.terms.get(node.name, ()))
        return scope.locals[node.name]

    def _state(self, node: ReadState, scope: Scope) -> Value:
        key = self.state_key(node.state, node.owner, node.index, scope, node.span)
        value = self.stored(key)
        self.read(node.state, value)
        return value

    def state_key(
        self,
        state: str,
        owner: Expr | None,
        index: tuple[Expr, ...],
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

    def _attribute(self, node: ReadAttribute, scope: Scope) -> Value:
        owner = self.quiet(node.object, scope)
        try:
            value = attribute(self.world, self.attributes[node.attribute], owner)
        except Fault as fault:
            raise PlayError(fault.message, node.span) from fault
        if isinstance(node.type, IntType):
            self.read(node.attribute, value)
        return value

    def _entry(self, node: EntryAt, scope: Scope) -> Value:
        game = self.checked.game
        index = None if node.index is None else self.quiet(node.index, scope)
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
                return Zone(node.number, self._instance(game.zones[node.number].name, index, node))
            case "grid":
                return Grid(node.number, self._instance(game.grids[node.number].name, index, node))
            case _:
                raise AssertionError(f"no entries of {node.what}")

    def _instance(self, name: str, index: Value, node: EntryAt) -> int:
        match index:
            case Player():
                return index.seat
            case EnumMember():
                return index.index
            case _ if node.index is None:
                return 0
            case _:
                raise PlayError(f"none is no index of `{name}`", node.span)

    # --- calling -----------------------------------------------------------------------------

    def _value(self, node: CallValue, scope: Scope) -> Value:
        arguments, terms = self.arguments(node.arguments, scope)
        kept = self.trace
        if not isinstance(node.type, IntType):
            self.trace = None
        value = rules.value_of(self, node.value, arguments, terms, node.span)
        self.trace = kept
        return value

    def arguments(
        self, expressions: tuple[Expr, ...], scope: Scope
    ) -> tuple[tuple[Value, ...], tuple[Terms, ...]]:
        """Return the values of arguments, from left to right, and the readings of each."""
        pairs = [self.traced(expression, scope) for expression in expressions]
        return tuple([value for value, _ in pairs]), tuple([terms for _, terms in pairs])

    def _builtin(self, node: CallBuiltin, scope: Scope) -> Value:
        flowing = node.function in FLOWING
        given: list[Value] = []
        for part in node.arguments:
            given.append(self.evaluate(part, scope) if flowing else self.quiet(part, scope))
        if None in given:
            raise PlayError(f"`{node.function}` of none", node.span)
        try:
            value = call(self.world, node.function, tuple(given), node.type)
        except Fault as fault:
            raise PlayError(fault.message, node.span) from fault
        if isinstance(node.type, IntType) and not flowing:
            self.read(node.function, value)
        return value

    # --- operators ---------------------------------------------------------------------------

    def _binary(self, node: Binary, scope: Scope) -> Value:
        match node.operator:
            case "or":
                return self.holds(node.left, scope) or self.holds(node.right, scope)
            case "and":
                return self.holds(node.left, scope) and self.holds(node.right, scope)
            case "union" | "difference":
                left = ranging.members(self, self.quiet(node.left, scope), node.left.span)
                right = ranging.members(self, self.quiet(node.right, scope), node.right.span)
                if node.operator == "union":
                    return as_set(left + right)
                others = frozenset(right)
                return tuple([item for item in left if item not in others])
        return self._arithmetic(node, scope)

    def _arithmetic(self, node: Binary, scope: Scope) -> int:
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

    def _ranged(self, node: Ranged, scope: Scope) -> Value:
        value = self.evaluate(node.operand, scope)
        found = misfit(node.type, value)
        if found is not None:
            wanted, part = found
            raise PlayError(f"{part} does not fit {wanted}", node.span)
        return value

    def _compare(self, node: Compare, scope: Scope) -> bool:
        left, right = self.quiet(node.left, scope), self.quiet(node.right, scope)
        if node.operator in ("==", "!="):
            left = ranging.current(self, left, node.left.span)
            right = ranging.current(self, right, node.right.span)
            return (left == right) is (node.operator == "==")
        if left is None or right is None:
            raise PlayError("none is neither more nor less", node.span)
        return _ORDER[node.operator](order_key(left), order_key(right))

    def _member(self, node: Member, scope: Scope) -> bool:
        item = ranging.current(self, self.quiet(node.item, scope), node.item.span)
        if isinstance(node.set, RangeSet):
            low, high = self._bounds(node.set, scope)
            return low <= number(item, node.item.span) <= high
        return item in ranging.members(self, self.quiet(node.set, scope), node.set.span)

    def _range(self, node: RangeSet, scope: Scope) -> Value:
        low, high = self._bounds(node, scope)
        if high - low >= limits.NUMBERS:
            raise PlayError(f"a range of more than {limits.NUMBERS} numbers", node.span)
        return tuple(range(low, high + 1))

    def _bounds(self, node: RangeSet, scope: Scope) -> tuple[int, int]:
        low, high = self.quiet(node.low, scope), self.quiet(node.high, scope)
        return number(low, node.low.span), number(high, node.high.span)

    def _is_kind(self, node: IsKind, scope: Scope) -> bool:
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
                now = ranging.current(self, thing, node.span)
                assert isinstance(now, Feature)
                return self._feature_kind(now.segment, node.span) == node.name
        return False

    def _feature_kind(self, segment: Segment, span: Span) -> str:
        try:
            return board.kind(self.world, segment)
        except Fault as fault:
            raise PlayError(fault.message, span) from fault
