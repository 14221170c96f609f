"""Whatever is done, the runtime and the plain world do the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime import tables
from rulesdsl.engine.runtime.places import start_all
from tests.oracle.world import World
from tests.runtime.player import Player
from tests.runtime.twins import GAMES, Twins

PAIRS = [(name, players) for name, counts in GAMES.items() for players in counts]


@pytest.mark.parametrize(("name", "players"), PAIRS)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_same_effects_lead_to_the_same_position(name: str, players: int, seed: int) -> None:
    player = Player(Twins(name, players), Rng.seeded(seed))
    player.twins.compare()
    for _ in range(60):
        player.step()
        player.twins.compare()


def test_everything_begins_anew() -> None:
    twins = Twins("plain", 2)
    player = Player(twins, Rng.seeded(3))
    while not twins.world.links:
        player.step()
    start_all()
    twins.world = World(twins.game, 2)
    twins.compare()
    assert set(tables.leader) == {-1}
    assert not any(tables.grid_pieces)
