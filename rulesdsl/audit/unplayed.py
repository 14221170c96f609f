"""What of a game could be seen when it is played: its rules, choices and points."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rulesdsl.diagnostics import Diagnostic, Severity, Span
from rulesdsl.model.checked import ActionDef, Checked, ChoiceDef, Hooks, Node, OptionDef
from rulesdsl.model.game import EnumDef
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Mapping, Scalar, Sequence
from rulesdsl.model.nodes import Node as Data
from rulesdsl.model.sources import enum_given, member_source, sources

Sign = tuple[str, str, int]
"""What is seen of something: `ran`, a file, where in it; `asked`, `offered` or `given`, a key."""


def ran(node: Node) -> Sign:
    """That something runs."""
    return "ran", node.span.source.name, node.span.start


def asked(choice: str) -> Sign:
    """That a choice is asked for."""
    return "asked", choice, 0


def offered(option: str) -> Sign:
    """That an option is offered."""
    return "offered", option, 0


def given(source: str) -> Sign:
    """That points are given or taken."""
    return "given", source, 0


@dataclass(frozen=True)
class Subject:
    """Something that can be seen: by any of its `signs`, if any of `inside` is seen (which stands
    for it otherwise; empty: always); what to say at `span` if it is not."""

    slug: str
    message: str
    span: Span
    signs: frozenset[Sign]
    inside: frozenset[Sign] = frozenset()

    @property
    def key(self) -> tuple[str, str, str, int]:
        """The same for it in every game."""
        return self.slug, self.message, self.span.source.name, self.span.start

    def finding(self, games: int) -> Diagnostic:
        """The warning that it was not seen in so many games."""
        many = "1 random game" if games == 1 else f"{games} random games"
        help = ("show it in a scenario, or allow it here", "more games may bring it about")
        return Diagnostic(
            self.slug,
            f"{self.message} in {many}",
            self.span,
            help=help if games < _MANY else help[:1],
            severity=Severity.WARNING,
        )


_MANY = 1000
_NAME = re.compile(r"\w+")


def subjects(checked: Checked, rulesets: frozenset[str]) -> Iterator[Subject]:
    """All that could be seen of what these rulesets (ids) write."""
    files = {
        ruleset.rules.name
        for ruleset in checked.game.rulesets
        if ruleset.rules is not None and ruleset.id in rulesets
    }
    found = (*_values(checked), *_actions(checked), *_choices(checked))
    always = (_runs(rule, "this `always` never ran") for rule in checked.always)
    yield from (each for each in (*found, *always) if each.span.source.name in files)
    yield from _points(checked, rulesets)


def _runs(node: Node, message: str, inside: frozenset[Sign] = frozenset()) -> Subject:
    return Subject("never-ran", message, node.span, frozenset({ran(node)}), inside)


def _values(checked: Checked) -> Iterator[Subject]:
    for key, value in checked.values.items():
        if key in checked.actions:
            continue
        guards = (rule.guard for rule in value.rules if rule.guard is not None)
        every = frozenset(map(ran, (*value.rules, *guards)))
        name = f"`{short_name(value.key)}`"
        if every:
            yield Subject("never-ran", f"nobody asked for {name}", value.span, every)
        yield from (_runs(rule, f"this rule of {name} never ran", every) for rule in value.rules)


def _actions(checked: Checked) -> Iterator[Subject]:
    for action in checked.actions.values():
        name, own = f"`{short_name(action.key)}`", frozenset({ran(action)})
        hooks = frozenset(map(ran, _every(action.hooks)))
        # What takes its place runs without it.
        yield Subject("never-ran", f"{name} never ran", action.span, own | hooks)
        for rule in action.requires:
            yield _runs(rule, f"this requirement of {name} was never looked at", own)
        yield from _hooks(action, name, own | hooks)


def _hooks(
    on: ActionDef | ChoiceDef | OptionDef, name: str, inside: frozenset[Sign]
) -> Iterator[Subject]:
    for hook in _every(on.hooks):
        yield _runs(hook, f"this hook on {name} never ran", inside)


def _every(hooks: Hooks) -> tuple[Node, ...]:
    return (*hooks.arounds, *hooks.befores, *hooks.afters)


def _choices(checked: Checked) -> Iterator[Subject]:
    for choice in checked.choices.values():
        name, here = f"`{short_name(choice.key)}`", frozenset({asked(choice.key)})
        met = here | {ran(choice)}
        yield Subject("never-offered", f"nobody was asked for {name}", choice.span, met)
        yield from _hooks(choice, name, met)
        for option in choice.options:
            own = frozenset({offered(option.key)})
            message = f"`{option.name}` was never possible"
            yield Subject("never-offered", message, option.span, own, met)
            yield from _hooks(option, f"`{option.name}`", own)
            for forbid in option.forbids:
                yield _runs(forbid, f"this veto on `{option.name}` never applied", met)


def _points(checked: Checked, rulesets: frozenset[str]) -> Iterator[Subject]:
    """The sources of points, each where it is named: an enum's member, an action or a choice."""
    places: dict[str, tuple[str, Span, frozenset[Sign]]] = {
        key: (key.partition("/")[0], node.span, frozenset({ran(node), asked(key)}))
        for table in (checked.actions, checked.choices)
        for key, node in table.items()
    }
    named = {found[1] for each in checked.actions.values() if (found := enum_given(each))}
    for enum in checked.game.enums:
        for member, origin in zip(enum.members, enum.origins, strict=True):
            if enum.key in named:
                at = _member(checked, enum, member, origin)
                places[member_source(enum.key, member)] = origin, at, frozenset()
    for source in sources(checked).names:
        if source not in places:
            continue
        origin, span, inside = places[source]
        if origin in rulesets:
            message = f"no points were given for `{short_name(source)}`"
            yield Subject("never-given", message, span, frozenset({given(source)}), inside)


def _member(checked: Checked, enum: EnumDef, member: str, origin: str) -> Span:
    """Where a ruleset names a member of an enum."""
    (ruleset,) = (each for each in checked.game.rulesets if each.id == origin)
    sections = (ruleset.manifest.get("enums"), ruleset.manifest.get("extend"))
    for section in sections:
        for key, node in section if isinstance(section, Mapping) else ():
            if _NAME.findall(str(key.value))[-1:] == [enum.name]:
                found = next(_named(node, member), None)
                if found is not None:
                    return found.span
    return enum.span


def _named(node: Data, word: str) -> Iterator[Scalar]:
    if isinstance(node, Scalar) and node.value == word:
        yield node
    elif isinstance(node, Sequence):
        for item in node:
            yield from _named(item, word)
