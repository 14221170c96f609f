"""The scenarios of a ruleset notice when one of its rules is broken."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from rulesdsl import load
from rulesdsl.diagnostics import Source
from rulesdsl.play.scenario import read_scenarios

RULESETS = Path(__file__).parents[2] / "rulesets"
FILES = ("base.yaml", "base.rules", "base.test.yaml")
MUTANTS = yaml.safe_load((Path(__file__).parent / "base_mutants.yaml").read_text(encoding="utf-8"))


def named(mutant: dict[str, str]) -> str:
    return f"{mutant['change'].strip()} -> {mutant['to'].strip()}"


def broken(mutant: dict[str, str], folder: Path) -> Path:
    """The scenarios of the ruleset, beside a copy of it with one change."""
    for name in FILES:
        shutil.copy(RULESETS / name, folder)
    file = folder / mutant["in"]
    text = file.read_text(encoding="utf-8")
    assert text.count(mutant["change"]) == 1
    file.write_text(text.replace(mutant["change"], mutant["to"]), encoding="utf-8")
    return folder / FILES[-1]


def test_the_changes_fit_the_ruleset(tmp_path: Path) -> None:
    for mutant in MUTANTS:
        broken(mutant, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_broken_rule_fails_a_scenario(mutant: dict[str, str], tmp_path: Path) -> None:
    tests = broken(mutant, tmp_path)
    load(tmp_path / "base.yaml")
    scenarios = read_scenarios(Source(str(tests), tests.read_text(encoding="utf-8")))
    assert not all(scenario.run().passed for scenario in scenarios)
