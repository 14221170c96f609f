"""The order of hooks.

Hooks of one ruleset run as written; those of rulesets of which one knows the other run in ruleset
order; `order` and `independent` declarations settle the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

from rulesdsl.check.compose.effects import EffectTable
from rulesdsl.check.compose.meetings import Meetings
from rulesdsl.check.compose.nesting import every, nested
from rulesdsl.check.compose.reentry import Reentry, reentries, report_reentry
from rulesdsl.check.graph import Contents
from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.model import checked as tree
from rulesdsl.model.names import owner_of, short_name
from rulesdsl.model.types import Type


@dataclass(frozen=True)
class HookOrder:
    """`order first.target before second.target`, or, when `independent`, their order does not
    matter. `target` is the full name of an action, choice or option (`ruleset/choice.option`);
    `first` and `second` are parts of the rules of rulesets. One line of rules makes several if a
    ruleset has several parts."""

    target: str
    first: str
    second: str
    independent: bool
    span: Span


def order_hooks(
    checked: tree.Checked, contents: Contents, orders: Sequence[HookOrder], report: Report
) -> tree.Checked:
    """`checked` with all hooks in the order they run; `contents` are its nodes.

    Reports `order-unknown`, `order-cycle`, `hooks-meet` (a warning) and `replacement-clash`.
    """
    again = reentries(checked, report)
    _report_unknown(checked, orders, again, report)
    settled = {(o.target, frozenset((o.first, o.second))) for o in orders if o.independent}
    for one in again:
        if (one.target, frozenset((one.ruleset, one.stranger))) not in settled:
            report_reentry(one, report)
    sorter = _Sorter(checked, orders, EffectTable(checked, contents), report)
    return replace(
        checked,
        actions={
            key: replace(action, hooks=sorter.hooks(key, action.hooks, action.type))
            if every(action.hooks)
            else action
            for key, action in checked.actions.items()
        },
        choices={key: sorter.choice(choice) for key, choice in checked.choices.items()},
    )


def _targets(checked: tree.Checked) -> dict[str, tree.Hooks]:
    found = {key: action.hooks for key, action in checked.actions.items()}
    for key, choice in checked.choices.items():
        found[key] = choice.hooks
        found.update((option.key, option.hooks) for option in choice.options)
    return found


def _report_unknown(
    checked: tree.Checked,
    orders: Iterable[HookOrder],
    again: Iterable[Reentry],
    report: Report,
) -> None:
    hooks = _targets(checked)
    for line in by_line(orders):
        order, parties = line[0], parties_in(line)
        there = {hook.ruleset for hook in every(hooks.get(order.target, tree.Hooks()))}
        if order.independent:
            for one in again:
                if one.target == order.target:
                    there |= {one.ruleset, one.stranger}
        for party, parts in parties.items():
            if not parts & there:
                report.error(
                    "order-unknown",
                    f"`{party}` has no hook on `{short_name(order.target)}`",
                    order.span,
                    help=("remove this line, or name a ruleset that hooks it",),
                )


def by_line(orders: Iterable[HookOrder]) -> Iterable[Sequence[HookOrder]]:
    """The orders that each line of rules makes."""
    found: dict[Span, list[HookOrder]] = {}
    for order in orders:
        found.setdefault(order.span, []).append(order)
    return found.values()


def parties_in(line: Sequence[HookOrder]) -> dict[str, set[str]]:
    """The rulesets that a line of rules orders, each with its parts that are meant."""
    found: dict[str, set[str]] = {}
    for part in (part for order in line for part in (order.first, order.second)):
        found.setdefault(owner_of(part), set()).add(part)
    return found


class _Sorter:
    def __init__(
        self,
        checked: tree.Checked,
        orders: Sequence[HookOrder],
        effects: EffectTable,
        report: Report,
    ) -> None:
        self._orders = defaultdict[str, list[HookOrder]](list)
        for order in orders:
            self._orders[order.target].append(order)
        self._meetings = Meetings(checked.game, effects, report)
        self._report = report

    def choice(self, choice: tree.ChoiceDef) -> tree.ChoiceDef:
        options = tuple(
            replace(option, hooks=self.hooks(option.key, option.hooks, choice.type))
            for option in choice.options
        )
        return replace(
            choice, hooks=self.hooks(choice.key, choice.hooks, choice.type), options=options
        )

    def hooks(self, target: str, hooks: tree.Hooks, result: Type) -> tree.Hooks:
        """The hooks on a target, of which `result` is the type, in the order in which they run."""
        if not every(hooks):
            return hooks
        orders = self._orders.get(target, [])
        after = _behind(orders)
        circle = {id_ for id_, later in after.items() if id_ in later}
        if circle:
            self._report_circle(target, [o for o in orders if {o.first, o.second} <= circle])
            return hooks
        before = {(first, second) for first, later in after.items() for second in later}
        found = tree.Hooks(
            *(_in_order(group, before) for group in (hooks.arounds, hooks.befores, hooks.afters))
        )
        settled = {frozenset((order.first, order.second)) for order in orders if order.independent}
        self._meetings.report(target, found, settled | set(map(frozenset[str], before)))
        return nested(found, after, result)

    def _report_circle(self, target: str, lines: Sequence[HookOrder]) -> None:
        spans = list(dict.fromkeys(order.span for order in lines if not order.independent))
        self._report.error(
            "order-cycle",
            f"the hooks on `{short_name(target)}` are ordered in a circle",
            spans[0],
            labels=tuple(Label(span, "and this") for span in spans[1:]),
            help=("remove one of these lines",),
        )


def _behind(orders: Iterable[HookOrder]) -> dict[str, set[str]]:
    """For each ruleset that an order puts first, those that come later, also by other orders."""
    direct: dict[str, set[str]] = {}
    for order in orders:
        if not order.independent:
            direct.setdefault(order.first, set()).add(order.second)
    found = dict[str, set[str]]()
    for first in direct:
        later, waiting = set[str](), [first]
        while waiting:
            new = direct.get(waiting.pop(), set()) - later
            later |= new
            waiting += new
        found[first] = later
    return found


def _in_order(
    hooks: Sequence[tree.Hook], before: Collection[tuple[str, str]]
) -> tuple[tree.Hook, ...]:
    """The hooks in the order in which they run: each is the first as written of those that wait for
    no ruleset; `before` has no circle."""
    waiting: dict[str, list[int]] = {}
    for number, hook in reversed(list(enumerate(hooks))):
        waiting.setdefault(hook.ruleset, []).append(number)
    blocked = {id_: {a for a, b in before if b == id_ and a in waiting} for id_ in waiting}
    free = [numbers[-1] for id_, numbers in waiting.items() if not blocked[id_]]
    heapify(free)
    done = list[tree.Hook]()
    while free:
        hook = hooks[heappop(free)]
        done.append(hook)
        own = waiting[hook.ruleset]
        own.pop()
        if own:
            heappush(free, own[-1])
            continue
        for id_, blockers in blocked.items():
            if hook.ruleset in blockers:
                blockers.remove(hook.ruleset)
                if not blockers:
                    heappush(free, waiting[id_][-1])
    return tuple(done)
