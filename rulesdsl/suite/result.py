"""All that came of trying tests, for those who tell it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulesdsl.play.scenario import Outcome
from rulesdsl.suite.find import SuiteFile
from rulesdsl.suite.pairs import Pair
from rulesdsl.suite.trying import Tried

if TYPE_CHECKING:
    from rulesdsl.play.scenario.coverage import Covered
    from rulesdsl.suite.mutants.survey import Survey


@dataclass(frozen=True)
class Result:
    """What came of every file, in order; with `--coverage` also what is shown of each ruleset, and
    which pairs of expansions are played together, and with `--mutants` what became of those."""

    tried: tuple[Tried, ...]
    covered: tuple[Covered, ...] = ()
    pairs: tuple[Pair, ...] = ()
    coverage: bool = False
    mutants: Survey | None = None

    def outcomes(self) -> Iterator[tuple[SuiteFile, Outcome, float]]:
        """Every test with its file and its seconds."""
        for each in self.tried:
            for outcome, seconds in zip(each.outcomes, each.seconds, strict=True):
                yield each.file, outcome, seconds

    @property
    def passed(self) -> int:
        """How many tests hold."""
        return sum(outcome.passed for _, outcome, _ in self.outcomes())

    @property
    def failed(self) -> int:
        """How many do not."""
        return sum(not outcome.passed for _, outcome, _ in self.outcomes())
