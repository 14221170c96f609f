"""Rules of the shipped rulesets that hold for what rulesets of others add."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl import load
from rulesdsl.language.diagnostics import Source
from tests.scenarios import run_scenarios

HEAD = "edition: 1\nversion: 1.0.0\nrequires: [base]\n"
PHANTOM = (
    f"ruleset: phantom\n{HEAD}rules: phantom.rules\n"
    "figures: [{id: phantom, count: 1, per: player, follower: true}]\n"
)
RULES = """\
after move_figure(t) when any(x in supply[active] where x is phantom): second(t)
choice second(t: tile) by active:
    option stand(s in segments(t) where may_stand(phantom, s)): deploy(active, phantom, s)
    option pass
"""
SKY = (
    f"ruleset: sky\n{HEAD}"
    "grids: {sky: {holds: tile, match: none, touch: false}}\n"
    "zones: {planks: {holds: tile}}\n"
    "tiles: [{id: plank, in: planks, road: [N-S]}]\n"
)
TESTS = {
    "without farmers no choice makes one": """\
with: [phantom]
tests:
  - name: nobody stands on the field
    settings: {farmers: false}
    moves: ['take city1; at 0,-1,180; pass']
    expect: {legal: ['stand city@S'], illegal: ['stand field@NL.NR.EL.ER.WL.WR']}
""",
    "a builder on another grid goes home alone": """\
with: [sky, traders_and_builders]
tests:
  - name: the builder goes home
    board:
      - {piece: junction4, at: [0, 0]}
      - {grid: sky, piece: plank, at: [5, 5], stands: {road@N.S: red.builder}}
    moves: ['take road-straight; at 1,0,90; pass']
    expect: {holds: ['count(x in supply[red] where x is builder) == 1']}
""",
}


@pytest.mark.parametrize("name", TESTS)
def test_rules_hold_for_what_others_add(name: str, tmp_path: Path) -> None:
    for file, text in (("phantom.yaml", PHANTOM), ("phantom.rules", RULES), ("sky.yaml", SKY)):
        (tmp_path / file).write_text(text, encoding="utf-8")
    source = Source("base.test.yaml", f"scenarios: base\nedition: 1\n{TESTS[name]}")
    (outcome,) = run_scenarios(source, [str(tmp_path)])
    assert outcome.passed, [each.message for each in outcome.findings]


def test_a_grid_that_others_do_not_look_at_is_shown(tmp_path: Path) -> None:
    for allowed in ("", "  # allow: new-grid"):
        text = SKY.replace("touch: false}}\n", f"touch: false}}}}{allowed}\n")
        (tmp_path / "sky.yaml").write_text(text, encoding="utf-8")
        found = load("base", [str(tmp_path / "sky.yaml")], engine="python").warnings
        assert [each.slug for each in found] == ([] if allowed else ["new-grid"])
        for each in found:
            assert "`base`, looks at `board`" in each.labels[0].text
