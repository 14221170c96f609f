"""Faults that only combinations have: found by the checker, or by playing, and by nothing else."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from rulesdsl import Game, load
from rulesdsl.engine.run.interface import PlayError
from tests.small_games import write_only

DATA = yaml.safe_load(Path(__file__).with_name("together.yaml").read_text(encoding="utf-8"))
CASES = [{**case, "kind": kind} for kind, cases in DATA["cases"].items() for case in cases]
HEAD = "ruleset: {0}\nedition: 1\nversion: 1.0.0\n"
RULES = "rules: {0}.rules\n"
STRANGERS = ("ants", "bees", "cows")


def written(folder: Path, case: dict[str, Any]) -> list[str]:
    """Write the host and its expansions; the names of the latter."""
    names = [name for name in STRANGERS if name in case or f"{name}_has" in case]
    files = {
        "host.yaml": (HEAD + RULES).format("host") + DATA["manifest"] + case.get("manifest", "")
    }
    rules = DATA["rules"].replace("TURN", case.get("turn", "gain(p, 3)"))
    files["host.rules"] = rules + case.get("host", "")
    for name in names:
        head = HEAD.format(name) + "requires: [host]\n" + case.get(f"{name}_has", "") + "\n"
        if name in case:
            head += RULES.format(name)
            files[f"{name}.rules"] = case[name] + "\n"
        files[f"{name}.yaml"] = head
    write_only(folder, files)
    return names


def fails(game: Game, games: int = 2) -> bool:
    """Whether a rule fails in one of some random games."""
    for seed in range(games):
        luck = Random(seed)
        try:
            state = game.start(2)
            while state.mover is not None:
                state.play(luck.choice(sorted(state.moves(), key=str)))
        except PlayError:
            return True
    return False


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}: {case['name']}")
def test_together(case: dict[str, Any], one_folder: Path) -> None:
    names = written(one_folder, case)
    together = load(one_folder / "host.yaml", names, engine="python")
    found = [each.slug for each in together.report.sorted() if each.slug != "unused"]
    assert found == case.get("finds", []), [each.message for each in together.report]
    if case.get("played") or found:
        assert fails(together, 20) or case.get("safe"), "the finding is right"
    else:
        assert not fails(together)
    if len(names) > 1:
        for name in names:
            alone = load(one_folder / "host.yaml", [name], engine="python")
            assert not fails(alone), f"{name} alone does not fail"
