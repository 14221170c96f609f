"""The board of a game is shared by its positions, also in several threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FunctionType

from rulesdsl.engines.rng import Rng
from tests.small_games import built

BASE = Path(__file__).parents[2] / "rulesets" / "base.yaml"


def played(position: ReferencePosition, seed: int) -> str:
    rng = Rng.seeded(seed)
    for _ in range(25):
        assert position.decision is not None
        position.play(rng.below(len(position.decision.candidates)))
    return position.canonical()


def test_positions_of_one_game_can_be_played_at_the_same_time() -> None:
    begun = start(built(BASE), 2, 3)
    expected = [played(begun.clone(), seed) for seed in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda seed: played(begun.clone(), seed), range(4)))
    finally:
        sys.setswitchinterval(interval)
    assert found == expected
    assert len(set(found)) == 4


def test_names_of_the_runtime_mean_one_thing_on_the_board() -> None:
    names: dict[str, object] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) or type(value) is int:
                assert names.setdefault(name, value) == value, name
