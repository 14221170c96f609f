"""The workbench, which checks rulesets again and again, and the loop that follows their changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Thread
from time import perf_counter
from typing import Protocol

from watchfiles import watch

from rulesdsl.build import Memory, remembering
from rulesdsl.deadline import Deadline, OutOfTime, under
from rulesdsl.dev.hand import Hand, Outdated, ReplayedPosition, Stale
from rulesdsl.diagnostics import Diagnostic, Report, RulesError
from rulesdsl.play import Game, PlayError, load
from rulesdsl.play.scenario import Outcome, read_scenarios
from rulesdsl.play.scenario.outcome import try_within
from rulesdsl.play.scenario.runner import scenarios_beside
from rulesdsl.read.files import Seen, is_folder, read_text, unchanged, watched
from rulesdsl.read.load import ids_of
from rulesdsl.records import dataclass


@dataclass(frozen=True)
class CheckedRulesets:
    """The findings in the rulesets; `game` is None if they cannot be played."""

    findings: Sequence[Diagnostic]
    game: Game | None
    seconds: float


@dataclass(frozen=True)
class TriedScenarios:
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

    position: ReplayedPosition | None
    before: ReplayedPosition | None
    findings: tuple[Diagnostic, ...]
    seconds: float


View = CheckedRulesets | TriedScenarios | Reached


@dataclass(frozen=True)
class BenchTask:
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

    def __init__(self, asked: BenchTask, hand: Hand) -> None:
        self._asked, self._hand = asked, hand
        self._memory = Memory()
        self._seen = Seen()
        self._before: ReplayedPosition | None = None

    @property
    def folders(self) -> frozenset[str]:
        """The folders in which the last look searched or read."""
        return self._seen.folders()

    def changed(self) -> bool:
        """Return whether anything on disk has changed since the last look."""
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

    def _checked(self) -> CheckedRulesets:
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
                found: Sequence[Diagnostic] = game.warnings.sorted()
            except RulesError as error:
                return CheckedRulesets(error.diagnostics, None, perf_counter() - start)
        return CheckedRulesets(found, game, perf_counter() - start)

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

    def _tried(self, file: str, stale: Stale) -> TriedScenarios:
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
                return TriedScenarios(file, (), error.diagnostics, perf_counter() - start)
        return TriedScenarios(file, tuple(outcomes), (), perf_counter() - start)

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


# --- changes on disk -----------------------------------------------------------------------------

_QUIET = 20
"""The milliseconds without changes before a change is reported. Programs save in several steps."""

_LONGEST = 2.0
"""The most seconds to wait, as not every file system reports changes."""


class FolderWatcher:
    """Watches folders, and the nearest existing parents of those that do not exist.

    It is a context manager, which stops watching at the end.
    """

    def __init__(self) -> None:
        self._changed, self._stop, self._ended = Event(), Event(), Event()
        self._ended.set()
        self._folders: frozenset[str] = frozenset()

    def __enter__(self) -> FolderWatcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def watch(self, folders: Iterable[str]) -> None:
        """Watch these folders, and no others, from now on."""
        wanted = frozenset(map(_there, folders))
        if wanted == self._folders and not self._ended.is_set():
            return
        self._end()
        self._folders, started = wanted, Event()
        self._stop, self._ended = Event(), Event()
        told = started, self._stop, self._ended
        Thread(target=self._run, args=told, daemon=True).start()
        started.wait(1)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for a change, by default for `_LONGEST` seconds; return whether there was one."""
        happened = self._changed.wait(_LONGEST if seconds is None else seconds)
        self._changed.clear()
        return happened

    def _run(self, started: Event, stop: Event, ended: Event) -> None:
        """Report changes until it is stopped, or a folder cannot be watched."""
        # Errors are not reported: changes are then only noticed later.
        with suppress(OSError, RuntimeError), ExitStack() as last:
            last.callback(started.set)
            last.callback(ended.set)
            found = watch(
                *sorted(self._folders),
                recursive=False,
                step=_QUIET,
                debounce=10 * _QUIET,
                rust_timeout=50,
                yield_on_timeout=True,
                stop_event=stop,
                raise_interrupt=False,
                watch_filter=None,
            )
            for changes in found:
                started.set()
                if changes:
                    self._changed.set()

    def _end(self) -> None:
        """Stop watching.

        It waits for an event, not for the thread, which may not have started when Ctrl-C came.
        """
        self._stop.set()
        self._ended.wait(_LONGEST)


def _there(folder: str) -> str:
    """Return the folder, or its nearest parent that exists."""
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


# --- the loop ------------------------------------------------------------------------------------

GRACE = 0.2
"""The seconds for which a missing or empty file is not reported.

Some programs remove a file and write it anew to save it.
"""

_HALF_SAVED = frozenset({"file-missing", "file-empty", "file-not-text", "ruleset-missing"})


class Watcher(Protocol):
    """A watcher for changes in folders."""

    def watch(self, folders: Iterable[str]) -> None:
        """Watch these folders, and no others, from now on."""

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until something has changed since the last call; return whether it has.

        It waits for so many seconds, by default for as long as the watcher chooses.
        """


Show = Callable[[View | None], None]
"""Shows a view; None before the first of each look."""


def follow(bench: Bench, watcher: Watcher, show: Show) -> None:
    """Look, show, and wait for a change, until an exception of the watcher or Ctrl-C.

    A look is cut short if something changes meanwhile.
    """

    def stale() -> bool:
        return watcher.wait(0) and bench.changed()

    while True:
        try:
            _look(bench, watcher, show, stale)
        except Outdated:
            continue
        watcher.watch(bench.folders)
        while not bench.changed():
            watcher.wait()


def _look(bench: Bench, watcher: Watcher, show: Show, stale: Callable[[], bool]) -> None:
    for number, view in enumerate(bench.look(stale)):
        if number == 0:
            if _half_saved(view) and watcher.wait(GRACE):
                raise Outdated
            show(None)
        show(view)


def _half_saved(view: View) -> bool:
    return isinstance(view, CheckedRulesets) and any(f.slug in _HALF_SAVED for f in view.findings)
