"""Statistics over games with 95 % confidence intervals, and their reports."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from html import escape
from io import BytesIO, StringIO
from itertools import groupby
from math import ceil, floor, inf, lcm, log10, pi, sqrt, tan

from rulesdsl.base.records import dataclass
from rulesdsl.language import reports
from rulesdsl.language.diagnostics.report import inert, inert_json, visible
from rulesdsl.study.playing import Columns, NumberKind, Study, gain, score

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


def wilson(sums: Sums, scale: int, z: float = Z) -> Interval:
    """Return the interval of a share; `z` is the quantile of the normal distribution.

    Parts of a win count as parts. That makes the interval wider than needed, since no number from 0
    to 1 with that mean varies more than one that is 0 or 1.
    """
    share, count = sums.mean(scale), sums.count
    around = 1 + z * z / count
    middle = (share + z * z / (2 * count)) / around
    half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / around
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def student(sums: Sums, scale: int, z: float = Z) -> Interval:
    """Return the interval of a mean: mean ± t s / sqrt(n), without bounds for a single number."""
    mean = sums.mean(scale)
    if sums.count < 2:
        return Interval(mean, -inf, inf)
    half = quantile(sums.count - 1, z) * sums.deviation(scale) / sqrt(sums.count)
    return Interval(mean, mean - half, mean + half)


def quantile(freedom: int, z: float = Z) -> float:
    """Return the quantile of Student's t that belongs to the quantile `z` of the normal one.

    It is exact for the quantile 0.975 at 1 and 2 degrees of freedom, and otherwise given by the
    expansion of Abramowitz & Stegun 26.7.5 (at 0.975 it is 0.6 % too small for 3 degrees, less than
    0.01 % from 10 on).
    """
    if freedom == 1 and z == Z:
        return tan(0.475 * pi)
    if freedom == 2 and z == Z:
        return 0.95 / sqrt(2 * 0.975 * 0.025)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** at for at, term in enumerate(terms, 1))


@dataclass(frozen=True)
class Products:
    """The sums of rows of numbers: their count, the totals of columns and of their products."""

    count: int
    totals: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, *columns: Sequence[int]) -> Products:
        """Return the sums of columns of equal length."""
        products = tuple(
            tuple(sum(map(int.__mul__, one, other)) for other in columns) for one in columns
        )
        return cls(len(columns[0]), tuple(map(sum, columns)), products)

    def __add__(self, other: Products) -> Products:
        totals = tuple(a + b for a, b in zip(self.totals, other.totals, strict=True))
        rows = zip(self.products, other.products, strict=True)
        products = tuple(tuple(a + b for a, b in zip(*row, strict=True)) for row in rows)
        return Products(self.count + other.count, totals, products)

    def ratio(self, upper: int, lower: int, z: float = Z) -> Interval:
        """Return the interval of the total of one column divided by that of another."""
        value = self.totals[upper] / self.totals[lower] if self.totals[lower] else 0.0
        return self._around(value, self._weights(upper, lower), z)

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

    def _around(self, value: float, weights: list[float], z: float = Z) -> Interval:
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
        half = quantile(self.count - 1, z) * spread
        return Interval(value, value - half, value + half)


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

    @property
    def telling(self) -> float:
        """The distance of the value from 0, in half widths of its interval."""
        reach = (self.interval.high - self.interval.low) / 2
        return abs(self.interval.value) / reach if reach else inf if self.interval.value else 0.0

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

WINS, FIRST, POINTS, SOURCES, DECIDED, GAME = (
    "share of wins",
    "advantage of the first seat",
    "points",
    "points by source, per player",
    "share of games decided by the points of a ruleset",
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
        yield from _first(shares[0], scores if kind.points else [], whole, study.players)
    if kind.points:
        for name, points in zip(names, scores, strict=True):
            yield Measure(POINTS, name), points
        yield from _by_bot(study, POINTS, scores, first)
        if study.players > 1:
            yield from _spread(scores, fewest=kind.fewest)
    for source, label in zip(kind.sources, kind.labels, strict=True):
        gained = [columns[gain(source, seat)] for seat in seats]
        yield Measure(SOURCES, label, study.players), list(map(sum, zip(*gained, strict=True)))
        yield from _by_bot(study, SOURCES, gained, first, label=f"{label}, ")
    if kind.points and study.players > 1:
        yield from _decided(kind, columns, scores)
    yield Measure(GAME, "decisions"), columns["decisions"]
    if kind.points:
        yield Measure(GAME, "changes of the lead"), columns["leads"]


def _shares(winners: Series, seat: int, players: int, whole: int) -> Series:
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
    shares: Series, scores: Sequence[Series], whole: int, count: int
) -> Iterator[tuple[Measure, Series]]:
    """Yield the advantages of the first seat over an even share and over the mean of the others."""
    fair = [share * count - whole for share in shares]
    yield Measure(FIRST, "share of wins above an even one", whole * count), fair
    if not scores:
        return
    ahead = [row[0] * count - sum(row) for row in zip(*scores, strict=True)]
    yield Measure(FIRST, "points above the others' mean", count - 1), ahead


def _decided(
    kind: NumberKind, columns: Columns, scores: Sequence[Series]
) -> Iterator[tuple[Measure, Series]]:
    """Yield the games that each expansion decides: no winner would be best without its points."""
    best = min if kind.fewest else max
    for ruleset in dict.fromkeys(kind.owners):
        if ruleset == kind.root:
            continue
        pairs = zip(kind.sources, kind.owners, strict=True)
        own = [source for source, owner in pairs if owner == ruleset]
        left = [
            [points - sum(gains) for points, *gains in zip(*each, strict=True)]
            for each in (
                (points, *(columns[gain(source, seat)] for source in own))
                for seat, points in enumerate(scores)
            )
        ]
        decided = [
            int(
                not any(mask >> seat & 1 and points == best(row) for seat, points in enumerate(row))
            )
            for mask, row in zip(columns["winners"], zip(*left, strict=True), strict=True)
        ]
        yield Measure(DECIDED, ruleset, 1, True), decided


def _spread(scores: Sequence[Series], *, fewest: bool) -> Iterator[tuple[Measure, Series]]:
    rows = [sorted(row, reverse=fewest) for row in zip(*scores, strict=True)]
    side = "below" if fewest else "above"
    yield Measure(POINTS, "of a player", len(scores)), [sum(row) for row in rows]
    yield Measure(POINTS, "best of a game"), [row[-1] for row in rows]
    yield Measure(POINTS, f"best {side} second"), [abs(row[-1] - row[-2]) for row in rows]
    if len(scores) > 2:
        yield Measure(POINTS, f"best {side} worst"), [abs(row[-1] - row[0]) for row in rows]


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

    def findings(self, z: float = Z) -> list[Finding]:
        """Return all findings by variant, each followed by its differences from the first.

        There are none before the first game. `z` is the quantile of the normal distribution for the
        intervals of variants; those of differences are always 95 % intervals.
        """
        studied = zip(self.study.variants, self.totals, strict=True) if self.games else ()
        base = self.study.variants[0].name
        return [
            Finding(
                *(variant.name, against, measure.section, measure.label, self.games),
                *(interval, deviation, method),
                measure.share or (measure.section == FIRST and "share" in measure.label),
            )
            for number, (variant, totals) in enumerate(studied)
            for against, measure, interval, deviation, method in _intervals(
                totals, base if number else "", z
            )
        ]


_Row = tuple[str, Measure, Interval, float | None, str]
"""What a finding has besides its variant and the number of games."""


def _intervals(totals: Totals, base: str, z: float) -> Iterator[_Row]:
    """Yield the intervals of a variant, and of its differences from `base` unless that is empty."""
    assert totals.options is not None, "there was a game"
    options = Measure(GAME, OPTIONS)
    for measure, sums in totals.sums.items():
        way, method = (wilson, WILSON) if measure.share else (student, STUDENT)
        deviation = sums.deviation(measure.scale)
        yield "", measure, way(sums, measure.scale, z), deviation, method
    yield "", options, totals.options.ratio(0, 1, z), None, RATIO
    if base:
        for measure, sums in totals.differences.items():
            deviation = sums.deviation(measure.scale)
            yield base, measure, student(sums, measure.scale), deviation, STUDENT
        yield base, options, totals.options.difference(0, 1, 2, 3), None, RATIO


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


NOTES = (
    "Intervals hold the true value in 95 of 100 studies: by Wilson's formula for shares of wins, "
    "by Student's t for means and for differences between games of the same number, linearised "
    "for the ratio of options to decisions.",
    "A game with several winners counts as an equal part of a win for each.",
    "Spread is the standard deviation from game to game; pp are percentage points.",
    "The lead changes when a player alone has the most points, or the fewest where these win, and "
    "the previous sole leader was another player.",
)


def heading(summary: Summary) -> list[tuple[str, str]]:
    """Return the facts about the study as pairs of a name and a text."""
    study = summary.study
    found = [("games", f"{summary.games:,} of seed {study.seed}, by {study.players} players")]
    if not summary.complete:
        found.append(("interrupted", f"{study.games:,} games were requested"))
    found.append(("bots", bots(study)))
    for variant, kind in zip(study.variants, study.kinds, strict=True):
        rulesets = ", ".join(kind.rulesets)
        chosen = "".join(f", {name}={value}" for name, value in variant.settings)
        name = f"rulesets of {variant.name}" if len(study.variants) > 1 else "rulesets"
        found.append((name, rulesets + chosen))
    if summary.unfinished:
        found.append(("not over", f"{summary.unfinished:,} games were stopped at their limit"))
    return found


def bots(study: Study) -> str:
    """Return the bots of a study as text."""
    if len(set(study.bots)) == 1:
        return f"{study.bots[0]} in every seat"
    return f"{', '.join(study.bots)}; they rotate by one seat from game to game"


def sections(findings: list[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """Yield the findings of one variant by section, without sources that gave nothing."""
    kept = [
        each
        for each in findings
        if each.section != SOURCES or each.deviation != 0 or each.interval.value != 0
    ]
    for section, found in groupby(kept, key=lambda each: each.section):
        yield section, list(found)


def groups(findings: list[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """Yield the findings by variant, and by the variant it is compared with, each with a title."""
    for (variant, against), found in groupby(findings, key=lambda e: (e.variant, e.against)):
        yield f"{variant} minus {against}" if against else variant, list(found)


def value(finding: Finding) -> str:
    """Return the value as text, as exact as its interval allows."""
    return _number(finding, finding.interval.value)


def bounds(finding: Finding) -> str:
    """Return the interval as text."""
    low, high = finding.interval.low, finding.interval.high
    return f"{_number(finding, low)} to {_number(finding, high)}"


def spread(finding: Finding) -> str:
    """Return the standard deviation as text; empty for shares, where it follows from the share."""
    if finding.deviation is None or finding.share or finding.deviation == inf:
        return ""
    return f"{finding.deviation:,.2f}"


def unit(finding: Finding) -> str:
    """Return the unit of a value: per cent for shares, percentage points for differences."""
    if not finding.share:
        return ""
    return " pp" if finding.against or finding.section == FIRST else " %"


def _number(finding: Finding, number: float) -> str:
    if abs(number) == inf:
        return "?"
    factor = 100 if finding.share else 1
    width = (finding.interval.high - finding.interval.low) * factor
    places = 2 if width in (0, inf) else min(4, max(0, 1 - floor(log10(width / 2))))
    sign = "+" if finding.against and number > 0 else ""
    text = f"{number * factor:,.{places}f}"
    if not text.strip("-0."):
        text, sign = text.lstrip("-"), ""
    return f"{sign}{text}{unit(finding)}"


WIDTH, ROW, LABEL, RIGHT, AXIS = 720, 26, 230, 90, 24
HEIGHT = 220
LINES = 6
"""The number of colours for lines; further lines are dashed."""


def intervals(findings: Sequence[Finding], line: float | None = None) -> str:
    """Return a plot with a row for each finding: its value as a dot and its interval as a bar.

    `line` is a value to compare with.
    """
    shown = [each for each in findings if abs(each.interval.low) != inf]
    if not shown:
        return ""
    factor = 100 if shown[0].share else 1
    ends = [end * factor for each in shown for end in (each.interval.low, each.interval.high)]
    ends += [line * factor] if line is not None else []
    low, high, step = _axis(min(ends), max(ends))
    height = ROW * len(shown) + AXIS

    def x(number: float) -> float:
        return LABEL + (number - low) / (high - low) * (WIDTH - LABEL - RIGHT)

    parts = _grid(low, high, step, x, height - AXIS, unit(shown[0]))
    if line is not None:
        at = x(line * factor)
        parts.append(
            f'<line class="even" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height - AXIS}"/>'
        )
    for row, each in enumerate(shown):
        y = ROW * row + ROW / 2
        left, middle, right = (
            x(number * factor)
            for number in (each.interval.low, each.interval.value, each.interval.high)
        )
        parts += [
            f"<g><title>{escape(each.label)}: {value(each)} ({bounds(each)})</title>",
            f'<text x="{LABEL - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(each.label)}</text>',
            f'<line class="bar" x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>',
            f'<circle class="dot" cx="{middle:.1f}" cy="{y:.1f}" r="4"/>',
            f'<text x="{WIDTH - RIGHT + 12}" y="{y + 4:.1f}">{value(each)}</text></g>',
        ]
    return _svg(parts, height)


def histogram(counts: Mapping[str, Mapping[int, int]]) -> str:
    """Return a plot of the distribution of numbers, a line of shares for each name."""
    numbers = sorted({number for each in counts.values() for number in each})
    if not numbers:
        return ""
    bin_ = max(1, ceil((numbers[-1] - numbers[0] + 1) / 60))
    first, last = numbers[0] // bin_, numbers[-1] // bin_
    binned = {name: _binned(each, bin_, first, last) for name, each in counts.items()}
    top = max(max(each) for each in binned.values())
    low, high, step = _axis(first * bin_, (last + 1) * bin_)

    def x(number: float) -> float:
        return 20 + (number - low) / (high - low) * (WIDTH - 40)

    parts = _grid(low, high, step, x, HEIGHT - AXIS, "")
    for at, shares in enumerate(binned.values()):
        points = []
        for place, share in enumerate([0, *shares, 0], first - 1):
            y = (HEIGHT - AXIS) - share / top * (HEIGHT - AXIS - 10)
            for edge in (max(first, place), min(last, place) + 1):
                points.append(f"{x(edge * bin_):.1f},{y:.1f}")
        dashes = f' stroke-dasharray="{at // LINES * 3} 2"' if at >= LINES else ""
        parts.append(f'<polyline class="line{at % LINES}"{dashes} points="{" ".join(points)}"/>')
    return _svg(parts, HEIGHT) + _legend(binned)


def _legend(names: Iterable[str]) -> str:
    pieces = [
        f'<span class="line{at % LINES}">{"━" if at < LINES else "┅"}</span> {escape(name)}'
        for at, name in enumerate(names)
    ]
    return f'<p class="legend">{"<br>".join(pieces)}</p>' if len(pieces) > 1 else ""


def _binned(counts: Mapping[int, int], bin_: int, first: int, last: int) -> list[float]:
    found, total = [0] * (last - first + 1), sum(counts.values())
    for number, count in counts.items():
        found[number // bin_ - first] += count
    return [count / total for count in found]


def _axis(low: float, high: float) -> tuple[float, float, float]:
    width = high - low or max(abs(high), 1.0)
    step = 10.0 ** floor(log10(width / 4))
    step *= next((factor for factor in (1, 2, 5, 10) if width / (step * factor) <= 7), 10)
    return floor(low / step) * step, (floor(high / step) + 1) * step, step


def _grid(
    low: float, high: float, step: float, x: Callable[[float], float], bottom: float, unit: str
) -> list[str]:
    parts, places = [], max(0, -floor(log10(step)))
    for at in range(round((high - low) / step) + 1):
        number = low + at * step
        here = x(number)
        parts += [
            f'<line class="grid" x1="{here:.1f}" x2="{here:.1f}" y1="0" y2="{bottom}"/>',
            f'<text class="mark" x="{here:.1f}" y="{bottom + 16}" text-anchor="middle">'
            f"{number + 0.0:.{places}f}{unit}</text>",
        ]
    return parts


def _svg(parts: Sequence[str], height: float) -> str:
    inner = "\n".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img">\n{inner}\n</svg>'


Line = tuple[str | tuple[str, str], ...]
"""Pieces of a line: plain text, or text with its role (`title`, `label`, `faint`, `mark`)."""


def lines(summary: Summary) -> Iterator[Line]:
    """Yield the lines of the table."""
    for name, text in heading(summary):
        yield (f"{name}: ", "label"), text
    for title, findings in groups(summary.findings()):
        yield ("",)
        yield from _group(title, findings)
    yield ("",)
    for note in NOTES:
        yield ((note, "faint"),)


def _group(title: str, findings: list[Finding]) -> Iterator[Line]:
    against = bool(findings[0].against)
    rows = [(each, [value(each), bounds(each), spread(each)]) for each in findings]
    cells = dict(rows)
    heads = ["difference" if against else "mean", "95 % interval", "spread"]
    label = max(len(each.label) for each in findings) + 2
    widths = [max(len(row[at]) for row in [heads, *cells.values()]) for at in range(3)]
    head = "  ".join(text.rjust(width) for text, width in zip(heads, widths, strict=True))
    yield (title.ljust(label), "title"), "  ", (head, "faint")
    for section, found in sections(findings):
        yield ((section, "label"),)
        for each in found:
            texts = zip(cells[each], widths, strict=True)
            yield (
                f"  {each.label}".ljust(label),
                "  ",
                "  ".join(text.rjust(width) for text, width in texts),
                "  *" if against and each.sure else "",
            )
    if against:
        yield (("  * the interval does not contain 0", "faint"),)


_STYLE = """
:root { --c0: #1f6fb4; --c1: #d1581d; --c2: #2a8a4a; --c3: #8b4fa8; --c4: #a08000; --c5: #b0306a; }
@media (prefers-color-scheme: dark) { :root { --c0: #6fb1ea; --c1: #f09060; --c2: #6fc98d;
  --c3: #c79be0; --c4: #d8bd4a; --c5: #ee86b4; } }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2em 1em; }
dt { color: var(--faint); } dd { margin: 0; }
table { width: 100%; font-variant-numeric: tabular-nums; }
td, th { text-align: right; padding: .15em .6em; }
td:first-child, th:first-child { text-align: left; }
tbody tr { border-top: 1px solid var(--rule); } th.section { padding-top: .8em; }
svg { width: 100%; height: auto; display: block; margin: .5em 0; }
svg text { font-size: 13px; fill: var(--ink); } svg .mark { fill: var(--faint); font-size: 11px; }
.grid { stroke: var(--rule); } .even { stroke: var(--ink); stroke-dasharray: 4 3; }
.bar { stroke: var(--c0); stroke-width: 3; } .dot { fill: var(--c0); }
polyline { fill: none; stroke-width: 2; stroke: currentColor; }
.line0 { color: var(--c0); } .line1 { color: var(--c1); } .line2 { color: var(--c2); }
.line3 { color: var(--c3); } .line4 { color: var(--c4); } .line5 { color: var(--c5); }
"""


def page(summary: Summary) -> str:
    """Return the report as an HTML page."""
    title = f"{summary.study.ruleset}: {summary.games:,} games"
    body = "\n".join(("<main>", f"<h1>{escape(title)}</h1>", *_parts(summary), "</main>"))
    return reports.page(title, body, _STYLE)


def _parts(summary: Summary) -> Iterator[str]:
    yield "<dl>"
    for name, text in heading(summary):
        yield f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>"
    yield "</dl>"
    yield from _histograms(summary)
    even = 1 / summary.study.players
    for title, findings in groups(summary.findings()):
        yield f"<h2>{escape(title)}</h2>"
        line = 0.0 if findings[0].against else None
        for section, found in sections(findings):
            if section in (WINS, SOURCES) or (line is not None and section != FIRST):
                compared = even if section == WINS and line is None else line
                yield f"<h3>{escape(section)}</h3>" + intervals(found, compared)
        yield _table(findings)
    for note in NOTES:
        yield f'<p class="note">{escape(note)}</p>'


def _histograms(summary: Summary) -> Iterator[str]:
    names = [variant.name for variant in summary.study.variants]
    scores = {name: each.scores for name, each in zip(names, summary.totals, strict=True)}
    lengths = {name: each.lengths for name, each in zip(names, summary.totals, strict=True)}
    if any(kind.points for kind in summary.study.kinds):
        yield "<h2>Distribution of points</h2>" + histogram(scores)
    yield "<h2>Distribution of decisions per game</h2>" + histogram(lengths)


def _table(findings: list[Finding]) -> str:
    heads = ("", "difference" if findings[0].against else "mean", "95 % interval", "spread")
    rows = ["<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for section, found in sections(findings):
        rows.append(f'<tr><th class="section" colspan="4">{escape(section)}</th></tr>')
        for each in found:
            cells = (each.label, value(each), bounds(each), spread(each))
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return f"<table>{''.join(rows)}</table>"


FORMATS = ("table", "json", "csv", "parquet", "html")
"""The formats of a summary; `table` is for terminals."""


def as_bytes(summary: Summary, format_: str) -> bytes:
    """Return the summary in one of the formats other than `table`.

    Raises ImportError for Parquet without pyarrow.
    """
    if format_ == "parquet":
        return as_parquet(summary)
    makers = {"json": as_json, "csv": as_csv, "html": page}
    return makers[format_](summary).encode()


def as_json(summary: Summary) -> str:
    """Return the summary as a JSON object.

    It has the parameters as `study`, the number of `games`, `complete` if these are all games of
    the study, and all `findings`.
    """
    found = {
        "study": summary.study.parameters,
        "games": summary.games,
        "complete": summary.complete,
        "findings": [each.row() for each in summary.findings()],
    }
    return inert_json(found, indent=1) + "\n"


def as_csv(summary: Summary) -> str:
    """Return the findings as CSV, one a row."""
    rows = [each.row() for each in summary.findings()]
    text = StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:  # the format has no escapes of its own
        texts = {key: inert(visible(cell)) for key, cell in row.items() if isinstance(cell, str)}
        writer.writerow(row | texts)
    return text.getvalue()


def as_parquet(summary: Summary) -> bytes:
    """Return the findings as Parquet, one a row."""
    import pyarrow
    import pyarrow.parquet

    rows = [each.row() for each in summary.findings()]
    kinds = {"games": pyarrow.int64()}
    kinds |= dict.fromkeys(("value", "low", "high", "deviation"), pyarrow.float64())
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in rows[0]])
    file = BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), file)
    return file.getvalue()
