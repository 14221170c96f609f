"""Expansions that are drawn at random play alike under names whose order is the reverse, and
without errors, if nothing was found in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random
from textwrap import indent

import pytest

from rulesdsl import load
from tools.strangers.drawing import HOSTS, files, filled, fits, host, manifest
from tools.strangers.measuring import Judged, findings, judge, missed
from tools.strangers.renaming import Differs, Pair, rename, reversed_names, write

MARKET = HOSTS.index("market")
"""The seed of a combination for the game with purses."""


def clean(seeds: Iterable[int]) -> list[Judged]:
    """Return the combinations in which `check` finds nothing, all of which play alike."""
    found = [judge(seed) for seed in seeds]
    assert missed(found) == []
    return [each for each in found if each.verdict == "clean" and each.found is None]


def test_strangers() -> None:
    assert len(clean(range(25))) >= 5


@pytest.mark.long
@pytest.mark.parametrize("part", range(100))
def test_many_strangers(part: int) -> None:
    assert len(clean(range(200 * part, 200 * part + 200))) >= 30


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTS)
def test_every_template_is_drawn_in_games_without_errors(name: str, tmp_path: Path) -> None:
    game = host(name)
    before = [f"before {call}:\n    {{does}}" for call in game["calls"]]
    of_statements = [
        next(each for each in before if fits(game, each, statement)).replace(
            "{does}", indent(statement, "    ").lstrip()
        )
        for statement in game["statements"]
    ]
    guards = [f"before turn(p) when {each}: p.score += 1" for each in game["conditions"]]
    for at, template in enumerate((*of_statements, *guards, *game["declarations"])):
        rules = game["own"].replace("{own}", "ants") + filled(game, Random(at), "ants", template)
        made = {
            "host.yaml": game["manifest"],
            "host.rules": game["rules"],
            "ants.rules": rules,
            "ants.yaml": manifest(game, Random(at), "ants", rules),
        }
        load(write(tmp_path / str(at), made) / "host.yaml", ["ants"], engine="python")


def test_what_depends_on_names_is_seen(tmp_path: Path) -> None:
    """Hooks that meet play otherwise, so the property can fail."""
    made = files(MARKET)
    for name, rules in (
        ("ants", "after turn(p): p.score = 2 * p.score\n"),
        ("bees", "after turn(p): p.score += 3\n"),
    ):
        made[f"{name}.rules"] = rules
    made = {name: text for name, text in made.items() if "cats" not in name}
    new = reversed_names(["host", "ants", "bees"])
    named, renamed = write(tmp_path / "a", made), write(tmp_path / "b", rename(made, new))
    game = load(named / "host.yaml", ["ants", "bees"], engine="python")
    assert findings(game) == ["hooks-meet"]
    other = load(renamed / "host.yaml", [new["ants"], new["bees"]], engine="python")
    with pytest.raises(Differs):
        Pair(game, other, new).play(2, 1, 200)


@pytest.mark.parametrize(
    "choice",
    [
        "let best = first(x in hand[p])\n    if best is not none: p.score += best.worth",
        "for x in hand[p]:\n        p.score += x.worth\n        break",
    ],
)
def test_a_choice_by_names_is_a_finding(choice: str, tmp_path: Path) -> None:
    made = files(MARKET)
    for name, worth in (("ants", 2), ("bees", 3)):
        tokens = f"tokens:\n  - {{id: {name}_gem, count: 2, in: bag, worth: {worth}}}\n"
        head = f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrequires: [host]\n"
        made[f"{name}.yaml"] = head + tokens
    made["host.rules"] = made["host.rules"].replace("day += 1", f"day += 1\n    {choice}")
    folder = write(tmp_path / "named", {k: v for k, v in made.items() if "cats" not in k})
    game = load(folder / "host.yaml", ["ants", "bees"], engine="python")
    assert findings(game) == ["order-of-names"]
    assert findings(load(folder / "host.yaml", ["ants"])) == []
