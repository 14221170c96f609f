"""What is measured of each game: whole numbers, each a scale times what is meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm

from rulesdsl.simulate.columns import Columns, gain, score
from rulesdsl.simulate.plan import Kind, Study

Series = Sequence[int]

WINS, FIRST, POINTS, SOURCES, GAME = (
    "share of wins",
    "advantage of the first seat",
    "points",
    "points by source, of one player",
    "game",
)
"""The sections in which measures are told."""

OPTIONS = "options a decision"


@dataclass(frozen=True)
class Measure:
    """Something of which every game has a number; of a `share` these are from 0 to 1."""

    section: str
    label: str
    scale: int = 1
    share: bool = False


def series(
    study: Study, kind: Kind, columns: Columns, first: int
) -> Iterator[tuple[Measure, Series]]:
    """All measures of games that follow each other, and their numbers. `first` is the first game's
    number."""
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
    """The part of each win that a seat has: all who win share it."""
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
    """The same by bot, of the mean of its seats, if there are several bots."""
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
    """How much better the first seat does than an even share, and than the mean of the others."""
    count = len(scores)
    fair = [share * count - whole for share in shares]
    yield Measure(FIRST, "share of wins above an even one", whole * count), fair
    ahead = [row[0] * count - sum(row) for row in zip(*scores, strict=True)]
    yield Measure(FIRST, "points above the others' mean", count - 1), ahead


def _spread(scores: Sequence[Series]) -> Iterator[tuple[Measure, Series]]:
    """How far apart a game ends."""
    rows = [sorted(row) for row in zip(*scores, strict=True)]
    yield Measure(POINTS, "of a player", len(scores)), [sum(row) for row in rows]
    yield Measure(POINTS, "best of a game"), [row[-1] for row in rows]
    yield Measure(POINTS, "best above second"), [row[-1] - row[-2] for row in rows]
    if len(scores) > 2:
        yield Measure(POINTS, "best above worst"), [row[-1] - row[0] for row in rows]
