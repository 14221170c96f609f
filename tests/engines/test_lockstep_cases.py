"""Little games of everything rules can do are played on two engines at once.

In the tests that always run, there is one of each that is not played elsewhere, and every other one
of those that are; every second game is played without a generator.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl import Game
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from tests.engines.lockstep import Mix, lockstep
from tests.engines.machine_games import game

OWN, ELSEWHERE = (
    yaml.safe_load((Path(__file__).parent / name).read_text(encoding="utf-8"))
    for name in ("lockstep_cases.yaml", "test_machine_cases.yaml")
)
CASES: list[dict[str, Any]] = [*OWN, *ELSEWHERE]
SOME = [*OWN, *ELSEWHERE[::2]]
EVERYTHING = Mix(
    cloned=10, saved=20, sampled=10, listened=10, finished=10, looked=15, disturbed=10, most=25
)
LONG = 30
"""Games of each case with each number of players in the long test."""


def play(case: dict[str, Any], players: int, seeds: Iterable[int]) -> None:
    """A game for every seed; for odd ones without a generator."""
    checked = Game(game(case["rules"], case.get("with"), case.get("limit")), "python")
    for seed in seeds:
        offered = seed % 2 == 1
        lockstep(python, wasm, checked, players, seed, offered=offered, mix=EVERYTHING)


@pytest.mark.parametrize("case", SOME, ids=[case["name"] for case in SOME])
def test_both_engines_play_alike(case: dict[str, Any]) -> None:
    play(case, case.get("players", 2), [SOME.index(case) % 2])


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_both_engines_play_alike_for_long(case: dict[str, Any]) -> None:
    for players in (1, 2, 3):
        play(case, players, range(LONG))
