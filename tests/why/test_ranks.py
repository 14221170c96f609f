"""Why a rule wins: each reason that there is, and rules that fall back on others."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.author.why import tracing
from rulesdsl.author.why.played import Observed
from rulesdsl.author.why.points import Valued
from rulesdsl.play import load
from tests.why.asking import Silent, text

GAME = Path(__file__).parents[1] / "cli" / "rulesets" / "hamlets"
RULES = """
value fee(p: player) -> int: 1
value gift(p: player) -> int, sum: 1
value best(p: player) -> int, max: 2
value fine(p: player) -> bool, all
value any_of(p: player) -> bool, any

refine fee(p) when p.score < 9: 2
refine fee(p) when p.score < 5: previous + 10
add gift(p) when p == red: 5
add gift(p) when p == blue: 7
add best(p) when p == red: 9
require fine(p): p.score == 0
require fine(p): p == blue
allow any_of(p) when p == blue: true

state player.owed: int
after score(p, n) when any_of(p) and fine(p): p.owed += fee(p) + gift(p) + best(p)
"""
MORE = {
    "house": ("house: true", "refine fee(p) when p == red: 100"),
    "more": ("requires: [fees]", "refine fee(p) when p == blue: 50"),
}
"""What else is loaded: a house ruleset, and one that builds on the fees."""


@pytest.fixture
def state(tmp_path: Path) -> Observed:
    for suffix in (".yaml", ".rules"):
        (tmp_path / f"hamlets{suffix}").write_text(GAME.with_suffix(suffix).read_text())
    _ruleset(tmp_path, "fees", "requires: [hamlets]", RULES)
    for name, (key, rules) in MORE.items():
        requires = "" if key.startswith("requires") else "\nrequires: [fees]"
        _ruleset(tmp_path, name, key + requires, rules)
    game = load(tmp_path / "hamlets.yaml", ["fees", *MORE], engine="python")
    return Observed(game, tracing.start(game.checked, 2, 1), Silent())


def _ruleset(folder: Path, name: str, keys: str, rules: str) -> None:
    manifest = f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrules: {name}.rules\n{keys}\n"
    (folder / f"{name}.yaml").write_text(manifest)
    (folder / f"{name}.rules").write_text(f"{rules}\n")


def told(state: Observed, name: str, player: str) -> str:
    question = Valued(name, [player])
    question.after(state, True)
    return text(question.answers)


def test_a_house_ruleset_and_a_narrower_guard(state: Observed) -> None:
    said = told(state, "fee", "red")
    assert "fee(red) = 100" in said
    assert "`refine` of house: gives 100, and wins" in said
    assert "`refine` of fees: gives 12, and is beaten: house is a house rule" in said
    assert "`refine` of more: does not apply" in said
    assert "its own body of fees: gives 1, and is beaten: a refinement beats" in said


def test_a_ruleset_that_builds_on_another(state: Observed) -> None:
    said = told(state, "fee", "blue")
    assert "`refine` of more: gives 50, and wins" in said
    assert "`refine` of fees: gives 12, and is beaten: more requires fees" in said
    assert "p == blue" in said


def test_a_narrower_guard(tmp_path: Path) -> None:
    for suffix in (".yaml", ".rules"):
        (tmp_path / f"hamlets{suffix}").write_text(GAME.with_suffix(suffix).read_text())
    _ruleset(tmp_path, "fees", "requires: [hamlets]", RULES)
    game = load(tmp_path / "hamlets.yaml", ["fees"], engine="python")
    said = told(Observed(game, tracing.start(game.checked, 2, 1), Silent()), "fee", "red")
    assert "`refine` of fees: gives 12, and wins" in said
    assert "`refine` of fees: gives 2, and is beaten: its guard is narrower" in said


def test_an_order(tmp_path: Path) -> None:
    for suffix in (".yaml", ".rules"):
        (tmp_path / f"hamlets{suffix}").write_text(GAME.with_suffix(suffix).read_text())
    _ruleset(tmp_path, "fees", "requires: [hamlets]", RULES)
    _ruleset(tmp_path, "east", "requires: [fees]", "refine fee(p): 3")
    _ruleset(tmp_path, "west", "requires: [fees]", "refine fee(p): 2 * previous")
    _ruleset(tmp_path, "meeting", "interaction: [east, west]", "order east.fee before west.fee")
    game = load(tmp_path / "hamlets.yaml", ["fees", "east", "west"], engine="python")
    said = told(Observed(game, tracing.start(game.checked, 2, 1), Silent()), "fee", "red")
    assert "`refine` of west: gives 6, and wins" in said
    assert "of east: gives 3, and is beaten: an `order` puts west after east" in said


@pytest.mark.parametrize(
    ("name", "player", "expected"),
    [
        ("gift", "red", ["gift(red) = 6", "sum: ", "of fees: gives 5", "of fees: does not apply"]),
        ("best", "red", ["best(red) = 9", "its own body of fees: gives 2", "gives 9"]),
        ("best", "blue", ["best(blue) = 2", "`add` of fees: does not apply"]),
        ("fine", "red", ["fine(red) = false", "gives true", "gives false"]),
        ("any_of", "red", ["any_of(red) = false", "`allow` of fees: does not apply"]),
        ("any_of", "blue", ["any_of(blue) = true", "`allow` of fees: gives true"]),
    ],
)
def test_rules_that_are_put_together(
    state: Observed, name: str, player: str, expected: list[str]
) -> None:
    said = told(state, name, player)
    assert all(each in said for each in expected), said
