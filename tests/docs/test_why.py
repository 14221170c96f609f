"""The page on why: its file holds, and its commands write what stands there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import jsonschema
import pytest

from rulesdsl.cli.main import main
from rulesdsl.language.read.files import shipped
from tests.docs.page import read_page

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "why.md").read_text(encoding="utf-8")
(FILE,) = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^```console\n\$ rulesdsl (.*?)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the file of the page and the rulesets that it is about."""
    read_page().write(tmp_path)
    (tmp_path / "village.test.yaml").write_text(FILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_its_scenarios_hold(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "village.test.yaml", "--engine", "python"]) == 0
    assert "3 passed" in capsys.readouterr().out


def test_all_commands_are_found() -> None:
    assert len(COMMANDS) == TEXT.count("$ rulesdsl") == 6


@pytest.mark.parametrize(("command", "written"), COMMANDS)
def test_commands_write_what_stands_there(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str, written: str
) -> None:
    assert main(shlex.split(command)) == 0
    told = capsys.readouterr()
    assert told.out.rstrip() + "\n" == written
    assert told.err == ""
    if "--json" in command:
        schema = json.loads((shipped("schemas") / "why.schema.json").read_text(encoding="utf-8"))
        for line in told.out.splitlines():
            jsonschema.validate(json.loads(line), schema)
