"""The rules behind the options and the points of a game, as lines of the rules texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rulesdsl.language.diagnostics import Source, Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import Checked, walk
from rulesdsl.language.model.flow import enum_given, member_source
from rulesdsl.language.model.values import EnumMember

MOST = 12
"""The most declarations that are given as a reason."""

Data = dict[str, object]
Lines = list[int]
"""The number of a text, its first line and its last."""


def reasons(checked: Checked) -> Data:
    """Return the rules texts, and the lines that decide about each option and source of points."""
    texts = Texts(checked)
    options = {
        option.key: texts.lines(_of_option(checked, option))
        for choice in checked.choices.values()
        for option in choice.options
    }
    return {
        "texts": texts.data(),
        "options": options,
        "sources": {name: texts.lines(found) for name, found in _of_sources(checked).items()},
    }


class Texts:
    """The rules texts of a game by number.

    Declarations that were parsed for an earlier game have sources of their own with the same names.
    """

    def __init__(self, checked: Checked) -> None:
        self._rulesets = [each for each in checked.game.rulesets if each.rules is not None]
        self._numbers = {
            each.rules.name: number for number, each in enumerate(self._rulesets) if each.rules
        }

    def data(self) -> list[Data]:
        """Return the texts with their rulesets and the names of their files."""
        return [
            {
                "ruleset": each.id,
                "file": each.rules.name.rpartition("/")[2],
                "text": each.rules.text,
            }
            for each in self._rulesets
            if each.rules is not None
        ]

    def lines(self, nodes: Iterable[tree.Node]) -> list[Lines]:
        """Return the lines of declarations, without repeats."""
        found = dict[tuple[int, int, int], None]()
        for node in nodes:
            for source, first, last in _extents(node):
                number = self._numbers.get(source.name)
                if number is not None:
                    found[number, first, last] = None
        return [list(each) for each in list(found)[:MOST]]


def _extents(node: tree.Node) -> Iterator[tuple[Source, int, int]]:
    """Yield the first and the last line of a declaration in each text that has a part of it."""
    parts: list[object] = [node]
    rules = getattr(node, "rules", ())
    parts = [*rules] or parts
    for part in parts:
        found = [getattr(each, "span", None) for each in walk(part)]
        spans = [span for span in found if isinstance(span, Span)]
        own = [span for span in spans if span.source == spans[0].source]
        if own:
            last = max(own, key=lambda span: span.end)
            ends = last.line + last.text.count("\n")
            yield own[0].source, min(span.line for span in own), ends


def _of_option(checked: Checked, option: tree.OptionDef) -> Iterator[tree.Node]:
    yield replace(option, forbids=(), hooks=tree.Hooks())
    yield from option.forbids
    asked = (*option.binders, option.guard, *option.forbids, option.precondition)
    yield from _values(checked, asked)


def _values(checked: Checked, trees: object) -> Iterator[tree.Node]:
    """Yield the values that trees use, each before those that it uses itself."""
    waiting, known = [trees], set[str]()
    while waiting:
        for node in walk(waiting.pop(0)):
            if isinstance(node, tree.CallValue) and node.value not in known:
                known.add(node.value)
                value = checked.values[node.value]
                yield value
                waiting.append(value)


def _of_sources(checked: Checked) -> dict[str, list[tree.Node]]:
    found: dict[str, list[tree.Node]] = {}
    for action in checked.actions.values():
        if not _scores(checked, action):
            continue
        for name, nodes in _given_by(checked, action):
            found.setdefault(name, []).extend(nodes)
    for choice in checked.choices.values():
        scoring = [option for option in choice.options if _scores(checked, option)]
        if scoring:
            found[choice.key] = [*scoring, *_values(checked, tuple(scoring))]
    always = [each for each in checked.always if _scores(checked, each)]
    if always:
        found[checked.score] = [*always, *_values(checked, tuple(always))]
    return found


def _given_by(checked: Checked, action: tree.ActionDef) -> Iterator[tuple[str, list[tree.Node]]]:
    """Yield the sources of an action that gives points, each with its reasons."""
    named = enum_given(action)
    calls = [
        (caller, call)
        for caller in (*checked.actions.values(), *checked.choices.values())
        for call in walk(caller)
        if isinstance(call, tree.ActionCall) and call.action == action.key
    ]
    if named is None:
        yield action.key, [*_reasons(checked, calls), action]
        return
    place, enum, _ = named
    for index, member in enumerate(next(e.members for e in checked.game.enums if e.key == enum)):
        found = EnumMember(enum, index)
        own = [each for each in calls if _may_be(each[1], place, found)]
        own.sort(key=lambda each: not isinstance(each[1].arguments[place], tree.Const))
        yield member_source(enum, member), [*_reasons(checked, own), action]


def _may_be(call: tree.ActionCall, place: int, member: EnumMember) -> bool:
    given = call.arguments[place] if place < len(call.arguments) else None
    return not isinstance(given, tree.Const) or given.value == member


def _reasons(
    checked: Checked, calls: Iterable[tuple[tree.Node, tree.ActionCall]]
) -> list[tree.Node]:
    """Return the statements that call, and the values of the arguments."""
    statements = [call for _, call in calls]
    return [*statements, *_values(checked, tuple(each.arguments for each in statements))]


def _scores(checked: Checked, part: object) -> bool:
    return any(isinstance(n, tree.SetState) and n.state == checked.score for n in walk(part))
