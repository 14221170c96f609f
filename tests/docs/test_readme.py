"""The expansion in the README plays, and every command on every page is valid."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from rulesdsl.cli.commands import parser
from rulesdsl.cli.main import main
from tests.architecture.sources import project_files

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *(p for p in project_files() if p.match("docs/**/*.md"))]
COMMAND = re.compile(r"^(?:    |\$ )(?:.* && )?rulesdsl ((?:.*\\\n)*.*)$", re.M)


def test_the_expansion_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest, rules = re.findall(r"^```(?:yaml)?\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    (tmp_path / "cathedrals.yaml").write_text(manifest, encoding="utf-8")
    (tmp_path / "cathedrals.rules").write_text(rules, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line) for line in COMMAND.findall(README) if "cathedrals.yaml" in line]
    assert [command[0] for command in commands] == ["check", "run"]
    for command in commands:
        quiet = ["--quiet"] if command[0] == "run" else []
        assert main([*command, *quiet]) == 0
        assert capsys.readouterr().err == ""


def test_the_readme_is_one_screen() -> None:
    assert len(README.splitlines()) <= 60


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_are_valid(page: Path) -> None:
    for line in COMMAND.findall(page.read_text(encoding="utf-8")):
        words = shlex.split(re.split(r" [|<>] | # |  +", line.replace("\\\n", ""))[0])
        assert parser().parse_args(words), line
