"""`test` tells other programs what came of tests; `--coverage` also which expansions meet."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import HAMLETS, RULESETS, Cli

QUICK = ("--engine", "python")
HEAD = "scenarios: hamlets\nedition: 1\n"
TESTS = """\
tests:
  - {name: "one <of> two", expect: {scores: {red: 0}}}
  - {name: nobody has a house, expect: {holds: ['count(home[red]) == 0']}}
"""
MANIFEST = "ruleset: {}\nedition: 1\nversion: 1.0.0\n{}\n"


@pytest.fixture(autouse=True)
def some(monkeypatch: pytest.MonkeyPatch, cli: Cli, tmp_path: Path) -> None:
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))
    (tmp_path / "a.test.yaml").write_text(HEAD + TESTS)
    (tmp_path / "b.test.yaml").write_text("scenarios: [")


def test_json(cli: Cli) -> None:
    result = cli("test", ".", "--format", "json", *QUICK)
    told = json.loads(result.out)
    assert result.code == 1
    assert (told["passed"], told["failed"], told["left_out"]) == (1, 1, 0)
    assert told["tests"][0] == {
        "name": "one <of> two",
        "file": "./a.test.yaml",
        "line": 4,
        "golden": False,
        "passed": True,
        "rulesets": ["hamlets"],
        "findings": [],
    }
    (finding,) = told["tests"][1]["findings"]
    assert (finding["slug"], finding["line"]) == ("scenario-failed", 5)
    assert [each["file"] for each in told["unreadable"]] == ["./b.test.yaml"]
    assert "coverage" not in told


def test_junit(cli: Cli, tmp_path: Path) -> None:
    result = cli("test", ".", "--format", "junit", "--to", "report.xml", *QUICK)
    assert (result.code, result.out, result.err) == (1, "", "written to report.xml\n")
    root = ElementTree.parse(tmp_path / "report.xml").getroot()
    read, unreadable = root.findall("testsuite")
    assert (read.get("tests"), read.get("failures"), read.get("errors")) == ("2", "1", "0")
    assert (unreadable.get("tests"), unreadable.get("errors")) == ("1", "1")
    assert read[0].get("name") == "one <of> two"
    failure = read.find("testcase/failure")
    assert failure is not None
    assert "`count(home[red])` is 4" in (failure.text or "")


def write(folder: Path, *tests: str) -> None:
    """Four expansions, of which one requires another, what two mean together, and tests."""
    (folder / "b.test.yaml").unlink()
    needs = {
        "east": "requires: [hamlets]",
        "west": "requires: [hamlets]",
        "south": "requires: [east]",
        "house": "requires: [hamlets]\nhouse: true",
        "meet": "interaction: [east, west]",
    }
    for name, rest in needs.items():
        (folder / f"{name}.yaml").write_text(MANIFEST.format(name, rest))
    (folder / "a.test.yaml").write_text(HEAD + "tests:\n" + "".join(tests))


EAST_WEST = "  - {name: two, with: [east, west], expect: {scores: {red: 0}}}\n"
SOUTH = "  - {name: three, with: [south], expect: {scores: {red: 0}}}\n"


def test_pairs_that_no_test_plays_together(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, EAST_WEST, SOUTH)
    result = cli("test", ".", "--coverage", *QUICK)
    assert result.code == 1
    assert "warning[uncovered]: no test plays `south` and `west` together\n" in result.out
    assert " 1 | ruleset: west\n   |          ^^^^ never with `south`\n" in result.out
    assert "pairs of expansions: 1 of 2 played together\n2 passed, 0 failed\n" in result.out


def test_golden_records_play_pairs_together_too(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, EAST_WEST)
    run = ("run", HAMLETS, "--with", "south.yaml,west.yaml", "--quiet", "--record", "game.jsonl")
    assert cli(*run, *QUICK).code == 0
    made = ("--record", "game.jsonl", "--to", "all.game.jsonl")
    assert cli("test", *made, *QUICK).code == 0
    result = cli("test", ".", "--coverage", *QUICK)
    assert result.code == 0
    assert "pairs of expansions: 2 of 2 played together\n2 passed, 0 failed\n" in result.out
    told = json.loads(cli("test", ".", "--coverage", "--format", "json", *QUICK).out)
    pairs = {"/".join(each.pop("rulesets")): each for each in told["coverage"]["pairs"]}
    assert pairs == {
        "east/west": {"scenarios": 1, "golden": 1, "interactions": ["meet"]},
        "south/west": {"scenarios": 0, "golden": 1, "interactions": []},
    }


def test_a_page(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, EAST_WEST, SOUTH)
    (tmp_path / "south.yaml").write_text(
        MANIFEST.format("south", "requires: [east]\nrules: south.rules")
    )
    (tmp_path / "south.rules").write_text("add bonus(f) when count(players) > 2: 1\n")
    arguments = ("--coverage", "--format", "html", "--to", "report.html")
    assert cli("test", ".", *arguments, *QUICK).code == 1
    page = (tmp_path / "report.html").read_text()
    assert "2 passed, 0 failed" in page
    assert "south.rules<td>0 of 4" in page
    assert "count(players) &gt; 2" in page
    assert '<td class="some">1 + 0*' in page
    assert '<td class="none">0 + 0' in page
