"""The page on simulation: its commands are taken, its first table is what comes out."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from rulesdsl.cli.commands import parser
from rulesdsl.cli.main import main

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "simulation.md").read_text(
    encoding="utf-8"
)
CODE = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
FOUND = re.findall(r"^(?:\$|   ) (?:rulesdsl )(simulate (?:.*\\\n)*.*)$", TEXT, re.MULTILINE)
COMMANDS = [each.replace("\\\n", " ") for each in FOUND]


def test_the_table_is_what_comes_out(capsys: pytest.CaptureFixture[str]) -> None:
    block = re.search(r"^```text\n\$ rulesdsl (.*?)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert block is not None
    assert main(shlex.split(block[1])) == 0
    assert capsys.readouterr().out.startswith(block[2] + "\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_taken(command: str) -> None:
    assert parser().parse_args(shlex.split(command)).row.function == "simulate.command"


def test_all_commands_are_found() -> None:
    assert len(COMMANDS) == TEXT.count("rulesdsl simulate ") == 4


def test_the_program_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for program in (code for code in CODE if "rulesdsl" in code):
        exec(compile("import rulesdsl\n" + program, "simulation.md", "exec"), {})
    told = capsys.readouterr().out
    assert "wet options per decision Interval(value=" in told


TOLD = (
    ("decisions", 1, 1),
    ("of a player", 2, 1),
    ("best above second", 2, 1),
    ("share of wins above an even one", 1, 100),
    ("points above the others' mean", 2, 1),
)
"""What the columns of the study's table are, their decimals, and by what they are multiplied."""


@pytest.mark.long
def test_the_study_finds_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    (command,) = [each for each in COMMANDS if "wheel_of_fortune" in each]
    asked = shlex.split(command.split("--out")[0])
    assert main([*asked, "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    for variant in dict.fromkeys(each["variant"] for each in findings):
        against = "" if variant == "as given" else "as given"
        found = {
            each["label"]: each
            for each in findings
            if (each["variant"], each["against"]) == (variant, against)
        }
        name = variant.removeprefix("with=") if against else "base alone"
        cells = [cell(found[label], places, scale) for label, places, scale in TOLD]
        assert f"| {name} | {' | '.join(cells)} |\n" in TEXT


def cell(finding: dict[str, Any], places: int, scale: int) -> str:
    """A cell of the table."""
    sign = "+" if finding["against"] else ""
    value, half = finding["value"], (finding["high"] - finding["low"]) / 2
    text = f"{value * scale:{sign}.{places}f} ± {half * scale:.{places}f}"
    sure = finding["against"] and (finding["low"] > 0 or finding["high"] < 0)
    return f"**{text}**" if sure else text
