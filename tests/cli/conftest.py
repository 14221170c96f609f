"""A command line to call in tests: in this process, away from the user's own folders."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from rulesdsl.cli.main import main

RULESETS = Path(__file__).parent / "rulesets"
HAMLETS = str(RULESETS / "hamlets.yaml")


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


Cli = Callable[..., Result]


def heed_ctrl_c() -> None:
    """Let signals end a new process, also when the tests run in the background or below `nohup`."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Calls `rulesdsl` with arguments, in an empty folder; `typed` is standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULESDSL_NO_CACHE", "")  # what a command sets is undone
    for name in ("RULESDSL_PATH", "RULESDSL_DEBUG", "NO_COLOR", "TERM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str, typed: str | bytes = "") -> Result:
        data = typed.encode() if isinstance(typed, str) else typed
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        capsys.readouterr()
        code = main(arguments)
        written = capsys.readouterr()
        assert "Traceback" not in written.out + written.err
        assert "internal error" not in written.err
        return Result(code, written.out, written.err)

    return call


@pytest.fixture
def record(cli: Cli, tmp_path: Path) -> Path:
    """The record of a whole game, `game.jsonl` in the current folder."""
    assert cli("run", HAMLETS, "--record", "game.jsonl", "--quiet").code == 0
    return tmp_path / "game.jsonl"
