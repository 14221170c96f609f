"""`why`: mistakes that are made with it, and what it takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import HAMLETS, RULESETS, Cli

SCENES = """\
scenarios: hamlets
edition: 1
tests:
  - {name: the first, expect: {mover: chance}}
  - {name: another, moves: [take corner], expect: {mover: red}}
  - {name: a wrong one, moves: [take corner], expect: {mover: blue}}
  - {name: an impossible one, moves: [take nothing], expect: {mover: red}}
"""


@pytest.fixture(autouse=True)
def _found(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))
    (tmp_path / "scenes.test.yaml").write_text(SCENES)


@pytest.fixture(scope="module")
def kept() -> list[str]:
    """The record of the game that is asked about, once it is played."""
    return []


@pytest.fixture
def record(cli: Cli, tmp_path: Path, kept: list[str]) -> Path:
    path = tmp_path / "game.jsonl"
    if not kept:
        assert cli("run", HAMLETS, "--record", "game.jsonl", "--quiet").code == 0
        kept.append(path.read_text())
    path.write_text(kept[0])
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("not", "game.jsonl", "pass"), "no turn is given"),
        (("points", "game.jsonl", "--of", "pink"), "there is no player `pink`"),
        (
            ("points", "game.jsonl", "--turn", "0"),
            "`--turn 0` is not a number from 1 on, or `last`",
        ),
        (("points", "game.jsonl", "--turn", "x"), "`--turn x` is not a number"),
        (("points", "game.jsonl", "--turn", "99"), "the record has turns 1 to 11, not 99"),
        (("points", "game.jsonl", "--turn", "2", "--of", "rad"), "did you mean `red`?"),
        (("points", "game.jsonl", "--turn", "2", "--player", "green"), "no player `green`"),
        (("points", "gme.jsonl", "--turn", "2"), "did you mean `game.jsonl`?"),
        (("not", "game.jsonl", "--turn", "2", "putt"), "did you mean `put`?"),
        (("not", "game.jsonl", "--turn", "2", "take", "ends"), "`take` is a chance move"),
        (("not", "game.jsonl", "--turn", "2", "put", "x=3"), "has no argument `x`: it has k, s"),
        (("not", "game.jsonl", "--turn", "2", "pass", "now"), "has fewer arguments: it has none"),
        (("not", "game.jsonl", "--turn", "2", "{"), "this is not a line of a record with a move"),
        (("value", "game.jsonl", "--turn", "2", "wort_of"), "did you mean `worth_of`?"),
        (("value", "game.jsonl", "--turn", "2", "well"), "is an attribute that no rule refines"),
        (("value", "game.jsonl", "--turn", "2", "free", "1", "2"), "1 arguments (s: segment)"),
        (("value", "game.jsonl", "--turn", "2", "free", "lane@Q"), "there is no segment `lane@Q`"),
        (("points", "scenes.test.yaml"), "--scenario 'the first'"),
        (("points", "scenes.test.yaml", "--scenario", "th"), "2 scenarios have `th` in their"),
        (("points", "scenes.test.yaml", "--scenario", "teh first"), "did you mean `the first`?"),
        (("points", "scenes.test.yaml", "--turn", "3"), "`--turn` is for records"),
        (
            ("not", "scenes.test.yaml", "--scenario", "first", "at"),
            "`lay.at` is not an option here",
        ),
    ],
)
def test_mistakes(cli: Cli, record: Path, arguments: tuple[str, ...], said: str) -> None:
    result = cli("why", *arguments)
    assert result.code in (1, 2)
    assert said in result.err
    assert result.out == ""


def test_a_record_from_standard_input(cli: Cli, record: Path) -> None:
    result = cli("why", "points", "-", "--turn", "last", "--json", typed=record.read_text())
    assert (result.code, result.err) == (0, "")
    assert all(json.loads(line)["question"] == "points" for line in result.out.splitlines())


def test_a_record_that_is_cut_off_at_a_choice(cli: Cli, record: Path) -> None:
    lines = record.read_text().splitlines(keepends=True)
    (record.parent / "begun.jsonl").write_text("".join(lines[:2]))
    result = cli("why", "not", "begun.jsonl", "--turn", "last", "put", "*", "meadow@NL")
    assert (result.code, result.err) == (0, "")
    assert "turn 1, after move 1: red is asked for build(" in result.out


@pytest.mark.parametrize(
    "move", [("at", "-7,0,90"), ("at", "(-7,0,90)"), ("lay.at(spot=-7,0,90)",)]
)
def test_places_may_be_west_of_the_middle(cli: Cli, record: Path, move: tuple[str, ...]) -> None:
    result = cli("why", "not", "game.jsonl", "--turn", "2", *move, "--json")
    assert (result.code, result.err) == (0, "")
    assert "at (-7,0,90): it touches nothing" in result.out


def test_a_line_of_a_record_is_a_move(cli: Cli, record: Path) -> None:
    line = record.read_text().splitlines()[1]
    result = cli("why", "not", "game.jsonl", "--turn", "1", line)
    assert result.out.rstrip().endswith("is legal")
    assert "not legal" not in result.out


def test_a_scenario_that_does_not_hold_is_told_of(cli: Cli) -> None:
    result = cli("why", "not", "scenes.test.yaml", "--scenario", "a wrong one", "at", "9,9")
    assert result.code == 1
    assert "it is red's decision" in result.err
    assert "in every rotation: it touches nothing" in result.out


def test_a_scenario_that_does_not_come_about_is_told_of(cli: Cli) -> None:
    result = cli("why", "points", "scenes.test.yaml", "--scenario", "an impossible one")
    assert (result.code, result.out) == (1, "")
    assert "scenario-failed" in result.err


def test_nobody_got_points(cli: Cli) -> None:
    result = cli("why", "points", "scenes.test.yaml", "--scenario", "another")
    assert (result.code, result.out) == (0, "nobody got points\n")


def test_the_game_must_be_the_one_recorded(cli: Cli, record: Path) -> None:
    text = record.read_text().replace('"hamlets", "1.0.0"', '"hamlets", "1.0.1"')
    record.write_text(text)
    result = cli("why", "points", "game.jsonl", "--turn", "1")
    assert (result.code, HAMLETS in result.out) == (1, False)
    assert "record-ruleset" in result.err


def test_without_a_turn_the_turns_that_scored_are_listed(cli: Cli, record: Path) -> None:
    out = cli("why", "points", str(record)).out
    turns = re.findall(r"^turn (\d+)  \w+ [+-]\d+ ", out, re.MULTILINE)
    assert turns
    assert "to see why: add --turn N" in out
    assert cli("why", "points", str(record), "--turn", turns[0]).code == 0
    assert "nobody got points" not in cli("why", "points", str(record), "--turn", turns[0]).out
