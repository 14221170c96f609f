"""Shipped rulesets go on with components that belong to nobody."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from rulesdsl import Game, State, load
from rulesdsl.engine.build.combinations import Subsets, covering
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from rulesdsl.language.diagnostics.allow import not_allowed
from rulesdsl.play.bots import RandomBot
from tests.engines.lockstep import Mix, lockstep
from tests.rulesets.shipped import FOLDER, ROOTS, expansions

NEUTRAL = Path(__file__).parent / "neutral"
HAUNTED = {"base": "haunted", "card_game": "haunted_cards", "dice_game": "haunted_dice"}
"""By root, the ruleset that brings a figure, a token and a tile without an owner."""
ALL = [
    (root, on)
    for root in ROOTS
    for size in range(len(expansions(root)) + 1)
    for on in combinations(expansions(root), size)
]
SAMPLE = [(root, on) for root in ROOTS for on in covering(expansions(root))]
MOST = 1_000
"""No random game goes on after so many decisions."""
SHORT = Mix(cloned=2, saved=2, sampled=2, listened=2, finished=2, looked=4, disturbed=2, most=30)


def haunted(root: str) -> Path:
    return NEUTRAL / f"{HAUNTED[root]}.yaml"


@cache
def game(root: str, on: tuple[str, ...]) -> Game:
    return load(haunted(root), on, paths=[str(FOLDER)])


def name(combination: tuple[str, tuple[str, ...]]) -> str:
    root, on = combination
    return " ".join((root, *on))


def test_every_root_is_haunted() -> None:
    assert HAUNTED.keys() == set(ROOTS)
    for root in ROOTS:
        kinds = {each.key: each for each in game(root, ()).checked.game.kinds}
        neutral = [each.cls for key, each in kinds.items() if key.startswith(HAUNTED[root] + "/")]
        assert {"figure", "token", "tile"} <= set(neutral)
        assert not any(kinds[key].owned for key in kinds if key.startswith(HAUNTED[root] + "/"))


@pytest.mark.parametrize(("root", "on"), SAMPLE, ids=[name(each) for each in SAMPLE])
def test_a_combination_is_without_a_finding_and_plays_alike(root: str, on: tuple[str, ...]) -> None:
    assert list(not_allowed(game(root, on).report)) == []
    play(root, on, len(on))


@pytest.mark.long
@pytest.mark.parametrize("root", ROOTS)
def test_every_combination_is_without_a_finding(root: str) -> None:
    if not expansions(root):
        assert list(game(root, ()).report) == []
        return
    checked = list(Subsets(haunted(root), expansions(root), paths=[FOLDER]))
    assert len(checked) == 2 ** len(expansions(root))
    assert [each for each in checked if each.findings] == []


@pytest.mark.long
@pytest.mark.parametrize(("root", "on"), ALL, ids=[name(each) for each in ALL])
def test_every_combination_plays_alike(root: str, on: tuple[str, ...]) -> None:
    for seed in range(4):
        play(root, on, seed, Mix(most=200))


def play(root: str, on: tuple[str, ...], seed: int, mix: Mix = SHORT) -> None:
    """Play one random game on both engines, and one in which no rule fails."""
    players = 2 + seed % 4
    together = game(root, on)
    lockstep(python, wasm, together, players, seed, offered=seed % 3 == 0, mix=mix)
    state = State(together, wasm.start(together.checked, players, seed))
    bot, decisions = RandomBot(seed, 0), 0
    while state.mover is not None and decisions < MOST:
        state.play(bot.choose(state))
        decisions += 1
