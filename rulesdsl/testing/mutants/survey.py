"""Mutants of rulesets: the tests that may notice each, their verdicts, and the findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import cycle
from os.path import splitext
from pathlib import PurePath

from rulesdsl.build import Memory, build, remembering
from rulesdsl.cache import uncached
from rulesdsl.deadline import Deadline, OutOfTime, under
from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Severity, Source
from rulesdsl.diagnostics.allow import Allowance, allowances, unused
from rulesdsl.engines.engine import PlayError, Playout
from rulesdsl.engines.engines import playable
from rulesdsl.model import ast
from rulesdsl.model.checked import walk
from rulesdsl.model.nodes import Scalar
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.parse import parse
from rulesdsl.play import Game
from rulesdsl.play.scenario import Scenario
from rulesdsl.play.scenario.coverage import Event, rulesets_at
from rulesdsl.play.scenario.outcome import try_within
from rulesdsl.play.scenario.runner import Cast
from rulesdsl.processes import Workers
from rulesdsl.read.files import DiskFolder, overlaid
from rulesdsl.read.find import SCENARIO_SUFFIXES, Found
from rulesdsl.read.manifest import read_ruleset
from rulesdsl.testing.find import SuiteFile
from rulesdsl.testing.mutants.changes import Change, of_manifest, of_rules
from rulesdsl.testing.running import Options, Tried, read_tests

GAMES = 50
"""The number of random games for each cast with a number of players."""
CASTS = 4
"""The most casts of which random games are played."""
SEED = 7
MOVES = 3_000
"""The number of moves after which a random game is given up."""
SECONDS = 60
"""The seconds that random games of one cast may take before a mutant counts as endless."""
SLOWER, PATIENCE = 10, 5.0
"""A scenario fails if it takes `SLOWER` times as long as without the change, plus `PATIENCE` s."""
REMEMBERED = 4
"""The number of checked games to cache."""

TestKey = tuple[int, int]
"""A test by the number of its file and its own."""
Played = tuple[Playout | str, ...]
"""The results of random games, or the reason why one could not be played."""


class Fate(Enum):
    """The result of a mutant."""

    INVALID = "invalid"
    """It is not valid syntax, and so not a mutant."""
    REFUSED = "refused"
    """`check` reports a finding."""
    NOTICED = "noticed"
    """A scenario fails."""
    SURVIVED = "survived"
    """No scenario fails, but random games go another way."""
    SAME = "same"
    """No scenario fails, and all random games go the same way."""


@dataclass(frozen=True)
class Mutant:
    """A mutant, with the tests that may notice it.

    It replaces the characters `start` to `end` in the text at the real path `file` by `new`, and
    belongs to the ruleset of `manifest`. The tests are sorted by how likely they are to notice it.
    """

    number: int
    manifest: str
    file: str
    start: int
    end: int
    new: str
    tests: tuple[TestKey, ...]


@dataclass(frozen=True)
class Verdict:
    """The fate of a mutant.

    `by` is the scenario that fails, or the slug of what `check` finds. `games` is the number of
    random games that were played.
    """

    number: int
    fate: Fate
    by: str = ""
    games: int = 0


@dataclass
class Judge:
    """Judges mutants one after the other.

    `files` have the tests, and `seconds` are the times that tests take without a change. `texts`
    are the texts of the rulesets by their real paths.
    """

    files: Sequence[SuiteFile]
    options: Options
    texts: Mapping[str, str]
    seconds: Mapping[TestKey, float]

    def __call__(self, mutant: Mutant) -> Verdict:
        """Return the verdict about a mutant."""
        slug = self._refused(mutant)
        if slug is not None:
            fate = Fate.INVALID if slug in ("bad-syntax", "bad-indent") else Fate.REFUSED
            return Verdict(mutant.number, fate, slug)
        by = self._noticed(mutant)
        if by is not None:
            return Verdict(mutant.number, Fate.NOTICED, by)
        games = 0
        for key, most in self._sittings(mutant):
            before = self._before(key, most)
            games += len(before)
            with self._with(mutant), uncached():
                if _played(self._scenario(key), most) != before:
                    return Verdict(mutant.number, Fate.SURVIVED, "", games)
        return Verdict(mutant.number, Fate.SAME, "", games)

    # --- the three stages ------------------------------------------------------------------------

    def _refused(self, mutant: Mutant) -> str | None:
        """Return the slug of a finding that `check` reports only with the change.

        None if there is none. The check is of the smallest game with the ruleset.
        """
        known = self._findings(mutant.manifest)
        with self._with(mutant):
            found = findings(mutant.manifest, self.options.paths)
        new = Counter(map(_key, found)) - known
        return next((slug for slug, _ in new), None)

    def _noticed(self, mutant: Mutant) -> str | None:
        """Return the name of the first scenario that fails; None if all pass."""
        with self._with(mutant):
            for key in mutant.tests:
                limit = self.options.seconds or SLOWER * self.seconds[key] + PATIENCE
                if not try_within(self._scenario(key), limit).passed:
                    return self._scenario(key).name
        return None

    def _sittings(self, mutant: Mutant) -> list[tuple[TestKey, bool]]:
        """Return a test for each of some games whose tests may notice the mutant.

        They are the smallest game, the largest, and some between. Each comes with a flag for the
        most players, otherwise the fewest play. The flags take turns, since each number of players
        needs a program of its own, but the smallest game is played with both.
        """
        found: dict[Cast, TestKey] = {}
        for key in mutant.tests:
            found.setdefault(self._scenario(key).cast, key)
        ordered = sorted(found, key=lambda cast: (len(cast[1]), len(cast[2]), str(cast)))
        last = len(ordered) - 1
        places = sorted({round(n * last / (CASTS - 1)) for n in range(CASTS)}) if ordered else []
        chosen = [found[ordered[place]] for place in places]
        return [*((key, False) for key in chosen[:1]), *zip(chosen, cycle((True, False)))]

    # --- state kept between mutants --------------------------------------------------------------

    @contextmanager
    def _with(self, mutant: Mutant) -> Iterator[None]:
        """Make the change for the duration of the block."""
        text = self.texts[mutant.file]
        text = text[: mutant.start] + mutant.new + text[mutant.end :]
        self._forget()
        try:
            with remembering(self._memory), overlaid({mutant.file: text.encode()}):
                yield
        finally:
            self._forget()

    def _forget(self) -> None:
        for scenarios in self._read.values():
            scenarios[0].forget()

    @cached_property
    def _memory(self) -> Memory:
        return Memory(REMEMBERED)

    @cached_property
    def _read(self) -> dict[int, Sequence[Scenario]]:
        return {}

    @cached_property
    def _known(self) -> dict[str, Counter[tuple[str, str]]]:
        return {}

    @cached_property
    def _games(self) -> dict[tuple[Cast, bool], Played]:
        return {}

    def _scenario(self, key: TestKey) -> Scenario:
        file, number = key
        if file not in self._read:
            tests = read_tests(self.files[file], self.options)
            wanted = (each for each in tests if self.options.wants(each))
            self._read[file] = [each for each in wanted if isinstance(each, Scenario)]
        return self._read[file][number]

    def _findings(self, manifest: str) -> Counter[tuple[str, str]]:
        """Return the findings of `check` without a change."""
        if manifest not in self._known:
            with remembering(self._memory):
                found = findings(manifest, self.options.paths)
            self._known[manifest] = Counter(map(_key, found))
        return self._known[manifest]

    def _before(self, key: TestKey, most: bool) -> Played:
        """Return the results of random games without a change."""
        scenario = self._scenario(key)
        place = scenario.cast, most
        if place not in self._games:
            with remembering(self._memory):
                self._games[place] = _played(scenario, most)
        return self._games[place]


def findings(manifest: str, paths: Sequence[str] = ()) -> list[Diagnostic]:
    """Return the findings of `check` in the smallest game with a ruleset, without notes."""
    report = Report()
    build(manifest, paths=paths, report=report)
    return [each for each in report if each.severity is not Severity.NOTE]


def _key(found: Diagnostic) -> tuple[str, str]:
    return found.slug, found.message


def _played(scenario: Scenario, most: bool) -> Played:
    """Return the results of random games of a scenario's game, with the fewest or most players."""
    engine, _ = playable("wasm")
    try:
        game = scenario.game(engine)
    except RulesError as error:
        return (error.diagnostics[0].slug,) * GAMES
    return tuple(played(game, game.players[-1 if most else 0], GAMES))


def played(game: Game, seats: int, games: int) -> Iterator[Playout | str]:
    """Yield the results of random games, always the same; a game that is stopped is the last."""
    try:
        with under(Deadline(SECONDS)):
            yield from game.playouts(range(games), seats, SEED, limit=MOVES)
    except PlayError as error:
        yield f"{error.slug}: {error.message}"
    except OutOfTime:
        yield "out-of-time"


UNNOTICED = "unnoticed"
_ELSEWHERE = (ast.ChoiceDecl, ast.OptionDecl, ast.AlwaysDecl)
"""Declarations whose parts are evaluated where they are not noted as run."""


@dataclass(frozen=True, eq=False)
class _Test:
    """A test that passes: its file and number, the rulesets of its game, and the events it ran."""

    key: TestKey
    stem: str
    rulesets: tuple[str, ...]
    reached: Mapping[str, frozenset[Event]]


@dataclass
class Survey:
    """The mutants of rulesets, in the order of their texts, and their verdicts so far.

    `packed` are rulesets in archives, of which no mutants are made.
    """

    mutants: list[Mutant] = field(default_factory=list)
    packed: list[str] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    _changes: list[tuple[Source, Change]] = field(default_factory=list)
    _judge: Judge | None = None

    @classmethod
    def of(cls, paths: Sequence[str], tried: Sequence[Tried], options: Options) -> Survey:
        """Return a survey of the rulesets in the folders that are named and below.

        A file `NAME.test.yaml` that is named adds the ruleset `NAME.yaml` beside it. `tried` are
        the tests, all of which pass, with the events they reached.
        """
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
        """Judge all mutants in `jobs` processes and yield the verdicts as they are known.

        Raises WorkerLost if a process is lost.
        """
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

    # --- results ---------------------------------------------------------------------------------

    @property
    def complete(self) -> bool:
        """True if all mutants are judged."""
        return len(self.verdicts) == len(self.mutants)

    def count(self, *fates: Fate) -> int:
        """Return the number of mutants with one of these fates."""
        return sum(each.fate in fates for each in self.verdicts.values())

    def findings(self) -> list[tuple[Diagnostic, Mutant, Verdict]]:
        """Return the mutants that no scenario notices, in the order of the texts.

        Each is a warning, or a note if it changes no random game. Those that a comment allows are
        included.
        """
        return [
            (self._finding(verdict), self.mutants[number], verdict)
            for number, verdict in sorted(self.verdicts.items())
            if verdict.fate in (Fate.SURVIVED, Fate.SAME)
        ]

    def sifted(self) -> tuple[list[Diagnostic], int]:
        """Return the findings that no comment allows, and the number of those that are allowed.

        If all mutants are judged, comments that allow nothing are added.
        """
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
    """Yield the texts of a ruleset by their real paths, with their changes."""
    manifest = ruleset.manifest
    source = manifest.span.source
    yield found.identity, source, list(of_manifest(manifest)), None
    named = manifest.get("rules")
    if ruleset.rules is not None and isinstance(named, Scalar):
        module = parse(ruleset.rules, Report())
        file = found.folder.identity(str(named.value))
        yield file, ruleset.rules, list(of_rules(module)), module


class _Chooser:
    """Chooses the tests that may notice a change of a text: those that ran the part it changes."""

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
        """Say whether a condition was seen with an outcome; True if its outcomes are not noted."""
        noted = any((start, end) == event[:2] and event[2] for event in self._events)
        return not noted or (start, end, True, outcome) in self._events

    def tests(self, change: Change) -> tuple[TestKey, ...]:
        """Return the tests that may notice a change, the likeliest first."""
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
    """Return a sort key by which the innermost of several nested places is the largest."""
    return place[0], -place[1]


def _shown(text: str, change: Change) -> tuple[int, int]:
    """Return the place of a change without the space around it."""
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
