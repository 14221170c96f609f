"""Sums over games, and statistics of them with 95 % confidence intervals.

Sums are integers, so that neither the order of games nor their distribution over workers matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, field
from math import inf, lcm, pi, sqrt, tan

from rulesdsl.records import dataclass
from rulesdsl.simulate.plan import NumberKind, Study
from rulesdsl.simulate.playing import Columns, gain, score

Z = 1.959963984540054
"""The quantile 0.975 of the normal distribution."""

WILSON, STUDENT, RATIO = "Wilson", "t", "ratio"
"""The methods of intervals.

They are E. B. Wilson 1927; Student's t for a mean (of differences, where games are paired);
linearised for the ratio of two means (Cochran, Sampling Techniques, 6.3).
"""


@dataclass(frozen=True)
class Interval:
    """A value, and bounds that contain the true value in 95 of 100 studies."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Sums:
    """The sums of numbers: their count, their total, and the total of their squares."""

    count: int = 0
    total: int = 0
    squares: int = 0

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.count + other.count, self.total + other.total, self.squares + other.squares
        )

    def mean(self, scale: int) -> float:
        """Return the mean of the numbers divided by a scale."""
        return self.total / (self.count * scale)

    def deviation(self, scale: int) -> float:
        """Return the sample standard deviation of the numbers divided by a scale.

        It is infinite for fewer than two numbers.
        """
        if self.count < 2:
            return inf
        above = self.count * self.squares - self.total * self.total
        return sqrt(above / (self.count * (self.count - 1))) / scale


def wilson(sums: Sums, scale: int) -> Interval:
    """Return the interval of a share.

    Parts of a win count as parts. That makes the interval wider than needed, since no number from 0
    to 1 with that mean varies more than one that is 0 or 1.
    """
    share, count = sums.mean(scale), sums.count
    around = 1 + Z * Z / count
    middle = (share + Z * Z / (2 * count)) / around
    half = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count)) / around
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def student(sums: Sums, scale: int) -> Interval:
    """Return the interval of a mean: mean ± t s / sqrt(n), without bounds for a single number."""
    mean = sums.mean(scale)
    if sums.count < 2:
        return Interval(mean, -inf, inf)
    half = quantile(sums.count - 1) * sums.deviation(scale) / sqrt(sums.count)
    return Interval(mean, mean - half, mean + half)


def quantile(freedom: int) -> float:
    """Return the quantile 0.975 of Student's t.

    It is exact for 1 and 2 degrees of freedom, and above that given by the expansion of Abramowitz
    & Stegun 26.7.5 (0.6 % too small at 3, less than 0.01 % from 10 on).
    """
    if freedom == 1:
        return tan(0.475 * pi)
    if freedom == 2:
        return 0.95 / sqrt(2 * 0.975 * 0.025)
    terms = (
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160,
    )
    return Z + sum(term / float(freedom) ** at for at, term in enumerate(terms, 1))


@dataclass(frozen=True)
class Products:
    """The sums of rows of numbers: their count, the totals of columns and of their products."""

    count: int
    totals: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, *columns: Sequence[int]) -> Products:
        """Return the sums of columns of equal length."""
        products = tuple(tuple(_times(one, other) for other in columns) for one in columns)
        return cls(len(columns[0]), tuple(map(sum, columns)), products)

    def __add__(self, other: Products) -> Products:
        totals = tuple(a + b for a, b in zip(self.totals, other.totals, strict=True))
        rows = zip(self.products, other.products, strict=True)
        products = tuple(tuple(a + b for a, b in zip(*row, strict=True)) for row in rows)
        return Products(self.count + other.count, totals, products)

    def ratio(self, upper: int, lower: int) -> Interval:
        """Return the interval of the total of one column divided by that of another."""
        value = self.totals[upper] / self.totals[lower] if self.totals[lower] else 0.0
        return self._around(value, self._weights(upper, lower))

    def difference(self, upper: int, lower: int, minus_upper: int, minus_lower: int) -> Interval:
        """Return the interval of the difference between two ratios over the same rows."""
        value = self.ratio(upper, lower).value - self.ratio(minus_upper, minus_lower).value
        taken = self._weights(minus_upper, minus_lower)
        pairs = zip(self._weights(upper, lower), taken, strict=True)
        return self._around(value, [a - b for a, b in pairs])

    def _weights(self, upper: int, lower: int) -> list[float]:
        """Return the change of a ratio by a row, as weights of the row's columns."""
        weights = [0.0] * len(self.totals)
        if self.totals[lower]:
            mean = self.totals[lower] / self.count
            weights[upper] = 1 / mean
            weights[lower] -= self.totals[upper] / self.totals[lower] / mean
        return weights

    def _around(self, value: float, weights: list[float]) -> Interval:
        """Return the interval of a value that every row changes by its weighted sum.

        The changes add up to 0.
        """
        if self.count < 2:
            return Interval(value, -inf, inf)
        columns = range(len(weights))
        squares = sum(
            weights[a] * weights[b] * self.products[a][b] for a in columns for b in columns
        )
        spread = sqrt(max(0.0, squares) / (self.count * (self.count - 1)))
        half = quantile(self.count - 1) * spread
        return Interval(value, value - half, value + half)


def _times(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(one, other, strict=True))


@dataclass(frozen=True)
class Finding:
    """A number and its 95 % confidence interval.

    `against` is empty, or names the variant that was subtracted game by game; `share` says that it
    is a part of 1; `deviation` is the standard deviation over games, None where there is none;
    `method` names the formula of the interval.
    """

    variant: str
    against: str
    section: str
    label: str
    games: int
    interval: Interval
    deviation: float | None
    method: str
    share: bool = False

    @property
    def sure(self) -> bool:
        """True if the interval does not contain 0."""
        return self.interval.low > 0 or self.interval.high < 0

    def row(self) -> dict[str, str | int | float | None]:
        """Return the finding as plain data, in the order of columns; infinite bounds are None."""
        plain = asdict(self)
        interval = plain.pop("interval")
        del plain["share"]
        head = {key: plain.pop(key) for key in ("variant", "against", "section", "label", "games")}
        found = {**head, **interval, **plain}
        return {key: None if value in _ENDLESS else value for key, value in found.items()}


_ENDLESS = (float("inf"), float("-inf"))


Series = Sequence[int]

WINS, FIRST, POINTS, SOURCES, GAME = (
    "share of wins",
    "advantage of the first seat",
    "points",
    "points by source, per player",
    "game",
)
"""The sections of measures."""

OPTIONS = "options per decision"


@dataclass(frozen=True)
class Measure:
    """A measure of which every game has a number; if it is a `share`, numbers are from 0 to 1."""

    section: str
    label: str
    scale: int = 1
    share: bool = False


def series(
    study: Study, kind: NumberKind, columns: Columns, first: int
) -> Iterator[tuple[Measure, Series]]:
    """Yield all measures of consecutive games with their numbers.

    `first` is the number of the first game.
    """
    seats = range(study.players)
    whole = lcm(*(seat + 1 for seat in seats))
    shares = [_shares(columns["winners"], seat, study.players, whole) for seat in seats]
    scores = [columns[score(seat)] for seat in seats]
    names = [f"{colour} (seat {seat + 1})" for seat, colour in enumerate(study.colours)]
    for name, share in zip(names, shares, strict=True):
        yield Measure(WINS, name, whole, True), share
    yield from _by_bot(study, WINS, shares, first, whole, share=True)
    if study.players > 1:
        yield from _first(shares[0], scores, whole)
    for name, points in zip(names, scores, strict=True):
        yield Measure(POINTS, name), points
    yield from _by_bot(study, POINTS, scores, first)
    if study.players > 1:
        yield from _spread(scores)
    for source, label in zip(kind.sources, kind.labels, strict=True):
        gained = [columns[gain(source, seat)] for seat in seats]
        yield Measure(SOURCES, label, study.players), list(map(sum, zip(*gained, strict=True)))
        yield from _by_bot(study, SOURCES, gained, first, label=f"{label}, ")
    yield Measure(GAME, "decisions"), columns["decisions"]
    yield Measure(GAME, "changes of the lead"), columns["leads"]


def _shares(winners: Series, seat: int, players: int, whole: int) -> Series:
    """Return the part of each win that a seat has; all winners share it equally."""
    parts = [whole // mask.bit_count() if mask >> seat & 1 else 0 for mask in range(1 << players)]
    return list(map(parts.__getitem__, winners))


def _by_bot(
    study: Study,
    section: str,
    by_seat: Sequence[Series],
    first: int,
    scale: int = 1,
    *,
    share: bool = False,
    label: str = "",
) -> Iterator[tuple[Measure, Series]]:
    """Yield a measure by bot, as the mean of its seats, if there are several bots."""
    bots, count = list(dict.fromkeys(study.bots)), study.players
    if len(bots) == 1:
        return
    for bot in bots:
        held = [
            [seat for seat in range(count) if study.bots[(seat + turn) % count] == bot]
            for turn in range(count)
        ]
        rows = zip(*by_seat, strict=True)
        numbers = [
            sum(row[seat] for seat in held[(first + at) % count]) for at, row in enumerate(rows)
        ]
        yield Measure(section, f"{label}{bot} bot", scale * study.bots.count(bot), share), numbers


def _first(
    shares: Series, scores: Sequence[Series], whole: int
) -> Iterator[tuple[Measure, Series]]:
    """Yield the advantages of the first seat over an even share and over the mean of the others."""
    count = len(scores)
    fair = [share * count - whole for share in shares]
    yield Measure(FIRST, "share of wins above an even one", whole * count), fair
    ahead = [row[0] * count - sum(row) for row in zip(*scores, strict=True)]
    yield Measure(FIRST, "points above the others' mean", count - 1), ahead


def _spread(scores: Sequence[Series]) -> Iterator[tuple[Measure, Series]]:
    """Yield measures of the distances between the scores of a game."""
    rows = [sorted(row) for row in zip(*scores, strict=True)]
    yield Measure(POINTS, "of a player", len(scores)), [sum(row) for row in rows]
    yield Measure(POINTS, "best of a game"), [row[-1] for row in rows]
    yield Measure(POINTS, "best above second"), [row[-1] - row[-2] for row in rows]
    if len(scores) > 2:
        yield Measure(POINTS, "best above worst"), [row[-1] - row[0] for row in rows]


@dataclass
class Totals:
    """The sums of one variant.

    `sums` are those of each measure, `differences` those of its differences from the first variant.
    `options` are the sums of options and decisions, followed by those of the first variant.
    `scores` and `lengths` count games by score and by length.
    """

    sums: dict[Measure, Sums] = field(default_factory=dict)
    differences: dict[Measure, Sums] = field(default_factory=dict)
    options: Products | None = None
    scores: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)


class Summary:
    """The results of a study after some of its games."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.games = 0
        self.unfinished = 0
        self.totals = [Totals() for _ in study.variants]

    @property
    def complete(self) -> bool:
        """True if all games of the study are included."""
        return self.games >= self.study.games

    def add(self, first: int, played: Sequence[Columns]) -> None:
        """Add consecutive games from number `first` on, as columns by variant."""
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
        """Return all findings by variant, each followed by its differences from the first.

        There are none before the first game.
        """
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
    """Add the differences between games of one number; missing measures of a variant are 0."""
    nothing = [0] * len(next(iter(base.values())))
    for measure in {**base, **found}:
        pairs = zip(found.get(measure, nothing), base.get(measure, nothing), strict=True)
        _add(totals.differences, measure, [one - other for one, other in pairs])
