"""`rulesdsl dev` on a terminal and elsewhere, with the watcher that asks the operating system."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from threading import Thread

import pexpect
import pytest

from rulesdsl.cli.console import Console
from rulesdsl.cli.dev import DevScreen
from rulesdsl.cli.main import main
from rulesdsl.dev import loop
from rulesdsl.dev.hand import Hand
from tests.dev.conftest import bench_of, change

_COMMAND = [sys.executable, "-m", "rulesdsl", "dev", "hamlets.yaml", "--turn", "4"]
_SECONDS = 60


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_terminal_shows_each_change_on_a_clean_screen(folder: Path) -> None:
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    child = pexpect.spawn(
        _COMMAND[0],
        _COMMAND[1:],
        env=environment,
        encoding="utf-8",
        timeout=_SECONDS,
        dimensions=(60, 100),
        preexec_fn=_heed_ctrl_c,
    )
    try:
        child.expect_exact("\x1b[H\x1b[2J")
        child.expect_exact("hamlets.yaml: no problems; hamlets 1.0.0")
        child.expect_exact("1 passed, 0 failed")
        child.expect_exact("turn 4, after 8 moves")
        child.expect_exact("Ctrl-C ends")
        change(folder / "hamlets.rules", "p.score += n", "p.score += m")
        child.expect_exact("\x1b[H\x1b[2J")
        child.expect_exact("there is nothing called `m`")
        child.expect_exact("Ctrl-C ends")
        # As editors save: the new text beside the old one, and then in its place.
        draft = folder / "hamlets.rules.new"
        text = (folder / "hamlets.rules").read_text()
        draft.write_text(text.replace("p.score += m", "p.score += n"))
        draft.replace(folder / "hamlets.rules")
        child.expect_exact("no problems")
        child.expect_exact("as before")
        child.expect_exact("Ctrl-C ends")
        child.sendintr()
        child.expect(pexpect.EOF)
        child.close()
    finally:
        child.close(force=True)
    assert child.exitstatus == 0


def test_the_status_is_the_last_of_a_screen_and_the_board_takes_what_is_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    out = io.StringIO()
    console = Console(io.StringIO(), out, io.StringIO(), terminal=True, width=80)
    change(folder / "hamlets.test.yaml", "== 4", "== 5")
    heights = []
    for rows in ("24", "60"):
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("LINES", rows)
        bench = bench_of(Hand(None, 3, 6))
        screen = DevScreen(console, Namespace(ruleset="hamlets.yaml", lang="en"))
        screen.show(None)
        for view in bench.look():
            screen.show(view)
        lines = out.getvalue().rpartition("\x1b[2J")[2].splitlines()
        assert len(lines) < int(rows)
        at = [
            next(number for number, line in enumerate(lines) if text in line)
            for text in (
                "failed: ",
                "scenario-failed",
                "no problems",
                "1 failed",
                "turn 6",
                "Ctrl-C",
            )
        ]
        assert at == sorted(at)
        assert at[-1] == len(lines) - 1
        heights.append(at[0])
    assert 0 < heights[0] < heights[1]
    change(folder / "hamlets.rules", "count(bag)", "count(bagg)")
    screen.show(None)
    for view in bench.look():
        screen.show(view)
    lines = out.getvalue().rpartition("\x1b[2J")[2].splitlines()
    mistake = next(number for number, line in enumerate(lines) if "unknown-name" in line)
    assert any("village" in line for line in lines[:mistake]), "the last board stays"
    assert "Ctrl-C" in lines[-1]


def test_elsewhere_it_writes_plain_lines(folder: Path) -> None:
    child = subprocess.Popen(
        _COMMAND, stdout=subprocess.PIPE, text=True, encoding="utf-8", preexec_fn=_heed_ctrl_c
    )
    assert child.stdout is not None
    lines = []
    for line in child.stdout:
        lines.append(re.sub(r"\d+ ms", "N ms", line.rstrip()))
        if line.startswith("Red"):
            break
    child.send_signal(signal.SIGINT)
    rest = child.communicate(timeout=_SECONDS)[0]
    assert child.returncode == 0
    assert lines[:2] == [
        "hamlets.yaml: no problems; hamlets 1.0.0  (N ms)",
        "hamlets.test.yaml: 1 passed, 0 failed  (N ms)",
    ]
    assert lines[2].startswith("turn 4, after 8 moves; ")
    assert "\x1b" not in "".join(lines) + rest


def test_ctrl_c_may_come_while_it_begins_to_watch(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(thread: Thread) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(loop, "_LONGEST", 0.01)
    monkeypatch.setattr(Thread, "start", interrupted)
    assert main(["dev", "hamlets.yaml", "--turn", "4"]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-"], "`dev` watches files"),
        (["hamlets.yaml", "--turn", "-1"], "there is no turn -1"),
        (["hamlets.yaml", "--game", "none.jsonl"], "there is no file `none.jsonl`"),
        (["hamlets.yaml", "--game", "hamlets.rules"], "not JSON"),
        (["hamlets.yaml", "--game", "g.jsonl", "--seed", "3"], "leave out --seed"),
    ],
)
def test_what_cannot_be_done_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["dev", *arguments]) in (1, 2)
    assert said in capsys.readouterr().err


def test_without_the_package_it_is_said_how_to_get_it(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    monkeypatch.delitem(sys.modules, "rulesdsl.dev.loop", raising=False)
    assert main(["dev", "hamlets.yaml"]) == 2
    assert "pip install 'rulesdsl[watch]'" in capsys.readouterr().err


def test_it_looks_at_the_game_of_a_record(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Idle:
        """A watcher to which nothing happens until Ctrl-C."""

        def watch(self, folders: Iterable[str]) -> None: ...

        def wait(self, seconds: float | None = None) -> bool:
            if seconds is None:
                raise KeyboardInterrupt
            return False

    monkeypatch.setattr(loop, "FolderWatcher", lambda: nullcontext(Idle()))
    run = "run hamlets.yaml --with wells.yaml --quiet --record g.jsonl --engine reference"
    assert main(run.split()) == 0
    capsys.readouterr()
    assert main(["dev", "hamlets.yaml", "--game", "g.jsonl"]) == 0
    told = capsys.readouterr().out
    assert "hamlets 1.0.0, wells 1.1.0" in told
    assert "the game is over" in told
