"""The card game splits the buildings under a chest into series as well as can be."""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random

import pytest
import yaml

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.nodes import Mapping
from rulesdsl.language.read.yaml import parse_yaml
from rulesdsl.play.scenario.scene import set_scene
from tests.rulesets.shipped import game

KINDS = ("city", "cloister", "road", "field")
POINTS = (0, 0, 5, 15, 30)
MOST, JOKERS, CHESTS = 5, 4, 25


@cache
def best(have: tuple[int, ...], jokers: int) -> int:
    """The most points for so many buildings of each kind and jokers, all splits tried."""
    found = 0
    for taken in product(*((0, 1) if count else (0,) for count in have)):
        kinds = sum(taken)
        for used in range(min(jokers, 4 - kinds) + 1):
            if kinds + used > 1:
                left = tuple(sorted(a - b for a, b in zip(have, taken, strict=True)))
                found = max(found, POINTS[kinds + used] + best(left, jokers - used))
    return found


def paid(have: tuple[int, ...], jokers: int) -> int:
    """What the ruleset pays for them at the end of the game."""
    cards = [
        f"{kind}-building" for kind, count in zip(KINDS, have, strict=True) for _ in range(count)
    ]
    empty = [*(f"row[{kind}]" for kind in KINDS), "hand[red]", "hand[blue]"]
    zones = {"chest[red]": cards + ["building-joker"] * jokers, "pile": "rest"}
    text = yaml.safe_dump({"zones": {key: [] for key in empty} | zones})
    scene = parse_yaml(Source("scene", text), Report())
    assert isinstance(scene, Mapping)
    state = game("card_game").start(2, 1)
    set_scene(state, scene)
    state.finish()
    return state.scores()["red"]


@pytest.mark.parametrize("jokers", range(JOKERS + 1))
def test_no_split_is_worth_more(jokers: int) -> None:
    random = Random(jokers)
    for _ in range(CHESTS // (JOKERS + 1)):
        have = tuple(random.randint(0, MOST) for _ in KINDS)
        assert paid(have, jokers) == best(tuple(sorted(have)), jokers), (have, jokers)


def test_the_rule_itself_is_best_for_every_chest() -> None:
    """The same rule in few words, for chests of all sizes."""
    for have in product(range(MOST + 1), repeat=len(KINDS)):
        if list(have) == sorted(have):
            for jokers in range(JOKERS + 1):
                assert longest_first(have, jokers) == best(have, jokers), (have, jokers)


def longest_first(have: tuple[int, ...], jokers: int) -> int:
    points = 0
    for nth in range(1, MOST + 2):
        kinds = sum(count >= nth for count in have)
        length = min(4, kinds + jokers)
        jokers -= length - kinds
        points += POINTS[length]
    return points
