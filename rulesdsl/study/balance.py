"""Balance files: bounds for statistics of a game, and the sequential test that holds them.

A bound is tested after 100, 200, 400, … games until its interval lies inside or outside of it. The
error is shared by these looks (Bonferroni), so that a bound gets a wrong verdict in at most one of
`1 / ERROR` studies, however often it is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from math import ceil, inf
from pathlib import PurePath
from statistics import NormalDist

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Source, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import (
    Node,
    Scalar,
    entries,
    get,
    items,
    number,
    plain,
    shown,
    text,
    words,
)
from rulesdsl.language.read.files import user_file
from rulesdsl.language.read.find import BALANCE_SUFFIXES, TextFile, places_of
from rulesdsl.language.read.manifest import read_document
from rulesdsl.study.playing import RANDOM, Runner, Study, Variant, maker_of, study_of
from rulesdsl.study.report import (
    DECIDED,
    GAME,
    OPTIONS,
    POINTS,
    SOURCES,
    WINS,
    Finding,
    Interval,
    Line,
    Summary,
    bots,
    bounds,
    value,
)

ERROR = 0.01
"""The largest probability that a bound gets a wrong verdict."""
FIRST_LOOK = 100
"""The number of games before the first look."""
MOST_GAMES = 10_000_000
"""The most games that a study may have."""

_FORM = (
    "a balance file",
    "a balance file begins with `balance:` and the id of a ruleset",
)
_RANGE = re.compile(r"(?:(at least|at most) )?(-?\d+(?:\.\d+)?)(?: to (-?\d+(?:\.\d+)?))?( %)?\Z")


@dataclass(frozen=True)
class MeasureBound:
    """A range in which a measure lies, as written; shares are parts of 1."""

    measure: str
    written: str
    low: float
    high: float
    section: str
    label: str
    span: Span = field(compare=False, repr=False)

    def holds(self, interval: Interval) -> bool | None:
        """Return whether the interval lies inside (True), outside (False), or across an end."""
        if self.low <= interval.low and interval.high <= self.high:
            return True
        return False if interval.high < self.low or self.high < interval.low else None


@dataclass(frozen=True)
class BalanceStudy:
    """A study of a balance file and its bounds; `games` is the most that may be played."""

    name: str
    study: Study
    bounds: tuple[MeasureBound, ...]


@dataclass(frozen=True)
class BoundVerdict:
    """The finding on a bound after `games` games; `holds` is None if they were too few."""

    bound: MeasureBound
    finding: Finding
    holds: bool | None

    @property
    def games(self) -> int:
        return self.finding.games

    @property
    def needed(self) -> int | None:
        """The approximate number of games for a verdict; None if the value is an end of the bound.

        The width of an interval falls with the root of the number of games, and grows with the
        number of looks.
        """
        found, interval = self.bound, self.finding.interval
        away = min(abs(interval.value - end) for end in (found.low, found.high))
        half = (interval.high - interval.low) / 2
        if not away or half / away > 1000:
            return None
        games = ceil(self.games * (half / away) ** 2)
        return ceil(games * (_quantile(_looks(games)) / _quantile(_looks(self.games))) ** 2)

    def row(self) -> dict[str, object]:
        found = self.finding.interval
        return {
            "measure": self.bound.measure,
            "bound": self.bound.written,
            "holds": self.holds,
            "games": self.games,
            "value": found.value,
            "low": found.low,
            "high": found.high,
        }


def balance_beside(ruleset: Ruleset) -> TextFile | None:
    """Return the balance file beside the manifest of a ruleset that has its name.

    An archive has none.
    """
    folder, name = user_file(ruleset.manifest.span.source.name)
    called = [PurePath(name).stem + suffix for suffix in BALANCE_SUFFIXES]
    return next((TextFile(folder, file) for file in called if file in folder.files()), None)


def read_balance(
    source: Source,
    seed: int = 0,
    engine: str = "wasm",
    paths: Sequence[str] = (),
    ruleset: str | None = None,
) -> list[BalanceStudy]:
    """Return the studies of a balance file, in order.

    Each plays `ruleset`, unless that is None. Rulesets are looked up beside the file, then in
    `paths` and the usual places. Raises RulesError for mistakes in the file, and for rulesets that
    cannot be played.
    """
    report, document = Report(), read_document(source, "balance", *_FORM)
    found = list[BalanceStudy]()
    paths = (*places_of(source.name), *paths)
    for each in items(get(document, "studies")):
        study = _study(each, text(document, "balance"), seed, engine, paths)
        if ruleset not in (None, *(each.partition(" ")[0] for each in study.kinds[0].rulesets)):
            message = f"this study does not play `{ruleset}`, whose file it is in"
            help_ = f"write `balance: {ruleset}`, or `with: [{ruleset}]` for an expansion"
            report.error("bad-value", message, each.span, help=(help_,))
            continue
        asked = (_bound(*entry, study, report) for entry in entries(get(each, "bounds")))
        known = tuple(bound for bound in asked if bound is not None)
        found.append(BalanceStudy(text(each, "name"), study, known))
    report.check()
    return found


_FITTING = {
    "bots": ("name one bot, which plays all seats, or one for each seat",),
    "players": ("leave `players` out for the fewest players",),
}
"""What to write for a key whose value does not fit the game."""


def _study(node: Node, ruleset: str, seed: int, engine: str, paths: Sequence[str]) -> Study:
    names = words(get(node, "bots")) or (RANDOM,)
    chosen = sorted(
        (str(name.value), shown(plain(setting))) for name, setting in entries(get(node, "settings"))
    )
    try:
        for name in names:
            maker_of(name)
        return study_of(
            ruleset,
            [Variant(text(node, "name"), words(get(node, "with")), tuple(chosen))],
            players=number(node, "players", 0) or None,
            bots=names,
            seed=seed,
            games=number(node, "games", 10_000),
            engine=engine,
            paths=paths,
        )
    except ValueError as error:
        key = "bots" if "bots" in str(error) else "players"
        at = get(node, key) or node
        raise RulesError(
            [Diagnostic("bad-value", str(error), at.span, help=_FITTING[key])]
        ) from None
    except RulesError as error:
        # Rulesets and settings that are not found have no place: this study names them.
        placed = [replace(each, span=each.span or node.span) for each in error.diagnostics]
        raise RulesError(placed) from None


def measures(study: Study) -> dict[str, tuple[str, str]]:
    """Return the measures that a study can bound: their names, and the finding that each means."""
    (kind,) = study.kinds
    seats = {
        f"seat {seat + 1}": f"{colour} (seat {seat + 1})"
        for seat, colour in enumerate(study.colours)
    }
    several = dict.fromkeys(study.bots) if len(set(study.bots)) > 1 else ()
    who = seats | {bot: f"{bot} bot" for bot in several}
    found = {f"wins of {name}": (WINS, label) for name, label in who.items()}
    if kind.points:
        mean = "of a player" if study.players > 1 else seats["seat 1"]
        found["points"] = (POINTS, mean)
        found |= {f"points of {name}": (POINTS, label) for name, label in who.items()}
        found["lead"] = (POINTS, f"best {'below' if kind.fewest else 'above'} second")
        found["changes of the lead"] = (GAME, "changes of the lead")
    shorts = [short_name(source) for source in kind.sources]
    for source, short, label in zip(kind.sources, shorts, kind.labels, strict=True):
        name = source if shorts.count(short) > 1 else short.rpartition(".")[2]
        found[f"points from {name}"] = (SOURCES, label)
    others = dict.fromkeys(owner for owner in kind.owners if owner != kind.root)
    found |= {f"decided by {owner}": (DECIDED, owner) for owner in others}
    return found | {"decisions": (GAME, "decisions"), "options": (GAME, OPTIONS)}


def _bound(key: Scalar, written: Node, study: Study, report: Report) -> MeasureBound | None:
    """Return a bound; report an unknown measure, and a range that contains nothing."""
    assert isinstance(written, Scalar), "the schema asks for a text"
    known, measure, range_ = measures(study), str(key.value), str(written.value)
    if measure not in known:
        help_ = did_you_mean(measure, known) or (f"measures: {listed(sorted(known))}",)
        report.error("unknown-name", f"this game has no measure `{measure}`", key.span, help=help_)
        return None
    found = _RANGE.fullmatch(range_)
    low, high = _ends(*found.groups()) if found else (0.0, -1.0)
    share = known[measure][0] in (WINS, DECIDED)
    far = share and any(not 0 <= end <= 100 for end in (low, high) if abs(end) != inf)
    if low > high or ("%" in range_) != share or far:
        example = "`45 to 55 %` or `at least 45 %`" if share else "`10 to 20` or `at most 20`"
        message = f"`{range_}` is not a range of this measure"
        report.error("bad-value", message, written.span, help=(f"write {example}",))
        return None
    factor = 0.01 if share else 1
    return MeasureBound(measure, range_, low * factor, high * factor, *known[measure], written.span)


def _ends(side: str | None, first: str, last: str | None, _: str | None) -> tuple[float, float]:
    """Return the ends of a range; it is empty (1, 0) unless it has one of the two forms."""
    if (side is None) == (last is None):
        return 1, 0
    if last is not None:
        return float(first), float(last)
    return (float(first), inf) if side == "at least" else (-inf, float(first))


def held(budget: BalanceStudy, runner: Runner) -> Iterator[list[BoundVerdict]]:
    """Yield the verdicts on all bounds after each look, until each is certain or the games end.

    Games, looks and verdicts do not depend on the runner. Raises what `simulate` raises.
    """
    looks = _looks(budget.study.games)
    z = _quantile(looks)
    summary, done = Summary(budget.study), 0
    certain = dict[MeasureBound, BoundVerdict]()
    for look in looks:
        study = replace(budget.study, games=look)
        for games, played in runner(study, study.blocks([range(done)])):
            summary.add(games.start, played)
        done = look
        found = {(each.section, each.label): each for each in summary.findings(z)}
        now = list[BoundVerdict]()
        for bound in budget.bounds:
            finding = found[bound.section, bound.label]
            verdict = BoundVerdict(bound, finding, bound.holds(finding.interval))
            now.append(certain.get(bound, verdict))
            if verdict.holds is not None:
                certain.setdefault(bound, verdict)
        yield now
        if len(certain) == len(budget.bounds):
            return


def _quantile(looks: Sequence[int]) -> float:
    """Return the quantile of the normal distribution at which these looks share the error."""
    return NormalDist().inv_cdf(1 - ERROR / len(looks) / 2)


def _looks(games: int) -> list[int]:
    """Return the numbers of games after which bounds are tested: each twice the one before."""
    found, look = list[int](), FIRST_LOOK
    while look < games:
        found.append(look)
        look *= 2
    return [*found, games]


def diagnostic(budget: BalanceStudy, verdict: BoundVerdict) -> Diagnostic | None:
    """Return what is wrong with a bound; None if it holds."""
    if verdict.holds:
        return None
    bound, finding = verdict.bound, verdict.finding
    figure = f"{value(finding)} ({bounds(finding)}) after {verdict.games:,} games"
    if verdict.holds is False:
        message = f"`{bound.measure}` is {figure}, outside of {bound.written}"
        return Diagnostic("out-of-balance", message, bound.span)
    needed = verdict.needed
    more = needed is not None and needed <= MOST_GAMES
    help_ = f"write `games: {needed}` or more" if more else "write a wider range"
    message = f"`{bound.measure}` is {figure}, too few to tell whether it is {bound.written}"
    return Diagnostic("out-of-balance", message, bound.span, help=(help_,))


def verdict_lines(budget: BalanceStudy, verdicts: Sequence[BoundVerdict]) -> Iterator[Line]:
    """Yield the lines of a table with the verdicts of a study."""
    yield (budget.name, "title"), f": {bots(budget.study)}"
    cells = [
        (
            each.bound.measure,
            value(each.finding),
            bounds(each.finding),
            each.bound.written,
            f"{each.games:,} games",
        )
        for each in verdicts
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for each, row in zip(verdicts, cells, strict=True):
        word, role = _WORDS[each.holds]
        padded = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        yield "  ", (word.ljust(8), role), "  ".join(padded)


_WORDS = {True: ("holds", "gain"), False: ("broken", "error"), None: ("open", "warning")}
