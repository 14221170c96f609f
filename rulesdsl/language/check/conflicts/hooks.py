"""Hooks: the order in which they run, and conflicts between those of unrelated rulesets.

Hooks of one ruleset run as written. Hooks of rulesets of which one knows the other run in ruleset
order; `order` and `independent` declarations settle the rest. The same holds for `always` rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import combinations, product
from typing import TypeVar

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.conflicts.effects import RESULT, Column, Effects, EffectTable, worded
from rulesdsl.language.check.conflicts.guards import (
    FINDING,
    GuardIndex,
    TooMuch,
    Work,
    bits,
    normal,
)
from rulesdsl.language.check.conflicts.reentry import Reentry, reentries, report_reentry
from rulesdsl.language.check.errors import settling
from rulesdsl.language.check.graph import reachable
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.flow import ALWAYS, contains, proceeds
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.names import owner_of, short_name
from rulesdsl.language.model.types import UNIT, Type

_RESULT = "$inside"
"""The local that holds the result of the hooked code inside of an `around`."""


def every(hooks: tree.Hooks) -> tuple[tree.Hook, ...]:
    """Return the hooks on one target."""
    return hooks.arounds + hooks.befores + hooks.afters


def may_replace(block: tree.Block) -> bool:
    """Return whether some path through the block of an `around` does not proceed."""
    return not proceeds(block)


def halves(block: tree.Block) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Split the block of an `around` into the parts that can run before and after it proceeds."""
    before: list[object] = []
    after: list[object] = []
    for number, statement in enumerate(block):
        if not contains(statement, tree.ProceedCall):
            before.append(statement)
            continue
        match statement:
            case tree.If(condition=condition, then=then, otherwise=otherwise):
                before.append(condition)
                for part in (then, otherwise):
                    earlier, later = halves(part)
                    before += earlier
                    after += later
                before += block[number + 1 :] if may_replace((statement,)) else ()
            case tree.For() | tree.While():
                before.append(statement)
                after.append(statement)
        after += block[number + 1 :]
        break
    return tuple(before), tuple(after)


def nested(hooks: tree.Hooks, behind: Mapping[str, Collection[str]], result: Type) -> tree.Hooks:
    """Return the hooks with each `before` and `after` outside the `around`s of later rulesets.

    `behind` has the later rulesets of each ruleset. A `before` or `after` stays inside all other
    `around`s, where it was.
    """
    places = {}
    for ruleset, later in behind.items():
        numbers = [n for n, hook in enumerate(hooks.arounds) if hook.ruleset in later]
        if numbers:
            places[ruleset] = numbers[0]
    arounds: list[tree.Hook] = []
    for number, hook in enumerate(hooks.arounds):
        here = {ruleset for ruleset, place in places.items() if place == number}
        arounds += (_lifted_before(h, result) for h in hooks.befores if h.ruleset in here)
        # The first of them runs first, so it becomes the innermost.
        arounds += (_lifted_after(h, result) for h in reversed(hooks.afters) if h.ruleset in here)
        arounds.append(hook)
    return tree.Hooks(
        tuple(arounds),
        tuple(hook for hook in hooks.befores if hook.ruleset not in places),
        tuple(hook for hook in hooks.afters if hook.ruleset not in places),
    )


def _lifted_before(hook: tree.Hook, result: Type) -> tree.Hook:
    """Return an `around` that does what a `before` does, then proceeds."""
    rest = _proceeding(hook, result)
    return replace(hook, body=_returning(hook.body, rest) + rest)


def _lifted_after(hook: tree.Hook, result: Type) -> tree.Hook:
    """Return an `around` that proceeds, then does what an `after` does."""
    first, *last = _proceeding(hook, result)
    body = _returning(hook.body, tuple(last) or (tree.Return(hook.span, None),))
    if hook.guard is not None:
        body = (tree.If(hook.span, hook.guard, body),)
    return replace(hook, guard=None, body=(first, *body, *last))


def _proceeding(hook: tree.Hook, result: Type) -> tree.Block:
    proceed = tree.ProceedCall(hook.span)
    if result == UNIT:
        return (tree.Perform(hook.span, proceed),)
    given = tree.Local(hook.span, result, _RESULT)
    return tree.Perform(hook.span, proceed, _RESULT), tree.Return(hook.span, given)


def _returning(block: tree.Block, instead: tree.Block) -> tree.Block:
    """Return a block with every `return` replaced by another block."""

    def statements(statement: tree.Stmt) -> Iterable[tree.Stmt]:
        match statement:
            case tree.Return():
                return instead if isinstance(instead[-1], tree.Return) else (*instead, statement)
            case tree.If(then=then, otherwise=otherwise):
                one, other = _returning(then, instead), _returning(otherwise, instead)
                return (replace(statement, then=one, otherwise=other),)
            case tree.For(body=body) | tree.While(body=body):
                return (replace(statement, body=_returning(body, instead)),)
        return (statement,)

    return tuple(found for statement in block for found in statements(statement))


# --- conflicts ------------------------------------------------------------------------------------


@dataclass
class _Meeting:
    """Two hooks that conflict, the first ones of their rulesets.

    `replaced`: one can keep the other from running. `columns`: the data that make their order
    matter.
    """

    one: tree.Hook
    other: tree.Hook
    replaced: bool = False
    columns: set[str] = field(default_factory=set)


_Met = dict[frozenset[str], _Meeting]


@dataclass(frozen=True)
class _Phase:
    """The effects of a hook before or after the hooked code, those of its guard also alone."""

    effects: Effects
    guard: Effects

    def meets(self, other: _Phase, together: bool) -> frozenset[str]:
        """Return the names of the columns because of which the order of two phases matters.

        If the guards exclude each other (not `together`), one hook must change a guard.
        """
        if together:
            return self.effects.meets(other.effects)
        return self.effects.disturbs(other.guard) | other.effects.disturbs(self.guard)


_NO_PHASE = _Phase(Effects(), Effects())


class Meetings:
    """The reporter of hooks that conflict, with a bound on the number of comparisons."""

    def __init__(self, game: LinkedGame, effects: EffectTable, report: Report) -> None:
        self._game = game
        self._effects = effects
        self._report = report
        self._work = Work()

    def report(
        self,
        target: str,
        hooks: tree.Hooks,
        settled: Collection[frozenset[str]],
        inside: bool,
    ) -> None:
        """Report `hooks-meet` (a warning) and `replacement-clash` for hooks in the order they run.

        Each pair of rulesets that is not `settled` is reported once. `inside`: the hooked code runs
        inside of a step.
        """
        group = _Group(every(hooks), self._game, self._work, settled)
        if not any(group.apart.values()):
            return
        told = self._work.over
        met: _Met = {}
        try:
            self._find_replaced(group, met)
            self._find_touching(group, met, inside)
        except TooMuch:
            if not told:
                self._report_bound(target, group.hooks)
            return
        for meeting in met.values():
            self._report_meeting(target, meeting)

    def report_always(
        self, rules: Sequence[tree.AlwaysDef], settled: Collection[frozenset[str]]
    ) -> None:
        """Report `hooks-meet` for `always` rules, once for each two rulesets not `settled`."""
        effects = [self._effects.of((rule.binder, rule.body), inside=True) for rule in rules]
        met: dict[frozenset[str], tuple[tree.AlwaysDef, tree.AlwaysDef, set[str]]] = {}
        for (one, own), (other, its) in combinations(zip(rules, effects, strict=True), 2):
            pair = frozenset((one.ruleset, other.ruleset))
            if self._game.strangers(one.ruleset, other.ruleset) and pair not in settled:
                columns = own.meets(its)
                if columns:
                    met.setdefault(pair, (one, other, set()))[2].update(columns)
        for one, other, touched in met.values():
            self._report.warning(
                "hooks-meet",
                f"two `always` rules both touch {worded(touched)}, and nothing says which "
                "applies first",
                one.span,
                mark=f"from {one.ruleset}",
                labels=(Label(other.span, f"from {other.ruleset}"),),
                help=_advice(
                    ALWAYS,
                    one,
                    other,
                    f"those of {one.ruleset} apply as long as they can before those of "
                    f"{other.ruleset}",
                    f"those of {other.ruleset} apply as long as they can before those of "
                    f"{one.ruleset}",
                ),
            )

    def _find_replaced(self, group: _Group, met: _Met) -> None:
        replacing = [_replaces(hook) for hook in group.hooks]
        if not any(replacing):
            return
        arounds = sum(1 << number for number, is_one in enumerate(replacing) if is_one)
        for number, one in enumerate(group.hooks):
            for other, together in group.strangers(number, -1 if replacing[number] else arounds):
                if not together:
                    continue
                self._work.spend(FINDING)
                meeting = _meeting(met, one, group.hooks[other])
                if not (meeting.replaced and _replaces(meeting.one, meeting.other)):
                    meeting.one, meeting.other = one, group.hooks[other]
                meeting.replaced = True

    def _find_touching(self, group: _Group, met: _Met, inside: bool) -> None:
        for phases in zip(*(self._phases(hook, inside) for hook in group.hooks), strict=True):
            using, changing = defaultdict[str, int](int), defaultdict[str, int](int)
            for number, own in enumerate(phases):
                for name in own.effects.using:
                    using[name] |= 1 << number
                for name in own.effects.changing:
                    changing[name] |= 1 << number
            for number, own in enumerate(phases):
                touching = 0
                for name in own.effects.changing:
                    touching |= using[name]
                for name in own.effects.using:
                    touching |= changing[name]
                for other, together in group.strangers(number, touching):
                    self._work.spend(FINDING)
                    if columns := own.meets(phases[other], together):
                        one, two = group.hooks[number], group.hooks[other]
                        _meeting(met, one, two).columns |= columns

    def _phases(self, hook: tree.Hook, inside: bool) -> tuple[_Phase, _Phase]:

        def effects(*parts: object) -> Effects:
            return self._effects.of(parts, hook.params, hook.guard, inside)

        if hook.when != "around":
            own = _Phase(effects(hook.guard, hook.body), effects(hook.guard))
            return (own, _NO_PHASE) if hook.when == "before" else (_NO_PHASE, own)
        before, after = halves(hook.body)
        waiting = self._effects.held(hook.body)
        first = _Phase(effects(hook.guard, *before) | waiting, effects(hook.guard))
        last = effects(*after) | waiting | of_result(hook.body)
        return first, _Phase(last, Effects())

    def _report_bound(self, target: str, hooks: Sequence[tree.Hook]) -> None:
        name = short_name(target)
        self._report.error(
            "too-large",
            f"the {len(hooks)} hooks on `{name}` take too long to compare with each other",
            hooks[0].span,
            help=("put what several of them do into one hook",),
        )

    def _report_meeting(self, target: str, meeting: _Meeting) -> None:
        one, other = meeting.one, meeting.other
        name = short_name(target)
        if meeting.replaced and _replaces(one, other):
            self._report.error(
                "replacement-clash",
                f"two hooks both replace `{name}`",
                one.span,
                mark=f"from {one.ruleset}, may not proceed",
                labels=(Label(other.span, f"from {other.ruleset}, may not proceed either"),),
                help=(
                    *_advice(name, one, other, _meaning(one, other), _meaning(other, one)),
                    "or let one of them proceed on every path, or let their guards exclude each "
                    "other",
                ),
            )
            return
        if meeting.replaced and _replaces(other):
            one, other = other, one
        message = (
            f"`{one.ruleset}` can replace `{name}`, and nothing says whether the hook of "
            f"`{other.ruleset}` runs then"
            if meeting.replaced
            else f"two hooks on `{name}` both touch {worded(meeting.columns)}, "
            "and nothing says which runs first"
        )
        self._report.warning(
            "hooks-meet",
            message,
            one.span,
            mark=f"from {one.ruleset}" + (", may not proceed" if meeting.replaced else ""),
            labels=(Label(other.span, f"from {other.ruleset}"),),
            help=_advice(name, one, other, _meaning(one, other), _meaning(other, one)),
        )


def _meeting(met: _Met, one: tree.Hook, other: tree.Hook) -> _Meeting:
    return met.setdefault(frozenset((one.ruleset, other.ruleset)), _Meeting(one, other))


def _replaces(*hooks: tree.Hook) -> bool:
    """Return whether each hook is an `around` that may not proceed."""
    return all(hook.when == "around" and may_replace(hook.body) for hook in hooks)


def _advice(
    name: str,
    one: tree.Hook | tree.AlwaysDef,
    other: tree.Hook | tree.AlwaysDef,
    if_one: str,
    if_other: str,
) -> tuple[str, ...]:
    """Return the lines that settle a conflict about `name`, as `settling` does."""
    return settling(one.ruleset, other.ruleset, (name, name), one.span, if_one, if_other)


def _meaning(one: tree.Hook, other: tree.Hook) -> str:
    """Return the meaning of ordering one hook before the other, in words."""
    a, b = one.ruleset, other.ruleset
    if one.when == "around":
        if _replaces(one):
            return f"if {a} does not proceed, the hook of {b} does not run"
        return f"{a} begins before the hook of {b} and ends after it"
    if other.when == "around":
        also = ", even if that does not proceed" if _replaces(other) else ""
        when = "before" if one.when == "before" else "after"
        return f"all of the hook of {a} runs {when} that of {b}{also}"
    if one.when != other.when:
        return f"the hook of {a} is the outer one"
    return f"the hook of {a} runs first"


def of_result(block: tree.Block) -> Effects:
    """Return how an `around` uses the result of the code inside: it passes, reads or changes it."""
    nodes = tree.Nodes(block)
    inside = {p.into for p in nodes.of(tree.Perform) if isinstance(p.call, tree.ProceedCall)}
    passed = [
        isinstance(each.value, tree.Local) and each.value.name in inside
        for each in nodes.of(tree.Return)
        if each.value is not None
    ]
    column = frozenset({Column(RESULT)})
    uses = sum(local.name in inside for local in nodes.of(tree.Local))
    return Effects(
        column if uses > sum(passed) else frozenset(), frozenset() if all(passed) else column
    )


class _Group:
    """The hooks on one target, as bits of masks.

    `apart` has, by ruleset, the hooks of unrelated rulesets whose order with it is not `settled`.
    """

    def __init__(
        self,
        hooks: Sequence[tree.Hook],
        game: LinkedGame,
        work: Work,
        settled: Collection[frozenset[str]],
    ) -> None:
        self.hooks = hooks
        self._work = work
        of: dict[str, int] = {}
        for number, hook in enumerate(hooks):
            of[hook.ruleset] = of.get(hook.ruleset, 0) | 1 << number
        self.apart = dict.fromkeys(of, 0)
        for one, other in combinations(of, 2):
            if game.strangers(one, other) and {one, other} not in settled:
                self.apart[one] |= of[other]
                self.apart[other] |= of[one]

    @cached_property
    def _index(self) -> GuardIndex:
        return GuardIndex([normal(hook.guard, hook.params) for hook in self.hooks], self._work)

    def strangers(self, number: int, among: int) -> Iterator[tuple[int, bool]]:
        """Yield the later of these hooks that are `apart` from one.

        Each comes with whether its guard can hold together with that of the one.
        """
        self._work.spend(1)
        found = self.apart[self.hooks[number].ruleset] & among
        later = found >> (number + 1) << (number + 1)
        if later:
            together = self._index.meeting(number)
            yield from ((other, bool(together >> other & 1)) for other in bits(later))


# --- the order ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HookOrder:
    """An `order first.target before second.target`, or, if `independent`, no need of an order.

    `target` is the full name of an action, choice or option (`ruleset/choice.option`); `first` and
    `second` are parts of the rules of rulesets. One line of rules makes several orders if a ruleset
    has several parts.
    """

    target: str
    first: str
    second: str
    independent: bool
    span: Span


def order_hooks(
    checked: tree.Checked, effects: EffectTable, orders: Sequence[HookOrder], report: Report
) -> tree.Checked:
    """Return `checked` with all hooks and `always` rules in order; `effects` are of its rules.

    Reports `order-unknown`, `order-cycle`, `hooks-meet` (a warning) and `replacement-clash`.
    """
    again = reentries(checked, effects.contents, report)
    _report_unknown(checked, orders, again, report)
    settled = {(o.target, frozenset((o.first, o.second))) for o in orders if o.independent}
    for one in again:
        if (one.target, frozenset((one.ruleset, one.stranger))) not in settled:
            report_reentry(one, report)
    sorter = _Sorter(checked, orders, effects, report)
    return replace(
        checked,
        actions={
            key: replace(action, hooks=sorter.hooks(key, key, action.hooks, action.type))
            if every(action.hooks)
            else action
            for key, action in checked.actions.items()
        },
        choices={key: sorter.choice(choice) for key, choice in checked.choices.items()},
        always=sorter.always(checked.always),
    )


def _targets(checked: tree.Checked) -> dict[str, set[str]]:
    """Return the rulesets that have hooks, by what they hook, or `always` rules."""
    hooks = {key: action.hooks for key, action in checked.actions.items()}
    for key, choice in checked.choices.items():
        hooks[key] = choice.hooks
        hooks.update((option.key, option.hooks) for option in choice.options)
    found = {key: {hook.ruleset for hook in every(own)} for key, own in hooks.items()}
    return found | {ALWAYS: {rule.ruleset for rule in checked.always}}


def _report_unknown(
    checked: tree.Checked,
    orders: Iterable[HookOrder],
    again: Iterable[Reentry],
    report: Report,
) -> None:
    rulesets = _targets(checked)
    for line in by_line(orders):
        order, parties = line[0], parties_in(line)
        there = rulesets.get(order.target, set()).copy()
        if order.independent:
            for one in again:
                if one.target == order.target:
                    there |= {one.ruleset, one.stranger}
        for party, parts in parties.items():
            if not parts & there:
                report.error(
                    "order-unknown",
                    f"`{party}` has no `always` rule"
                    if order.target == ALWAYS
                    else f"`{party}` has no hook on `{short_name(order.target)}`",
                    order.span,
                    help=("remove this line, or name a ruleset that has one",),
                )


def by_line(orders: Iterable[HookOrder]) -> Iterable[Sequence[HookOrder]]:
    """Return the orders grouped by their lines of rules."""
    found: dict[Span, list[HookOrder]] = {}
    for order in orders:
        found.setdefault(order.span, []).append(order)
    return found.values()


def parties_in(line: Sequence[HookOrder]) -> dict[str, set[str]]:
    """Return the rulesets that a line of rules orders, each with the parts that it means."""
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
        self._game, self._effects = checked.game, effects
        self._meetings = Meetings(checked.game, effects, report)
        self._report = report

    def choice(self, choice: tree.ChoiceDef) -> tree.ChoiceDef:
        options = tuple(
            replace(option, hooks=self.hooks(option.key, choice.key, option.hooks, choice.type))
            for option in choice.options
        )
        own = self.hooks(choice.key, choice.key, choice.hooks, choice.type)
        return replace(choice, hooks=own, options=options)

    def hooks(self, target: str, around: str, hooks: tree.Hooks, result: Type) -> tree.Hooks:
        """Return the hooks on a target with results of type `result`, in the order they run.

        `around` is the action or choice that the target is, or is part of.
        """
        after = self._behind(target) if every(hooks) else None
        if after is None:
            return hooks
        before = _pairs(after)
        fixed = self._fixed(target, before)
        found = tree.Hooks(
            *(_in_order(group, fixed) for group in (hooks.arounds, hooks.befores, hooks.afters))
        )
        self._meetings.report(
            target, found, self._settled(target, before), self._effects.inside(around)
        )
        return nested(found, after, result)

    def always(self, rules: tuple[tree.AlwaysDef, ...]) -> tuple[tree.AlwaysDef, ...]:
        after = self._behind(ALWAYS) if rules else None
        if after is None:
            return rules
        before = _pairs(after)
        found = _in_order(rules, self._fixed(ALWAYS, before))
        self._meetings.report_always(found, self._settled(ALWAYS, before))
        return found

    def _fixed(self, target: str, before: set[tuple[str, str]]) -> set[tuple[str, str]]:
        """Return what runs before what, also of those whose order does not matter.

        They run in the order of their names, in whatever order the rulesets are read.
        """
        pairs = (sorted((o.first, o.second)) for o in self._orders[target] if o.independent)
        for one, two in sorted(pairs):
            if self._game.strangers(one, two) and (two, one) not in before:
                first = {one} | {a for a, b in before if b == one}
                later = {two} | {b for a, b in before if a == two}
                before = before | set(product(first, later))
        return before

    def _settled(self, target: str, before: Collection[tuple[str, str]]) -> set[frozenset[str]]:
        """Return the pairs of rulesets whose order is said, or does not matter."""
        orders = self._orders.get(target, ())
        settled = {frozenset((order.first, order.second)) for order in orders if order.independent}
        return settled | set(map(frozenset[str], before))

    def _behind(self, target: str) -> dict[str, set[str]] | None:
        """Return for each ruleset that is ordered first the later ones; None if in a cycle."""
        orders = self._orders.get(target, [])
        after = _behind(orders)
        circle = {id_ for id_, later in after.items() if id_ in later}
        if circle:
            self._report_circle(target, [o for o in orders if {o.first, o.second} <= circle])
            return None
        return after

    def _report_circle(self, target: str, lines: Sequence[HookOrder]) -> None:
        spans = list(dict.fromkeys(order.span for order in lines if not order.independent))
        what = "`always` rules" if target == ALWAYS else f"hooks on `{short_name(target)}`"
        self._report.error(
            "order-cycle",
            f"the {what} are ordered in a cycle",
            spans[0],
            labels=tuple(Label(span, "and this") for span in spans[1:]),
            help=("remove one of these lines",),
        )


def _behind(orders: Iterable[HookOrder]) -> dict[str, set[str]]:
    """Return for each ruleset that an order puts first the later ones, transitively."""
    direct: dict[str, set[str]] = {}
    for order in orders:
        if not order.independent:
            direct.setdefault(order.first, set()).add(order.second)
    return {
        first: reachable(later, lambda each: direct.get(each, ()))
        for first, later in direct.items()
    }


def _pairs(after: Mapping[str, Iterable[str]]) -> set[tuple[str, str]]:
    return {(first, second) for first, later in after.items() for second in later}


_Ordered = TypeVar("_Ordered", tree.Hook, tree.AlwaysDef)


def _in_order(
    hooks: Sequence[_Ordered], before: Collection[tuple[str, str]]
) -> tuple[_Ordered, ...]:
    """Return the hooks, or `always` rules, in the order they run.

    The next hook is always the first, as written, of those whose ruleset waits for no other.
    `before` has no cycle.
    """
    waiting: dict[str, list[int]] = {}
    for number, hook in reversed(list(enumerate(hooks))):
        waiting.setdefault(hook.ruleset, []).append(number)
    blocked = {id_: {a for a, b in before if b == id_ and a in waiting} for id_ in waiting}
    free = [numbers[-1] for id_, numbers in waiting.items() if not blocked[id_]]
    heapify(free)
    done = list[_Ordered]()
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
