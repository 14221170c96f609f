"""What scenarios have to show of the rules in one file, and which of it they do not."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rulesdsl.diagnostics import Span
from rulesdsl.model.checked import (
    ActionDef,
    AlwaysDef,
    Block,
    Checked,
    ChoiceDef,
    Const,
    Expr,
    For,
    Forbid,
    Hooks,
    If,
    IfElse,
    Node,
    OptionDef,
    Rule,
    Stmt,
    Typed,
    While,
)
from rulesdsl.model.tree import Tree

Event = tuple[int, int, bool, bool]
"""What was seen of the rules in a file: where, whether that is a condition, and what came of it."""

ANSWERS = frozenset({"require", "allow"})
"""Verbs of rules that say yes or no."""


def event(node: Node, outcome: bool) -> Event:
    """What is noted of something that an engine ran."""
    span = node.span
    return span.start, span.end, isinstance(node, Typed), outcome


@dataclass(frozen=True)
class Gap:
    """A place that no scenario shows, and what is missing there, such as `was never false`; `whole`
    is the statement or declaration that it is part of."""

    span: Span
    missing: str
    whole: Span

    def holds(self, event: Event) -> bool:
        """Does something lie inside of the whole?"""
        return self.whole.start <= event[0] and event[1] <= self.whole.end


@dataclass(frozen=True)
class Judgement:
    """What scenarios have to show, what of that they do not, and the places: of what lies inside of
    a gap only the gap is told."""

    demanded: frozenset[Event]
    missing: frozenset[Event]
    gaps: tuple[Gap, ...]


def judge(checked: Checked, file: str, seen: Container[Event]) -> Judgement:
    """What is missing of the rules that a game has from the file called so, when this was seen."""
    judging = _Judging(file, seen)
    judging.game(checked)
    gaps = sorted(judging.gaps, key=lambda gap: (gap.span.start, gap.span.end, gap.missing))
    return Judgement(frozenset(judging.demanded), frozenset(judging.missing), tuple(gaps))


class _Judging:
    """Goes through a game. `tell` says whether a gap is told; it is not when it lies in another."""

    def __init__(self, file: str, seen: Container[Event]) -> None:
        self._file = file
        self._seen = seen
        self.demanded = set[Event]()
        self.missing = set[Event]()
        self.gaps: list[Gap] = []
        self._wholes: list[Span] = []

    def game(self, checked: Checked) -> None:
        for value in checked.values.values():
            for rule in value.rules:
                self._rule(rule)
        for action in checked.actions.values():
            self._action(action)
        for choice in checked.choices.values():
            self._choice(choice)
        for always in checked.always:
            self._always(always)

    # --- declarations --------------------------------------------------------------------------

    @contextmanager
    def _whole(self, node: Node) -> Iterator[None]:
        """What is found meanwhile is part of this."""
        self._wholes.append(node.span)
        yield
        self._wholes.pop()

    def _rule(self, rule: Rule) -> None:
        with self._whole(rule):
            tell = self._guard(rule.guard, True)
            if rule.verb in ANSWERS:
                yes, no = self._both(rule, tell)
                tell = tell and (yes or no)
            else:
                tell = self._ran(rule, tell)
            self._block(rule.body, tell)

    def _action(self, action: ActionDef) -> None:
        with self._whole(action):
            tell = self._ran(action, self._guard(action.guard, True))
            self._block(action.body, tell)
        for rule in action.requires:
            self._rule(rule)
        self._hooks(action.hooks)

    def _hooks(self, hooks: Hooks) -> None:
        for hook in (*hooks.arounds, *hooks.befores, *hooks.afters):
            with self._whole(hook):
                tell = self._ran(hook, self._guard(hook.guard, True))
                self._block(hook.body, tell)

    def _choice(self, choice: ChoiceDef) -> None:
        with self._whole(choice):
            self._inside(choice.by, True)
            if choice.otherwise is not None:
                ran = self._demand(choice, True, "`otherwise` never ran", True)
                self._block(choice.otherwise, ran)
        for option in choice.options:
            self._option(option)
        self._hooks(choice.hooks)

    def _option(self, option: OptionDef) -> None:
        tell = True
        with self._whole(option):
            for binder in option.binders:
                self._inside(binder.domain, tell)
                tell = self._guard(binder.where, tell)
            tell = self._guard(option.guard, tell)
            tell = self._demand(option, True, "was never chosen", tell) and tell
            self._block(option.body, tell)
        for forbid in option.forbids:
            self._forbid(forbid)
        self._hooks(option.hooks)

    def _forbid(self, forbid: Forbid) -> None:
        with self._whole(forbid):
            tell = self._guard(forbid.guard, True)
            self._demand(forbid, True, "never closed anything", tell)

    def _always(self, always: AlwaysDef) -> None:
        with self._whole(always):
            self._inside(always.binder.domain, True)
            tell = self._ran(always, self._guard(always.binder.where, True))
            self._block(always.body, tell)

    # --- what is in them -----------------------------------------------------------------------

    def _block(self, block: Block, tell: bool) -> None:
        for statement in block:
            with self._whole(statement):
                tell = self._ran(statement, tell)
                self._statement(statement, tell)

    def _statement(self, statement: Stmt, tell: bool) -> None:
        match statement:
            case If():
                yes, no = self._condition(statement.condition, tell)
                self._block(statement.then, tell and yes)
                self._block(statement.otherwise, tell and no)
            case While():
                yes, _ = self._condition(statement.condition, tell)
                self._block(statement.body, tell and yes)
            case For():
                self._inside((statement.binder.domain, statement.start), tell)
                self._block(statement.body, self._guard(statement.binder.where, tell))
            case _:
                self._inside(tuple(vars(statement).values()), tell)

    def _inside(self, tree: object, tell: bool) -> None:
        """The conditions of `A if C else B` and of ladders, wherever they stand in expressions."""
        match tree:
            case IfElse():
                yes, no = self._condition(tree.condition, tell)
                self._inside(tree.then, tell and yes)
                self._inside(tree.otherwise, tell and no)
            case Tree():
                self._inside(tuple(vars(tree).values()), tell)
            case tuple():
                for part in tree:
                    self._inside(part, tell)

    # --- what is demanded ----------------------------------------------------------------------

    def _guard(self, guard: Expr | None, tell: bool) -> bool:
        """Both answers of a guard; says whether gaps behind it are told."""
        if guard is None:
            return tell
        yes, _ = self._condition(guard, tell)
        return tell and yes

    def _condition(self, condition: Expr, tell: bool) -> tuple[bool, bool]:
        if isinstance(condition, Const) and condition.setting is None:
            return True, True  # written as `true` or `false`
        yes, no = self._both(condition, tell)
        self._inside(condition, tell and (yes or no))
        return yes, no

    def _both(self, node: Node, tell: bool) -> tuple[bool, bool]:
        """Whether both answers were seen; that none was is one gap."""
        if not (self._has(node, True) or self._has(node, False)):
            self._demand(node, False, "", False)
            return self._demand(node, True, "never ran", tell), False
        return (
            self._demand(node, True, "was never true", tell),
            self._demand(node, False, "was never false", tell),
        )

    def _ran(self, node: Node, tell: bool) -> bool:
        return self._demand(node, True, "never ran", tell) and tell

    def _has(self, node: Node, outcome: bool) -> bool:
        return event(node, outcome) in self._seen

    def _demand(self, node: Node, outcome: bool, missing: str, tell: bool) -> bool:
        """Demand something once; says whether it was seen."""
        if node.span.source.name != self._file:
            return True
        wanted = event(node, outcome)
        if wanted in self._seen:
            self.demanded.add(wanted)
            return True
        if tell and wanted not in self.missing:
            self.gaps.append(Gap(node.span, missing, self._wholes[-1]))
        self.demanded.add(wanted)
        self.missing.add(wanted)
        return False
