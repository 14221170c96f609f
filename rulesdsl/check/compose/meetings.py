"""Hooks of strangers on one thing whose order matters but is not said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from rulesdsl.check.compose.advice import pasted, places
from rulesdsl.check.compose.columns import DECISIONS, Effects
from rulesdsl.check.compose.effects import EffectTable
from rulesdsl.check.compose.guards import normal
from rulesdsl.check.compose.index import GuardIndex, bits
from rulesdsl.check.compose.nesting import every, halves, may_replace
from rulesdsl.check.compose.work import FINDING, TooMuch, Work
from rulesdsl.diagnostics import Label, Report
from rulesdsl.diagnostics.wording import listed
from rulesdsl.model import checked as tree
from rulesdsl.model.game import Game
from rulesdsl.model.names import owner_of, short_name


@dataclass
class _Meeting:
    """Two hooks, the first of their rulesets' that meet; `replaced`: one can keep the other from
    running; `columns`: what makes their order matter."""

    one: tree.Hook
    other: tree.Hook
    replaced: bool = False
    columns: set[str] = field(default_factory=set)


_Met = dict[frozenset[str], _Meeting]


class Meetings:
    """Reports hooks that meet, with a bound on how many are compared."""

    def __init__(self, game: Game, effects: EffectTable, report: Report) -> None:
        self._game = game
        self._effects = effects
        self._report = report
        self._work = Work()

    def report(self, target: str, hooks: tree.Hooks, settled: Collection[frozenset[str]]) -> None:
        """Report `hooks-meet` (a warning) and `replacement-clash` for hooks in the order in which
        they run, once for each pair of rulesets that is not `settled`."""
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
        """The effects of a hook before and after what it is on; between them that has run."""
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
            "and nothing says which is first"
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
    """Say whether each is an `around` that may not proceed."""
    return all(hook.when == "around" and may_replace(hook.body) for hook in hooks)


def _advice(name: str, one: tree.Hook, other: tree.Hook) -> tuple[str, ...]:
    """The lines that settle a meeting, each with what it means."""
    a, b = owner_of(one.ruleset), owner_of(other.ruleset)
    lines = {
        f"order {a}.{name} before {b}.{name}": _meaning(one, other),
        f"order {b}.{name} before {a}.{name}": _meaning(other, one),
        f"independent {a}.{name}, {b}.{name}": "both ways are right",
    }
    width = max(map(len, lines))
    return (
        f"say it {places(one.ruleset, other.ruleset)}, in one line of:",
        *(
            pasted(f"    {line:{width}}  # {meaning}", one.span, one.ruleset, other.ruleset)
            for line, meaning in lines.items()
        ),
    )


def _meaning(one: tree.Hook, other: tree.Hook) -> str:
    """Say what it means that one hook is ordered before the other."""
    a, b = one.ruleset, other.ruleset
    if one.when == "around":
        if _replaces(one):
            return f"where {a} does not proceed, the hook of {b} does not run"
        return f"{a} begins before the hook of {b} and ends after it"
    if other.when == "around":
        also = ", also where that does not proceed" if _replaces(other) else ""
        when = "before" if one.when == "before" else "after"
        return f"the hook of {a} runs {when} all of that of {b}{also}"
    if one.when != other.when:
        return f"the hook of {a} is the outer one"
    return f"the hook of {a} runs first"


class _Group:
    """Hooks on one target, as bits of masks. `apart` has, by ruleset, those of rulesets that do not
    know it, nor it them, if no order with them is `settled`."""

    def __init__(
        self,
        hooks: Sequence[tree.Hook],
        game: Game,
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
            # Whoever writes a ruleset knows all blocks of it.
            if owner_of(one) == owner_of(other):
                continue
            if not (first >= second or second >= first) and {one, other} not in settled:
                self.apart[one] |= of[other]
                self.apart[other] |= of[one]

    @cached_property
    def _index(self) -> GuardIndex:
        return GuardIndex([normal(hook.guard, hook.params) for hook in self.hooks], self._work)

    def strangers(self, number: int, among: int) -> Iterator[int]:
        """The later of these hooks that are `apart` from one and can run together with it."""
        self._work.spend(1)
        found = self.apart[self.hooks[number].ruleset] & among
        later = found >> (number + 1) << (number + 1)
        return bits(later & self._index.meeting(number)) if later else iter(())


def _listed(columns: Iterable[str]) -> str:
    words = sorted("what is decided" if c == DECISIONS else f"`{short_name(c)}`" for c in columns)
    return listed(words, "and")
