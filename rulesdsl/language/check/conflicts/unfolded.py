"""Conditions with called values unfolded, so that guards show what they exclude.

A value that distinguishes kinds of features is replaced by its rules. A segment, its feature and a
piece on it count as one thing if a kind is tested. Other parts stay as they are, so an unfolded
condition can hold, or fail, wherever the condition can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from functools import partial
from typing import Any, TypeVar, cast

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.conflicts.effects import bounds
from rulesdsl.language.check.conflicts.guards import Work, key
from rulesdsl.language.check.graph import Contents
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import computed, walk
from rulesdsl.language.model.flow import negation
from rulesdsl.language.model.types import BOOL, FEATURE, SEGMENT, IntType

Names = Mapping[str, tree.Expr]
"""Expressions that replace locals."""

_MOST = 100
"""The greatest number of calls that are unfolded in the conditions of an option."""
_LARGE = 100
"""The greatest number of nodes in the arguments of a call that is unfolded."""
_LOOK = 100
"""The steps of work for examining an option."""

Closing = tree.Rule | tree.Forbid
"""A precondition or a veto."""

T = TypeVar("T")


@dataclass
class Unfolder:
    """An unfolder of the conditions of a game.

    `assumed` are kinds of features (full names) by the local of that kind. `contents` are the nodes
    of the game. `work` pays for the unfolding.
    """

    checked: tree.Checked
    contents: Contents
    work: Work
    assumed: Mapping[str, str] = field(default_factory=dict)
    _calls: int = 0
    _telling: dict[str, bool] = field(default_factory=dict)

    def opened(self, option: tree.OptionDef, without: Closing | None = None) -> tree.Expr:
        """Return the unfolded condition under which an option is open.

        The precondition or veto `without` is left out.
        """
        found = _truth(option.span, True)
        size = len(walk((option.binders, option.guard, option.forbids)))
        self.work.spend(_LOOK + size * size // _LOOK)
        for binder in option.binders:
            if binder.item in (SEGMENT, FEATURE):
                for name in binder.names:
                    local = tree.Local(binder.span, binder.item, name)
                    found = conjunction(found, self._within(local, binder.domain, {}))
            found = conjunction(found, self.condition(binder.where))
        found = conjunction(found, self.condition(option.guard))
        for one in closing(self.checked, option):
            if one is not without:
                found = conjunction(found, self.spared(one, option))
        return found

    def spared(self, one: Closing, option: tree.OptionDef) -> tree.Expr:
        """Return the condition under which a precondition or veto does not close an option."""
        if isinstance(one, tree.Rule):
            assert option.precondition is not None
            return self.holds(one, option.precondition.arguments)
        own = [
            tree.Local(binder.span, binder.item, name)
            for binder in option.binders
            for name in binder.names
        ]
        return negation(self.condition(one.guard, dict(zip(one.params, own, strict=False))))

    def holds(self, rule: tree.Rule, arguments: tuple[tree.Expr, ...]) -> tree.Expr:
        """Return the condition under which a precondition of a call holds."""
        return self._rule(rule, arguments, _implied)

    def condition(self, expr: tree.Expr | None, names: Names | None = None) -> tree.Expr:
        """Return an unfolded condition, with locals replaced by `names`; None means true."""
        names = names or {}
        match expr:
            case None:
                return _truth(self.checked.game.roles.span, True)
            case tree.Binary(operator="and", left=left, right=right):
                return conjunction(self.condition(left, names), self.condition(right, names))
            case tree.Binary(operator="or", left=left, right=right):
                return _or(self.condition(left, names), self.condition(right, names))
            case tree.Not(operand=operand):
                return negation(self.condition(operand, names))
            case tree.IfElse(condition=test, then=one, otherwise=other):
                return _if(
                    self.condition(test, names),
                    self.condition(one, names),
                    self.condition(other, names),
                )
            case tree.CallValue(value=value, arguments=arguments) if self._tells(value):
                given = tuple(substituted(each, names) for each in arguments)
                return self._called(value, given, substituted(expr, names))
            case tree.Member(item=item, set=domain):
                return conjunction(
                    substituted(expr, names), self._within(substituted(item, names), domain, names)
                )
        return self._literal(substituted(expr, names))

    def _literal(self, expr: tree.Expr) -> tree.Expr:
        """Return an unfolded condition that has no conditions as parts."""
        match expr:
            case tree.IsKind(test="feature", object=thing, name=name):
                root = _root(thing)
                if isinstance(root, tree.Local) and root.name in self.assumed:
                    return _truth(expr.span, self.assumed[root.name] == name)
                return replace(expr, object=root)
            case tree.ReadAttribute():
                default = self._default(expr)
                return expr if default is None else _truth(expr.span, bool(default))
            case tree.Compare(left=tree.ReadAttribute() as read):
                default = self._default(read)
                match expr.right:
                    case tree.Const(value=int() as value, setting=None) if default is not None:
                        return _truth(expr.span, computed(expr.operator, default, value) is True)
            case tree.Compare(right=tree.Typed() as right) if not isinstance(right, tree.Const):
                if isinstance(constant := tree.fold(right), int):
                    known = tree.Const(right.span, right.type, constant)
                    return self._literal(replace(expr, right=known))
        truth = self._decided(expr) if isinstance(expr, tree.Compare) else None
        return expr if truth is None else _truth(expr.span, truth)

    def _decided(self, test: tree.Compare) -> bool | None:
        """Return the result of a comparison that the bounds of its numbers decide."""
        if not isinstance(test.left.type, IntType) or not isinstance(test.right.type, IntType):
            return None
        left, right = (bounds(each, self.checked.game) for each in (test.left, test.right))
        if test.operator in ("==", "!="):
            if left[0] <= right[1] and right[0] <= left[1]:
                return None
            return test.operator == "!="
        found = {computed(test.operator, one, other) for one in left for other in right}
        return found == {True} if len(found) == 1 else None

    def _default(self, read: tree.ReadAttribute) -> int | bool | None:
        """Return the default value of an attribute for the assumed kind, None if unknown."""
        root = _root(read.object)
        kind = self.assumed.get(root.name) if isinstance(root, tree.Local) else None
        if kind is None:
            return None
        found = next(a for a in self.checked.game.attributes if a.key == read.attribute)
        if kind in found.owners or not isinstance(found.default, int):
            return None
        return found.default

    # --- values --------------------------------------------------------------------------------

    def _tells(self, value: str) -> bool:
        """Return whether a value that distinguishes kinds of features can be unfolded.

        Preconditions, and values that read attributes, count as such values too.
        """
        if value not in self._telling:
            self._telling[value] = False  # while it is being computed
            nodes = self.contents.values[value]
            self._telling[value] = (
                value in self.checked.actions
                or any(node.test == "feature" for node in nodes.of(tree.IsKind))
                or bool(nodes.of(tree.ReadAttribute))
                or any(self._tells(node.value) for node in nodes.of(tree.CallValue))
            )
        return self._telling[value]

    def _affords(self, value: str, arguments: tuple[tree.Expr, ...]) -> bool:
        """Count a call, and say whether it may be unfolded."""
        self._calls += 1
        self.work.spend(len(self.contents.values[value]))
        return self._calls <= _MOST and not _large(arguments)

    def _called(self, value: str, arguments: tuple[tree.Expr, ...], call: tree.Expr) -> tree.Expr:
        """Return the unfolded result of a value that is true or false."""
        definition = self.checked.values[value]
        if not self._affords(value, arguments) or self.contents.values[value].of(tree.Previous):
            return call
        match definition.policy:
            case "all":
                found = _truth(call.span, True)
                for rule in definition.rules:
                    found = conjunction(found, self._rule(rule, arguments, _implied))
            case "any":
                found = _truth(call.span, False)
                for rule in definition.rules:
                    found = _or(found, self._rule(rule, arguments, conjunction))
            case _:
                found = call
                for rule in reversed(definition.rules):
                    found = self._rule(rule, arguments, partial(_over, found))
        return found

    def _rule(
        self,
        rule: tree.Rule,
        arguments: tuple[tree.Expr, ...],
        combine: Callable[[tree.Expr, tree.Expr], tree.Expr],
    ) -> tree.Expr:
        names = dict(zip(rule.params, arguments, strict=True))
        result = self._body(rule.body, names, self.condition)
        if result is None:
            # An unknown, equal only to the same rule's result for the same arguments.
            result = tree.Local(rule.span, BOOL, f"{rule.span}: {key(arguments, {})}")
        return combine(self.condition(rule.guard, names), result)

    def _body(
        self, block: tree.Block, names: Names, read: Callable[[tree.Expr, Names], tree.Expr]
    ) -> tree.Expr | None:
        """Return the result of a body, read by `read`, None if the body is too complex."""
        match block:
            case (tree.Return(value=tree.Typed() as value), *_):
                return read(value, names)
            case (tree.Let(name=name, value=value), *rest):
                return self._body(tuple(rest), {**names, name: substituted(value, names)}, read)
            case (tree.If(condition=test, then=then, otherwise=otherwise), *rest):
                one = self._body((*then, *rest), names, read)
                other = self._body((*otherwise, *rest), names, read)
                if one is not None and other is not None:
                    return _if(self.condition(test, names), one, other)
        return None

    # --- sets ----------------------------------------------------------------------------------

    def _within(self, item: tree.Expr, domain: tree.Expr, names: Names) -> tree.Expr:
        """Return a condition that every element of a set fulfils."""
        anything = _truth(domain.span, True)
        match domain:
            case tree.Binary(operator="union", left=left, right=right):
                return _or(self._within(item, left, names), self._within(item, right, names))
            case tree.Binary(operator="difference", left=left):
                return self._within(item, left, names)
            case tree.IfElse(condition=test, then=one, otherwise=other):
                return _if(
                    self.condition(test, names),
                    self._within(item, one, names),
                    self._within(item, other, names),
                )
            case tree.Comprehension(value=value, binders=binders):
                root = _root(value)
                if not isinstance(root, tree.Local):
                    return anything
                inside = {**names, root.name: item}
                found = anything
                for binder in binders:
                    if root.name in binder.names:
                        found = conjunction(found, self._within(item, binder.domain, inside))
                    found = conjunction(found, self.condition(binder.where, inside))
                return found
            case tree.CallValue(value=called, arguments=arguments) if self._tells(called):
                return self._within_value(item, called, arguments, names)
        return anything

    def _within_value(
        self, item: tree.Expr, value: str, arguments: tuple[tree.Expr, ...], names: Names
    ) -> tree.Expr:
        definition = self.checked.values[value]
        anything = _truth(definition.span, True)
        given = tuple(substituted(each, names) for each in arguments)
        plain = definition.policy == "union" or len(definition.rules) == 1
        if not plain or not self._affords(value, given):
            return anything
        found = _truth(definition.span, False)
        for rule in definition.rules:
            inside = dict(zip(rule.params, given, strict=True))
            result = self._body(rule.body, inside, lambda e, n: self._within(item, e, n))
            found = _or(found, conjunction(self.condition(rule.guard, inside), result or anything))
        return found


def preconditions(checked: tree.Checked, option: tree.OptionDef) -> tuple[tree.Rule, ...]:
    """Return the preconditions of an option's first action."""
    call = option.precondition
    return () if call is None else checked.actions[call.action].requires


def closing(checked: tree.Checked, option: tree.OptionDef) -> tuple[Closing, ...]:
    """Return the vetoes of an option, and the preconditions of its first action."""
    return *option.forbids, *preconditions(checked, option)


def substituted(node: T, names: Names) -> T:
    """Return a node with locals replaced by expressions."""
    if not names:
        return node
    if isinstance(node, tree.Local):
        return cast(T, names.get(node.name, node))
    if isinstance(node, tuple):
        return cast(T, tuple(substituted(each, names) for each in node))
    if not isinstance(node, tree.Node):
        return node
    changed: dict[str, Any] = {}
    for each in fields(node):
        part = getattr(node, each.name)
        if isinstance(part, tuple | tree.Node):
            changed[each.name] = substituted(part, names)
    return replace(node, **changed)


def _large(arguments: tuple[tree.Expr, ...]) -> bool:
    """Return whether arguments have too many nodes, counting no more than needed."""
    waiting: list[object] = [*arguments]
    for _ in range(_LARGE):
        if not waiting:
            return False
        node = waiting.pop()
        parts = node if isinstance(node, tuple) else vars(node).values()
        waiting += [each for each in parts if isinstance(each, tuple | tree.Node)]
    return bool(waiting)


def _root(thing: tree.Expr) -> tree.Expr:
    """Return the thing that stands for a segment, its feature and a piece on it."""
    while isinstance(thing, tree.CallBuiltin) and thing.function in ("segment", "feature"):
        (thing,) = thing.arguments
    return thing


# --- logic ---------------------------------------------------------------------------------------


def _truth(span: Span, value: bool) -> tree.Expr:
    return tree.Const(span, BOOL, value)


def _is(expr: tree.Expr, value: bool) -> bool:
    return isinstance(expr, tree.Const) and expr.value is value and expr.setting is None


def conjunction(one: tree.Expr, other: tree.Expr) -> tree.Expr:
    """Return a condition that holds if both do."""
    if _is(one, False) or _is(other, True):
        return one
    if _is(one, True) or _is(other, False):
        return other
    return tree.Binary(one.span, BOOL, "and", one, other)


def _or(one: tree.Expr, other: tree.Expr) -> tree.Expr:
    return negation(conjunction(negation(one), negation(other)))


def _implied(condition: tree.Expr, result: tree.Expr) -> tree.Expr:
    return _or(negation(condition), result)


def _over(below: tree.Expr, condition: tree.Expr, result: tree.Expr) -> tree.Expr:
    return _if(condition, result, below)


def _if(condition: tree.Expr, one: tree.Expr, other: tree.Expr) -> tree.Expr:
    if _is(condition, True):
        return one
    if _is(condition, False):
        return other
    return _or(conjunction(condition, one), conjunction(negation(condition), other))
