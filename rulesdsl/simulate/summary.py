"""Sums over games. They are whole numbers, so that the order of games does not matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rulesdsl.simulate.columns import Columns, score
from rulesdsl.simulate.findings import Finding
from rulesdsl.simulate.intervals import (
    RATIO,
    STUDENT,
    WILSON,
    Interval,
    Products,
    Sums,
    student,
    wilson,
)
from rulesdsl.simulate.measures import GAME, OPTIONS, Measure, Series, series
from rulesdsl.simulate.plan import Study


@dataclass
class Totals:
    """The sums of one variant: of each measure, and of its differences from the first variant;
    of options and decisions, followed by those of the first variant; how often there was which
    score and which length."""

    sums: dict[Measure, Sums] = field(default_factory=dict)
    differences: dict[Measure, Sums] = field(default_factory=dict)
    options: Products | None = None
    scores: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)


class Summary:
    """What is known of a study after some of its games."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.games = 0
        self.unfinished = 0
        self.totals = [Totals() for _ in study.variants]

    @property
    def complete(self) -> bool:
        """Say whether all games of the study are in it."""
        return self.games >= self.study.games

    def add(self, first: int, played: Sequence[Columns]) -> None:
        """Add games that follow each other from number `first` on: their columns, by variant."""
        study, base = self.study, dict[Measure, Series]()
        for number, (columns, totals) in enumerate(zip(played, self.totals, strict=True)):
            found = dict(series(study, study.kinds[number], columns, first))
            for measure, numbers in found.items():
                _add(totals.sums, measure, numbers)
            if number == 0:
                base = found
                self.games += len(columns["over"])
            else:
                _compare(totals, found, base)
            of_first = (played[0]["options"], played[0]["decisions"]) if number else ()
            sums = Products.of(columns["options"], columns["decisions"], *of_first)
            totals.options = sums if totals.options is None else totals.options + sums
            for seat in range(study.players):
                totals.scores.update(columns[score(seat)])
            totals.lengths.update(columns["decisions"])
            self.unfinished += len(columns["over"]) - sum(columns["over"])

    def findings(self) -> list[Finding]:
        """All that was found, variant by variant, each followed by how it differs from the first;
        nothing before the first game."""
        found = list[Finding]()
        if self.games:
            for number, totals in enumerate(self.totals):
                found += self._of_variant(number, totals)
                if number:
                    found += self._differences(number, totals)
        return found

    def _of_variant(self, number: int, totals: Totals) -> Iterator[Finding]:
        name = self.study.variants[number].name
        for measure, sums in totals.sums.items():
            way, method = (wilson, WILSON) if measure.share else (student, STUDENT)
            interval, deviation = way(sums, measure.scale), sums.deviation(measure.scale)
            yield self._finding(name, "", measure, interval, deviation, method)
        assert totals.options is not None, "there was a game"
        options = totals.options.ratio(0, 1)
        yield self._finding(name, "", Measure(GAME, OPTIONS), options, None, RATIO)

    def _differences(self, number: int, totals: Totals) -> Iterator[Finding]:
        name, base = self.study.variants[number].name, self.study.variants[0].name
        for measure, sums in totals.differences.items():
            interval, deviation = student(sums, measure.scale), sums.deviation(measure.scale)
            yield self._finding(name, base, measure, interval, deviation, STUDENT)
        assert totals.options is not None, "there was a game"
        options = totals.options.difference(0, 1, 2, 3)
        yield self._finding(name, base, Measure(GAME, OPTIONS), options, None, RATIO)

    def _finding(
        self,
        name: str,
        against: str,
        measure: Measure,
        interval: Interval,
        deviation: float | None,
        method: str,
    ) -> Finding:
        return Finding(
            name,
            against,
            measure.section,
            measure.label,
            self.games,
            interval,
            deviation,
            method,
            measure.share or "share" in measure.label,
        )


def _add(sums: dict[Measure, Sums], measure: Measure, numbers: Series) -> None:
    squares = sum(map(int.__mul__, numbers, numbers))
    new = Sums(len(numbers), sum(numbers), squares)
    sums[measure] = sums.get(measure, Sums()) + new


def _compare(totals: Totals, found: dict[Measure, Series], base: dict[Measure, Series]) -> None:
    """Add the differences between games of one number; what one variant does not have is 0."""
    nothing = [0] * len(next(iter(base.values())))
    for measure in {**base, **found}:
        pairs = zip(found.get(measure, nothing), base.get(measure, nothing), strict=True)
        _add(totals.differences, measure, [one - other for one, other in pairs])
