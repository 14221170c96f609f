"""Samples of shipped games and of the examples look the same to the player they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl import load
from rulesdsl.play.bots import RandomBot

ROOT = Path(__file__).parents[2]
SETS = {"base": ("river", "robbers", "traders_and_builders", "wheel_of_fortune")}
"""The expansions that a ruleset is played with."""
ROOTS = sorted(
    path
    for folder in (ROOT / "rulesets", *(ROOT / "examples").iterdir())
    for path in folder.glob("*.yaml")
    if "\nplayers:" in path.read_text(encoding="utf-8") and ".test." not in path.name
)
DECISIONS, LOOKS = 60, 4


@pytest.mark.parametrize("path", ROOTS, ids=lambda path: path.stem)
def test_a_sample_looks_the_same_to_its_player(path: Path) -> None:
    game = load(path, SETS.get(path.stem, ()))
    state = game.start(game.players[-1], seed=3)
    bots = {colour: RandomBot(3, seat) for seat, colour in enumerate(state.players)}
    for number in range(DECISIONS):
        if state.mover is None:
            break
        for player in state.players if number % LOOKS == 0 else ():
            sample = state.sample(player, number)
            assert sample.view(player) == state.view(player)
            assert (sample.mover, sample.asked) == (state.mover, state.asked)
            if state.mover == player:
                assert list(map(str, sample.moves())) == list(map(str, state.moves()))
        state.play(bots[state.mover].choose(state))
