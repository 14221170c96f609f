"""Mistakes made on purpose: each ends in words, with the exit code that it should."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from resource import RLIMIT_FSIZE, setrlimit
from typing import Any

import pytest

from rulesdsl.cli.main import main
from tests.cli.conftest import HAMLETS, RULESETS, Cli
from tests.writing.faults import Faults

R = "run", HAMLETS


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [(["chek"], "check"), (["show", "bord"], "board"), (["run", "--engine", "wasn"], "wasm")],
)
def test_a_mistyped_word(cli: Cli, arguments: list[str], meant: str) -> None:
    result = cli(*arguments)
    assert f"did you mean `{meant}`?" in result.err
    assert result.code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run"], "no ruleset is given"),
        (["run", "hamlet"], "no ruleset `hamlet` was found\n   = did you mean `hamlets`?"),
        (["run", "no/such.yaml"], "there is no file `no/such.yaml`"),
        (["run", "."], "has no manifest"),
        (["run", str(RULESETS / "wells.rules")], "wells.rules` holds rules; a ruleset is named by"),
        (["run", ""], "error["),
        (["run", "\x00"], "error["),
        (["run", "a" * 5000], "error["),
        (["run", "\udce4.yaml"], "error[file-missing]"),
        (["run", "mills.yaml/"], "error["),
        ([*R, "--path", "nowhere"], "there is no folder `nowhere`"),
        ([*R, "--with", "welz"], "no ruleset `welz` was found\n   = did you mean `wells`?"),
        ([*R, "--players", "1"], "this game is for 2 to 4 players, not 1"),
        ([*R, "--players", "5"], "this game is for 2 to 4 players, not 5"),
        ([*R, "--players", "9" * 4000], "this game is for 2 to 4 players"),
        ([*R, "--human", "purple"], "there is no player `purple`; the players are red, blue"),
        ([*R, "--human", "bleu"], "did you mean `blue`?"),
        ([*R, "--human", "red,green"], "red, blue\n   = for more players: --players 3"),
        ([*R[:1], "hamlets,wells"], "one ruleset\n   = to add expansions: hamlets --with wells"),
        ([*R, "--human", "red", "--json"], "leave out `--human`, or `--json`"),
        (
            [*R, "--bots", "gredy"],
            "there is no bot `gredy`; the bots are greedy, mcts, random\n   = did you mean",
        ),
        (
            [*R, "--bots", "random,random,random"],
            "but 2 are needed\n   = for more players: --players 3",
        ),
        ([*R, "--human", "red", "--bots", "random,random"], "2 bots are named, but 1 are needed"),
        ([*R, "--set", "houses"], "`--set houses` is not of the form name=value"),
        ([*R, "--set", "=3"], "`--set =3` is not of the form name=value"),
        ([*R, "--set", "houses=2,houses=3"], "`houses` is set twice, to 2 and to 3"),
        ([*R, "--set", "hauses=2"], "error[setting-unknown]"),
        ([*R, "--set", "houses=many"], "error[setting-value]"),
        ([*R, "--record", "."], "the record `.` cannot be written: is a directory"),
        ([*R, "--record", "no/where"], "the record `no/where` cannot be written"),
        ([*R, "--record", "\x00"], "cannot be written"),
        ([*R, "--record", "/dev/full"], "cannot be written: no space left on device"),
        ([*R, "--resume", "game.jsonl"], "leave out `RULESET`, or `--resume`"),
        (["run", "--resume", "game.jsonl", "--seed", "1"], "leave out `--seed`"),
        (["run", "--resume", "nothing.jsonl"], "there is no file `nothing.jsonl`"),
        (["run", "--resume", "-"], "--resume needs a file"),
        (["replay", "nothing.jsonl"], "there is no file `nothing.jsonl`"),
        (["replay", "."], "is a folder, not a record"),
        (["test"], "no test is given"),
        (
            ["test", ".", "--coverage", "--engine", "wasm"],
            "`--coverage` cannot be combined with `--engine`",
        ),
        (["check", "-"], "cannot come from standard input"),
    ],
)
def test_a_command_that_cannot_be_done(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))
    result = cli(*arguments)
    assert said in result.err
    assert result.err.startswith("error[")
    assert result.code == 2


def test_the_command_alone_says_what_to_do_first(cli: Cli) -> None:
    result = cli()
    assert result.code == 0
    assert "rulesdsl run base " in result.out
    assert "to play      list, page, replay," in result.out


@pytest.mark.parametrize(
    ("arguments", "message", "help"),
    [
        ("fly", "`rulesdsl` has no command `fly`", ""),
        ("chekc base", "`rulesdsl` has no command `chekc`", "did you mean `check`?"),
        ("run --fly", "`rulesdsl run` has no option `--fly`", ""),
        ("--fly run", "`rulesdsl` has no option `--fly`", ""),
        ("check --wiht river base", "has no option `--wiht`", "did you mean `--with`?"),
        ("simulate base --gamse=3", "has no option `--gamse`", "did you mean `--games`?"),
        ("run base --players", "`--players` needs a value", ""),
        ("run base --players two", "`--players` needs a whole number, not `two`", ""),
        ("run base --seed x", "`--seed` needs a whole number, not `x`", ""),
        ("run base --timeout x", "`x` is not a number of seconds above 0", ""),
        ("run base --engine foo", "there is no engine `foo`", ""),
        ("run base more", "`more` is one argument more", "are joined by commas: `--with more`"),
        ("undo", "`undo` is typed in a game", ""),
        ("run base --with river robbers", "`robbers` is one", "`--with river,robbers`"),
        ("run base --with river, robbers", "`robbers` is one", "`--with river,robbers`"),
        ("help", "has no command `help`", "write `rulesdsl --help`"),
        ("why help", "has no command `help`", "write `rulesdsl why --help`"),
        ("version", "has no command `version`", "write `rulesdsl --version`"),
        ("-v", "has no option `-v`", "write `rulesdsl --version`"),
        ("my/base.yaml", "has no command `my/base.yaml`", "`rulesdsl run my/base.yaml`"),
        ("why some.yaml", "has no command `some.yaml`", "`rulesdsl why points some.yaml`"),
        ("run base --play 2", "has no option `--play`", "did you mean `--players`?"),
        ("check", "`rulesdsl check` needs PATH", "write `rulesdsl check PATH`"),
        ("page", "needs RULESET", "write `rulesdsl page RULESET`"),
        ("new", "`rulesdsl new` needs one more word", "write `rulesdsl new game`"),
        ("why some.yaml", "has no command `some.yaml`", "write `points`, `not` or `value`"),
        ("show card", "`rulesdsl show` has no command `card`", ""),
        ("show piece", "needs RULESET[/ID]", ""),
        ("test x --format foo", "`--format` cannot be `foo`", "`junit`"),
        ("--print-completion csh", "`--print-completion` cannot be `csh`", "`zsh`"),
    ],
)
def test_arguments_that_are_not_understood(
    cli: Cli, arguments: str, message: str, help: str
) -> None:
    result = cli(*arguments.split())
    assert result.code == 2
    assert result.err.startswith("error[bad-argument]: ")
    assert message in result.err.splitlines()[0]
    assert help in result.err
    assert "--help` lists what can be written" in result.err


@pytest.mark.parametrize(
    ("name", "content", "help"),
    [
        ("base.balance.yaml", "balance: base\n", "`rulesdsl simulate base --budget` holds"),
        ("base.test.yaml", "scenarios: base\n", "`rulesdsl test` runs a file of scenarios"),
    ],
)
def test_another_file_in_place_of_a_manifest(
    cli: Cli, tmp_path: Path, name: str, content: str, help: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    result = cli("simulate", name)
    assert result.code == 1
    assert help in result.err


@pytest.mark.parametrize(
    ("content", "slug"),
    [
        (b"", "file-empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "file-not-text"),
        (b"ruleset: caf\xe9\n", "file-not-text"),
        (b"just words\n", ""),
        (b"a: [1, 2\n", "yaml-syntax"),
    ],
)
def test_a_manifest_that_is_none(cli: Cli, tmp_path: Path, content: bytes, slug: str) -> None:
    (tmp_path / "game.yaml").write_bytes(content)
    for command in ("run", "check"):
        result = cli(command, "game.yaml")
        assert result.code in (1, 2)
        assert f"error[{slug}" in result.out + result.err


def test_an_id_whose_manifest_lies_right_here(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("ruleset: bases\nedition: 1\nversion: 1.0.0\n")
    result = cli("run", "base", "--with", "bases")
    assert (result.code, result.err) == (
        2,
        "error[ruleset-missing]: no ruleset `bases` was found\n"
        "   = name it by its path: `mine.yaml`\n\n",
    )


def test_a_file_of_a_hundred_megabytes(cli: Cli, tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(100_000_000)
    for command in (["run", "./huge"], ["replay", "huge"], ["check", "./huge"]):
        result = cli(*command)
        assert "error[file-too-large]" in result.out + result.err
        assert result.code == 2


def test_a_disk_that_fills_up_while_recording(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record holds whole lines only, and is played back as far as it goes."""
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))
    assert cli("run", HAMLETS, "--record", "whole.jsonl", "--quiet").code == 0
    whole = (tmp_path / "whole.jsonl").read_bytes()
    with Faults(room=1000).injected():
        result = cli("run", HAMLETS, "--record", "game.jsonl", "--quiet", "--no-cache")
    assert result.code == 2
    assert "`game.jsonl` cannot be written: no space left on device" in result.err
    assert "the moves recorded so far are kept" in result.err
    kept = (tmp_path / "game.jsonl").read_bytes()
    assert 500 < len(kept) <= 1000
    assert whole.startswith(kept)
    assert kept.endswith(b"\n")
    assert cli("replay", "game.jsonl", "--quiet").code == 1


def test_a_pipe_that_nobody_reads_is_not_waited_for(cli: Cli, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for arguments in (["run", HAMLETS, "--record"], ["doc", HAMLETS, "--to"]):
        result = cli(*arguments, "pipe")
        assert result.code == 2
        assert "`pipe` cannot be written: it is a pipe that nobody reads" in result.err


@pytest.mark.parametrize("engine", ["python", "wasm"])
def test_a_limit_of_the_sizes_of_files(tmp_path: Path, engine: str) -> None:
    """`ulimit -f`: what is too large is not written, and everything else goes on."""

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "rulesdsl", *arguments, "--no-cache"],
            preexec_fn=partial(setrlimit, RLIMIT_FSIZE, (1024, 1024)),
            # Python would cut its own compiled modules off at the limit.
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    game = ("run", HAMLETS, "--quiet", "--engine", engine)
    assert call(*game).returncode == 0
    result = call(*game, "--record", "game.jsonl")
    assert result.returncode == 2
    assert "`game.jsonl` cannot be written: file too large" in result.stderr
    assert (tmp_path / "game.jsonl").read_bytes().endswith(b"\n")
    assert os.listdir(tmp_path) == ["game.jsonl"]


def test_a_file_that_cannot_be_looked_at_is_not_taken_for_a_new_one(
    cli: Cli, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = record.with_name("a.test.yaml")
    tests.write_text("scenarios: hamlets\nedition: 1\ntests: []\n")
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))
    look = os.stat

    def stat(path: object, **more: Any) -> os.stat_result:
        if path == tests.name:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return look(path, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", stat)
        result = cli("test", "--record", str(record), "--to", tests.name)
    assert "cannot be written: input/output error" in result.err
    assert tests.read_text().endswith("tests: []\n")


def test_an_error_of_our_own_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AssertionError("two\nlines")

    monkeypatch.setattr("rulesdsl.cli.loading.load", broken)
    assert main(["run", "base"]) == 2
    said = "internal error: AssertionError: two lines; please report it, with what you typed\n"
    assert capsys.readouterr().err == said
    monkeypatch.setenv("RULESDSL_DEBUG", "1")
    assert main(["run", "base"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_help_and_version(cli: Cli) -> None:
    assert cli("--version").out == "rulesdsl 0.2.0\n"
    for command in (
        [],
        ["run"],
        ["check"],
        ["explain"],
        ["test"],
        ["replay"],
        ["show", "piece"],
        ["show", "board"],
    ):
        result = cli(*command, "--help")
        assert result.code == 0
        assert "examples:\n  rulesdsl" in result.out
        assert "exit codes: 0" in result.out
        assert max(map(len, result.out.splitlines())) <= 80
