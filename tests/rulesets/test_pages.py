"""Each shipped ruleset has a page of its rules, which names every scenario, and one about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.nodes import plain
from rulesdsl.language.read.yaml import parse_yaml

ROOT = Path(__file__).parents[2]
RULESETS = ROOT / "rulesets"
RULES = ROOT / "docs" / "rulesets" / "rules"
ABOUT = ROOT / "docs" / "rulesets"

CELL = re.compile(r"`([^`]+)`")
SETTING = re.compile(r"^\| `(?:\w+\.)?(\w+)` \|", re.MULTILINE)


def read(path: Path) -> dict[str, Any]:
    document = parse_yaml(Source(path.name, path.read_text(encoding="utf-8")), Report())
    assert document is not None, path.name
    found = plain(document)
    assert isinstance(found, dict)
    return found


FILES = sorted(RULESETS.glob("*.yaml"))
SCENARIOS = {
    path.name.partition(".")[0]: [test["name"] for test in read(path)["tests"]]
    for path in FILES
    if path.name.endswith(".test.yaml")
}
MANIFESTS = {path.stem: read(path) for path in FILES if "." not in path.stem}
NAMES = [name for name, manifest in MANIFESTS.items() if "interaction" not in manifest]
"""The rulesets with pages; what an interaction means stands on the pages of its parties."""
KNOWN = {scenario for scenarios in SCENARIOS.values() for scenario in scenarios}


def named(name: str) -> set[str]:
    """What stands in backquotes in the right columns of the page of rules."""
    path = RULES / f"{name}.md"
    rows = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    cells = [row.rstrip(" |").rpartition("|")[2] for row in rows if row.startswith("|")]
    return {found for cell in cells for found in CELL.findall(cell)}


def where(file: str) -> list[str]:
    """The pages that may name the scenarios of a file: of its ruleset, or of an interaction's
    parties, or, where no ruleset is called like it, of any."""
    if file in NAMES:
        return [file]
    return list(MANIFESTS.get(file, {}).get("interaction", NAMES))


@pytest.mark.parametrize("folder", [RULES, ABOUT], ids=["rules", "rulesets"])
def test_every_ruleset_has_a_page_that_the_index_leads_to(folder: Path) -> None:
    pages = {path.name for path in folder.glob("*.md")} - {"README.md"}
    assert pages - {"more.md"} == {f"{name}.md" for name in NAMES}
    index = (folder / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\w+\.md)\)", index)) == pages


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_that_a_page_names_exists(name: str) -> None:
    found = named(name)
    assert found
    assert found <= KNOWN, sorted(found - KNOWN)


@pytest.mark.parametrize("file", sorted(SCENARIOS))
def test_every_scenario_is_named(file: str) -> None:
    found = {scenario for name in where(file) for scenario in named(name)}
    assert not [scenario for scenario in SCENARIOS[file] if scenario not in found]


def test_scenarios_of_a_file_have_different_names() -> None:
    for file, scenarios in SCENARIOS.items():
        assert len(scenarios) == len(set(scenarios)), file


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_on_a_page_is_shown_by_something(name: str) -> None:
    text = (RULES / f"{name}.md").read_text(encoding="utf-8")
    rows = [row for row in text.splitlines() if row.startswith("|")]
    heads = [row for row in rows if row in ("| rule | shown by |", "| --- | --- |")]
    assert len(rows) > len(heads) > 0
    assert not [
        row for row in rows if row not in heads and not CELL.search(row.rpartition(" | ")[2])
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_is_on_the_page_about_its_ruleset(name: str) -> None:
    text = (ABOUT / f"{name}.md").read_text(encoding="utf-8")
    listed = SETTING.findall(text.partition("## Settings")[2].partition("\n## ")[0])
    assert listed == list(MANIFESTS[name].get("settings", {}))
