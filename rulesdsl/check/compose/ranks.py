"""Ranks of rulesets: whose refinements of a value beat whose.

Refinements of more rulesets beat those of fewer; `order a.x before b.x` makes those of `b` beat
those of `a`. What follows from several of these together holds too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from operator import or_

from rulesdsl.check.compose.hooks import HookOrder, by_line, parties_in
from rulesdsl.check.compose.work import Work
from rulesdsl.diagnostics import Label, Report
from rulesdsl.model import checked as tree
from rulesdsl.model.game import Game
from rulesdsl.model.names import owner_of, short_name

_TOGETHER = 4
"""So many pairs of rulesets are one step of work."""


def check_rankings(
    orders: Mapping[str, Sequence[HookOrder]],
    values: Mapping[str, tree.ValueDef],
    rules: Mapping[str, Sequence[tree.Rule]],
    report: Report,
) -> None:
    """Report orders of refinements that are not there (`order-unknown`), and those of values to
    which an order means nothing (`wrong-order`); `orders` and `rules` are by value."""
    for key, group in orders.items():
        value = values.get(key)
        refining = {rule.ruleset for rule in rules.get(key, ()) if rule.verb == "refine"}
        for line in by_line(group):
            order = line[0]
            if value is not None and value.policy != "unique":
                _report_combined(value, order, report)
            elif order.independent:
                _report_independent(order, report)
            else:
                _report_unknown(line, refining, report)


def _report_combined(value: tree.ValueDef, order: HookOrder, report: Report) -> None:
    name = short_name(value.key)
    report.error(
        "wrong-order",
        f"`{name}` combines by `{value.policy}`: its contributions give the same in every order",
        order.span,
        labels=(Label(value.span, "declared here"),),
        help=("remove this line",),
    )


def _report_independent(order: HookOrder, report: Report) -> None:
    name = short_name(order.target)
    one, other = (f"{owner_of(party)}.{name}" for party in (order.first, order.second))
    report.error(
        "wrong-order",
        f"refinements of `{name}` cannot be independent: where both apply, one gives the result",
        order.span,
        help=(
            "say which is first; the later one beats it:",
            f"    order {one} before {other}",
            f"    order {other} before {one}",
        ),
    )


def _report_unknown(line: Sequence[HookOrder], refining: Collection[str], report: Report) -> None:
    order = line[0]
    for party, parts in parties_in(line).items():
        if parts.isdisjoint(refining):
            report.error(
                "order-unknown",
                f"`{party}` has no refinement of `{short_name(order.target)}`",
                order.span,
                help=("remove this line, or name a ruleset that refines it",),
            )


def by_ruleset(
    rules: Sequence[tree.Rule],
    game: Game,
    orders: Sequence[HookOrder],
    report: Report,
    work: Work,
) -> list[int] | None:
    """For every rule a mask of those that beat it whatever their guards are: refinements beat a
    base body, and refinements of some rulesets those of others. None if they beat each other in a
    circle, which is reported (`order-cycle`)."""
    numbers = {part.id: number for number, part in enumerate(game.parts)}
    of: dict[str, int] = {}
    for number, rule in enumerate(rules):
        if rule.verb != "base":
            of[rule.ruleset] = of.get(rule.ruleset, 0) | 1 << number
    reach = {id_: sum(1 << numbers[each] for each in game.reach[id_]) for id_ in of}
    work.spend(len(of) ** 2 // _TOGETHER)
    above = {
        id_: [o for o in of if reach[o] != own and reach[o] | own == reach[o]]
        for id_, own in reach.items()
    }
    more = {id_: reduce(or_, (of[o] for o in higher), 0) for id_, higher in above.items()}
    said = [o for o in orders if not o.independent and o.first in of and o.second in of]
    if said:
        for order in said:
            above[order.first].append(order.second)
        try:
            ordered = tuple(TopologicalSorter(above).static_order())
        except CycleError as error:
            _report_circle(error.args[1], said, game, report)
            return None
        for id_ in ordered:
            work.spend(1 + len(above[id_]) // _TOGETHER)
            more[id_] = reduce(or_, (of[o] | more[o] for o in above[id_]), 0)
    refinements = reduce(or_, of.values(), 0)
    return [refinements if rule.verb == "base" else more[rule.ruleset] for rule in rules]


def _report_circle(
    circle: Sequence[str], orders: Sequence[HookOrder], game: Game, report: Report
) -> None:
    """`circle`: rulesets of which each beats the next; the last is the first again."""
    said = {(order.second, order.first): order for order in orders}
    pairs = list(pairwise(circle))
    lines = sorted((said[pair] for pair in pairs if pair in said), key=orders.index)
    lines = [line[0] for line in by_line(lines)]
    houses = {ruleset.id for ruleset in game.rulesets if ruleset.house}
    reasons = (
        f"refinements of `{one}` beat those of `{other}` whatever is ordered: `{one}` "
        + ("is a house ruleset" if owner_of(one) in houses else f"builds on `{other}`")
        for one, other in pairs
        if (one, other) not in said
    )
    report.error(
        "order-cycle",
        f"the refinements of `{short_name(lines[0].target)}` are ordered in a circle",
        lines[0].span,
        labels=tuple(Label(order.span, "and this") for order in lines[1:]),
        help=(*reasons, "remove one of these lines" if len(lines) > 1 else "remove this line"),
    )
