"""The workbench: checks rulesets again and again, and detects changes on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from rulesdsl.build import Memory, remembering
from rulesdsl.deadline import Deadline, OutOfTime, under
from rulesdsl.dev.hand import Hand, Outdated, Position, Stale
from rulesdsl.diagnostics import Diagnostic, Report, RulesError
from rulesdsl.play import Game, PlayError, load
from rulesdsl.play.scenario import Outcome, read_scenarios
from rulesdsl.play.scenario.outcome import try_within
from rulesdsl.play.scenario.runner import scenarios_beside
from rulesdsl.read.files import Seen, is_folder, read_text, unchanged, watched
from rulesdsl.read.load import ids_of


@dataclass(frozen=True)
class Checked:
    """The findings in the rulesets; `game` is None if they cannot be played."""

    findings: Sequence[Diagnostic]
    game: Game | None
    seconds: float


@dataclass(frozen=True)
class Tried:
    """The outcomes of the scenarios of one file, or `findings` if it could not be read."""

    file: str
    outcomes: tuple[Outcome, ...]
    findings: tuple[Diagnostic, ...]
    seconds: float


@dataclass(frozen=True)
class Reached:
    """The position of the replayed game now, and the one before (None: there was none).

    `findings` say why there is no position.
    """

    position: Position | None
    before: Position | None
    findings: tuple[Diagnostic, ...]
    seconds: float


View = Checked | Tried | Reached


@dataclass(frozen=True)
class Asked:
    """The task of a bench: a ruleset with `expansions` under `settings`.

    Rulesets are looked up as by `play.load`. `engine` plays; `seconds` is the time limit for each
    scenario and for the replayed game.
    """

    ruleset: str
    expansions: Sequence[str]
    settings: Mapping[str, int | bool | str]
    paths: Sequence[str]
    engine: str
    seconds: float | None = None


class Bench:
    """Checks, tests and replays on request; `changed` says whether that is worth it."""

    def __init__(self, asked: Asked, hand: Hand) -> None:
        self._asked, self._hand = asked, hand
        self._memory = Memory()
        self._seen = Seen()
        self._before: Position | None = None

    @property
    def folders(self) -> frozenset[str]:
        """The folders in which the last look searched or read."""
        return self._seen.folders()

    def changed(self) -> bool:
        """Say whether anything on disk has changed since the last look."""
        return not self._seen.certain or not unchanged(self._seen.looks)

    def look(self, stale: Stale = lambda: False) -> Iterator[View]:
        """Check, then run the scenarios, then replay the game if the rules allow it.

        Yields a view after each step. Raises `Outdated` if `stale` says that something has changed
        meanwhile.
        """
        self._seen = Seen()
        checked = self._checked()
        yield checked
        if checked.game is None:
            return
        for file in self._scenario_files(checked.game):
            yield self._tried(file, stale)
        yield self._reached(checked.game, stale)

    @contextmanager
    def _looking(self) -> Iterator[None]:
        """Note all file reads in the block, and memoise what is built."""
        with watched() as seen, remembering(self._memory):
            yield
        for name, arguments, answer in seen.looks:
            self._seen.note((name, arguments), answer)
        if not seen.certain:
            self._seen.doubt()

    def _checked(self) -> Checked:
        start, asked = perf_counter(), self._asked
        with self._looking():
            try:
                game = load(
                    asked.ruleset,
                    asked.expansions,
                    asked.settings,
                    asked.engine,
                    paths=asked.paths,
                )
                found: Sequence[Diagnostic] = game.report.sorted()
            except RulesError as error:
                return Checked(error.diagnostics, None, perf_counter() - start)
        return Checked(found, game, perf_counter() - start)

    def _scenario_files(self, game: Game) -> list[str]:
        """Return the files of scenarios beside the ruleset.

        For a folder these are all, for a manifest those with its name.
        """
        with self._looking():
            (id,) = ids_of([self._asked.ruleset])
            ruleset = next((r for r in game.checked.game.rulesets if r.id == id), None)
            if ruleset is None:
                return []
            return scenarios_beside(ruleset, all=is_folder(self._asked.ruleset))

    def _tried(self, file: str, stale: Stale) -> Tried:
        start, outcomes, report = perf_counter(), list[Outcome](), Report()
        with self._looking():
            try:
                source = read_text(file, report)
                report.check()
                assert source is not None, "what cannot be read is reported"
                for scenario in read_scenarios(source, self._asked.paths, self._asked.engine):
                    if stale():
                        raise Outdated
                    outcomes.append(try_within(scenario, self._asked.seconds))
            except RulesError as error:
                return Tried(file, (), error.diagnostics, perf_counter() - start)
        return Tried(file, tuple(outcomes), (), perf_counter() - start)

    def _reached(self, game: Game, stale: Stale) -> Reached:
        start, before = perf_counter(), self._before
        try:
            with under(Deadline.after(self._asked.seconds)):
                position = self._hand.play(game, stale)
        except ValueError as error:
            found = Diagnostic("bad-argument", str(error))
            return Reached(None, before, (found,), perf_counter() - start)
        except OutOfTime as error:
            found = Diagnostic("out-of-time", str(error))
            return Reached(None, before, (found,), perf_counter() - start)
        except PlayError as error:
            found = Diagnostic(error.slug, f"the game does not begin: {error.message}", error.span)
            return Reached(None, before, (found,), perf_counter() - start)
        self._before = position
        return Reached(position, before, (), perf_counter() - start)
