"""`rulesdsl test`: play scenarios and say which do not hold."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rulesdsl.cli.console import Console
from rulesdsl.cli.problems import CLEAN, PROBLEMS, bad_argument, exit_code
from rulesdsl.cli.recording import STDIN, read_source
from rulesdsl.diagnostics import Diagnostic, RulesError
from rulesdsl.diagnostics.render import render
from rulesdsl.play import Game
from rulesdsl.play.scenario import Outcome, Scenario, Start, read_scenarios
from rulesdsl.read.find import SCENARIO_SUFFIXES

if TYPE_CHECKING:
    from rulesdsl.play.scenario.coverage import Coverage


def command(arguments: Namespace, console: Console) -> int:
    """Run all scenarios of the files and folders named; the exit code is the worst of all."""
    if STDIN in arguments.files:
        raise bad_argument(
            "scenarios name rulesets beside them, so they cannot come from standard input",
            "give the path of the file",
        )
    coverage = _coverage() if arguments.coverage else None
    runner = _Runner(console, arguments.engine, coverage.start if coverage else Game.start)
    for path in _distinct(each for given in arguments.files for each in _files(given)):
        runner.run(path, arguments.path)
    if coverage and runner.all_read:
        runner.tell_gaps(coverage, arguments.files)
    if runner.passed or runner.failed:
        console.say((f"{runner.passed} passed, {runner.failed} failed", "title"))
    return runner.worst


def _coverage() -> Coverage:
    # The engine that is needed for this alone is imported for this alone.
    from rulesdsl.play.scenario.coverage import Coverage

    return Coverage()


class _Runner:
    """Runs files of scenarios and counts; what was shown once is not shown again. Unless they are
    `all_read`, nothing can be said about what they leave out."""

    def __init__(self, console: Console, engine: str, start: Start) -> None:
        self.passed = self.failed = 0
        self.worst = CLEAN
        self.all_read = True
        self._console = console
        self._engine = engine
        self._start = start
        self._shown: set[str] = set()

    def run(self, path: str, paths: Sequence[str]) -> None:
        for scenario in self._read(path, paths):
            outcome = scenario.run()
            if outcome.passed:
                self.passed += 1
            else:
                self.failed += 1
                self.worst = max(self.worst, PROBLEMS)
                self._tell(outcome)

    def _read(self, path: str, paths: Sequence[str]) -> tuple[Scenario, ...]:
        try:
            source = read_source(path, self._console.input)
            return read_scenarios(source, paths, self._engine, self._start)
        except RulesError as error:
            self._show(error.diagnostics)
            self.all_read = False
            self.worst = max(self.worst, exit_code(error.diagnostics))
            return ()

    def tell_gaps(self, coverage: Coverage, paths: Sequence[str]) -> None:
        """Say what the scenarios do not show of the rules they are about, and how much they do."""
        found = coverage.of(paths)
        for each in found:
            self._show(each.findings)
        for each in found:
            self._console.say(f"{each.file}: {each.shown} of {each.demanded} shown")
        if any(each.gaps for each in found):
            self.worst = max(self.worst, PROBLEMS)
        shown, demanded = sum(each.shown for each in found), sum(each.demanded for each in found)
        self._console.say((f"all rules: {shown} of {demanded} shown", "title"))

    def _tell(self, outcome: Outcome) -> None:
        new = [each for each in outcome.findings if render([each]) not in self._shown]
        again = "" if new else ": as above"
        place = f"{outcome.span.source.name}:{outcome.span.line}"
        self._console.say(("failed", "error"), f": {outcome.name} ({place}){again}")
        self._show(new)

    def _show(self, findings: Sequence[Diagnostic]) -> None:
        self._shown.update(render([each]) for each in findings)
        self._console.show(findings, output=True)


def _files(given: str) -> list[str]:
    """The file named, or all files of scenarios in a folder and below; raises RulesError if there
    is none."""
    if not os.path.isdir(given):
        return [given]
    found = [os.path.join(folder, name) for folder, name in _inside(given)]
    if not found:
        raise bad_argument(
            f"there is no file of scenarios in `{given}`",
            "the name of a file of scenarios ends in `.test.yaml`",
        )
    return found


def _inside(folder: str) -> Iterator[tuple[str, str]]:
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from ((path, name) for name in sorted(names) if name.endswith(SCENARIO_SUFFIXES))


def _distinct(paths: Iterable[str]) -> Iterator[str]:
    """The paths without those that lead to a file that was there before."""
    seen: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            yield path
