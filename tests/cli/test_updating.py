"""`test --update`: what is expected is changed where it does not hold, and nothing else."""

from __future__ import annotations

import io
import re
from argparse import Namespace
from pathlib import Path

import pytest

from rulesdsl.author.testing import Options, files_at, try_file
from rulesdsl.cli.console import Console
from rulesdsl.cli.test import Updater
from tests.cli.conftest import HAMLETS, RULESETS, Cli

QUICK = ("--engine", "python")
BEFORE = """\
# All of this stays as it is.
scenarios: hamlets   # the game
edition: 1
tests:

  - name: points   # of both
    state: {red.score: 5}
    expect:
      scores: {red: 3,   blue: 1}   # before a draw
      mover: 'blue'
      asked: lay  # or take?
  - name: houses
    moves: [take ends]
    expect:
      holds: ['count(home[red]) == 5', count(players) > 1]
      zones:
        # none is left
        home[blue]: []
      winners: [red]
  - name: what lies there
    moves: [take ends]
    expect:
      board:
        - {piece: ends, at: [0, 0]}
      legal: [pass]
"""
AFTER = """\
# All of this stays as it is.
scenarios: hamlets   # the game
edition: 1
tests:

  - name: points   # of both
    state: {red.score: 5}
    expect:
      scores: {red: 5,   blue: 0}   # before a draw
      mover: 'chance'
      asked: take  # or take?
  - name: houses
    moves: [take ends]
    expect:
      holds: ['count(home[red]) == 4', count(players) > 1]
      zones:
        # none is left
        home[blue]: [blue.house, blue.house, blue.house, blue.house]
      winners: []
  - name: what lies there
    moves: [take ends]
    expect:
      board:
        - {piece: square, at: [0, 0]}
      legal: [pass]
"""


@pytest.fixture(autouse=True)
def some(monkeypatch: pytest.MonkeyPatch, cli: Cli, tmp_path: Path) -> None:
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))
    (tmp_path / "some.test.yaml").write_text(BEFORE)


def read(folder: Path) -> str:
    return (folder / "some.test.yaml").read_text()


def test_only_what_is_expected_changes(cli: Cli, tmp_path: Path) -> None:
    result = cli("test", ".", "--update", "--yes", *QUICK)
    assert read(tmp_path) == AFTER
    assert result.code == 1  # a move that is not offered is for people to think about
    assert "    -       asked: lay  # or take?\n" in result.out
    assert "    +       asked: take  # or take?\n" in result.out
    assert "    one thing is to be changed by hand\n" in result.out
    assert "changed ./some.test.yaml\n" in result.out
    again = cli("test", ".", "--update", "--yes", *QUICK)
    assert again.code == 1
    assert "  by hand: what lies there\n" in again.out
    assert read(tmp_path) == AFTER
    assert cli("test", ".", "--update", "--yes", "-k", "points", "-k", "houses", *QUICK).code == 0


def test_without_somebody_who_looks_nothing_changes(cli: Cli, tmp_path: Path) -> None:
    result = cli("test", ".", "--update", *QUICK)
    assert result.code == 2
    assert "--update needs a terminal to show the changes" in result.err
    assert read(tmp_path) == BEFORE


class Watched(io.StringIO):
    """A stream somebody sits at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "changed"),
    [
        ("n\nwhat?\ny\nn\n", {1}),
        ("y\nq\n", {0}),
        ("n\na\n", {1, 2}),
        ("", set()),
        ("a\n", {0, 1, 2}),
    ],
)
def test_each_change_is_asked_for(typed: str, changed: set[int], tmp_path: Path) -> None:
    out, options = io.StringIO(), Options("python")
    console = Console(Watched(typed), out, io.StringIO(), terminal=True)
    updater = Updater(Namespace(yes=False), options, console)
    (file,) = files_at(str(tmp_path))
    updater.look(try_file(file, options))
    before, after = BEFORE.split("  - name"), AFTER.split("  - name")
    wanted = [after[at] if at - 1 in changed else before[at] for at in range(4)]
    assert read(tmp_path) == "  - name".join(wanted)
    assert updater.code == 1
    assert out.getvalue().count("change it? ") == typed.count("\n") + (not typed)


def test_a_golden_record_is_written_anew(cli: Cli, tmp_path: Path) -> None:
    made = ("--quiet", "--record", "game.jsonl", *QUICK)
    assert cli("run", HAMLETS, *made).code == 0
    assert cli("test", "--record", "game.jsonl", "--to", "a.game.jsonl", *QUICK).code == 0
    file = tmp_path / "a.game.jsonl"
    right = file.read_text()
    file.write_text(re.sub('"offered": 1?', '"offered": 7', right))
    assert "golden-differs" in cli("test", "a.game.jsonl", *QUICK).out
    result = cli("test", "a.game.jsonl", "--update", "--yes", *QUICK)
    assert result.code == 0
    assert file.read_text() == right


def test_archives_are_not_changed(cli: Cli, tmp_path: Path) -> None:
    assert cli("new", "expansion", "idea", "--of", "hamlets", "--path", str(RULESETS)).code == 0
    tests = "scenarios: hamlets\nedition: 1\nwith: [idea]\ntests:\n"
    tests += "  - {name: a wrong one, expect: {mover: red}}\n"
    (tmp_path / "idea.test.yaml").write_text(tests)
    assert cli("pack", "idea.yaml").code == 0
    result = cli("test", "idea-0.1.0.zip", "--update", "--yes", *QUICK)
    assert result.code == 1
    assert "idea-0.1.0.zip/idea.test.yaml is in an archive, which is not changed\n" in result.out
