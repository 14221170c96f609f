"""All mutants of rulesets: which tests may notice each, what became of them, and what that says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os.path import splitext
from pathlib import PurePath

from rulesdsl.diagnostics import Diagnostic, Report, Severity, Source
from rulesdsl.diagnostics.allow import Allowance, allowances, unused
from rulesdsl.model import ast
from rulesdsl.model.nodes import Scalar
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.model.walk import walk
from rulesdsl.parse import parse
from rulesdsl.play.scenario.coverage import Event, rulesets_at
from rulesdsl.processes import Workers
from rulesdsl.read.files import DiskFolder
from rulesdsl.read.find import SCENARIO_SUFFIXES, Found
from rulesdsl.read.manifest import read_ruleset
from rulesdsl.suite.mutants.changes import Change, of_manifest, of_rules
from rulesdsl.suite.mutants.judging import Fate, Judge, Mutant, TestKey, Verdict
from rulesdsl.suite.trying import Options, Tried

UNNOTICED = "unnoticed"
_ELSEWHERE = (ast.ChoiceDecl, ast.OptionDecl, ast.AlwaysDecl)
"""Declarations of which parts are worked out where they are not noted as run."""


@dataclass(frozen=True, eq=False)
class _Test:
    """A test that holds: its file and number, the rulesets of its game, and what it ran."""

    key: TestKey
    stem: str
    rulesets: tuple[str, ...]
    reached: Mapping[str, frozenset[Event]]


@dataclass
class Survey:
    """The mutants of rulesets, in the order of their texts, and what has become of them so far.
    `packed` are rulesets in archives, of which none are made."""

    mutants: list[Mutant] = field(default_factory=list)
    packed: list[str] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    _changes: list[tuple[Source, Change]] = field(default_factory=list)
    _judge: Judge | None = None

    @classmethod
    def of(cls, paths: Sequence[str], tried: Sequence[Tried], options: Options) -> Survey:
        """The mutants of all rulesets in folders that are named, and below, and of the ruleset
        `NAME.yaml` beside a file `NAME.test.yaml` that is named; `tried` are the tests, all of
        which hold, with what they reached."""
        survey = cls()
        files = tuple(each.file for each in tried)
        tests = list(_tests(tried))
        texts: dict[str, str] = {}
        for found in rulesets_at(paths):
            ruleset = read_ruleset(found.folder, found.file, Report())
            if ruleset is None:
                continue
            if not isinstance(found.folder, DiskFolder):
                survey.packed.append(found.shown)
                continue
            for file, source, changes, module in _parts(found, ruleset):
                texts[file] = source.text
                chooser = _Chooser(ruleset, found, tests, module)
                for change in changes:
                    survey._add(found, file, source, change, chooser)
        seconds = {
            (file, number): spent
            for file, each in enumerate(tried)
            for number, spent in enumerate(each.seconds)
        }
        survey._judge = Judge(files, replace(options, reach=False), texts, seconds)
        return survey

    def _add(
        self, found: Found, file: str, source: Source, change: Change, chooser: _Chooser
    ) -> None:
        tests = chooser.tests(change)
        if change.condition is not None and not chooser.seen(*change.condition, change.wanted):
            missing = change.missing.partition(" where ")[0].partition(" while ")[0]
            change = replace(change, missing=missing)
        if not tests:
            change = replace(change, missing="no scenario reaches this")
        number = len(self.mutants)
        place = (change.start, change.end, change.new)
        self.mutants.append(Mutant(number, found.shown, file, *place, tests))
        self._changes.append((source, replace(change, node=None)))

    def judged(self, jobs: int) -> Iterator[Verdict]:
        """Judge all mutants in so many processes, and yield what becomes of each as it is known.
        Raises WorkerLost if a process is lost."""
        assert self._judge is not None, "it is made by `of`"
        jobs = min(jobs, len(self.mutants))
        if jobs < 2:
            for mutant in self.mutants:
                yield self._keep(self._judge(mutant))
            return
        with Workers(self._judge, jobs) as workers:
            for _, verdict in workers.unordered(self.mutants):
                yield self._keep(verdict)

    def _keep(self, verdict: Verdict) -> Verdict:
        self.verdicts[verdict.number] = verdict
        return verdict

    # --- what it says ----------------------------------------------------------------------------

    @property
    def complete(self) -> bool:
        """Say whether all mutants are judged."""
        return len(self.verdicts) == len(self.mutants)

    def count(self, *fates: Fate) -> int:
        """How many mutants had one of these fates."""
        return sum(each.fate in fates for each in self.verdicts.values())

    def findings(self) -> list[tuple[Diagnostic, Mutant, Verdict]]:
        """Each mutant that no scenario noticed, as a warning, or as a note if it changes nothing;
        in the order of the texts. Those that a comment allows are among them."""
        return [
            (self._finding(verdict), self.mutants[number], verdict)
            for number, verdict in sorted(self.verdicts.items())
            if verdict.fate in (Fate.SURVIVED, Fate.SAME)
        ]

    def sifted(self) -> tuple[list[Diagnostic], int]:
        """The findings that no comment allows, comments that allow nothing if all mutants are
        judged, and how many findings are allowed."""
        found = [each for each, _, _ in self.findings()]
        sources = {source.name: source for source, _ in self._changes}
        comments = [each for source in sources.values() for each in _comments(source)]
        left = [each for each in found if not any(comment.covers(each) for comment in comments)]
        idle = [
            unused(comment, None)
            for comment in comments
            if self.complete and not any(comment.covers(each) for each in found)
        ]
        return [*left, *idle], len(found) - len(left)

    def _finding(self, verdict: Verdict) -> Diagnostic:
        source, change = self._changes[verdict.number]
        span = source.span(*_shown(source.text, change))
        message = f"no scenario notices it if {change.what}"
        if verdict.fate is Fate.SURVIVED:
            help, severity = (change.missing,), Severity.WARNING
        else:
            help = (f"it changes nothing in {verdict.games} random games",)
            severity = Severity.NOTE
        return Diagnostic(UNNOTICED, message, span, help=help, severity=severity)


def _tests(tried: Sequence[Tried]) -> Iterator[_Test]:
    for file, each in enumerate(tried):
        for number, (outcome, reached) in enumerate(zip(each.outcomes, each.reached, strict=True)):
            yield _Test((file, number), _stem(each.file.file), outcome.rulesets, reached)


def _stem(file: str) -> str:
    name = PurePath(file).name
    return next((name.removesuffix(end) for end in SCENARIO_SUFFIXES if name.endswith(end)), name)


Part = tuple[str, Source, list[Change], ast.Module | None]


def _parts(found: Found, ruleset: Ruleset) -> Iterator[Part]:
    """The texts of a ruleset by their real paths, with their changes."""
    manifest = ruleset.manifest
    source = manifest.span.source
    yield found.identity, source, list(of_manifest(manifest)), None
    named = manifest.get("rules")
    if ruleset.rules is not None and isinstance(named, Scalar):
        module = parse(ruleset.rules, Report())
        file = found.folder.identity(str(named.value))
        yield file, ruleset.rules, list(of_rules(module)), module


class _Chooser:
    """Chooses the tests that may notice a change of a text: those that ran what it changes."""

    def __init__(
        self, ruleset: Ruleset, found: Found, tests: Iterable[_Test], module: ast.Module | None
    ) -> None:
        stem = splitext(PurePath(found.file).name)[0]
        ran = {
            each: each.reached.get(ruleset.digest, frozenset())
            for each in tests
            if ruleset.id in each.rulesets
        }
        # Those of its own file first; then those of small games, which run little else.
        ordered = sorted(
            ran,
            key=lambda each: (each.stem != stem, len(each.rulesets), len(ran[each]), each.key),
        )
        self._all = [each.key for each in ordered]
        self._spans = {each.key: {place[:2] for place in ran[each]} for each in ordered}
        self._places = sorted({place for spans in self._spans.values() for place in spans})
        self._events = set[Event]().union(*ran.values())
        self._module = module
        nodes = walk(module.declarations) if module else []
        self._elsewhere = [
            (node.span.start, node.span.end) for node in nodes if isinstance(node, _ELSEWHERE)
        ]

    def seen(self, start: int, end: int, outcome: bool) -> bool:
        """Say whether a condition at a place was seen to be so; True where conditions are not
        noted."""
        noted = any((start, end) == event[:2] and event[2] for event in self._events)
        return not noted or (start, end, True, outcome) in self._events

    def tests(self, change: Change) -> tuple[TestKey, ...]:
        """The tests that may notice a change, the likeliest first."""
        start, end = change.start, change.end
        around = [each for each in self._places if each[0] <= start and end <= each[1]]
        nearest = max(around, key=_innermost, default=None)
        outer = [each for each in self._elsewhere if each[0] <= start and end <= each[1]]
        if self._module is None or (nearest is None and not self._inside(start, end)):
            return tuple(self._all)
        if outer and (nearest is None or max(map(_innermost, outer)) >= _innermost(nearest)):
            return tuple(self._all)
        wanted = {nearest, *self._inside(start, end)}
        return tuple(key for key in self._all if wanted & self._spans[key])

    def _inside(self, start: int, end: int) -> list[tuple[int, int]]:
        return [each for each in self._places if start <= each[0] and each[1] <= end]


def _innermost(place: tuple[int, int]) -> tuple[int, int]:
    """Sort places around one so that the innermost is the largest."""
    return place[0], -place[1]


def _shown(text: str, change: Change) -> tuple[int, int]:
    """The place of a change without the space around it."""
    start, end = change.start, change.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _comments(source: Source) -> Iterator[Allowance]:
    for each in allowances(source):
        if isinstance(each, Allowance) and each.slug == UNNOTICED:
            yield each
