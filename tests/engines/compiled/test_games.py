"""Lowered games are played in lock-step with the engine python: those that were made for testing;
the shipped ones are in `tests/rulesets`."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from rulesdsl import Game, load
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from tests.engines.busy import BUSY
from tests.engines.compiled.deep import DEEP
from tests.engines.compiled.evaluated import EVALUATED
from tests.engines.compiled.pair import Pair
from tests.engines.lockstep import Engine, Mix, lockstep

FILES = (Path(__file__).parents[2] / "games").glob("*.rules")
RULESETS = {path.stem: path.with_suffix(".yaml") for path in sorted(FILES)}
SMALL = {"busy": BUSY, "deep": DEEP}
NAMES = (*SMALL, *RULESETS)

OFTEN = Mix(cloned=15, saved=10, sampled=10, listened=10, finished=10, looked=15, disturbed=15)
SHORT = {"busy": 30, "deep": 30, "draughts": 6, "fours": 12, "mosaic": 8, "parcels": 12}
SHORT |= {"hive": 6, "oxen": 20, "piles": 20, "stones": 8, "strands": 6, "throws": 20, "vault": 30}
"""How many decisions of a game the quick tests see, where a whole one is too long."""

SLOW = {"draughts", "hive", "oxen", "strands", "throws"}
PLAIN = Mix(greedy=2, cloned=1, saved=1, sampled=1, listened=1, finished=1, looked=1, disturbed=1)
IN_STEP = 3
MANY = {"fours": 500, "mosaic": 700, "parcels": 300, "stones": 500}
"""Whole games of each ruleset with each number of players in the long tests; of others there are
more. The quick tests play one with the fewest players or one with the most."""


@cache
def game(name: str) -> Game:
    return Game(SMALL[name], "python") if name in SMALL else load(RULESETS[name])


def mix(name: str) -> Mix:
    return replace(OFTEN, most=SHORT.get(name, OFTEN.most))


def play(engine: Engine, name: str, seed: int, how: Mix) -> int:
    """A game with as many players as the seed says; every other one without a generator."""
    players = game(name).players
    count = players[seed % len(players)]
    return lockstep(python, engine, game(name), count, seed, offered=seed % 2 == 1, mix=how)


def test_all_rulesets_are_played() -> None:
    assert {"mosaic", "stones", "vault"} <= RULESETS.keys()


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", NAMES)
def test_compiled_games_are_those_of_the_readable_engine(name: str, seed: int) -> None:
    assert play(wasm, name, seed, mix(name)) >= 6


@pytest.mark.parametrize("name", ["busy", "deep", "vault"])
def test_evaluated_games_are_those_of_the_readable_engine(name: str) -> None:
    how = Mix(greedy=0, saved=10, sampled=10, finished=0, cloned=0, listened=0, most=12)
    assert play(EVALUATED, name, 3, how) >= 8


def whole(name: str, players: int, seeds: range, how: Mix = PLAIN) -> None:
    """Games to their ends, every other one without a generator: on both machines in turn, and then
    on both in step."""
    pair = Pair(game(name).checked, players)
    for seed in seeds:
        engine = pair.engine("wasm" if (seed // 2 + players) % 2 else "plain")
        offered = seed % 2 == 1
        lockstep(python, engine, game(name), players, seed, offered=offered, mix=how)
    moves = [pair.play_out(seed, 1000 + seed) for seed in range(IN_STEP)]
    assert any(moves)


@pytest.mark.parametrize(
    ("name", "which"),
    [
        pytest.param(name, which, marks=[] if (number + which) % 2 else pytest.mark.long)
        for number, name in enumerate(NAMES)
        for which in (0, -1)
    ],
)
def test_whole_games_are_those_of_the_readable_engine(name: str, which: int) -> None:
    """Games slow on the engine python only begin: `test_telling` compares more of them."""
    players = game(name).players[which]
    how = replace(PLAIN, most=12) if name in SLOW else PLAIN
    whole(name, players, range(100 + players, 101 + players), how)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_many_games_are_those_of_the_readable_engine(name: str) -> None:
    for players in game(name).players:
        whole(name, players, range(MANY.get(name, 2500)))
