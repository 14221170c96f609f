"""Checks of combinations: every subset of the expansions, and `with` blocks about inactive ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from itertools import chain, combinations
from math import comb
from os import PathLike

from rulesdsl.base import deadline
from rulesdsl.base.records import dataclass
from rulesdsl.base.speed import uncollected
from rulesdsl.engine.build.footprints import Footprint, components, footprints
from rulesdsl.engine.build.stages import StageMemo, build, made
from rulesdsl.language.check import examine
from rulesdsl.language.diagnostics import Diagnostic, Report, Severity, Span
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.link import link
from rulesdsl.language.model import ast
from rulesdsl.language.model.ast import blocks, named
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.names import RulesetId
from rulesdsl.language.parse import parse
from rulesdsl.language.read.load import (
    extensions_of,
    ids_of,
    known_ids,
    load_rulesets,
    loaded_with,
)

_WITH = re.compile(r"^[^\w\n]*with\b", re.M)

# --- `with` blocks -------------------------------------------------------------------------------


def absent(rulesets: Sequence[Ruleset], known: StageMemo) -> Iterator[tuple[Ruleset, ast.WithDecl]]:
    """Yield the `with` blocks about rulesets that are not all among these, with their rulesets."""
    there = {ruleset.id for ruleset in rulesets}
    for ruleset in rulesets:
        if ruleset.rules is not None and _WITH.search(ruleset.rules.text):
            for block in blocks(known.module(ruleset.rules, Report())):
                if not there.issuperset(named(block)):
                    yield ruleset, block


def check_absent(
    main: str | PathLike[str],
    expansions: Sequence[str],
    settings: Mapping[str, int | bool | str],
    *,
    paths: Sequence[str | PathLike[str]] = (),
    rulesets: Sequence[Ruleset],
    found: Sequence[Diagnostic],
    known: StageMemo | None = None,
) -> tuple[Diagnostic, ...]:
    """Check the `with` blocks about inactive rulesets, in games with these rulesets.

    `rulesets` are those of `main` with `expansions`, and `found` are their findings. The result
    holds the other findings in `with` blocks, and warnings for blocks that cannot be checked.
    """
    known, report = known or StageMemo(), Report()
    given = {*ids_of([main]), *ids_of(expansions)}
    groups: dict[tuple[str, ...], list[ast.WithDecl]] = {}
    for ruleset, block in absent(rulesets, known):
        if ruleset.id in given:
            groups.setdefault(named(block), []).append(block)
    for names, group in groups.items():
        reading = Report()
        on = [*expansions, *(RulesetId(name) for name in names if name not in given)]
        loaded = load_rulesets(main, on, paths=paths, report=reading, parse=known.manifest)
        ids = {ruleset.id for ruleset in loaded}
        games = [each.id for each in loaded if each.manifest.get("game") is not None]
        if not ids.issuperset(names):
            _report_missing(group, ids, reading, report)
        elif len(games) > 1:
            _report_games(group, games, report)
        else:
            built = Report()
            made(loaded, settings, reading, built, known)
            spans = [block.span for block in group]
            report.extend(each for each in built if _about(each, spans))
    _look_for_excluded(main, expansions, paths, rulesets, given, report)
    before = {_key(each) for each in found}
    return tuple(each for each in report.sorted() if _key(each) not in before)


def _look_for_excluded(
    main: str | PathLike[str],
    expansions: Sequence[str],
    paths: Sequence[str | PathLike[str]],
    rulesets: Sequence[Ruleset],
    given: Collection[str],
    report: Report,
) -> None:
    """Warn of rulesets in `refuse` that are not found."""
    there = {ruleset.id for ruleset in rulesets}
    entries = (each for one in rulesets if one.id in given for each in one.exclusions)
    missing = [other for each in entries for other in each.others if other.name not in there]
    known = known_ids([main, *expansions], paths=paths) if missing else ()
    for other in missing:
        if other.name not in known:
            report.warning(
                "ruleset-missing",
                f"no ruleset `{other.name}` was found",
                other.span,
                help=did_you_mean(other.name, known) or ("add its folder with --path",),
            )


def _about(each: Diagnostic, blocks: Sequence[Span]) -> bool:
    """Return whether a finding shows a place in one of these blocks."""
    shown = (each.span, *(label.span for label in each.labels))
    return any(span is not None and _inside(span, block) for span in shown for block in blocks)


def _inside(span: Span, block: Span) -> bool:
    same = span.source.name == block.source.name
    return same and block.start <= span.start and span.end <= block.end


def _report_games(blocks: Sequence[ast.WithDecl], games: Sequence[str], report: Report) -> None:
    listed = " and ".join(f"`{id}`" for id in games)
    for block in blocks:
        report.warning(
            "never-applies",
            f"this block never applies: {listed} are complete games",
            block.names[0].span,
            help=("name a ruleset that extends the same game",),
        )


def _report_missing(
    blocks: Sequence[ast.WithDecl], ids: set[str], reading: Report, report: Report
) -> None:
    """Warn that blocks cannot be checked; the help consists of the findings of loading."""
    for path in (path for block in blocks for path in block.names if str(path) not in ids):
        of = (each for each in reading if f"`{path}`" in each.message)
        report.warning(
            "ruleset-missing",
            f"no ruleset `{path}` was found, so this block is not checked",
            path.span,
            help=next((each.help for each in of), ()),
        )


def _key(each: Diagnostic) -> tuple[str, str, str, int]:
    span = each.span
    place = ("", 0) if span is None else (span.source.name, span.start)
    return each.slug, each.message, *place


# --- subsets -------------------------------------------------------------------------------------


def covering(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a small covering array of strength two: sets of names, the first with all of them.

    For any two names there is a set with both, with either alone and with neither. Each name is
    also in a fixed number of the other sets, a different selection for each name, so of any two
    names each is somewhere without the other. A selection has less than half of these sets, so some
    set leaves both out.
    """
    others = next(n for n in range(1, len(names) + 2) if comb(n, (n - 1) // 2) >= len(names))
    codes = combinations(range(others), (others - 1) // 2)
    among = dict(zip(names, codes, strict=False))
    rest = (tuple(name for name in names if row in among[name]) for row in range(others))
    return [tuple(names), *rest]


def fitting(names: Iterable[str], allowed: Callable[[Collection[str]], bool]) -> tuple[str, ...]:
    """Return the first of these names that go together."""
    kept: tuple[str, ...] = ()
    for name in names:
        if allowed((*kept, name)):
            kept = (*kept, name)
    return kept


@dataclass(frozen=True)
class Subset:
    """The findings in a game with exactly these `expansions`."""

    expansions: tuple[str, ...]
    findings: tuple[Diagnostic, ...]


EVERY = 128
"""Number of different games up to which each of them is checked."""

LINKED = 10
"""Number of linked expansions up to which all their subsets are checked."""

MOST = 4_000
"""Maximum number of subsets of one size, or to explain a finding in a larger one."""

FEW = 16
"""Number of subsets up to which checking them is faster than starting other processes."""


class Subsets:
    """The check of `main` with every subset of `expansions`, or of all its extensions.

    Iterating checks it and yields the subsets that were looked at, those with the smallest games
    first, and games with many expansions last. Of at most `EVERY` different games it looks at each.
    Of more, it looks at

    - every single expansion and every pair,
    - every subset of expansions that are linked (`footprints.components`), with none of the others
      and with all of them,
    - larger and larger subsets, if a finding in a game with many expansions was in none of these.

    There are `jobs` processes, by default one for every core. An expansion activates its
    requirements, and interactions are active as always, so subsets that differ only by these are
    looked at once. If the files cannot be read there is one subset, of all.

    `ids` are the expansions. Afterwards `checked` is the number of subsets that were looked at,
    `of` that of all, and `left` are the groups of linked expansions that are too large, each with
    the size up to which all their subsets were looked at. Subsets that a ruleset refuses are left
    out; `refused` are notes about them.
    """

    def __init__(
        self,
        main: str | PathLike[str],
        expansions: Sequence[str] = (),
        *,
        paths: Sequence[str | PathLike[str]] = (),
        jobs: int | None = None,
        every: int = EVERY,
    ) -> None:
        self._main, self._paths, self._jobs, self._every = main, paths, jobs, every
        self._named = ids_of(expansions) or extensions_of(main, paths=paths)
        self._expansions = expansions or self._named
        self.ids: tuple[str, ...] = ()
        self.checked, self.of, self.planned = 0, 1, 1
        self.left: list[tuple[tuple[str, ...], int]] = []
        self.refused: tuple[Diagnostic, ...] = ()

    def __iter__(self) -> Iterator[Subset]:
        report = Report()
        rulesets = load_rulesets(self._main, self._expansions, paths=self._paths, report=report)
        modules = {each.id: parse(each.rules, report) for each in rulesets if each.rules}
        if not report.ok:
            report = Report()
            build(self._main, self._expansions, paths=self._paths, report=report)
            self.ids = tuple(self._named)
            yield Subset(self._named, tuple(report.sorted()))
            return
        root = ids_of([self._main])
        there = {each.id for each in rulesets}.difference(root)
        self.ids = tuple(sorted(there.intersection(self._named)))
        missing = Report()
        on = {each.id for each in rulesets}
        _look_for_excluded(self._main, self._expansions, self._paths, rulesets, on, missing)
        checker = SubsetChecker(rulesets, modules, root, self.ids, report, tuple(missing))
        count = len(self.ids)
        self.refused = tuple(checker.refused())
        sets = map(checker.closed, _upto(self.ids, count if count <= _COUNTED else 0))
        every = set(filter(checker.allowed, sets))
        self.of = len(every) if count <= _COUNTED else 2**count
        with _Pool(checker, self._jobs) as self._pool:
            few = self.of <= self._every
            yield from self._look(every) if few else self._by_parts(checker)

    def _look(self, sets: Iterable[tuple[str, ...]]) -> Iterator[Subset]:
        """Check sets that were not checked yet, small ones first."""
        new = filter(self._pool.allowed, set(sets) - self._pool.done.keys())
        due = sorted(new, key=lambda on: (len(on), on))
        self.planned = self.checked + len(due)
        for each in self._pool.check(due):
            self.checked += 1
            yield each

    def _by_parts(self, checker: SubsetChecker) -> Iterator[Subset]:
        """Check subsets of linked expansions, then games with many that are not linked."""
        closed, errors = checker.closed, self._pool.errors
        yield from self._look(map(closed, _upto(self.ids, 2)))
        alone = {id: errors(closed([id])) for id in self.ids}
        fine = [id for id in self.ids if not alone[id]]
        broken = [on for on in combinations(fine, 2) if errors(closed(on))]
        packs = {
            id: {each.id for each in checker.active([id])}.difference(checker.root) for id in fine
        }
        found = checker.footprints(fine)
        parts = components(fine, packs, checker.rulesets, found, broken)
        self.left = [(part, _most(part)) for part in parts if _most(part) < len(part)]
        inside = {part: self._inside(part, checker) for part in parts}
        yield from self._look(each for sets in inside.values() for each in sets)
        best = [
            max((on for on in sets if not errors(on)), key=len, default=())
            for sets in inside.values()
        ]
        most = {id for on in best for id in on}
        large = {closed(fitting(sorted(most), checker.allowed))}
        for part, sets in inside.items():
            removes = any(found and id in found and found[id].removes for id in part)
            if len(parts) > 1 and (len(part) > 1 or removes):
                rest = sorted(most.difference(part))
                large |= {closed(fitting((*on, *rest), checker.allowed)) for on in sets}
        seen = {_text(each) for each in chain.from_iterable(self._pool.done.values())}
        many = list(self._look(large))
        yield from self._smaller(closed, {_text(e) for on in many for e in on.findings} - seen)
        yield from many

    def _inside(self, part: tuple[str, ...], checker: SubsetChecker) -> list[tuple[str, ...]]:
        """Return the subsets of linked expansions to check; of too many, small ones and all."""
        sets = {checker.closed(on) for on in (*_upto(part, _most(part)), part)}
        return sorted(filter(checker.allowed, sets))

    def _smaller(
        self, closed: Callable[[Collection[str]], tuple[str, ...]], new: set[str]
    ) -> Iterator[Subset]:
        """Check larger and larger subsets until each of these findings was in one of them."""
        left = MOST
        for size in range(3, len(self.ids)):
            if not new:
                return
            if comb(len(self.ids), size) > left:
                self.left.append((self.ids, size - 1))
                return
            left -= comb(len(self.ids), size)
            for each in self._look(map(closed, combinations(self.ids, size))):
                new -= set(map(_text, each.findings))
                yield each


def _most(part: Sequence[str]) -> int:
    """Return the size up to which all subsets of linked expansions are checked."""
    if len(part) <= LINKED:
        return len(part)
    return 3 if comb(len(part), 3) <= MOST else 2


def _upto(ids: Sequence[str], most: int) -> Iterator[tuple[str, ...]]:
    """Yield the subsets with at most so many members, small ones first."""
    for size in range(most + 1):
        yield from combinations(ids, size)


def _text(each: Diagnostic) -> str:
    return render([each])


_COUNTED = 10
"""Number of expansions up to which the different games are counted."""

_checkers: list[SubsetChecker] = []
"""The checker that a worker process was given."""


def _begin(checker: SubsetChecker) -> None:
    _checkers.append(checker)


def _check(on: tuple[str, ...]) -> Subset:
    return _checkers[-1].check(on)


class _Pool:
    """Processes that check subsets, and the findings in those that are `done`."""

    def __init__(self, checker: SubsetChecker, jobs: int | None) -> None:
        from rulesdsl.base.processes import Workers, cores  # browsers have no processes

        self._checker, self._jobs = checker, jobs or cores()
        # Forked processes inherit everything that is known here.
        self._workers = Workers(_check, self._jobs, None, partial(_begin, checker))
        self.done: dict[tuple[str, ...], tuple[Diagnostic, ...]] = {}

    def __enter__(self) -> _Pool:
        self._workers.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.__exit__()

    def check(self, due: Sequence[tuple[str, ...]]) -> Iterator[Subset]:
        """Yield the findings in the games with these expansions; raises OutOfTime."""
        alone = self._jobs == 1 or len(due) <= FEW
        for each in map(self._checker.check, due) if alone else self._workers.ordered(due):
            self.done[each.expansions] = each.findings
            yield each
            deadline.check(deadline.active())

    def errors(self, on: tuple[str, ...]) -> set[str]:
        found = self.done.get(on, ())  # none if the subset is refused
        return {_text(each) for each in found if each.severity is Severity.ERROR}

    def allowed(self, on: tuple[str, ...]) -> bool:
        return self._checker.allowed(on)


@dataclass(frozen=True)
class SubsetChecker:
    """Checker of games with some of `rulesets`; the ids `root` are always active.

    Expansions are known by `ids`.

    `report` has the findings of reading them, and `missing` those about the rulesets they name.
    """

    rulesets: Sequence[Ruleset]
    modules: Mapping[str, ast.Module]
    root: tuple[str, ...]
    ids: tuple[str, ...]
    report: Report
    missing: Sequence[Diagnostic]
    known: StageMemo = field(default_factory=StageMemo)

    def active(self, on: Collection[str]) -> list[Ruleset]:
        """Return all rulesets of the game with these expansions."""
        return loaded_with((*self.root, *on), self.rulesets)

    def closed(self, on: Collection[str]) -> tuple[str, ...]:
        """Return these expansions with all others that they activate."""
        return tuple(sorted({each.id for each in self.active(on)}.intersection(self.ids)))

    def allowed(self, on: Collection[str]) -> bool:
        """Return whether no ruleset refuses another one of the game with these expansions."""
        active = self.active(on)
        ids = {each.id for each in active}
        groups = (each.others for ruleset in active for each in ruleset.exclusions)
        return not any(ids.issuperset(one.name for one in group) for group in groups)

    def refused(self) -> Iterator[Diagnostic]:
        """Yield a note for each group of rulesets that are not played together."""
        ids = {each.id for each in self.rulesets}
        for ruleset in self.rulesets:
            for each in ruleset.exclusions:
                names = [one.name for one in each.others]
                if ids.issuperset(names):
                    others = listed([f"`{name}`" for name in names], "and")
                    message = f"`{ruleset.id}` is not played together with {others}: {each.because}"
                    span = each.others[0].span
                    yield Diagnostic("ruleset-conflict", message, span, severity=Severity.NOTE)

    def check(self, on: tuple[str, ...]) -> Subset:
        """Check the game with these expansions."""
        own = Report()
        own.extend(self.report)
        active = {each.manifest.span.source.name for each in self.active(on)}
        own.extend(each for each in self.missing if each.span and each.span.source.name in active)
        self.examined(on, own)
        return Subset(on, tuple(own.sorted()))

    def footprints(self, on: Collection[str]) -> dict[str, Footprint] | None:
        """Return the footprints in the game with these expansions; None if it is too broken."""
        game = self.examined(on, Report())
        return None if game is None else footprints(game)

    def examined(
        self, on: Collection[str], own: Report, *, backwards: bool = False
    ) -> Checked | None:
        """Return the game with these expansions; `backwards` is that of `link`.

        It may have mistakes, which are in `own`, and is None if too little could be linked.
        """
        with uncollected():
            rulesets = self.active(on)
            ids = {each.id for each in rulesets}
            modules = {id: each for id, each in self.modules.items() if id in ids}
            known = self.known
            game = link(
                rulesets,
                {},
                known.constant,
                own,
                known.draw,
                modules=modules,
                backwards=backwards,
            )
            return None if game is None else examine(game, modules, own).game
