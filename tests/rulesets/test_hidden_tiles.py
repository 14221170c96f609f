"""Nobody learns which tile lies under a hill: not from a view, from moves, or from a sample."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from rulesdsl import Game, State, load
from rulesdsl.engine.run import ENGINES

BASE = Path(__file__).parents[2] / "rulesets" / "base.yaml"


@cache
def game(engine: str) -> Game:
    return load(BASE, ["hills_and_sheep"], engine=engine)


def laid(engine: str, unseen: str) -> State:
    """Red has laid a hill, and `unseen` was taken for it."""
    state = game(engine).start(2)
    for name, args in (
        ("take", {"piece": "two-road-ends-corner-hill"}),
        ("at", {"spot": (0, 1, 90)}),
        ("take", {"piece": unseen}),
    ):
        state.play(state.move(name, **args))
    return state


def under_hills(state: State) -> str:
    """The tile under a hill, looked at from outside the game."""
    lines = state.canonical().splitlines()
    (line,) = (line for line in lines if line.startswith("under_hills: "))
    return line.removeprefix("under_hills: ").partition("#")[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_view_is_the_same_whatever_lies_under_the_hill(engine: str) -> None:
    one, other = laid(engine, "road-curve"), laid(engine, "city4-shield")
    assert under_hills(one) != under_hills(other)
    assert [one.view(player) for player in one.players] == [other.view(p) for p in other.players]
    assert "under_hills: 1 hidden tile" in one.view("red")
    assert one.moves() == other.moves()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sample_draws_it_anew_together_with_the_bag(engine: str) -> None:
    state = laid(engine, "city4-shield")
    samples = [state.sample(player, seed) for player in state.players for seed in range(20)]
    drawn = [under_hills(sample) for sample in samples]
    assert len(set(drawn)) > 10
    assert drawn.count("city4-shield") < 10
    assert {sample.view("red") for sample in samples} == {state.view("red")}


@pytest.mark.parametrize("engine", ENGINES)
def test_what_was_laid_does_not_come_up_under_it(engine: str) -> None:
    state = laid(engine, "road-curve")
    for seed in range(20):
        assert under_hills(state.sample("blue", seed)) != "two-road-ends-corner-hill"
