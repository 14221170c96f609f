"""`simulate`: what it says, where it writes, and what it makes of mistakes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pyarrow.parquet
import pytest

from tests.cli.conftest import HAMLETS, RULESETS, Cli, heed_ctrl_c

SOME = ("simulate", HAMLETS, "--engine", "python", "--jobs", "1", "--games", "20")


def test_a_table_is_told(cli: Cli) -> None:
    told = cli(*SOME, "--compare", "with=wells,deep=true", "--set", "houses=3", "--seed", "-2")
    assert (told.code, told.err) == (0, "")
    lines = told.out.splitlines()
    assert lines[:4] == [
        "games: 20 of seed -2, by 2 players",
        "bots: random in every seat",
        "rulesets of as given: hamlets 1.0.0, houses=3",
        "rulesets of with=wells,deep=true: hamlets 1.0.0, wells 1.1.0, deep=true, houses=3",
    ]
    assert "with=wells,deep=true minus as given" in told.out
    assert cli(*SOME, "--seed", "-2").out != cli(*SOME).out == cli(*SOME).out


def test_expansions_can_be_left_out(cli: Cli) -> None:
    told = cli(*SOME, "--with", "wells,mills", "--compare", "without=mills", "--json").out
    first, second = json.loads(told)["study"]["variants"]
    assert (first["with"], second["with"]) == (["wells", "mills"], ["wells"])


def test_bots_sit_everywhere(cli: Cli) -> None:
    told = cli(*SOME[:-1], "2", "--bots", "greedy,random")
    assert "bots: greedy, random; they rotate by one seat from game to game" in told.out
    assert "greedy bot" in told.out


@pytest.mark.parametrize("form", ["json", "csv", "html", "parquet"])
def test_the_name_of_the_file_tells_the_form(cli: Cli, tmp_path: Path, form: str) -> None:
    told = cli(*SOME, "--to", f"told.{form}")
    assert (told.code, told.out) == (0, "")
    assert told.err == f"written to told.{form}\n"
    written = (tmp_path / f"told.{form}").read_bytes()
    begin = {"json": b"{", "csv": b"variant,against,", "html": b"<!doctype", "parquet": b"PAR1"}
    assert written.startswith(begin[form])
    if form != "parquet":
        assert cli(*SOME, "--format", form).out.encode() == written
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"told.{form}"]


def test_bots_with_a_budget_play(cli: Cli) -> None:
    told = cli(*SOME[:-1], "2", "--bots", "mcts:2,random")
    assert (told.code, told.err) == (0, "")
    assert "mcts:2 bot" in told.out
    timed = cli(*SOME[:-1], "1", "--bots", "mcts:0.001s,random")
    assert timed.err == "note: bots with a time limit play differently each time\n"


def test_a_folder_is_gone_on_with(cli: Cli, tmp_path: Path) -> None:
    kept = (*SOME[:-1], "120", "--out", "games.parquet")
    first = cli(*kept)
    (tmp_path / "games.parquet" / "games-000000050-000000100.parquet").unlink()
    assert cli(*kept) == first
    assert len(pyarrow.parquet.read_table(tmp_path / "games.parquet")) == 120
    other = cli(*kept, "--seed", "1")
    assert other.code == 2
    assert "error[bad-argument]: `games.parquet` holds games of another study: seed 0" in other.err


MISTAKES = {
    ("--games", "0"): "0 games cannot be played; play at least one",
    ("--jobs", "0"): "`--jobs 0` is too small",
    ("--players", "9"): "this game is for 2 to 4 players, not 9",
    ("--bots", "gredy"): "did you mean `greedy`?",
    ("--bots", "random,random,random"): "3 bots are named for 2 players",
    ("--bots", "mcts:none"): "`mcts:none`: a budget is a number of playouts",
    ("--compare", "wells"): "is not of the form with=RULESET, without=RULESET or SETTING=VALUE",
    ("--compare", "without=wells"): "`wells` is not among --with",
    ("--compare", "with=nothing"): "no ruleset `nothing` was found",
    ("--compare", "rounds=3"): "setting `rounds`",
    ("--out", HAMLETS): "is a file, not a folder of games",
    ("--out", str(RULESETS)): "is not empty and contains no games",
    ("--to", "stats.xyz"): "it must end in .json, .csv, .parquet, .html or .txt",
    ("--to", "no/where.txt"): "`no/where.txt` cannot be written: no such file or directory",
    ("--scheduler", "tcp://127.0.0.1:1"): "no Dask scheduler answers at `tcp://127.0.0.1:1`",
}


@pytest.mark.parametrize("given", MISTAKES, ids=" ".join)
def test_mistakes_are_told(cli: Cli, given: tuple[str, str]) -> None:
    told = cli(*SOME, *given)
    assert told.code == 2
    assert MISTAKES[given] in told.err
    assert told.out == ""


@pytest.mark.parametrize(
    ("given", "package", "extra"),
    [
        (("--out", "games"), "pyarrow", "stats"),
        (("--format", "parquet"), "pyarrow", "stats"),
        (("--scheduler", "tcp://127.0.0.1:1"), "distributed", "cluster"),
    ],
)
def test_packages_that_are_missing_are_named(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    told = cli(*SOME, *given)
    assert told.code == 2
    assert f"needs the package `{package}`, which is not installed" in told.err
    assert f"pip install 'rulesdsl[{extra}]'" in told.err


def test_without_wasmtime_python_plays_and_says_so(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = ("simulate", HAMLETS, "--games", "5", "--jobs", "1")
    expected = cli(*games)
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    told = cli(*games)
    assert told.err.startswith("warning[engine-missing]: the package `wasmtime` cannot be loaded")
    assert told.out == expected.out


def test_a_rule_that_fails_is_told(cli: Cli) -> None:
    told = cli(*SOME, "--with", "spoilt")
    assert told.code != 0
    assert "error[" in told.err


def test_a_full_disk_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pyarrow.parquet, "write_table", full)
    told = cli(*SOME, "--out", "games")
    assert told.code == 2
    assert "`games` cannot be written: no space left on device" in told.err
    assert "run the command again to continue: the finished games are kept" in told.err


def test_ctrl_c_keeps_what_was_played(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rulesdsl", "simulate", HAMLETS, "--engine", "wasm"]
    many = [*command, "--games", "100000", "--jobs", "2", "--out", str(tmp_path / "games")]
    playing = subprocess.Popen(
        many, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_ctrl_c
    )
    while not list(tmp_path.glob("games/games-*")):
        assert playing.poll() is None
        time.sleep(0.05)
    playing.send_signal(signal.SIGINT)
    out, err = playing.communicate(timeout=60)
    assert playing.returncode == 130
    first, second = err.splitlines()
    assert first.startswith("note: stopped after ")
    assert first.endswith(" of 100,000 games")
    assert second == "  run the command again to continue: the finished games are kept"
    kept = len(pyarrow.parquet.read_table(tmp_path / "games"))
    assert kept >= 50
    assert first == f"note: stopped after {kept:,} of 100,000 games"
    assert out.startswith(f"games: {kept:,} of seed 0")
    assert "interrupted: 100,000 games were requested" in out


def test_a_bar_shows_rate_and_time_left(tmp_path: Path) -> None:
    arguments = ["-m", "rulesdsl", *SOME[:-1], "300"]
    child = pexpect.spawn(
        sys.executable, arguments, encoding="utf-8", timeout=60, dimensions=(40, 100),
        env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    for shown in ("games ", "/300", r"\d/s", r"\d:\d\d:\d\d"):
        child.expect(shown)
    child.expect("share of wins")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


HEAD = "balance: hamlets\nedition: 1\nstudies:\n"


def test_a_budget_holds_or_not(cli: Cli, tmp_path: Path) -> None:
    for name in ("hamlets.yaml", "hamlets.rules"):
        (tmp_path / name).write_bytes((Path(RULESETS) / name).read_bytes())
    at = ("simulate", "hamlets.yaml", "--budget", "--engine", "python", "--jobs", "1")
    told = cli(*at)
    assert told.code == 2
    assert "write `hamlets.balance.yaml` beside its manifest" in told.err
    beside = tmp_path / "hamlets.balance.yaml"
    beside.write_text(HEAD + "  - {name: short, games: 100, bounds: {decisions: at least 1}}\n")
    told = cli(*at)
    assert (told.code, told.err) == (0, "")
    assert "holds" in told.out
    beside.write_text(HEAD + "  - {name: short, games: 100, bounds: {decisions: at most 1}}\n")
    told = cli(*at, "--json")
    assert told.code == 1
    assert "hamlets.balance.yaml:4:" in told.err
    assert "out-of-balance" in told.err
    (study,) = json.loads(told.out)["studies"]
    assert study["bounds"][0]["holds"] is False
    told = cli(*at, "--games", "5")
    assert told.code == 2
    assert "`--budget` cannot be combined with `--games`" in told.err
