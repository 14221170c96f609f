"""What the language offers serves no shipped ruleset alone: another one that has nothing to do with
it uses it too, or a game made for testing shows what else it is for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from rulesdsl import Game, load
from rulesdsl.language.builtins import EFFECTS, FUNCTIONS, PROPERTIES
from rulesdsl.language.model.checked import CallBuiltin, EffectCall, walk
from tests.rulesets.shipped import ROOTS, expansions, game

TESTS = Path(__file__).parents[1]
MADE_UP = (*sorted(TESTS.glob("games/*.yaml")), TESTS / "lower/games/questions.yaml")


def used(played: Game) -> Iterator[tuple[str, str]]:
    """Builtins, each with a ruleset whose rules use it."""
    checked = played.checked
    of_file = {rules.name: r.id for r in checked.game.rulesets if (rules := r.rules)}
    callables = (checked.values, checked.actions, checked.choices, checked.states)
    for tree in walk((*(tuple(group.values()) for group in callables), checked.always)):
        match tree:
            case CallBuiltin(function=name) | EffectCall(effect=name):
                if tree.span.source.name in of_file:
                    yield name, of_file[tree.span.source.name]


def related(played: Game, one: str, other: str) -> bool:
    """Does one of two rulesets build on the other?"""
    reach = played.checked.game.reach
    return one in reach.get(other, ()) or other in reach.get(one, ())


@pytest.fixture(scope="module")
def users() -> dict[str, dict[str, set[str]]]:
    """By builtin, the shipped rulesets of each root that use it."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for root in ROOTS:
        for builtin, ruleset in used(game(root, *expansions(root))):
            found[builtin][root].add(ruleset)
    return found


@pytest.fixture(scope="module")
def shown() -> set[str]:
    """The builtins that made-up games use."""
    games = [load(path) for path in MADE_UP if path.with_suffix(".rules").is_file()]
    return {builtin for played in games for builtin, _ in used(played)}


@pytest.mark.parametrize("builtin", sorted({*FUNCTIONS, *EFFECTS, *PROPERTIES}))
def test_a_builtin_serves_more_than_one_ruleset(
    builtin: str, users: dict[str, dict[str, set[str]]], shown: set[str]
) -> None:
    roots = users[builtin]
    strangers = any(
        not related(game(root, *expansions(root)), one, other)
        for root, names in roots.items()
        for one, other in combinations(sorted(names), 2)
    )
    assert builtin in shown or len(roots) > 1 or strangers
