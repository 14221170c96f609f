"""The matrix of compatibility: the checker's answers about pairs of expansions, and larger sets.

A pair is proved in a game of its own if the footprints of the two meet. Other pairs, and random
games, share games in which any two expansions go together. What is found in one of these is
searched for in pairs and triples; pairs that remain share smaller games, at last with nobody.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

from rulesdsl.author.lint.formats import finding_data
from rulesdsl.author.lint.played import has_other_order, random_games
from rulesdsl.base import deadline
from rulesdsl.base.cache import entry_name
from rulesdsl.base.processes import Workers
from rulesdsl.base.records import dataclass
from rulesdsl.engine.build.combinations import SubsetChecker
from rulesdsl.engine.build.footprints import Footprint, words_of
from rulesdsl.language.diagnostics import Diagnostic, Report, Severity
from rulesdsl.language.diagnostics.allow import places
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.parse import parse
from rulesdsl.language.read.load import extensions_of, ids_of, load_rulesets

CLEAN, SETTLED, OPEN = "clean", "settled", "undecided"
CLASH, REFUSED, BROKEN = "clash", "refused", "broken"
WORDS = {
    CLEAN: ("✓", "proved, and played without a fault"),
    SETTLED: ("+", "settled by an interaction"),
    OPEN: ("?", "needs an interaction"),
    CLASH: ("✗", "clash"),
    REFUSED: ("∅", "refused"),
    BROKEN: ("!", "errors that need no other ruleset"),
}
"""The verdicts on a set of expansions, each with its sign and in words.

It is `clean`; it is clean with an interaction or a third expansion, and not without (`settled`);
warnings say that an interaction should decide something (`undecided`); it cannot be loaded, or a
game fails (`clash`); a ruleset refuses it; one of them has errors of its own (`broken`).
"""

SHARED = (24, 8, 4, 2)
"""The largest number of expansions in games that pairs share, at first and after faults."""

LARGEST = 3
"""The largest number of expansions in a set that has an answer of its own."""

GOOD = (CLEAN, SETTLED)
"""The verdicts on sets that can be played."""

Members = tuple[str, ...]
"""Ids of expansions, sorted."""


class SetAnswer(NamedTuple):
    """The verdict on a set of expansions, with the findings that its parts do not have.

    `findings` are data as in the output of `check --format json`, `by` is the ruleset that settles
    or refuses it, and `said` the reason it gives.
    """

    verdict: str
    findings: tuple[dict[str, Any], ...] = ()
    by: str = ""
    said: str = ""

    @property
    def sign(self) -> str:
        return WORDS[self.verdict][0]

    @property
    def told(self) -> str:
        """The verdict in words, with the ruleset that settles or refuses it, and the reason."""
        words = WORDS[self.verdict][1]
        if self.said:
            return f"{words} by {self.by}: {self.said}"
        return f"{words}: {self.by}" if self.by else words

    @property
    def messages(self) -> list[str]:
        return [f"{each['message']} ({each['slug']})" for each in self.findings]


@dataclass
class GameMatrix:
    """The answers about the expansions `ids` of the game `root`.

    `alone` are those about single ones, and about the game if it has errors; `sets` are all pairs,
    and larger sets with findings that their parts do not have. `keys` are digests of everything
    that each of these answers depends on. `fresh` are the findings of sets that were not known
    before. So many games were `checked`, and so many of them also `played`.
    """

    root: str
    ids: Members
    rulesets: Mapping[str, Ruleset]
    alone: dict[str, SetAnswer] = field(default_factory=dict)
    sets: dict[Members, SetAnswer] = field(default_factory=dict)
    keys: dict[Members, str] = field(default_factory=dict)
    fresh: dict[Members, tuple[Diagnostic, ...]] = field(default_factory=dict)
    checked: int = 0
    played: int = 0

    def answer(self, on: Members) -> SetAnswer:
        """Return the answer about these expansions; about none of them, that about the game."""
        if len(on) > 1:
            return self.sets[on]
        return self.alone.get(on[0] if on else self.root, _NONE)

    def rows(self, id: str = "") -> list[tuple[Members, SetAnswer]]:
        """Return all sets, or those with a ruleset, with the answers about them, pairs first."""
        sets = [(on, answer) for on, answer in self.sets.items() if not id or id in on]
        return sorted(sets, key=lambda row: (len(row[0]), row[0]))


Known = Mapping[Members, tuple[str, SetAnswer]]
"""Answers of an earlier run, each with the key that must still be the same."""


class _Task(NamedTuple):
    """A game to check with these expansions, and the number of games to play if it is clean.

    `bare` leaves out interactions of several of these expansions; `prints` asks for footprints, and
    `least` for the fewest of these expansions that have the same fault.
    """

    on: Members
    games: int = 0
    bare: bool = False
    prints: bool = False
    least: bool = False


class _Found(NamedTuple):
    """The new findings in a game `on` some expansions, and the fault in a random one.

    `prints` are the footprints, and `least` is what was found with the fewest of these expansions,
    if asked for.
    """

    on: Members
    new: tuple[Diagnostic, ...]
    fault: Diagnostic | None = None
    prints: Mapping[str, Footprint] | None = None
    least: _Found | None = None

    @property
    def faults(self) -> tuple[Diagnostic, ...]:
        return self.new if self.fault is None else (self.fault,)

    def shows(self, other: _Found) -> bool:
        if other.fault is not None:
            return self.fault is not None
        wanted = other.new[0]
        return any((each.slug, each.span) == (wanted.slug, wanted.span) for each in self.new)


_judges: list[SetJudge] = []
"""The judge that a worker process was given."""


def _work(task: _Task) -> _Found:
    return _judges[-1].work(task)


class SetJudge:
    """Judge of the expansions of the game `main` `among` these rulesets, with answers `known`.

    For each game that pairs share, `games` random games are played. If `only` are given, only sets
    with one of them are judged.
    """

    def __init__(
        self,
        main: str,
        paths: Sequence[str],
        known: Known,
        *,
        among: Collection[str],
        games: int,
        jobs: int,
        only: Collection[str] = (),
    ) -> None:
        self._known, self._games, self._jobs, self._only = known, games, jobs, only
        report = Report()
        ids = [id for id in extensions_of(main, paths=paths) if id in among]
        rulesets = load_rulesets(main, ids, paths=paths, report=report)
        modules = {each.id: parse(each.rules, report) for each in rulesets if each.rules}
        self._errors = _errors(report)
        names = {each.span.source.name for each in self._errors if each.span is not None}
        good = {each.id: each for each in rulesets if not names & _files(each)}
        while bad := [i for i, r in good.items() if any(n.name not in good for n in r.needs)]:
            good = {id: each for id, each in good.items() if id not in bad}
        fine = Report()
        fine.extend(each for each in report if each.severity is not Severity.ERROR)
        fit = tuple(id for id in ids if id in good)
        texts = {id: each for id, each in modules.items() if id in good}
        root = ids_of([main])
        self._checker = SubsetChecker(tuple(good.values()), texts, root, fit, fine, ())
        self._made = GameMatrix(root[0], tuple(ids), {each.id: each for each in rulesets})
        self._good = good
        self._meetings = [
            (each.id, frozenset(party.name for party in group))
            for each in good.values()
            for group in each.interaction
            if not each.house
        ]
        self._words = {str(id): words_of(good[id]) for id in fit}
        self._old: dict[str, set[str]] = {}
        self._active: dict[Members, frozenset[str]] = {}
        self._version = entry_name("index", str(games).encode(), "json")

    # --- in every process

    def work(self, task: _Task) -> _Found:
        """Check a game, and play it if it is clean."""
        found = self._examined(task)
        if not task.least or not found.faults:
            return found
        least, games = found, 0 if found.fault is None else task.games
        for id in task.on:
            part = tuple(each for each in least.on if each != id)
            if part and (fewer := self._examined(_Task(part, games))).shows(found):
                least = fewer
        return found._replace(least=least)

    def _examined(self, task: _Task) -> _Found:
        report, checker = Report(), self._checker
        if task.bare:
            left_out = self._between(task.on)
            kept = [each for each in checker.rulesets if each.id not in left_out]
            checker = replace(checker, rulesets=kept)
        report.extend(checker.report)
        game = checker.examined(task.on, report)
        prints = checker.footprints(task.on) if task.prints else None
        old = set[str]().union(*(self._old.get(id, ()) for id in ("", *task.on)))
        found = [each for each in report.sorted() if each.severity is not Severity.NOTE]
        new = tuple(each for each in found if render([each]) not in old)
        stops = new if len(task.on) > 1 else _errors(new)
        if not task.games or game is None or stops:
            return _Found(task.on, new, None, prints)
        other = None
        if has_other_order(game, report):
            other = checker.examined(task.on, Report(), backwards=True)
        return _Found(task.on, new, random_games(game, other, task.games).finding, prints)

    def _together(self, on: Members) -> frozenset[str]:
        if on not in self._active:
            parts = [self._active[id,] for id in on] if len(on) > 1 else []
            ids = frozenset[str]().union(*parts)
            if not parts or any(ids >= group and id not in ids for id, group in self._meetings):
                ids = frozenset(each.id for each in self._checker.active(on))
            self._active[on] = ids
        return self._active[on]

    def _between(self, on: Members) -> frozenset[str]:
        """Return the interactions that are active with these expansions, but with fewer are not."""
        fewer = combinations(on, len(on) - 1)
        return self._together(on).difference(*(self._together(part) for part in fewer))

    # --- the whole

    def matrix(self) -> GameMatrix:
        """Return the answers about all expansions of the game; raises WorkerLost and OutOfTime."""
        made = self._made
        if made.root not in self._good:
            return self._give_up(self._errors)
        task = _Task((), self._unplayed(()), prints=True)
        with self._workers() as pool:
            self._pool = pool
            (base,) = self._run([task])
        if base.fault is not None or _errors(base.new):
            return self._give_up(base.faults)
        # Other processes, which know what was found before.
        self._old[""] = {render([each]) for each in base.new}
        with self._workers() as pool:
            self._pool = pool
            prints = self._alone()
        with self._workers() as pool:
            self._pool = pool
            fine = [id for id in self._checker.ids if made.alone[id].verdict == CLEAN]
            due = self._pairs(fine, prints)
            self._triples(fine)
            self._share(due)
        for on in combinations(made.ids, 2):
            if any(made.alone[id].verdict == BROKEN for id in on):
                made.sets[on] = SetAnswer(BROKEN)
        all_sets = ((), *((id,) for id in made.alone), *made.sets)
        made.keys = {on: self._key(on) for on in all_sets if self._good.keys() >= set(on)}
        return made

    def _workers(self) -> Workers[_Task, _Found]:
        # Forked processes inherit everything that is known here.
        return Workers(_work, self._jobs, None, partial(_judges.append, self))

    def _run(self, tasks: Sequence[_Task]) -> list[_Found]:
        self._made.checked += len(tasks)
        self._made.played += sum(task.games > 0 for task in tasks)
        found = []
        for each in self._pool.ordered(tasks):
            found.append(each)
            deadline.check(deadline.active())
        return found

    def _alone(self) -> dict[str, list[Footprint]]:
        """Judge single expansions; return the footprints of all that each activates.

        What fails by itself in random games would make every game with it fail, so it comes first.
        """
        made, prints, ids = self._made, dict[str, list[Footprint]](), self._checker.ids
        tasks = [_Task((id,), self._unplayed((id,)), prints=True) for id in ids]
        for id, result in zip(ids, self._run(tasks), strict=True):
            own = self._together((id,)).difference(self._checker.root)
            prints[id] = [each for key, each in (result.prints or {}).items() if key in own]
            new = [each for each in result.new if render([each]) not in self._old[""]]
            self._old[id] = {render([each]) for each in new}
            new += [result.fault] if result.fault is not None else []
            answer = SetAnswer(BROKEN if _errors(new) else CLEAN, _data(new))
            self._note((id,), self._kept((id,)) or answer, new)
        for id in set(made.ids).difference(ids):
            ruleset = made.rulesets.get(id)
            names = _files(ruleset) if ruleset is not None else set[str]()
            found = [e for e in self._errors if e.span is None or e.span.source.name in names]
            self._note((id,), SetAnswer(BROKEN, _data(found)), found)
        return prints

    def _give_up(self, found: Sequence[Diagnostic]) -> GameMatrix:
        """Return answers that say that everything is broken: the game itself has these errors."""
        self._note((self._made.root,), SetAnswer(BROKEN, _data(found)), found)
        for size in (1, 2):
            for on in combinations(self._made.ids, size):
                self._note(on, SetAnswer(BROKEN), found)
        return self._made

    def _note(self, on: Members, answer: SetAnswer, found: Iterable[Diagnostic]) -> None:
        self._made.fresh[on] = tuple(found)
        if len(on) == 1:
            self._made.alone[on[0]] = answer
        else:
            self._made.sets[on] = answer

    def _key(self, on: Members) -> str:
        there = (self._good[id] for id in sorted(self._together(on)))
        parts = [(each.id, each.digest, sorted(_files(each))) for each in there]
        return hashlib.sha256(f"{self._version} {on} {parts}".encode()).hexdigest()

    def _told(self, on: Members) -> SetAnswer | None:
        """Return the answer about a set that is known, or that needs no check."""
        together = self._together(on)
        for id in sorted(together):
            for each in self._good[id].exclusions:
                if together.issuperset(other.name for other in each.others):
                    return SetAnswer(REFUSED, (), id, each.because)
        if together in (self._together((id,)) for id in on):
            return _NONE
        return self._kept(on)

    def _kept(self, on: Members) -> SetAnswer | None:
        key, known = self._known.get(on, ("", _NONE))
        return known if key == self._key(on) else None

    def _unplayed(self, on: Members) -> int:
        return 0 if self._kept(on) or not self._wanted(on) else self._games

    def _wanted(self, on: Members) -> bool:
        return not self._only or any(id in self._only for id in on)

    def _pairs(self, ids: Sequence[str], prints: Mapping[str, list[Footprint]]) -> set[Members]:
        """Judge pairs that need a game of their own; return those to put into games of others."""
        due, own = set[Members](), list[Members]()
        for on in filter(self._wanted, combinations(ids, 2)):
            if (told := self._told(on)) is not None:
                self._made.sets[on] = told
            elif self._linked(on, prints):
                own.append(on)
            else:
                due.add(on)
        self._judge(own)
        proved = {on for on in own if self._made.sets[on].verdict in GOOD}
        return due | proved if self._games else due

    def _linked(self, on: Members, prints: Mapping[str, list[Footprint]]) -> bool:
        """Return whether two expansions name each other, share an interaction, or meet in rules."""
        one, two = on
        if self._between(on) or two in self._words[one] or one in self._words[two]:
            return True
        return any(mine.meets(its) for mine in prints[one] for its in prints[two])

    def _judge(self, sets: Sequence[Members]) -> None:
        """Check sets in games of their own, and those with interactions also without these."""
        met = [on for on in sets if self._between(on)]
        bare = dict(zip(met, self._run([_Task(on, bare=True) for on in met]), strict=True))
        for on, result in zip(sets, self._run([_Task(on) for on in sets]), strict=True):
            new = self._beyond_parts(result, on)
            bad = [part for part in combinations(on, 2) if part in self._made.sets]
            bad = [part for part in bad if self._made.sets[part].verdict not in GOOD]
            settled = bool(on in bare and self._beyond_parts(bare[on], on)) or (
                len(on) > 2 and bool(bad)
            )
            if new or (len(on) == 2 and not settled):
                self._note(on, _judged(new), new)
            elif settled and not result.new:
                by = self._between(on) or set(on).difference(*bad)
                self._note(on, SetAnswer(SETTLED, (), ", ".join(sorted(by))), ())

    def _beyond_parts(self, result: _Found, on: Members) -> list[Diagnostic]:
        if result.fault is not None:
            return [result.fault]
        parts = (part for size in range(2, len(on)) for part in combinations(on, size))
        known = [each for part in parts for each in self._made.sets.get(part, _NONE).findings]
        return [each for each in result.new if finding_data(each) not in known]

    def _triples(self, ids: Sequence[str]) -> None:
        """Judge sets of three that are named by one of them or by an interaction."""
        there, sets = frozenset(ids), set[Members]()
        for id in ids:
            named = sorted(there.intersection(self._words[id]) - {id})
            sets.update(_sorted((id, *two)) for two in combinations(named, 2))
        sets.update(_sorted(g) for _, g in self._meetings if len(g) == 3 and there >= g)
        sets.update(on for on in self._known if len(on) > 2 and there.issuperset(on))
        due = list[Members]()
        for on in sorted(filter(self._wanted, sets)):
            pairs = [self._made.sets.get(pair, _NONE) for pair in combinations(on, 2)]
            if any(each.verdict == REFUSED for each in pairs):
                continue
            told = self._told(on)
            if told is None:
                due.append(on)
            else:
                self._made.sets[on] = told
        self._judge(due)

    # --- games that pairs share

    def _share(self, due: set[Members]) -> None:
        """Check and play games of many expansions until all these pairs were in a clean one.

        The fewest expansions with the fault of a game get an answer of their own. If they are more
        than a pair, its other pairs share a game again, and those with a ruleset that is shown wait
        for smaller games. If they are more than `LARGEST`, all pairs of the game wait.
        """
        sets = self._made.sets
        for most in SHARED:
            now = set(due)
            while now:
                bad = [frozenset(on) for on, each in sets.items() if each.verdict not in GOOD]
                groups = list(cover(now, bad, self._checker.allowed, most))
                tasks = [_Task(on, self._games, least=len(on) > 2) for on in groups]
                for result in self._run(tasks):
                    pairs = due.intersection(combinations(result.on, 2))
                    if not result.faults:
                        sets |= {pair: sets.get(pair, SetAnswer(CLEAN)) for pair in pairs}
                        due -= pairs
                        now -= pairs
                        continue
                    least = result.least or result
                    if len(least.on) > LARGEST:
                        now -= pairs
                        continue
                    self._blame(least)
                    if len(least.on) < LARGEST:
                        due -= {pair for pair in due if set(least.on).issubset(pair)}
                        now &= due
                    else:
                        shown = self._shown(least)
                        now -= {pair for pair in now if shown.intersection(pair)}

    def _blame(self, found: _Found) -> None:
        new = self._beyond_parts(found, found.on)
        if len(found.on) == 1:
            self._note(found.on, SetAnswer(BROKEN, _data(new)), new)
        elif new or len(found.on) == 2:
            self._note(found.on, _judged(new), new)

    def _shown(self, found: _Found) -> set[str]:
        """Return those of a set of expansions whose files its first fault shows, or one of them."""
        files = {span.source.name for span in places(found.faults[0])}
        shown = {id for id in found.on if files & _files(self._good[id])}
        return shown or {found.on[0]}


_NONE = SetAnswer(CLEAN)


def _sorted(ids: Iterable[str]) -> Members:
    return tuple(sorted(ids))


def _files(ruleset: Ruleset) -> set[str]:
    found = {ruleset.manifest.span.source.name}
    return found | {ruleset.rules.name} if ruleset.rules is not None else found


def _errors(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    return [each for each in found if each.severity is Severity.ERROR]


def _data(found: Iterable[Diagnostic]) -> tuple[dict[str, Any], ...]:
    return tuple(map(finding_data, found))


def _judged(new: Sequence[Diagnostic]) -> SetAnswer:
    if not new:
        return SetAnswer(CLEAN)
    return SetAnswer(CLASH if _errors(new) else OPEN, _data(new))


def cover(
    due: Collection[Members],
    bad: Sequence[frozenset[str]],
    allowed: Callable[[Members], bool],
    most: int,
) -> Iterator[Members]:
    """Yield sets of expansions in which each of these pairs is together at least once.

    No set contains a `bad` one, or one that is not `allowed`. Each has at most `most` members.
    """
    left, near = set(due), defaultdict[str, set[str]](set)
    for one, two in due:
        near[one].add(two)
        near[two].add(one)
    apart = defaultdict[str, set[str]](set)
    for on in bad:
        if len(on) == 2:
            for id in on:
                apart[id] |= on - {id}
    larger = [on for on in bad if len(on) != 2]
    while left:
        group = list(min(left))
        gains = Counter(id for each in group for id in near[each])
        out = set(group).union(*(apart[each] for each in group))
        while len(group) < most and (fits := gains.keys() - out):
            best = min(fits, key=lambda id: (-gains[id], id))
            out.add(best)
            more = _sorted((*group, best))
            if any(on.issubset(more) for on in larger) or not allowed(more):
                continue
            group.append(best)
            out |= apart[best]
            gains.update(near[best])
        for one, two in combinations(_sorted(group), 2):
            left.discard((one, two))
            near[one].discard(two)
            near[two].discard(one)
        yield _sorted(group)
