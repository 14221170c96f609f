"""Reentries: actions that one ruleset runs again while a stranger keeps a state across them.

A ruleset sets a state in one hook or option, and reads it in a hook that comes later in an
enclosing action. If a stranger runs the inner action again in between, that overwrites the state.
What a hook sets and reads by calls of its own ruleset's actions and values counts too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.conflicts.guards import TooMuch, Work
from rulesdsl.language.check.errors import pasted, places
from rulesdsl.language.check.graph import Contents, reachable
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.flow import ALWAYS, rule_bodies
from rulesdsl.language.model.names import owner_of, ruleset_of, short_name


@dataclass(frozen=True)
class _Body:
    """A body of code that `ruleset` adds to `target`, an action or choice.

    `span` is its place if it is a hook or an option; `late`: it runs after the hooked code.
    """

    target: str
    ruleset: str
    content: object
    span: Span | None = None
    late: bool = False

    @cached_property
    def nodes(self) -> tree.Nodes:
        return tree.Nodes(self.content)

    @cached_property
    def calls(self) -> tuple[tree.ActionCall | tree.ChoiceCall, ...]:
        return (*self.nodes.of(tree.ActionCall), *self.nodes.of(tree.ChoiceCall))


@dataclass(frozen=True)
class Reentry:
    """A reentry: `ruleset` runs `target` again by `call`, and so changes a state of `stranger`.

    A hook or option of `stranger` has set `state`, and another one reads it later.
    """

    target: str
    ruleset: str
    stranger: str
    state: str
    call: tree.ActionCall | tree.ChoiceCall
    setting: Span
    reading: Span


def reentries(checked: tree.Checked, contents: Contents, report: Report) -> list[Reentry]:
    """Return one reentry for each two rulesets and each action; `contents` are the game's nodes.

    Reports `too-large` if that takes too long.
    """
    try:
        return list(_Reentries(checked, contents).all())
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
            f"if that is intended, write {places(one, other)}:",
            pasted(
                f"    independent {owner_of(one)}.{name}, {owner_of(other)}.{name}",
                found.call.span,
                one,
                other,
            ),
        ),
    )


_States = Mapping[str, tuple[list[_Body], list[_Body]]]
"""By state, the bodies that set it, and those that read it."""


class _Reentries:
    def __init__(self, checked: tree.Checked, contents: Contents) -> None:
        self._game = checked.game
        self._values = contents.values
        self._steps = {key for key, action in checked.actions.items() if action.step}
        self._work = Work()
        self._known: dict[tuple[str, Collection[str]], set[str]] = {}
        self._bodies = list(_bodies(checked))
        self._of: dict[str, list[_Body]] = {}
        for body in self._bodies:
            self._of.setdefault(body.target, []).append(body)

    def all(self) -> Iterator[Reentry]:
        """Yield the reentries between strangers, by target, in the order of the rules."""
        kept = {ruleset: states for ruleset, states in self._kept() if states}
        if not kept:
            return
        rulesets = {body.ruleset for body in self._bodies}
        for ruleset in sorted(rulesets):
            self._work.spend(len(kept))
            strangers = [other for other in sorted(kept) if self._game.strangers(ruleset, other)]
            if not strangers:
                continue
            runs = list(self._runs(ruleset))
            for other in strangers:
                seen = set[str]()
                for place, call in runs:
                    target = _called(call)
                    if target in seen or ruleset_of(target) in map(owner_of, (ruleset, other)):
                        continue
                    found = self._meeting(ruleset, other, kept[other], place, call)
                    if found is not None:
                        seen.add(target)
                        yield found

    def _kept(self) -> Iterator[tuple[str, _States]]:
        """Yield, by ruleset, the states that some of its hooks and options set and others read."""
        found: dict[str, dict[str, tuple[list[_Body], list[_Body]]]] = {}
        for body in self._bodies:
            if body.span is None:
                continue
            states = found.setdefault(body.ruleset, {})
            for nodes in self._own(body):
                for change in nodes.of(tree.SetState):
                    if change.operator == "=":
                        states.setdefault(change.state, ([], []))[0].append(body)
                for read in nodes.of(tree.ReadState):
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

    def _own(self, body: _Body) -> Iterable[tree.Nodes]:
        """Return the nodes of a body, and those of its ruleset's own code that it calls."""
        own, seen = owner_of(body.ruleset), set[str]()
        found, waiting = list[tree.Nodes](), [body.nodes]
        while waiting:
            nodes = waiting.pop()
            self._work.spend(1)
            found.append(nodes)
            called = [value.value for value in nodes.of(tree.CallValue)]
            called += [call.action for call in nodes.of(tree.ActionCall)]
            called += [call.choice for call in nodes.of(tree.ChoiceCall)]
            for name in called:
                if name not in seen and ruleset_of(name) == own:
                    seen.add(name)
                    waiting += [each.nodes for each in self._of.get(name, ())]
                    waiting += [self._values[name]] if name in self._values else []
        return found

    def _runs(self, ruleset: str) -> Iterator[tuple[str, tree.ActionCall | tree.ChoiceCall]]:
        """Yield the calls of foreign actions and choices in a ruleset's hooks and options.

        Calls through its own actions count. Each call comes with the target that it is part of.
        """
        for body in self._bodies:
            own = owner_of(ruleset)
            if body.ruleset != ruleset or ruleset_of(body.target) == own:
                continue
            seen, waiting = set[str](), list(body.calls)
            while waiting:
                call = waiting.pop()
                target = _called(call)
                if ruleset_of(target) != own:
                    yield body.target, call
                elif target not in seen:
                    seen.add(target)
                    waiting += [inner for own in self._of.get(target, ()) for inner in own.calls]

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
            sets = [body for body in setting if body.target in inside]
            for body in reading if sets else ():
                # The reader's target runs what sets the state in any case, and the other's code.
                whole = self._reached(body.target, (ruleset, stranger))
                again = [each for each in sets if each.target in whole]
                # What is read inside of the action was set by the same run, unless that is nested.
                apart = body.late or body.target not in inside
                if again and place in whole and apart and again[0].span and body.span:
                    span, read = again[0].span, body.span
                    return Reentry(target, ruleset, stranger, state, call, span, read)
        return None

    def _reached(self, target: str, without: Collection[str]) -> set[str]:
        """Return all targets that run as part of a target, itself included.

        Code that the rulesets `without` add is left out.
        """

        def called(one: str) -> Iterator[str]:
            yield from [ALWAYS] if one in self._steps else []
            for body in self._of.get(one, ()):
                self._work.spend(1)
                if body.ruleset not in without:
                    yield from map(_called, body.calls)

        if (target, without) not in self._known:
            self._known[target, without] = reachable([target], called)
        return self._known[target, without]


def _called(call: tree.ActionCall | tree.ChoiceCall) -> str:
    return call.action if isinstance(call, tree.ActionCall) else call.choice


def _bodies(checked: tree.Checked) -> Iterator[_Body]:
    for what, key, ruleset, guard, code, node in rule_bodies(checked):
        added = what == "hook" or (what == "option" and ruleset != ruleset_of(key))
        if what not in ("rule", "precondition", "veto"):
            yield _Body(
                key,
                ruleset,
                (getattr(node, "binder", guard), code),
                node.span if added else None,
                late=isinstance(node, tree.Hook) and node.when != "before",
            )
