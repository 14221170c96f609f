"""Random games come out on average as they do elsewhere.

Twenty thousand random games of two have been played with another program: a tile is put at any of
its placements, all equally likely, and then one of the moves with a figure is made or none. What
its author found is here, and what we find has to lie within three standard errors of it: of what
was found, that is, before it was rounded to as many places as are written.
"""

from __future__ import annotations

from math import sqrt
from os import cpu_count
from statistics import fmean, stdev

import pytest

from tests.rulesets.random_games import Played, play, played

FOUND = {
    "the score of the first player": "19.567",
    "the score of the second player": "19.267",
    "placements in a turn": "32.65",
    "tiles that fit nowhere": "0.0195",
    "figures placed": "15.6",
}
GAMES = 20_000
FEW = 30


def samples(games: list[Played]) -> dict[str, list[float]]:
    first, second = zip(*(game.scores for game in games), strict=True)
    return {
        "the score of the first player": list(map(float, first)),
        "the score of the second player": list(map(float, second)),
        "placements in a turn": [game.placements for game in games],
        "tiles that fit nowhere": [float(game.discarded) for game in games],
        "figures placed": [float(game.figures) for game in games],
    }


def off(sample: list[float], expected: str) -> float:
    """How many standard errors the mean is away from all that is rounded to what is expected."""
    rounding = 0.5 * 10.0 ** -len(expected.partition(".")[2])
    distance = max(0.0, abs(fmean(sample) - float(expected)) - rounding)
    return distance / (stdev(sample) / sqrt(len(sample)))


@pytest.mark.long
def test_many_games_come_out_as_they_do_elsewhere() -> None:
    games = samples(played(range(GAMES), cpu_count() or 1))
    found = {name: f"{fmean(sample):.4f}" for name, sample in games.items()}
    away = {name: off(games[name], expected) for name, expected in FOUND.items()}
    assert all(errors <= 3 for errors in away.values()), (found, away)


def test_a_few_games_are_not_far_from_that() -> None:
    games = samples(list(play(range(FEW))))
    for name, expected in FOUND.items():
        if name != "tiles that fit nowhere":
            assert off(games[name], expected) < 4, name
