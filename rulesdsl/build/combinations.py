"""Checks of combinations: every subset of the expansions, and `with` blocks about inactive ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import combinations
from math import comb
from os import PathLike

from rulesdsl.build.stages import StageMemo, build, made
from rulesdsl.check import check
from rulesdsl.diagnostics import Diagnostic, Report, Span
from rulesdsl.link import link
from rulesdsl.memory import uncollected
from rulesdsl.model import ast
from rulesdsl.model.ast import blocks, named
from rulesdsl.model.game import Ruleset
from rulesdsl.model.names import RulesetId
from rulesdsl.parse import parse
from rulesdsl.read.load import extensions_of, ids_of, load_rulesets, loaded_with
from rulesdsl.records import dataclass

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
    before = {_key(each) for each in found}
    return tuple(each for each in report.sorted() if _key(each) not in before)


def _about(each: Diagnostic, blocks: Sequence[Span]) -> bool:
    """Return whether a finding shows a place in one of these blocks."""
    shown = (each.span, *(label.span for label in each.labels))
    return any(span is not None and _inside(span, block) for span in shown for block in blocks)


def _inside(span: Span, block: Span) -> bool:
    same = span.source.name == block.source.name
    return same and block.start <= span.start and span.end <= block.end


def _report_games(blocks: Sequence[ast.WithDecl], games: Sequence[str], report: Report) -> None:
    """Report blocks about rulesets of another game."""
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


@dataclass(frozen=True)
class Subset:
    """The findings in a game with exactly these `expansions`; `of` is the number of subsets."""

    expansions: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    of: int = 1


MOST = 12
"""Maximum number of expansions of which all subsets are checked."""

FEW = 16
"""Number of subsets up to which checking them is faster than starting other processes."""


def subsets(
    main: str | PathLike[str],
    expansions: Sequence[str] = (),
    *,
    paths: Sequence[str | PathLike[str]] = (),
    jobs: int | None = None,
) -> Iterator[Subset]:
    """Check `main` with every subset of `expansions`, or of all its extensions, small ones first.

    There are `jobs` processes, by default one for every core. An expansion activates its
    requirements, and interactions are active as always, so subsets that differ only by these are
    checked once. If the files cannot be read, or there are more than `MOST` expansions, there is
    one subset, of all.
    """
    report = Report()
    named = ids_of(expansions) or extensions_of(main, paths=paths)
    rulesets = load_rulesets(main, expansions or named, paths=paths, report=report)
    modules = {each.id: parse(each.rules, report) for each in rulesets if each.rules is not None}
    if len(named) > MOST:
        message = f"{len(named)} expansions are too many"
        help = f"`--all-subsets` checks at most {MOST}: name the ones that matter"
        report.error("bad-argument", message, help=(help,))
    elif not report.ok:
        report = Report()
        build(main, expansions or named, paths=paths, report=report)
    if not report.ok:
        yield Subset(named, tuple(report.sorted()))
        return
    checker = _Checker(rulesets, modules, ids_of([main]), report)
    choices = list(_choices(rulesets, checker.root, named))
    from rulesdsl.processes import Workers, cores  # browsers have no processes

    jobs = jobs or cores()
    of = len(choices)
    if jobs == 1 or of <= FEW:
        yield from (replace(checker.check(on), of=of) for on in choices)
        return
    # Forked processes inherit everything that is known here.
    with Workers(_check, jobs, None, partial(_begin, checker)) as workers:
        yield from (replace(each, of=of) for each in workers.ordered(choices))


_checkers: list[_Checker] = []
"""The checker that a worker process was given."""


def _begin(checker: _Checker) -> None:
    _checkers.append(checker)


def _check(on: tuple[str, ...]) -> Subset:
    return _checkers[-1].check(on)


def _choices(
    rulesets: Sequence[Ruleset], root: Sequence[str], named: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Yield every set of named rulesets that activates no other named one."""
    ids = sorted({each.id for each in rulesets}.intersection(named).difference(root))
    for size in range(len(ids) + 1):
        for on in combinations(ids, size):
            loaded = loaded_with((*root, *on), rulesets)
            if sum(each.id in ids for each in loaded) == size:
                yield on


@dataclass(frozen=True)
class _Checker:
    """Checker of games with some of `rulesets`; the ids `root` are always active.

    `report` has the findings of reading them.
    """

    rulesets: Sequence[Ruleset]
    modules: Mapping[str, ast.Module]
    root: tuple[str, ...]
    report: Report
    known: StageMemo = field(default_factory=StageMemo)

    def check(self, on: tuple[str, ...]) -> Subset:
        """Check the game with these expansions."""
        own, known = Report(), self.known
        own.extend(self.report)
        rulesets = loaded_with((*self.root, *on), self.rulesets)
        with uncollected():
            ids = {each.id for each in rulesets}
            modules = {id: each for id, each in self.modules.items() if id in ids}
            game = link(rulesets, {}, known.constant, own, known.draw, modules=modules)
            if game is not None:
                check(game, modules, own)
        return Subset(on, tuple(own.sorted()))
