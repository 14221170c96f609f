"""Which refinement of a value wins.

Of two rules, q beats r if q's rulesets contain r's, and either strictly or q's guard is strictly
narrower. The base body is beaten by every refinement. Two rules of which neither beats the other
and that can both apply with different results are an error, unless a rule that beats both stands
wherever both apply.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush

from rulesdsl.check.compose.guards import Guard, both, implies, normal
from rulesdsl.check.compose.keys import key, renaming
from rulesdsl.diagnostics import Label, Report
from rulesdsl.model import checked as tree
from rulesdsl.model.game import Game
from rulesdsl.model.names import short_name
from rulesdsl.model.walk import Nodes


@dataclass(frozen=True)
class _Ranked:
    """A rule with what decides its rank; `number` is its place in the value's own order, `below`
    the numbers of the rules it beats."""

    number: int
    rule: tree.Rule
    reach: frozenset[str]
    guard: Guard
    below: frozenset[int] = frozenset()

    @property
    def base(self) -> bool:
        return self.rule.verb == "base"

    @cached_property
    def result(self) -> str:
        """Equal for rules that compute the same."""
        return key(self.rule.body, renaming(self.rule.params))

    @cached_property
    def previous(self) -> Sequence[tree.Previous]:
        """Where it asks for the rules below it; a base body has none."""
        return () if self.base else Nodes(self.rule).of(tree.Previous)

    def beats(self, other: _Ranked) -> bool:
        return other.number in self.below


def order_rules(value: tree.ValueDef, game: Game, report: Report) -> tree.ValueDef:
    """`value` with its rules in the order in which they are tried, `beats` filled in.

    Reports `never-applies`, `value-clash`, `previous-ambiguous` and `unknown-name`. Rules of other
    policies than `unique`, and a body that nobody refines, keep their order, and nothing is found
    wrong with them.
    """
    if value.policy != "unique" or all(rule.verb == "base" for rule in value.rules):
        return value
    ordered = _sorted(_ranked(value.rules, game))
    _report_hidden(value, ordered, report)
    _report_clashes(value, ordered, report)
    _report_previous(value, ordered, report)
    _report_absent(value, ordered, report)
    place = {one.number: index for index, one in enumerate(ordered)}
    rules = tuple(
        replace(one.rule, beats=tuple(place[r.number] for r in ordered if one.beats(r)))
        for one in ordered
    )
    return replace(value, rules=rules)


def _ranked(rules: Sequence[tree.Rule], game: Game) -> list[_Ranked]:
    found = [
        _Ranked(number, rule, game.reach[rule.ruleset], normal(rule.guard, rule.params))
        for number, rule in enumerate(rules)
    ]
    return [
        replace(one, below=frozenset(r.number for r in found if r is not one and _beats(one, r)))
        for one in found
    ]


def _beats(one: _Ranked, other: _Ranked) -> bool:
    if one.base or other.base:
        return other.base and not one.base
    if one.reach != other.reach:
        return one.reach > other.reach
    return implies(one.guard, other.guard) and not implies(other.guard, one.guard)


def _sorted(ranked: Sequence[_Ranked]) -> list[_Ranked]:
    """Every rule before those it beats; of unrelated ones the later in ruleset order first."""
    above = Counter(number for one in ranked for number in one.below)
    free = [-one.number for one in ranked if not above[one.number]]
    heapify(free)
    ordered: list[_Ranked] = []
    while free:
        best = ranked[-heappop(free)]
        ordered.append(best)
        for number in best.below:
            above[number] -= 1
            if not above[number]:
                heappush(free, -number)
    return ordered


def _report_hidden(value: tree.ValueDef, ordered: Sequence[_Ranked], report: Report) -> None:
    """A body that its own ruleset replaces everywhere; that another one does is no mistake."""
    body = next((one for one in ordered if one.base), None)
    for other in ordered:
        if body is None or other.base or other.rule.ruleset != body.rule.ruleset:
            continue
        if other.rule.guard is None and not other.previous:
            report.warning(
                "never-applies",
                f"this rule of `{short_name(value.key)}` never applies: another rule always wins",
                body.rule.span,
                labels=(Label(other.rule.span, "this one beats it wherever it applies"),),
                help=("remove it, or change its guard",),
            )


def _report_clashes(value: tree.ValueDef, ordered: Sequence[_Ranked], report: Report) -> None:
    for index, one in enumerate(ordered):
        for other in ordered[index + 1 :]:
            if one.beats(other) or other.beats(one) or one.result == other.result:
                continue
            meeting = both(one.guard, other.guard)
            if meeting and not _settled(one, other, meeting, ordered):
                first, second = sorted((one, other), key=lambda r: r.number)
                _clash(value, first, second, report)


def _settled(one: _Ranked, other: _Ranked, meeting: Guard, ordered: Iterable[_Ranked]) -> bool:
    """Does a third rule beat both wherever they meet?"""
    return any(
        third.beats(one) and third.beats(other) and implies(meeting, third.guard)
        for third in ordered
    )


def _clash(value: tree.ValueDef, one: _Ranked, other: _Ranked, report: Report) -> None:
    name = short_name(value.key)
    names = _parameters(one.rule, other.rule)
    when = " and ".join(dict.fromkeys(_guard_texts(names, one.rule, other.rule)))
    circumstance = f"when {when}" if when else "always"
    owners = sorted({one.rule.ruleset, other.rule.ruleset})
    head = f"refine {name}({', '.join(names)})" + (f" when {when}" if when else "")
    if len(owners) == 1:
        advice = ("make one guard narrower, or say what holds when both apply:", f"    {head}: …")
    else:
        advice = (
            f"happens in every game with {' and '.join(owners)}; say what holds in a ruleset with "
            f"`interaction: [{', '.join(owners)}]`:",
            f"    {head}: …",
        )
    report.error(
        "value-clash",
        f"`{name}` gets two values {circumstance}",
        one.rule.span,
        mark="gives one",
        labels=(Label(other.rule.span, "gives the other"),),
        help=advice,
    )


_WORD = re.compile(r"(?<![.\w'])[A-Za-z_]\w*")
_LOOSE = re.compile(r"\b(or|if)\b")
_COMMENT = re.compile(r"#[^\n]*")


def _parameters(one: tree.Rule, other: tree.Rule) -> tuple[str, ...]:
    """Names for the parameters of a rule for both: those of `one` unless a guard means something
    else by them."""
    taken = {
        word
        for rule in (one, other)
        for word in _WORD.findall(_text(rule.guard))
        if word not in rule.params
    }
    return tuple(name + "_" if name in taken else name for name in one.params)


def _guard_texts(names: Sequence[str], *rules: tree.Rule) -> Iterable[str]:
    """The conditions of the guards as written, with the parameters called `names`."""
    for rule in rules:
        for condition in _conjuncts(rule.guard):
            text = _renamed(_text(condition), dict(zip(rule.params, names, strict=True)))
            yield f"({text})" if _LOOSE.search(text) else text


def _conjuncts(guard: tree.Expr | None) -> list[tree.Expr]:
    match guard:
        case None:
            return []
        case tree.Binary(operator="and", left=left, right=right):
            return _conjuncts(left) + _conjuncts(right)
    return [guard]


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return _WORD.sub(lambda word: names.get(word[0], word[0]), text)


def _text(guard: tree.Expr | None) -> str:
    """The guard in one line, without comments."""
    return "" if guard is None else " ".join(_COMMENT.sub("", guard.span.text).split())


def _report_previous(value: tree.ValueDef, ordered: Sequence[_Ranked], report: Report) -> None:
    for one in ordered:
        bare = [previous for previous in one.previous if previous.ruleset is None]
        if not bare:
            continue
        below = [r for r in ordered if one.beats(r) and both(one.guard, r.guard)]
        top = [r for r in below if not any(other.beats(r) for other in below)]
        rivals = [r for r in top[1:] if both(top[0].guard, r.guard)]
        if rivals:
            names = sorted({top[0].rule.ruleset, *(r.rule.ruleset for r in rivals)})
            report.error(
                "previous-ambiguous",
                f"`previous` could be any of {len(rivals) + 1} rules of `{short_name(value.key)}`",
                bare[0].span,
                labels=tuple(Label(r.rule.span, "one of them") for r in (top[0], *rivals)),
                help=tuple(f"write `(previous in {name})`" for name in names),
            )


def _report_absent(value: tree.ValueDef, ordered: Sequence[_Ranked], report: Report) -> None:
    """`previous in` a ruleset of which no rule is beaten."""
    for one in ordered:
        there = sorted({other.rule.ruleset for other in ordered if one.beats(other)})
        for previous in one.previous:
            if previous.ruleset is not None and previous.ruleset not in there:
                message = (
                    f"`{previous.ruleset}` has no rule of `{short_name(value.key)}` below this one"
                )
                known = tuple(f"write `(previous in {name})`" for name in there)
                report.error("unknown-name", message, previous.span, help=known)
