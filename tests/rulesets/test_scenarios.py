"""Every scenario of the shipped rulesets and of the games made for testing holds on all engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.diagnostics import Source
from rulesdsl.diagnostics.render import render
from rulesdsl.play.scenario import Scenario, read_scenarios
from rulesdsl.run.engines import ENGINES

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("rulesets/*.test.yaml"), *ROOT.glob("tests/games/*.test.yaml")])
SCENARIOS = [
    pytest.param(scenario, id=f"{engine}: {path.name.partition('.')[0]}: {scenario.name}")
    for engine in ENGINES
    for path in FILES
    for scenario in read_scenarios(
        Source(str(path), path.read_text(encoding="utf-8")), engine=engine
    )
]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_holds(scenario: Scenario) -> None:
    outcome = scenario.run()
    assert outcome.passed, "\n" + render(outcome.findings)
