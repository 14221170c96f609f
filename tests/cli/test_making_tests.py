"""`test --record`: scenarios and golden records of recorded games; they hold as they are made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import HAMLETS, RULESETS, Cli

QUICK = ("--engine", "python")
SCENARIO = """\
scenarios: hamlets
edition: 1
with: [mills]
tests:
  # turn 3 of game.jsonl
  - name: a third turn
    players: 3
"""


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch, cli: Cli, tmp_path: Path) -> None:
    """A recorded game in the folder."""
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))
    made = ("--quiet", "--record", "game.jsonl", "--players", "3", "--seed", "7")
    assert cli("run", HAMLETS, "--with", "mills", *made, *QUICK).code == 0


def turns(folder: Path) -> int:
    moves = [
        json.loads(line)["move"]
        for line in (folder / "game.jsonl").read_text().splitlines()
        if "move" in line
    ]
    return sum(move.startswith("lay.") for move in moves)


def test_a_turn_becomes_a_scenario_that_holds(cli: Cli, tmp_path: Path) -> None:
    result = cli("test", "--record", "game.jsonl", "--turn", "3", "--name", "a third turn", *QUICK)
    assert result.code == 0
    assert result.out.startswith(SCENARIO)
    for key in (
        "    board:\n",
        "    state: {",
        "    moves:\n      - take ",
        "      scores: {red: ",
    ):
        assert key in result.out
    (tmp_path / "some.test.yaml").write_text(result.out)
    assert cli("test", "some.test.yaml", *QUICK).out == "1 passed, 0 failed\n"


def test_every_turn_becomes_one(cli: Cli, tmp_path: Path) -> None:
    """One after the other in one file, which keeps what is in it."""
    count = turns(tmp_path)
    assert count > 5
    to = ("--to", "some.test.yaml")
    for turn in range(1, count + 1):
        result = cli("test", "--record", "game.jsonl", "--turn", str(turn), *to, *QUICK)
        assert (result.code, result.err) == (0, "")
    assert result.out == "changed some.test.yaml\nto try it: rulesdsl test some.test.yaml\n"
    text = (tmp_path / "some.test.yaml").read_text()
    assert text.count("scenarios:") == 1
    assert text.count("mover: nobody") == 1
    assert cli("test", "some.test.yaml", *QUICK).out == f"{count} passed, 0 failed\n"
    last = cli("test", "--record", "game.jsonl", *QUICK).out
    assert f"# turn {count} of game.jsonl" in last


def test_into_a_file_that_is_there(cli: Cli, tmp_path: Path) -> None:
    head = "# mine\nscenarios: hamlets  # the game\nedition: 1\ntests:\n"
    one = "- name: turn 2\n  expect: {mover: chance}  # before a draw"
    (tmp_path / "some.test.yaml").write_text(head + one)
    made = ("--record", "game.jsonl", "--to", "some.test.yaml", "--turn", "2")
    assert cli("test", *made, *QUICK).code == 0
    text = (tmp_path / "some.test.yaml").read_text()
    assert text.startswith(
        head + one + "\n# turn 2 of game.jsonl\n- name: turn 2 (2)\n  with: [mills]\n"
    )
    assert cli("test", "some.test.yaml", *QUICK).out == "2 passed, 0 failed\n"


def test_a_whole_game_becomes_a_golden_record(cli: Cli, tmp_path: Path) -> None:
    made = ("--record", "game.jsonl", "--to", "some.game.jsonl", "--name", "three at a mill")
    assert cli("test", *made, *QUICK).out.startswith("made some.game.jsonl\n")
    assert cli("test", ".", *QUICK).out == "1 passed, 0 failed\n"
    assert cli("test", ".", "-k", "MILL", *QUICK).out == "1 passed, 0 failed\n"
    assert cli("replay", "some.game.jsonl", "--quiet", *QUICK).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--turn", "99"], "not 99"),
        (["--turn", "0"], "the record has turns 1 to"),
        (["--to", "some.yaml"], "the ending of `some.yaml` does not say what to write"),
        (["--to", "some.game.jsonl", "--turn", "2"], "leave out --turn"),
        (["--coverage"], "leave out `--coverage`"),
        (["some.test.yaml"], "leave out `FILE`"),
        (["--to", "other.test.yaml"], "it is about another game than `hamlets`"),
        (["--to", "wells.test.yaml"], "its scenarios are played with `wells`"),
        (["--to", "brackets.test.yaml"], "written in brackets"),
        (["--to", "no/folder/some.test.yaml"], "cannot be written"),
    ],
)
def test_what_cannot_be_made(cli: Cli, tmp_path: Path, arguments: list[str], said: str) -> None:
    tests = "edition: 1\ntests:\n  - {name: a, expect: {mover: red}}\n"
    (tmp_path / "other.test.yaml").write_text("scenarios: other\n" + tests)
    (tmp_path / "wells.test.yaml").write_text("scenarios: hamlets\nwith: [wells]\n" + tests)
    brackets = "scenarios: hamlets\nedition: 1\ntests: [{name: a, expect: {mover: red}}]\n"
    (tmp_path / "brackets.test.yaml").write_text(brackets)
    result = cli("test", "--record", "game.jsonl", *arguments, *QUICK)
    assert result.code == 2
    assert said in result.err
    assert not (tmp_path / "some.test.yaml").exists()


@pytest.mark.parametrize(
    "option", [["--turn", "3"], ["--to", "a.test.yaml"], ["--name", "x"], ["--yes"]]
)
def test_options_that_go_with_others(cli: Cli, option: list[str]) -> None:
    assert cli("test", ".", *option).code == 2
    assert cli("test", *option).code == 2


def test_rules_that_have_changed_since(cli: Cli, tmp_path: Path) -> None:
    """What is made holds with the rulesets as they are; a game that goes another way makes none."""
    lines = (tmp_path / "game.jsonl").read_text().splitlines(keepends=True)
    lines[0] = lines[0].replace('"1.0.0"', '"0.9.0"')
    (tmp_path / "game.jsonl").write_text("".join(lines))
    assert cli("test", "--record", "game.jsonl", "--turn", "1", *QUICK).code == 0
    lines[3] = lines[3].replace('"args": {"', '"args": {"x')
    (tmp_path / "game.jsonl").write_text("".join(lines))
    result = cli("test", "--record", "game.jsonl", *QUICK)
    assert (result.code, result.out) == (2, "")
    assert "the game differs from the record" in result.err
