"""Actions that one ruleset runs again while a stranger keeps state across them.

A stranger's hook on an action, or on something that this reaches, sets a state which a hook of his
reads elsewhere: what holds the action sets it once, and reads it then. A ruleset whose hooks or
options run the action again meanwhile overwrites it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from rulesdsl.check.compose.advice import pasted, places
from rulesdsl.check.compose.nesting import every
from rulesdsl.check.compose.work import TooMuch, Work
from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import Nodes
from rulesdsl.model.names import owner_of, ruleset_of, short_name


@dataclass(frozen=True)
class _Body:
    """What `ruleset` wrote and what runs as part of `target`, an action or choice; where
    it is written if it is a hook."""

    target: str
    ruleset: str
    content: object
    hook: Span | None = None

    @cached_property
    def nodes(self) -> Nodes:
        return Nodes(self.content)

    def calls(self) -> Iterator[tree.ActionCall | tree.ChoiceCall]:
        yield from self.nodes.of(tree.ActionCall)
        yield from self.nodes.of(tree.ChoiceCall)


@dataclass(frozen=True)
class Reentry:
    """`ruleset` runs `target` again by `call`, while `stranger` keeps `state`, set by a hook, until
    another of his reads it."""

    target: str
    ruleset: str
    stranger: str
    state: str
    call: tree.ActionCall | tree.ChoiceCall
    setting: Span
    reading: Span


def reentries(checked: tree.Checked, report: Report) -> list[Reentry]:
    """One for each two rulesets and each action; reports `too-large` if that takes too long."""
    try:
        return list(_Reentries(checked).all())
    except TooMuch:
        report.error(
            "too-large",
            "the actions of this game take too long to compare with each other",
            checked.actions[checked.play].span,
            help=("let fewer hooks call actions of other rulesets",),
        )
        return []


def report_reentry(found: Reentry, report: Report) -> None:
    """Report `hooks-meet`, a warning."""
    name, one, other = short_name(found.target), found.ruleset, found.stranger
    report.warning(
        "hooks-meet",
        f"`{one}` runs `{name}` again while `{other}` keeps `{short_name(found.state)}` across it",
        found.call.span,
        mark=f"from {one}, runs it again",
        labels=(
            Label(found.setting, f"from {other}, sets it each time"),
            Label(found.reading, "reads what was set last"),
        ),
        help=(
            f"if that is right, say so {places(one, other)}:",
            pasted(
                f"    independent {owner_of(one)}.{name}, {owner_of(other)}.{name}",
                found.call.span,
                one,
                other,
            ),
        ),
    )


class _Reentries:
    def __init__(self, checked: tree.Checked) -> None:
        self._reach = checked.game.reach
        self._work = Work()
        self._known: dict[tuple[str, Collection[str]], set[str]] = {}
        self._bodies = list(_bodies(checked))
        self._of: dict[str, list[_Body]] = {}
        for body in self._bodies:
            self._of.setdefault(body.target, []).append(body)

    def all(self) -> Iterator[Reentry]:
        """Those of strangers, by what runs again, in the order of the rules."""
        kept = {ruleset: states for ruleset, states in self._kept() if states}
        if not kept:
            return
        rulesets = {body.ruleset for body in self._bodies}
        for ruleset in sorted(rulesets):
            self._work.spend(len(kept))
            strangers = [other for other in sorted(kept) if self._strange(ruleset, other)]
            if not strangers:
                continue
            runs = list(self._runs(ruleset))
            for other in strangers:
                seen = set[str]()
                for place, call in runs:
                    target = _called(call)
                    if target in seen or not self._strange_to(target, ruleset, other):
                        continue
                    found = self._meeting(ruleset, other, kept[other], place, call)
                    if found is not None:
                        seen.add(target)
                        yield found

    def _strange(self, one: str, other: str) -> bool:
        first, second = self._reach[one], self._reach[other]
        related = first >= second or second >= first or owner_of(one) == owner_of(other)
        return not related

    def _strange_to(self, target: str, one: str, other: str) -> bool:
        """Say whether what runs again belongs to neither."""
        return ruleset_of(target) not in (owner_of(one), owner_of(other))

    def _kept(self) -> Iterator[tuple[str, Mapping[str, tuple[list[_Body], list[_Body]]]]]:
        """By ruleset, the states that some of its hooks set and others read."""
        found: dict[str, dict[str, tuple[list[_Body], list[_Body]]]] = {}
        for body in self._bodies:
            if body.hook is None:
                continue
            states = found.setdefault(body.ruleset, {})
            for change in body.nodes.of(tree.SetState):
                if change.operator == "=":
                    states.setdefault(change.state, ([], []))[0].append(body)
            for read in body.nodes.of(tree.ReadState):
                states.setdefault(read.state, ([], []))[1].append(body)
        for ruleset, states in found.items():
            yield (
                ruleset,
                {
                    state: (setting, reading)
                    for state, (setting, reading) in states.items()
                    if setting and reading and ruleset_of(state) == owner_of(ruleset)
                },
            )

    def _runs(self, ruleset: str) -> Iterator[tuple[str, tree.ActionCall | tree.ChoiceCall]]:
        """Collect what a ruleset's hooks and options run that is not its own, also through its own
        actions, each with what they are part of."""
        for body in self._bodies:
            own = owner_of(ruleset)
            if body.ruleset != ruleset or ruleset_of(body.target) == own:
                continue
            seen, waiting = set[str](), list(body.calls())
            while waiting:
                call = waiting.pop()
                target = _called(call)
                if ruleset_of(target) != own:
                    yield body.target, call
                elif target not in seen:
                    seen.add(target)
                    waiting += [inner for own in self._of.get(target, ()) for inner in own.calls()]

    def _meeting(
        self,
        ruleset: str,
        stranger: str,
        kept: Mapping[str, tuple[list[_Body], list[_Body]]],
        place: str,
        call: tree.ActionCall | tree.ChoiceCall,
    ) -> Reentry | None:
        target = _called(call)
        inside = self._reached(target, ())
        for state, (setting, reading) in kept.items():
            sets = [body.hook for body in setting if body.hook and body.target in inside]
            for body in reading if sets else ():
                # What the reader is part of runs the action anyway, and the other inside of that.
                whole = self._reached(body.target, (ruleset, stranger))
                if body.hook and body.target not in inside and {target, place} <= whole:
                    return Reentry(target, ruleset, stranger, state, call, sets[0], body.hook)
        return None

    def _reached(self, target: str, without: Collection[str]) -> set[str]:
        """Collect what runs when a target runs, itself included, but for what some rulesets add."""
        if (target, without) not in self._known:
            found, waiting = set[str](), [target]
            while waiting:
                one = waiting.pop()
                if one in found:
                    continue
                found.add(one)
                for body in self._of.get(one, ()):
                    self._work.spend(1)
                    if body.ruleset not in without:
                        waiting += map(_called, body.calls())
            self._known[target, without] = found
        return self._known[target, without]


def _called(call: tree.ActionCall | tree.ChoiceCall) -> str:
    return call.action if isinstance(call, tree.ActionCall) else call.choice


def _bodies(checked: tree.Checked) -> Iterator[_Body]:
    for key, action in checked.actions.items():
        yield _Body(key, ruleset_of(key), (action.guard, action.body))
        yield from _hooks(key, action.hooks)
    for key, choice in checked.choices.items():
        if choice.otherwise is not None:
            yield _Body(key, ruleset_of(key), choice.otherwise)
        yield from _hooks(key, choice.hooks)
        for option in choice.options:
            yield _Body(key, option.ruleset, (option.guard, option.body))
            yield from _hooks(key, option.hooks)


def _hooks(target: str, hooks: tree.Hooks) -> Iterator[_Body]:
    for hook in every(hooks):
        yield _Body(target, hook.ruleset, (hook.guard, hook.body), hook.span)
