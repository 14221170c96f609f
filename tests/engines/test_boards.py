"""The runtime is bound to the tables of a game, in each thread to its own."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import FunctionType

from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.python.machine import BOARD, RUNTIME
from rulesdsl.engine.run.rng import Rng
from tests.small_games import built

BASE = Path(__file__).parents[2] / "rulesets" / "base.yaml"


def played(seed: int) -> str:
    position, rng = python.start(built(BASE), 2, 3), Rng.seeded(seed)
    for _ in range(25):
        assert position.decision is not None
        position.play(rng.below(len(position.decision.candidates)))
    return position.canonical()


def test_one_game_can_be_played_in_several_threads_at_the_same_time() -> None:
    expected = [played(seed) for seed in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(played, range(4)))
    finally:
        sys.setswitchinterval(interval)
    assert found == expected
    assert len(set(found)) == 4


def test_names_of_functions_of_the_runtime_mean_one_thing() -> None:
    names: dict[str, object] = {}
    for module in BOARD:
        for name, value in vars(import_module(RUNTIME + module)).items():
            public = not name.startswith("_")
            if public and isinstance(value, FunctionType):
                assert names.setdefault(name, value) == value, name
