"""`--timeout`: every command that runs rules ends in time, and keeps what was played."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rulesdsl.engine.run import ENGINES
from tests.cli.conftest import Cli

MANIFEST = """\
ruleset: days
edition: 1
version: 1.0.0
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
rules: days.rules
"""
RULES = """\
state player.score: int 0..9 = 0
state game.log: int 0..9 = 0

action game():
    if first(players).score == 0: choose()
    while log < 9: choose()

action finish(): end_game(players)

choice choose() by first(players):
    option long:
        for i in 1..100:
            for j in 1..200: log = 0
    option again:
        for i in 1..100:
            for j in 1..200: log = 0
"""
SOON = """\
scenarios: days
edition: 1
tests:
  - name: it takes days
    moves: [MOVES]
    expect: {scores: {red: 0, blue: 0}}
  - name: it takes no time
    expect: {scores: {red: 0, blue: 0}}
"""
TO_BEGIN = 20
"""The seconds of processor time that a command may take to begin and to end."""


def used() -> float:
    """The seconds of processor time so far, also of processes that have ended."""
    return sum(os.times()[:4])


@pytest.fixture
def days(tmp_path: Path) -> Path:
    """A ruleset whose games take days."""
    (tmp_path / "days.rules").write_text(RULES, encoding="utf-8")
    (tmp_path / "days.yaml").write_text(MANIFEST, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("engine", ENGINES)
def test_a_game_is_recorded_until_then(engine: str, days: Path, cli: Cli) -> None:
    cli("simulate", "days.yaml", "--engine", engine, "--games", "1", "--timeout", "0.01")
    begun = used()
    played = cli(
        "run", "days.yaml", "--engine", engine, "--timeout", "1", "--record", "r.jsonl", "--quiet"
    )
    assert used() - begun < 1 + TO_BEGIN
    assert played.code == 2
    assert "error[out-of-time]: the rules did not end within 1 s" in played.err
    assert "to give them more time: --timeout 2" in played.err
    assert len((days / "r.jsonl").read_text(encoding="utf-8").splitlines()) > 1
    again = cli("replay", "r.jsonl", "--engine", engine, "--timeout", "60", "--quiet")
    assert again.code == 1
    assert "warning[record-cut]: the record ends before the game does" in again.err
    assert "the record is cut off" not in again.err


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_games_that_are_over_are_told(engine: str, jobs: str, days: Path, cli: Cli) -> None:
    begun = used()
    told = cli(
        "simulate", "days.yaml", "--engine", engine, "--jobs", jobs, "--games", "9",
        "--timeout", "0.4",
    )  # fmt: skip
    assert used() - begun < 0.4 + TO_BEGIN
    assert told.code == 2
    assert "error[out-of-time]: the rules did not end within 0.4 s" in told.err
    assert re.search("[0-8] of 9 games are over", told.err)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_test_that_is_late_fails_and_others_go_on(engine: str, days: Path, cli: Cli) -> None:
    moves = ", ".join(["long"] * 24000)
    tests = SOON.replace("MOVES", moves)
    (days / "days.test.yaml").write_text(tests, encoding="utf-8")
    cli("simulate", "days.yaml", "--engine", engine, "--games", "1", "--timeout", "0.01")
    told = cli("test", "days.test.yaml", "--engine", engine, "--timeout", "0.3")
    assert told.code == 1
    assert "error[out-of-time]: the rules did not end within 0.3 s" in told.out
    assert "1 passed, 1 failed" in told.out


def test_random_games_of_check_and_moves_played_back(days: Path, cli: Cli) -> None:
    checked = cli("check", "days.yaml", "--play", "1000", "--timeout", "0.5")
    assert checked.code == 2
    assert "error[out-of-time]" in checked.out
    cli("run", "days.yaml", "--timeout", "0.5", "--record", "r.jsonl", "--quiet")
    for command in (["replay"], ["show", "board"]):
        late = cli(*command, "r.jsonl", "--timeout", "0.000001")
        assert late.code == 2, command
        assert "error[out-of-time]" in late.err


@pytest.mark.parametrize("seconds", ["0.000001", "0.5"])
def test_every_part_of_check_ends_in_time(seconds: str, days: Path) -> None:
    """Loading and proofs do not look at the time: the process that checks is interrupted."""
    rules = [f"value v{n}(p: player) -> int: p.score + v{n - 1}(p)" for n in range(1, 2000)]
    text = "\n".join([RULES, "value v0(p: player) -> int: 0", *rules])
    (days / "days.rules").write_text(text, encoding="utf-8")
    start = used()
    checked = subprocess.run(
        [sys.executable, "-m", "rulesdsl", "check", "days.yaml", "base", "--timeout", seconds],
        cwd=days,
        env=os.environ | {"RULESDSL_NO_CACHE": "1"},
        capture_output=True,
        text=True,
    )
    assert used() - start < TO_BEGIN
    assert checked.returncode == 2, checked
    assert (
        f"error[out-of-time]: the check did not end within {float(seconds):g} s" in checked.stdout
    )
    assert "= not checked, or not to the end: days.yaml, base" in checked.stdout
    assert checked.stderr == ""


def test_what_is_no_time(days: Path, cli: Cli) -> None:
    for text in ("0", "-1", "nan", "inf", "soon"):
        assert "--timeout" in cli("run", "days.yaml", "--timeout", text).err
