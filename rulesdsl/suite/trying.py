"""Trying the tests of one file: what every process does."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulesdsl.diagnostics import Diagnostic, RulesError
from rulesdsl.play import Game
from rulesdsl.play.golden import read_golden
from rulesdsl.play.scenario import Outcome, Trial, read_scenarios
from rulesdsl.play.scenario.outcome import try_within
from rulesdsl.suite.find import SuiteFile

if TYPE_CHECKING:
    from rulesdsl.play.scenario.coverage import Coverage, Reached


@dataclass(frozen=True)
class Options:
    """How tests are tried: `paths` are folders in which rulesets are sought, `names` texts of which
    one has to be in the name of a test (none: all are tried), `coverage` whether it is noted what
    of the rules scenarios run, `reach` whether it is noted for each of them; the engine that knows
    that plays them then. Each test may last `seconds` (None: as long as it takes)."""

    engine: str
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    coverage: bool = False
    seconds: float | None = None
    reach: bool = False

    def wants(self, test: Trial) -> bool:
        """Is this one to be tried?"""
        name = test.name.casefold()
        return not self.names or any(each.casefold() in name for each in self.names)


@dataclass(frozen=True)
class Tried:
    """What came of the tests of a file, in its order: the outcome and the seconds of each, how many
    there are that were left out, why the file cannot be read, and what its scenarios ran, together
    or each (`reached`)."""

    file: SuiteFile
    outcomes: tuple[Outcome, ...] = ()
    seconds: tuple[float, ...] = ()
    left_out: int = 0
    unreadable: tuple[Diagnostic, ...] = ()
    coverage: Coverage | None = None
    reached: tuple[Reached, ...] = ()


def _coverage() -> Coverage:
    # The engine that is needed for this alone is imported for this alone.
    from rulesdsl.play.scenario.coverage import Coverage

    return Coverage()


def read_tests(
    file: SuiteFile, options: Options, coverage: Coverage | None = None
) -> Sequence[Trial]:
    """All tests of a file; raises RulesError if it cannot be read."""
    source = file.source()
    if file.golden:
        return (read_golden(source, options.paths, options.engine),)
    start = coverage.start if coverage else Game.start
    return read_scenarios(source, options.paths, options.engine, start)


def try_file(file: SuiteFile, options: Options) -> Tried:
    """Try the tests of a file that are wanted."""
    coverage = _coverage() if options.coverage or options.reach else None
    try:
        tests = read_tests(file, options, coverage)
    except RulesError as error:
        return Tried(file, unreadable=error.diagnostics)
    wanted = [test for test in tests if options.wants(test)]
    outcomes, seconds = list[Outcome](), list[float]()
    reached: list[Reached] = []
    for test in wanted:
        begun = time.perf_counter()
        outcomes.append(try_within(test, options.seconds))
        seconds.append(time.perf_counter() - begun)
        if options.reach and coverage is not None:
            reached.append(coverage.taken())
    left_out = len(tests) - len(wanted)
    kept = coverage if options.coverage else None
    return Tried(file, tuple(outcomes), tuple(seconds), left_out, (), kept, tuple(reached))
