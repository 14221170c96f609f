"""A face of a die is rolled as often as sides show it, on every engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl import Game, RulesError, load

ENGINES = ("python", "wasm")
MANIFEST = """
ruleset: coins
edition: 1
version: 1.0.0
rules: coins.rules
players: {min: 1, max: 1, colours: [red]}
game: {play: game, finish: finish, score: player.score}
settings:
  edges: {default: 2, range: [1, 9]}
zones:
  purse: {holds: die, initial: true}
dice:
  - {id: other, faces: [{id: none_of_these, count: 4}]}
  - {id: coin, faces: [{id: heads, count: 3}, {id: tails}, {id: edge, count: settings.edges}]}
"""
RULES = """
state player.score: int = 0
state player.heads: int = 0
state player.edges: int = 0
action game():
    for i in 1..600:
        let other = roll(the(d in purse where d is other))
        let up = roll(the(d in purse where d is coin))
        if up is heads: red.heads += 1
        if up is edge: red.edges += 1
    finish()
action finish():
    red.score = 1000 * red.heads + red.edges
    end_game({red})
"""


def coins(folder: Path, engine: str, manifest: str = MANIFEST, edges: int = 2) -> Game:
    (folder / "coins.yaml").write_text(manifest, encoding="utf-8")
    (folder / "coins.rules").write_text(RULES, encoding="utf-8")
    return load(folder / "coins.yaml", settings={"edges": edges}, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_outcomes_have_the_number_of_sides_as_weights(tmp_path: Path, engine: str) -> None:
    decision = coins(tmp_path, engine, edges=5).start().position.decision
    assert decision is not None
    assert [candidate.weight for candidate in decision.candidates] == [3, 1, 5]


def test_engines_roll_the_same_and_each_face_by_its_sides(tmp_path: Path) -> None:
    scores = {coins(tmp_path, engine).start(seed=4).scores()["red"] for engine in ENGINES}
    (score,) = scores
    heads, edges = divmod(score, 1000)
    assert 270 < heads < 330
    assert 170 < edges < 230


@pytest.mark.parametrize("count", [0, -1, 101, "settings.edges - 5"])
def test_counts_that_no_face_can_have(tmp_path: Path, count: int | str) -> None:
    manifest = MANIFEST.replace("count: 3", f"count: {count}")
    with pytest.raises(RulesError) as caught:
        coins(tmp_path, "python", manifest)
    (finding,) = caught.value.diagnostics
    assert finding.slug in ("range", "bad-value", "setting-impossible")
    assert finding.span is not None
    assert finding.span.text == str(count)
