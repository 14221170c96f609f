"""The way to code: the bodies of the rules, what is known in them, and what they change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import chain

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.conflicts.effects import (
    GRIDS,
    Column,
    ColumnPart,
    EffectScope,
    EffectTable,
    KnownValues,
    bounds,
    is_piece,
    only,
    place_of,
)
from rulesdsl.language.check.conflicts.guards import FINDING, Work, both, key, normal
from rulesdsl.language.check.conflicts.unfolded import Unfolder, conjunction, substituted
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.diagnostics.allow import allowing
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.flow import Conditions, conditions_at, elements, rule_bodies
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.names import owner_of, ruleset_of

PIECES = "pieces"
"""The name of the column for how many pieces of some kinds there are in some places."""
Need = tuple[Column, int]
"""A quantity, and whether it has to be large (1) or small (-1)."""

DEEP = 3
"""Calls inside of each other that are followed to what they change."""


@dataclass(frozen=True)
class Body:
    """Code of a ruleset, the conditions that hold where it begins, and the expressions around.

    `value` is the value of which it is a rule, `action` the action of which it is the body, and
    `run_by` the action or choice that runs it. `call` is where a ruleset runs it, if that is not
    the place of the code; `caller` has the locals that it then reads.
    """

    ruleset: str
    known: Conditions
    code: tree.Block
    around: tuple[tree.Node, ...] = ()
    value: str = ""
    action: tree.ActionDef | None = None
    run_by: str = ""
    call: tree.ActionCall | None = None
    caller: tuple[object, ...] = ()

    @cached_property
    def nodes(self) -> tree.Nodes:
        """All nodes of the code, its conditions and the expressions around."""
        return tree.Nodes((self.around, self.known, self.code))

    def at(self, node: tree.Node) -> Span:
        """Return where its ruleset does what a node of the code does."""
        return node.span if self.call is None else self.call.span


class Paths:
    """The rules of a game by where they run, and which rulesets know which."""

    def __init__(self, checked: tree.Checked, effects: EffectTable, report: Report) -> None:
        self.checked = checked
        self.game = checked.game
        self.effects = effects
        self.report = report
        self.work = Work()
        self.bodies = list(_bodies(checked))
        self._scopes: dict[int, tuple[EffectScope, Body]] = {}
        self._changed_by: dict[str, frozenset[str]] = {}
        self._seen: dict[str, set[str]] = {}
        for part, others in self.game.visible.items():
            self._seen.setdefault(owner_of(part), set()).update(others)

    def unknown(self, one: str, other: str) -> bool:
        """Return whether a part of rules was written without knowledge of another one.

        A house rule may not know what it beats.
        """
        return owner_of(other) not in self._seen[owner_of(one)]

    def strangers(self, one: str, other: str) -> bool:
        """Return whether neither of two parts knows the other."""
        return self.unknown(one, other) and self.unknown(other, one)

    def warn(
        self,
        slug: str,
        message: str,
        span: Span,
        labels: Iterable[Label],
        *advice: str,
        unless: str = "that cannot happen",
    ) -> None:
        """Report a warning that says how to allow it."""
        self.work.spend(FINDING)
        allow = f"if {unless}, say so:", allowing(span, slug)
        self.report.warning(slug, message, span, labels=labels, help=(*advice, *allow))

    # --- conditions ----------------------------------------------------------------------------

    def at(self, body: Body, node: tree.Node) -> Conditions:
        """Return the conditions that hold where a body comes to a node of its code.

        For a node in the expressions around the code, only those of these expressions do.
        """
        self.work.spend(len(body.nodes))
        return conditions_at(node, body.code, body.known, self.kept) or conditions_at(
            node, (body.around, body.known)
        )

    def called_at(self, body: Body, call: tree.ActionCall) -> Conditions:
        """Return the conditions that hold where a body calls an action, none if it is queued."""
        queued = any(later.call is call for later in body.nodes.of(tree.Later))
        return () if queued else self.at(body, call)

    def kept(self, code: object, known: Conditions) -> Conditions:
        """Return the conditions that code does not change."""
        if not known:
            return known
        nodes, effects = tree.Nodes(code), self.effects.of(code)
        self.work.spend(len(nodes) * len(known))
        changed = {change.name for change in nodes.of(tree.SetLocal)}

        def stays(condition: tree.Expr) -> bool:
            own = self.effects.of_condition(condition)
            names = {local.name for local in tree.Nodes(condition).of(tree.Local)}
            proceeds = own.reads and nodes.of(tree.ProceedCall)
            return not (changed & names or proceeds or effects.disturbs(own))

        return tuple(filter(stays, known))

    def possible(self, known: Conditions, also: tree.Expr) -> bool:
        """Return whether something can hold where conditions are known to hold."""
        unfolder, guard = self.unfolder, normal(also, ())
        for each in known:
            guard = both(guard, normal(unfolder.condition(each), ()))
            self.work.spend(1 + len(guard))
        return bool(guard)

    @property
    def unfolder(self) -> Unfolder:
        """A new unfolder of conditions."""
        return Unfolder(self.checked, self.effects.contents, self.work)

    def needed(
        self, expr: tree.Expr, sign: int = 1, scope: EffectScope | None = None
    ) -> Iterator[Need]:
        """Yield the quantities that have to be large (1) or small (-1) for a condition to hold.

        For a number, they are those that make it larger; with a `sign` of -1, the opposite. Pieces
        count only with the `scope` of the condition.
        """
        match expr:
            case tree.Not(operand=operand) | tree.Negate(operand=operand):
                yield from self.needed(operand, -sign, scope)
            case tree.Ranged(operand=operand):
                yield from self.needed(operand, sign, scope)
            case tree.Binary(operator="and" | "or" | "+", left=left, right=right):
                yield from self.needed(left, sign, scope)
                yield from self.needed(right, sign, scope)
            case tree.Binary(operator="-", left=left, right=right):
                yield from self.needed(left, sign, scope)
                yield from self.needed(right, -sign, scope)
            case tree.Compare(operator="<" | "<=" | ">" | ">=" as operator):
                sign = -sign if operator in ("<", "<=") else sign
                yield from self.needed(expr.left, sign, scope)
                yield from self.needed(expr.right, -sign, scope)
            case tree.ReadState(state=state):
                yield Column(state), sign
            case tree.Aggregate(function="any" | "count", binders=(binder, *_)):
                if scope is not None and of_pieces(binder):
                    known = scope.binder(binder)
                    yield Column(PIECES, (self.kinds(binder.item, known), known.where)), sign
            case tree.Compare() | tree.Binary():
                for read in tree.Nodes(expr).of(tree.ReadState):
                    yield from ((Column(read.state), 1), (Column(read.state), -1))

    # --- calls ---------------------------------------------------------------------------------

    @cached_property
    def calls(self) -> Mapping[str, Sequence[tuple[str, str, Span]]]:
        """The calls in each action and choice: what is called, the ruleset that does it, where."""
        found = defaultdict[str, list[tuple[str, str, Span]]](list)
        for body in self.bodies:
            calls = [(call.action, call.span) for call in body.nodes.of(tree.ActionCall)]
            calls += [(asked.choice, asked.span) for asked in body.nodes.of(tree.ChoiceCall)]
            found[body.run_by] += [(name, body.ruleset, span) for name, span in calls]
        return found

    @cached_property
    def runs(self) -> Mapping[str, Mapping[str, tuple[str, Span]]]:
        """The actions and choices that each ruleset runs: what it calls to do so, and where."""
        own: dict[str, dict[str, Span]] = {}
        for name, ruleset, span in chain.from_iterable(self.calls.values()):
            own.setdefault(ruleset, {}).setdefault(name, span)
        found: dict[str, dict[str, tuple[str, Span]]] = {}
        for ruleset, called in own.items():
            runs = found[ruleset] = {}
            for first, span in called.items():
                waiting = [first]
                while waiting:
                    self.work.spend(1)
                    key = waiting.pop()
                    if runs.setdefault(key, (first, span)) == (first, span):
                        waiting += [n for n, *_ in self.calls.get(key, ()) if n not in runs]
        return found

    @cached_property
    def called(self) -> frozenset[str]:
        """The actions that code calls."""
        return frozenset(c.action for body in self.bodies for c in body.nodes.of(tree.ActionCall))

    def changes(self, states: Collection[str]) -> Iterator[tuple[Body, tree.SetState]]:
        """Yield the changes of states, for those by actions also as what callers do.

        What an action does with its parameters counts for its callers only.
        """
        for root in self.bodies:
            own = root.action
            free = {p.name for p in own.params} if own and own.key in self.called else set[str]()
            for body in (root, *self._run(root, set(states), DEEP)):
                for change in body.nodes.of(tree.SetState):
                    named = {each.name for each in tree.Nodes(change.value).of(tree.Local)}
                    if change.state in states and not named & free:
                        yield body, change

    @cached_property
    def movers(self) -> Sequence[Body]:
        """All bodies, and those of actions that move pieces, also as what callers do."""
        places = {place_of(cls).name for cls in types.PIECE_CLASSES}
        return [b for root in self.bodies for b in (root, *self._run(root, places, DEEP))]

    def _run(self, body: Body, columns: set[str], deep: int) -> Iterator[Body]:
        """Yield the bodies of actions that change columns, with what is known where a body calls.

        An action counts that belongs to another ruleset, or that gets arguments.
        """
        for call in body.nodes.of(tree.ActionCall) if deep else ():
            action, given = self.checked.actions[call.action], call.arguments
            if call.action not in self._changed_by:
                self._changed_by[call.action] = self.effects.of(call).changing
            foreign = owner_of(body.ruleset) != ruleset_of(call.action)
            if (foreign or given) and self._changed_by[call.action] & columns:
                self.work.spend(len(body.nodes))
                names = dict(zip((param.name for param in action.params), given, strict=True))
                known = (*self.called_at(body, call), *given_by(substituted(action.guard, names)))
                known += tuple(self.unfolder.holds(rule, given) for rule in action.requires)
                inner = Body(
                    body.ruleset,
                    self.kept((action.hooks.arounds, action.hooks.befores), known),
                    substituted(action.body, names),
                    run_by=body.run_by,
                    call=body.call or call,
                    caller=(body.caller, body.around, body.code),
                )
                yield from (inner, *self._run(inner, columns, deep - 1))

    # --- pieces --------------------------------------------------------------------------------

    def scope(self, body: Body) -> EffectScope:
        """Return what is known of the locals of a body."""
        if id(body) not in self._scopes:
            self.work.spend(len(body.nodes))
            guard = reduce(conjunction, body.known) if body.known else None
            code = (body.caller, body.around, body.known, body.code)
            nodes = tree.Nodes(code) if body.caller else body.nodes
            # The body is kept, so that no other one gets its id.
            self._scopes[id(body)] = EffectScope(self.effects.values, nodes, (), guard), body
        return self._scopes[id(body)][0]

    def moved(self, body: Body, call: tree.EffectCall) -> KnownValues:
        """Return the pieces that an effect moves, and where they are before."""
        scope, moved = self.scope(body), call.arguments[0]
        for loop in body.nodes.of(tree.For):
            here = isinstance(moved, tree.Local) and moved.name in loop.binder.names
            if here and not tree.Nodes(loop.body).of(tree.ProceedCall):
                return scope.binder(loop.binder)
        return scope.known(moved)

    def target(self, body: Body, call: tree.EffectCall, moved: KnownValues) -> ColumnPart:
        """Return the places to which an effect moves components."""
        laid = call.effect == "place"
        return only(GRIDS) if laid else self.scope(body).target(call.arguments[1], moved)

    def kinds(self, type_: types.Type, known: KnownValues) -> ColumnPart:
        """Return the kinds of components of a type that are, or can lie, where they are known."""
        held = frozenset({str(type_)})
        if str(type_) not in types.PIECE_CLASSES:
            zones = (zone.holds for zone in self.game.zones if zone.key in known.where)
            held = frozenset[str]().union(*zones)
        return only(*(kind.key for kind in self.game.kinds if kind.cls in held)) & known.kinds


def _bodies(checked: tree.Checked) -> Iterator[Body]:
    for _, name, ruleset, guard, code, node in rule_bodies(checked):
        body = Body(ruleset, given_by(guard), code, run_by=name)
        match node:
            case tree.Rule():
                body = replace(body, value=name, run_by="")
            case tree.ActionDef():
                body = replace(body, action=node)
            case tree.ChoiceDef(by=by):
                body = replace(body, around=(by,))
            case tree.OptionDef(binders=binders):
                # A precondition that does not hold closes the option.
                code = code if node.precondition is None else code[1:]
                known = body.known + tuple(chain.from_iterable(map(elements, binders)))
                body = replace(body, known=known, code=code, around=binders)
            case tree.AlwaysDef(binder=binder):
                body = replace(body, around=(binder,))
        yield body


def given_by(*conditions: tree.Expr | None) -> Conditions:
    """Return the conditions without those that are missing."""
    return tuple(each for each in conditions if each is not None)


def addition(change: tree.SetState, game: LinkedGame) -> tuple[int, int]:
    """Return bounds of what a change adds to a number; nothing if it sets it."""
    low, high = bounds(change.value, game)
    match change:
        case tree.SetState(operator="+="):
            return low, high
        case tree.SetState(operator="-="):
            return -high, -low
        case tree.SetState(value=tree.Ranged(operand=value)):
            return addition(replace(change, value=value), game)
        case tree.SetState(value=tree.Binary(operator="+" | "-" as sign, left=left) as value):
            if key(left, {}) == key(reading(change, left.type), {}):
                return addition(replace(change, operator=f"{sign}=", value=value.right), game)
        case tree.SetState(value=tree.CallBuiltin(function="max" | "min", arguments=values)):
            added = (addition(replace(change, value=value), game) for value in values)
            return next(filter(any, added), (0, 0))
    return 0, 0


def reading(change: tree.SetState, type_: types.Type) -> tree.Expr:
    """Return an expression for what a change changes."""
    return tree.ReadState(change.span, type_, change.state, change.owner, change.index)


def of_pieces(binder: tree.Binder) -> bool:
    """Return whether the elements of a binder are components."""
    return is_piece(binder.item) or binder.item == types.ZONE
