"""Hooks: the order in which they run, and conflicts between those of unrelated rulesets.

Hooks of one ruleset run as written. Hooks of rulesets of which one knows the other run in ruleset
order; `order` and `independent` declarations settle the rest.

Reentry is one such conflict: a ruleset sets a state in one hook, and reads it in a hook on an
enclosing action. If an unrelated ruleset runs the inner action again in between, that overwrites
the state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import combinations

from rulesdsl.check.conflicts.effects import DECISIONS, Effects, EffectTable
from rulesdsl.check.conflicts.guards import FINDING, GuardIndex, TooMuch, Work, bits, normal
from rulesdsl.check.errors import pasted, places
from rulesdsl.check.graph import Contents
from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.diagnostics.wording import listed
from rulesdsl.model import checked as tree
from rulesdsl.model.game import LinkedGame
from rulesdsl.model.names import owner_of, ruleset_of, short_name
from rulesdsl.model.types import UNIT, Type

_RESULT = "$inside"
"""The local that holds the result of the hooked code inside of an `around`."""


def every(hooks: tree.Hooks) -> tuple[tree.Hook, ...]:
    """Return the hooks on one target."""
    return hooks.arounds + hooks.befores + hooks.afters


def may_replace(block: tree.Block) -> bool:
    """Say whether some path through the block of an `around` does not proceed."""
    return not _proceeds(block)


def _proceeds(block: tree.Block) -> bool:
    """Say whether every path through a block proceeds before it leaves."""
    for statement in block:
        match statement:
            case tree.Perform(call=tree.ProceedCall()):
                return True
            case tree.If(then=then, otherwise=otherwise):
                if _proceeds(then) and _proceeds(otherwise):
                    return True
                if _leaves(then) or _leaves(otherwise):
                    return False
            case tree.For(body=body) | tree.While(body=body):
                if _leaves(body):
                    return False
            case tree.Return():
                return False
    return False


def _leaves(block: tree.Block) -> bool:
    """Say whether a block may return."""
    for statement in block:
        match statement:
            case tree.Return():
                return True
            case tree.If(then=then, otherwise=otherwise):
                if _leaves(then) or _leaves(otherwise):
                    return True
            case tree.For(body=body) | tree.While(body=body):
                if _leaves(body):
                    return True
    return False


def halves(block: tree.Block) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Split the block of an `around` into the parts that can run before and after it proceeds."""
    before: list[object] = []
    after: list[object] = []
    for number, statement in enumerate(block):
        if not _contains_proceed(statement):
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


def _contains_proceed(statement: tree.Stmt) -> bool:
    return any(isinstance(node, tree.ProceedCall) for node in tree.walk((statement,)))


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


class Meetings:
    """The reporter of hooks that conflict, with a bound on the number of comparisons."""

    def __init__(self, game: LinkedGame, effects: EffectTable, report: Report) -> None:
        self._game = game
        self._effects = effects
        self._report = report
        self._work = Work()

    def report(self, target: str, hooks: tree.Hooks, settled: Collection[frozenset[str]]) -> None:
        """Report `hooks-meet` (a warning) and `replacement-clash` for hooks in the order they run.

        Each pair of rulesets that is not `settled` is reported once.
        """
        group = _Group(every(hooks), self._game, self._work, settled)
        if not any(group.apart.values()):
            return
        told = self._work.over
        met: _Met = {}
        try:
            self._find_replaced(group, met)
            self._find_touching(group, met)
        except TooMuch:
            if not told:
                self._report_bound(target, group.hooks)
            return
        for meeting in met.values():
            self._report_meeting(target, meeting)

    def _find_replaced(self, group: _Group, met: _Met) -> None:
        replacing = [_replaces(hook) for hook in group.hooks]
        if not any(replacing):
            return
        arounds = sum(1 << number for number, is_one in enumerate(replacing) if is_one)
        for number, one in enumerate(group.hooks):
            for other in group.strangers(number, -1 if replacing[number] else arounds):
                self._work.spend(FINDING)
                meeting = _meeting(met, one, group.hooks[other])
                if not (meeting.replaced and _replaces(meeting.one, meeting.other)):
                    meeting.one, meeting.other = one, group.hooks[other]
                meeting.replaced = True

    def _find_touching(self, group: _Group, met: _Met) -> None:
        for effects in zip(*map(self._phases, group.hooks), strict=True):
            using, changing = defaultdict[str, int](int), defaultdict[str, int](int)
            for number, own in enumerate(effects):
                for name in own.using:
                    using[name] |= 1 << number
                for name in own.changing:
                    changing[name] |= 1 << number
            for number, own in enumerate(effects):
                touching = 0
                for name in own.changing:
                    touching |= using[name]
                for name in own.using:
                    touching |= changing[name]
                for other in group.strangers(number, touching):
                    self._work.spend(FINDING)
                    if columns := own.meets(effects[other]):
                        one, two = group.hooks[number], group.hooks[other]
                        _meeting(met, one, two).columns |= columns

    def _phases(self, hook: tree.Hook) -> tuple[Effects, Effects]:
        """Return the effects of a hook before and after the hooked code."""
        parts: tuple[object, object] = ((hook.guard, hook.body), ())
        if hook.when == "after":
            parts = parts[1], parts[0]
        elif hook.when == "around":
            before, after = halves(hook.body)
            parts = (hook.guard, *before), after
        first, last = (self._effects.of(part, hook.params, hook.guard) for part in parts)
        return first, last

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
                    *_advice(name, one, other),
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
            else f"two hooks on `{name}` both touch {_listed(meeting.columns)}, "
            "and nothing says which runs first"
        )
        self._report.warning(
            "hooks-meet",
            message,
            one.span,
            mark=f"from {one.ruleset}" + (", may not proceed" if meeting.replaced else ""),
            labels=(Label(other.span, f"from {other.ruleset}"),),
            help=_advice(name, one, other),
        )


def _meeting(met: _Met, one: tree.Hook, other: tree.Hook) -> _Meeting:
    return met.setdefault(frozenset((one.ruleset, other.ruleset)), _Meeting(one, other))


def _replaces(*hooks: tree.Hook) -> bool:
    """Say whether each hook is an `around` that may not proceed."""
    return all(hook.when == "around" and may_replace(hook.body) for hook in hooks)


def _advice(name: str, one: tree.Hook, other: tree.Hook) -> tuple[str, ...]:
    """Return the lines that settle a conflict, each with its meaning."""
    a, b = owner_of(one.ruleset), owner_of(other.ruleset)
    lines = {
        f"order {a}.{name} before {b}.{name}": _meaning(one, other),
        f"order {b}.{name} before {a}.{name}": _meaning(other, one),
        f"independent {a}.{name}, {b}.{name}": "either order is right",
    }
    width = max(map(len, lines))
    return (
        f"write one of these lines {places(one.ruleset, other.ruleset)}:",
        *(
            pasted(f"    {line:{width}}  # {meaning}", one.span, one.ruleset, other.ruleset)
            for line, meaning in lines.items()
        ),
    )


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
            first, second = game.reach[one], game.reach[other]
            # The author of a ruleset knows all its blocks.
            if owner_of(one) == owner_of(other):
                continue
            if not (first >= second or second >= first) and {one, other} not in settled:
                self.apart[one] |= of[other]
                self.apart[other] |= of[one]

    @cached_property
    def _index(self) -> GuardIndex:
        return GuardIndex([normal(hook.guard, hook.params) for hook in self.hooks], self._work)

    def strangers(self, number: int, among: int) -> Iterator[int]:
        """Yield the later of these hooks that are `apart` from one and can run together with it."""
        self._work.spend(1)
        found = self.apart[self.hooks[number].ruleset] & among
        later = found >> (number + 1) << (number + 1)
        return bits(later & self._index.meeting(number)) if later else iter(())


def _listed(columns: Iterable[str]) -> str:
    words = sorted(
        "the players' decisions" if c == DECISIONS else f"`{short_name(c)}`" for c in columns
    )
    return listed(words, "and")


# --- reentry --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Body:
    """A body of code that `ruleset` adds to `target`, an action or choice.

    `hook` is its place if it is a hook.
    """

    target: str
    ruleset: str
    content: object
    hook: Span | None = None

    @cached_property
    def nodes(self) -> tree.Nodes:
        return tree.Nodes(self.content)

    def calls(self) -> Iterator[tree.ActionCall | tree.ChoiceCall]:
        yield from self.nodes.of(tree.ActionCall)
        yield from self.nodes.of(tree.ChoiceCall)


@dataclass(frozen=True)
class Reentry:
    """A reentry: `ruleset` runs `target` again by `call`, and so changes a state of `stranger`.

    One hook of `stranger` has set `state`, and another one reads it later.
    """

    target: str
    ruleset: str
    stranger: str
    state: str
    call: tree.ActionCall | tree.ChoiceCall
    setting: Span
    reading: Span


def reentries(checked: tree.Checked, report: Report) -> list[Reentry]:
    """Return one reentry for each two rulesets and each action.

    Reports `too-large` if that takes too long.
    """
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
            f"if that is intended, write {places(one, other)}:",
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
        """Yield the reentries between unrelated rulesets, by target, in the order of the rules."""
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
        """Say whether a target belongs to neither of two rulesets."""
        return ruleset_of(target) not in (owner_of(one), owner_of(other))

    def _kept(self) -> Iterator[tuple[str, Mapping[str, tuple[list[_Body], list[_Body]]]]]:
        """Yield, by ruleset, the states that some of its hooks set and others read."""
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
        """Yield the calls of foreign actions and choices in a ruleset's hooks and options.

        Calls through its own actions count. Each call comes with the target that it is part of.
        """
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
                # The reader's target runs the action in any case, and the other's code in it.
                whole = self._reached(body.target, (ruleset, stranger))
                if body.hook and body.target not in inside and {target, place} <= whole:
                    return Reentry(target, ruleset, stranger, state, call, sets[0], body.hook)
        return None

    def _reached(self, target: str, without: Collection[str]) -> set[str]:
        """Return all targets that run as part of a target, itself included.

        Code that the rulesets `without` add is left out.
        """
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
    checked: tree.Checked, contents: Contents, orders: Sequence[HookOrder], report: Report
) -> tree.Checked:
    """Return `checked` with all hooks in the order they run; `contents` are its nodes.

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
        """Return the hooks on a target with results of type `result`, in the order they run."""
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
            f"the hooks on `{short_name(target)}` are ordered in a cycle",
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
    """Return the hooks in the order they run.

    The next hook is always the first, as written, of those whose ruleset waits for no other.
    `before` has no cycle.
    """
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
