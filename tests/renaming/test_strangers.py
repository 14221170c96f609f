"""Expansions that are drawn at random play alike under names whose order is the reverse, if
nothing was found in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl import load
from tools.strangers.drawing import files
from tools.strangers.measuring import findings, loaded
from tools.strangers.renaming import Differs, Pair, rename, reversed_names, write


def played(folder: Path, seed: int) -> bool:
    """Play the game of a seed under both names; False if there are findings in it."""
    pair, found = loaded(folder, files(seed))
    if pair is None or found:
        return False
    pair.play(2, seed, 200)
    return True


def test_strangers(tmp_path: Path) -> None:
    clean = [seed for seed in range(30) if played(tmp_path / str(seed), seed)]
    assert len(clean) >= 6


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many_strangers(part: int, tmp_path: Path) -> None:
    seeds = range(1000 + 200 * part, 1200 + 200 * part)
    clean = [seed for seed in seeds if played(tmp_path / str(seed), seed)]
    assert len(clean) >= 80


def test_what_depends_on_names_is_seen(tmp_path: Path) -> None:
    """Hooks that meet play otherwise, so the property can fail."""
    made = files(0)
    for name, rules in (
        ("ants", "after turn(p): p.score = 2 * p.score\n"),
        ("bees", "after turn(p): p.score += 3\n"),
    ):
        made[f"{name}.rules"] = rules
    made = {name: text for name, text in made.items() if "cats" not in name}
    new = reversed_names(["host", "ants", "bees"])
    named, renamed = write(tmp_path / "a", made), write(tmp_path / "b", rename(made, new))
    game = load(named / "host.yaml", ["ants", "bees"], engine="reference")
    assert findings(game) == ["hooks-meet"]
    other = load(renamed / "host.yaml", [new["ants"], new["bees"]], engine="reference")
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
    made = files(0)
    for name, worth in (("ants", 2), ("bees", 3)):
        tokens = f"tokens:\n  - {{id: {name}_gem, count: 2, in: bag, worth: {worth}}}\n"
        head = f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrequires: [host]\n"
        made[f"{name}.yaml"] = head + tokens
    made["host.rules"] = made["host.rules"].replace("day += 1", f"day += 1\n    {choice}")
    folder = write(tmp_path / "named", {k: v for k, v in made.items() if "cats" not in k})
    game = load(folder / "host.yaml", ["ants", "bees"], engine="reference")
    assert findings(game) == ["order-of-names"]
    assert findings(load(folder / "host.yaml", ["ants"])) == []
