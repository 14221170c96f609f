"""Every scenario of the shipped rulesets and of the games made for testing holds on all engines.

On the engine `python` all of a folder run in one test, which gathers what they show: those of the
shipped rulesets leave nothing out.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from rulesdsl.engine.run import DEFAULT_ENGINE
from rulesdsl.language.diagnostics import Source
from rulesdsl.language.diagnostics.render import render
from rulesdsl.play import Game
from rulesdsl.play.scenario import Scenario, Start, read_scenarios
from rulesdsl.play.scenario.coverage import Coverage

ROOT = Path(__file__).parents[2]
RULESETS, GAMES = ROOT / "rulesets", ROOT / "tests" / "games"
FILES = [path for folder in (RULESETS, GAMES) for path in sorted(folder.glob("*.test.yaml"))]


def scenarios(path: Path, engine: str, start: Start = Game.start) -> tuple[Scenario, ...]:
    source = Source(str(path), path.read_text(encoding="utf-8"))
    return read_scenarios(source, engine=engine, start=start)


EVERY = 8
"""In the tests that always run, `wasm` plays one of so many scenarios of each ruleset."""


def marks(path: Path, number: int) -> list[pytest.MarkDecorator]:
    found = [pytest.mark.xdist_group(path.name)]  # games are loaded once
    return [*found, pytest.mark.long] if number % EVERY else found


SCENARIOS = [
    pytest.param(
        scenario,
        id=f"{path.name.partition('.')[0]}: {scenario.name}",
        marks=marks(path, number),
    )
    for path in FILES
    for number, scenario in enumerate(scenarios(path, DEFAULT_ENGINE))
]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_holds(scenario: Scenario) -> None:
    outcome = scenario.run()
    assert outcome.passed, "\n" + render(outcome.findings)


def hold(files: Iterable[Path], start: Start = Game.start) -> None:
    """All scenarios hold on the engine `python`."""
    outcomes = [each.run() for path in files for each in scenarios(path, "python", start)]
    failed = [each for each in outcomes if not each.passed]
    text = "".join(f"\n{each.span}: {each.name}\n{render(each.findings)}" for each in failed)
    assert outcomes
    assert not failed, text


def test_scenarios_of_shipped_rulesets_hold_in_python_and_leave_nothing_out() -> None:
    coverage = Coverage()
    hold(sorted(RULESETS.glob("*.test.yaml")), coverage.start)
    covered = coverage.of(map(str, RULESETS.glob("*.test.yaml")))
    gaps = [finding for each in covered for finding in each.findings]
    assert covered
    assert not gaps, "\n" + render(gaps)


@pytest.mark.parametrize("folder", [GAMES, RULESETS / "more"])
def test_scenarios_of_a_folder_hold_in_python(folder: Path) -> None:
    hold(sorted(folder.glob("*.test.yaml")))
