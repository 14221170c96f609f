"""What scenarios show of rules, and what they do not."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.language.diagnostics import Source
from rulesdsl.play.scenario import read_scenarios
from rulesdsl.play.scenario.coverage import Coverage, Covered

FOLDER = Path(__file__).parent
CASES: list[dict[str, Any]] = yaml.safe_load((FOLDER / "coverage.yaml").read_text(encoding="utf-8"))
MANIFEST = """\
ruleset: more
edition: 1
version: 1.0.0
requires: [counters]
rules: more.rules
"""
HEAD = {"scenarios": "counters", "edition": 1, "with": ["more"]}
RULES = """\
after spend.wait() when settings.most > 2: gain(active, 1)
"""
WAITING = {"name": "one waits", "moves": ["take one, wait; little"], "expect": {"mover": "chance"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the game of counters and a ruleset `more` that hooks it."""
    for name in ("counters.yaml", "counters.rules"):
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / "more.yaml").write_text(MANIFEST)
    (tmp_path / "more.rules").write_text(RULES)
    return tmp_path


def scenarios(path: Path, *tests: dict[str, Any]) -> str:
    """Write scenarios, with lists of moves for lines; gives the path."""
    moves = [{**test, "moves": _lines(test.get("moves", []))} for test in tests]
    path.write_text(yaml.safe_dump({**HEAD, "tests": moves}))
    return str(path)


def _lines(moves: list[str]) -> list[str]:
    return [line.strip() for each in moves for line in each.split(",")]


def run(coverage: Coverage, *files: str) -> None:
    """Every scenario has to hold."""
    for file in files:
        source = Source(file, Path(file).read_text())
        for scenario in read_scenarios(source, start=coverage.start):
            outcome = scenario.run()
            assert outcome.passed, [str(each) for each in outcome.findings]


def told(covered: Covered) -> list[str]:
    return [f"{gap.span.text.splitlines()[0]}: {gap.missing}" for gap in covered.gaps]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_what_is_missing(case: dict[str, Any], folder: Path) -> None:
    (folder / "more.rules").write_text(case["rules"])
    expect = {"holds": case.get("holds", ["count(players) == 2"])}
    test = {"name": "it", "moves": case["moves"], "state": case.get("state", {}), "expect": expect}
    file = scenarios(folder / "more.test.yaml", test)
    coverage = Coverage()
    run(coverage, file)
    (covered,) = coverage.of([file])
    assert told(covered) == case["gaps"]
    assert (covered.shown < covered.demanded) == bool(case["gaps"])
    assert covered.demanded == case.get("demanded", covered.demanded)
    slugs = ["uncovered"] * len(case["gaps"]) + ["allow-unused"] * case.get("idle", 0)
    assert [each.slug for each in covered.findings] == slugs


def test_files_and_settings_are_put_together(folder: Path) -> None:
    (folder / "deep").mkdir()
    few = WAITING | {"settings": {"most": 2}}
    files = [
        scenarios(folder / "a.test.yaml", WAITING),
        scenarios(folder / "deep" / ".." / "b.test.yaml", few),
    ]
    for some, missing in ((files[:1], ["never false"]), (files[1:], ["never true"]), (files, [])):
        coverage = Coverage()
        run(coverage, *some)
        (covered,) = coverage.of([str(folder / "more.test.yaml")])
        assert [gap.missing for gap in covered.gaps] == [f"was {each}" for each in missing]


def test_which_rulesets_are_judged(folder: Path) -> None:
    coverage = Coverage()
    run(coverage, scenarios(folder / "more.test.yaml", WAITING))
    shutil.copytree(folder, folder / "copies" / "deep")
    (folder / "unplayed.yaml").write_text(MANIFEST.replace("more\n", "unplayed\n"))
    (folder / "bare.yaml").write_text(MANIFEST.replace("more\n", "bare\n").partition("rules:")[0])
    (folder / "broken.yaml").write_text("ruleset: [")

    def named(*paths: str) -> list[str]:
        found = coverage.of([str(folder / path) for path in paths])
        return [str(Path(each.file).relative_to(folder)) for each in found]

    assert named("more.test.yaml") == ["more.rules"]
    assert named("more.test.yaml", "counters.test.yml") == ["more.rules", "counters.rules"]
    assert named("other.test.yaml") == []
    assert named("copies") == ["copies/deep/counters.rules", "copies/deep/more.rules"]
    assert named(".", "more.test.yaml") == [
        "counters.rules",
        "more.rules",
        "more.rules",
        *named("copies"),
    ]


def test_a_ruleset_that_no_scenario_plays_with(folder: Path) -> None:
    (covered,) = Coverage().of([str(folder / "more.test.yaml")])
    assert (covered.demanded, covered.shown) == (1, 0)
    (gap,) = covered.gaps
    assert gap.span.source.name == str(folder / "more.yaml")
    (finding,) = covered.findings
    assert (finding.slug, finding.mark) == ("uncovered", "never played with")


def test_the_same_content_elsewhere_is_the_same_ruleset(folder: Path) -> None:
    shutil.copytree(folder, folder / "copies")
    coverage = Coverage()
    run(coverage, scenarios(folder / "copies" / "more.test.yaml", WAITING))
    (covered,) = coverage.of([str(folder / "more.test.yaml")])
    assert [gap.missing for gap in covered.gaps] == ["was never false"]
