"""Faces of dice under cups: samples draw those that a player does not see, and nothing else."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from rulesdsl import State, load
from rulesdsl.engine.run import ENGINES

CUPS = Path(__file__).parent / "cups" / "cups.yaml"


def begun(engine: str, seed: int) -> State:
    return load(CUPS, engine=engine).start(2, seed)


def position(state: State) -> str:
    return state.canonical().partition("generator")[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_positions_that_differ_only_in_hidden_faces_give_the_same_samples(engine: str) -> None:
    compared = 0
    for one, two in combinations([begun(engine, seed) for seed in range(12)], 2):
        for player in one.players:
            if one.view(player) == two.view(player) and position(one) != position(two):
                first, second = one.sample(player, 5), two.sample(player, 5)
                assert first.canonical() == second.canonical()
                compared += 1
    assert compared > 2


def test_the_engines_draw_the_same_and_samples_look_the_same() -> None:
    random, differed = Random(2), 0
    first, second = (begun(engine, 4) for engine in ENGINES)
    while first.mover:
        for player in first.players:
            for seed in range(3):
                samples = [state.sample(player, seed) for state in (first, second)]
                assert position(samples[0]) == position(samples[1])
                assert samples[0].view(player) == first.view(player)
                differed += position(samples[0]) != position(first)
                assert first.hides(player) or position(samples[0]) == position(first)
        number = random.randrange(len(first.moves()))
        for state in (first, second):
            state.play(state.moves()[number])
    assert differed > 20


def test_faces_are_drawn_as_often_as_a_die_has_them() -> None:
    state = begun("wasm", 3)
    views = (state.sample("red", seed).view("blue") for seed in range(600))
    found = Counter(face for view in views for face in ("one", "two", "three") if face in view)
    chances = {"one": 3 / 4, "two": 5 / 9, "three": 11 / 36}
    for face, chance in chances.items():
        assert abs(found[face] / 600 - chance) < 0.07
