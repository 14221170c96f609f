"""Judging one mutant: what every process does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import cycle

from rulesdsl.cache import uncached
from rulesdsl.deadline import Deadline, OutOfTime, under
from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Severity
from rulesdsl.pipeline import Memory, build, remembering
from rulesdsl.play import Game
from rulesdsl.play.scenario import Scenario
from rulesdsl.play.scenario.outcome import try_within
from rulesdsl.play.scenario.runner import Cast
from rulesdsl.read.files import overlaid
from rulesdsl.run.engine import PlayError, Playout
from rulesdsl.run.engines import playable
from rulesdsl.suite.find import SuiteFile
from rulesdsl.suite.trying import Options, read_tests

GAMES = 50
"""So many random games are played of each cast with a number of players."""
CASTS = 4
"""Of so many casts at most random games are played."""
SEED = 7
MOVES = 3_000
"""After so many moves a random game is given up."""
SECONDS = 60
"""So long the random games of one cast may take before a mutant counts as endless."""
SLOWER, PATIENCE = 10, 5.0
"""A scenario fails if it takes so many times as long as without the change, and some seconds."""
REMEMBERED = 4
"""So many checked games are kept in memory."""

TestKey = tuple[int, int]
"""A test by the number of its file and its own."""
Played = tuple[Playout | str, ...]
"""What came of random games; why one could not be played."""


class Fate(Enum):
    """What became of a mutant."""

    INVALID = "invalid"
    """It is not written as the language is: no mutant at all."""
    REFUSED = "refused"
    """`check` finds something."""
    NOTICED = "noticed"
    """A scenario fails."""
    SURVIVED = "survived"
    """No scenario fails, and random games go another way."""
    SAME = "same"
    """No scenario fails, and all random games go the same way."""


@dataclass(frozen=True)
class Mutant:
    """Mutant `number`: in the text at the real path `file`, the characters `start` to `end` become
    `new`. It belongs to the ruleset of a manifest; these tests may notice it, the likeliest
    first."""

    number: int
    manifest: str
    file: str
    start: int
    end: int
    new: str
    tests: tuple[TestKey, ...]


@dataclass(frozen=True)
class Verdict:
    """The fate of the mutant of that number; `by` is the scenario that fails, or the slug of what
    `check` finds. `games` random games were played."""

    number: int
    fate: Fate
    by: str = ""
    games: int = 0


@dataclass
class Judge:
    """Judges mutants one after the other, with the tests of these files, which take so many seconds
    each without a change. `texts` are those of the rulesets, by their real paths."""

    files: Sequence[SuiteFile]
    options: Options
    texts: Mapping[str, str]
    seconds: Mapping[TestKey, float]

    def __call__(self, mutant: Mutant) -> Verdict:
        """Say what becomes of a mutant."""
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
        """The slug of what `check` finds in the smallest game with the ruleset, and only with the
        change; None if there is nothing new."""
        known = self._findings(mutant.manifest)
        with self._with(mutant):
            found = findings(mutant.manifest, self.options.paths)
        new = Counter(map(_key, found)) - known
        return next((slug for slug, _ in new), None)

    def _noticed(self, mutant: Mutant) -> str | None:
        """The name of the first scenario that fails; None if all hold."""
        with self._with(mutant):
            for key in mutant.tests:
                limit = self.options.seconds or SLOWER * self.seconds[key] + PATIENCE
                if not try_within(self._scenario(key), limit).passed:
                    return self._scenario(key).name
        return None

    def _sittings(self, mutant: Mutant) -> list[tuple[TestKey, bool]]:
        """One test for each of some games that tests play which may notice the mutant: the smallest
        game, the largest, and some between; and whether the most players play or the fewest. They
        take turns, as each number takes a program of its own, but both play the smallest game."""
        found: dict[Cast, TestKey] = {}
        for key in mutant.tests:
            found.setdefault(self._scenario(key).cast, key)
        ordered = sorted(found, key=lambda cast: (len(cast[1]), len(cast[2]), str(cast)))
        last = len(ordered) - 1
        places = sorted({round(n * last / (CASTS - 1)) for n in range(CASTS)}) if ordered else []
        chosen = [found[ordered[place]] for place in places]
        return [*((key, False) for key in chosen[:1]), *zip(chosen, cycle((True, False)))]

    # --- what is kept from one mutant to the next ------------------------------------------------

    @contextmanager
    def _with(self, mutant: Mutant) -> Iterator[None]:
        """Make the change meanwhile."""
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
        """What `check` finds without a change."""
        if manifest not in self._known:
            with remembering(self._memory):
                found = findings(manifest, self.options.paths)
            self._known[manifest] = Counter(map(_key, found))
        return self._known[manifest]

    def _before(self, key: TestKey, most: bool) -> Played:
        """How random games go without a change."""
        scenario = self._scenario(key)
        place = scenario.cast, most
        if place not in self._games:
            with remembering(self._memory):
                self._games[place] = _played(scenario, most)
        return self._games[place]


def findings(manifest: str, paths: Sequence[str] = ()) -> list[Diagnostic]:
    """What `check` finds in the smallest game with a ruleset; notes left out."""
    report = Report()
    build(manifest, paths=paths, report=report)
    return [each for each in report if each.severity is not Severity.NOTE]


def _key(found: Diagnostic) -> tuple[str, str]:
    return found.slug, found.message


def _played(scenario: Scenario, most: bool) -> Played:
    """How random games of a scenario's game go, with the fewest players or with the most."""
    engine, _ = playable("wasm")
    try:
        game = scenario.game(engine)
    except RulesError as error:
        return (error.diagnostics[0].slug,) * GAMES
    return tuple(played(game, game.players[-1 if most else 0], GAMES))


def played(game: Game, seats: int, games: int) -> Iterator[Playout | str]:
    """How random games go, always the same ones; a game that is stopped is the last."""
    try:
        with under(Deadline(SECONDS)):
            yield from game.playouts(range(games), seats, SEED, limit=MOVES)
    except PlayError as error:
        yield f"{error.slug}: {error.message}"
    except OutOfTime:
        yield "out-of-time"
