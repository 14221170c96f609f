"""Every file of scenarios on its page is tried: all hold, or fail as the page says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from rulesdsl.cli.main import main
from tests.docs.page import PAGE, read_page

TEXT = (PAGE.parent / "scenarios.md").read_text(encoding="utf-8")
TEXT, _, COVERAGE = TEXT.partition("## Coverage")
COVERAGE, _, RECORDED = COVERAGE.partition("## Tests of recorded games")
FILES = re.findall(r"```yaml\n(.*?)```\n(?:\n[^\n]+\n\n```text\n(.*?)```\n)?", TEXT, re.DOTALL)


def test_the_page_has_files_that_hold_and_one_that_does_not() -> None:
    assert len(FILES) == TEXT.count("```yaml") == 6
    assert [bool(said) for _, said in FILES] == [False, False, False, False, False, True]


@pytest.mark.parametrize(("text", "said"), FILES)
def test_a_file(
    text: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    read_page().write(tmp_path)
    (tmp_path / "hamlets.test.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code = main(["test", "hamlets.test.yaml"])
    out = capsys.readouterr().out
    if said:
        assert (code, out) == (1, said)
    else:
        assert code == 0, out


def test_what_its_scenario_does_not_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, scenarios, said = re.findall(r"```(?:rules|yaml|text)\n(.*?)```\n", COVERAGE, re.DOTALL)
    manifest = {"ruleset": "praise", "edition": 1, "version": "1.0.0", "requires": ["hamlets"]}
    read_page().write(tmp_path)
    (tmp_path / "praise.yaml").write_text(json.dumps({**manifest, "rules": "praise.rules"}))
    (tmp_path / "praise.rules").write_text(rules)
    (tmp_path / "praise.test.yaml").write_text(scenarios)
    monkeypatch.chdir(tmp_path)
    assert main(["test", "praise.test.yaml", "--coverage"]) == 1
    assert capsys.readouterr().out == said


def test_changes_that_its_scenario_does_not_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, scenarios, _ = re.findall(r"```(?:rules|yaml|text)\n(.*?)```\n", COVERAGE, re.DOTALL)
    rules, said = re.findall(r"```(?:rules|text) mutants\n(.*?)```\n", COVERAGE, re.DOTALL)
    manifest = {"ruleset": "praise", "edition": 1, "version": "1.0.0", "requires": ["hamlets"]}
    read_page().write(tmp_path)
    (tmp_path / "praise.yaml").write_text(json.dumps({**manifest, "rules": "praise.rules"}))
    (tmp_path / "praise.rules").write_text(rules)
    (tmp_path / "praise.test.yaml").write_text(scenarios)
    monkeypatch.chdir(tmp_path)
    assert main(["test", "praise.test.yaml", "--mutants", "--jobs", "1"]) == 1
    assert capsys.readouterr().out == said


def test_recorded_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands of the page make what it shows, and say what it says of other rules."""
    made, said = re.findall(r"```text\n(.*?)```\n", RECORDED, re.DOTALL)
    read_page().write(tmp_path)
    monkeypatch.chdir(tmp_path)
    for line in re.findall(r"^\$ rulesdsl (.*)$", RECORDED, re.M):
        assert main([*shlex.split(line), "--engine", "python"]) == 0
    assert (tmp_path / "hamlets.test.yaml").read_text() == made
    assert main(["test", ".", "--engine", "python"]) == 0
    old, new = re.findall(r"`([^`]* f.well|2 [^`]*)`", RECORDED)[1::-1]
    rules = tmp_path / "hamlets.rules"
    assert rules.read_text().count(old) == 1
    rules.write_text(rules.read_text().replace(old, new))
    capsys.readouterr()
    assert main(["test", "hamlets.game.jsonl", "--engine", "python"]) == 1
    assert capsys.readouterr().out == said
