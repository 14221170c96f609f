"""Signals at some moments of commands: exit codes, what is kept, and no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.cli.conftest import HAMLETS, heed_ctrl_c
from tests.cli.interrupting import COMMAND, ROOT, SECOND, Ended, interrupt, left, members

BASE = str(ROOT / "rulesets" / "base.yaml")
MANY = ("--games", "10000000")

Ready = Callable[[Path], object]


def _at_once(_: Path) -> bool:
    return True


def _recorded(folder: Path) -> bool:
    record = folder / "g.jsonl"
    return record.exists() and record.stat().st_size > 2000


MOMENTS: dict[str, tuple[Ready, float, tuple[str, ...]]] = {
    "while it starts": (_at_once, 0.12, ("run", BASE, "--human", "red")),
    "in a recorded game": (
        _recorded,
        0,
        ("run", BASE, "--bots", "mcts:0.1s", "--players", "5", "--record", "g.jsonl"),
    ),
    "in games of workers": (
        _at_once,
        1.5,
        ("simulate", BASE, "--engine", "wasm", "--jobs", "2", *MANY, "--json"),
    ),
    "in games of one process": (
        _at_once,
        1.0,
        ("simulate", BASE, "--engine", "python", "--jobs", "1", *MANY, "--json"),
    ),
    "while subsets are checked": (_at_once, 1.0, ("check", BASE, "--all-subsets")),
    "while it serves": (_at_once, 1.0, ("page", HAMLETS, "--no-browser")),
    "while it watches": (_at_once, 1.0, ("check", HAMLETS, "--watch")),
}
"""When a command is ready for a signal, the seconds until it comes, and the command."""


OTHER_MOMENTS = sorted(MOMENTS.keys() - {"in a recorded game"})


# For the long tests: every command gets its signals from `rulesdsl.cli.entry`.
long = partial(pytest.param, marks=pytest.mark.long)


def _check(ended: Ended, folder: Path, number: int = signal.SIGINT) -> None:
    """Does everything hold that has to hold of every command at every moment?"""
    if ended.early:
        return
    assert "Traceback" not in ended.err + ended.out, ended
    assert "Error" not in ended.err, ended
    assert "internal error" not in ended.err, ended
    assert "leaked" not in ended.err, ended
    assert ended.code == 128 + number, ended
    assert ended.seconds < SECOND * ended.load, ended
    for record in folder.glob("*.jsonl"):
        text = record.read_text()
        assert not text or text.endswith("\n"), ended
        for line in text.splitlines():
            json.loads(line)
    if ended.out.startswith("{"):
        found = json.loads(ended.out)
        assert not found["complete"]
        assert f"stopped after {found['games']:,} of 10,000,000 games" in ended.err, ended


@pytest.mark.parametrize("twice", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("moment", ["in a recorded game", *map(long, OTHER_MOMENTS)])
def test_ctrl_c(moment: str, twice: bool, tmp_path: Path) -> None:
    ready, after, arguments = MOMENTS[moment]
    again = [0.05] if twice else []
    ended = interrupt(arguments, tmp_path, after, again=again, ready=lambda: ready(tmp_path))
    _check(ended, tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, long(signal.SIGHUP)])
def test_other_signals_end_it_as_ctrl_c_does(number: int, tmp_path: Path) -> None:
    arguments = (
        "simulate",
        HAMLETS,
        "--engine",
        "python",
        "--jobs",
        "2",
        *MANY,
        "--out",
        "games",
    )
    ended = interrupt(
        arguments, tmp_path, number=number, ready=lambda: list(tmp_path.glob("games/games-*"))
    )
    _check(ended, tmp_path, number)
    kept = len(pyarrow.parquet.read_table(tmp_path / "games"))
    assert f"stopped after {kept:,} of 10,000,000 games" in ended.err
    assert kept > 0


def _ended(program: str) -> tuple[int, str, str]:
    """How a program ends that handles signals as the command does."""
    begin = "from rulesdsl.base.interrupts import INTERRUPTS\nINTERRUPTS.catch()\n"
    own = "import os, signal, time\ndef ctrl_c():\n    os.kill(os.getpid(), signal.SIGINT)\n"
    ended = subprocess.run(
        [sys.executable, "-c", begin + own + program],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=heed_ctrl_c,
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_what_is_lost_in_a_destructor_still_ends_it() -> None:
    program = """
class Late:
    def __del__(self):
        ctrl_c()

late = Late()
del late
time.sleep(30)
"""
    assert _ended(program) == (130, "", "")


def test_a_command_that_does_not_end_is_ended() -> None:
    program = """
try:
    ctrl_c()
    time.sleep(30)
except KeyboardInterrupt:
    ctrl_c()
    time.sleep(30)
"""
    assert _ended(program) == (130, "", "")


def test_what_must_be_done_as_a_whole_is() -> None:
    program = """
try:
    with INTERRUPTS:
        ctrl_c()
        print("done")
    print("too late")
except KeyboardInterrupt:
    INTERRUPTS.end()
"""
    assert _ended(program) == (130, "done\n", "")


def test_a_library_leaves_signals_alone() -> None:
    program = (
        "import signal, sys, rulesdsl.cli.main, rulesdsl.base.processes, rulesdsl.study.simulate\n"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
        "assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL\n"
        "assert sys.unraisablehook is sys.__unraisablehook__\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, preexec_fn=heed_ctrl_c)


# --- workers -----------------------------------------------------------------------------------

WORKING = {
    "simulate": ("simulate", HAMLETS, "--engine", "python", "--jobs", "2", *MANY),
    "test": ("test", str(ROOT / "rulesets"), "--jobs", "2"),
    "check subsets": ("check", BASE, "--all-subsets"),
    "check play": ("check", BASE, "--play", "1000"),
}


def _workers(process: subprocess.Popen[str]) -> list[int]:
    """Two worker processes at work, the oldest first."""
    while True:
        assert process.poll() is None
        found = []
        for pid in sorted(set(members(process.pid)) - {process.pid}):
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes()
                used = sum(map(int, Path(f"/proc/{pid}/stat").read_text().split()[13:15]))
            except OSError:
                continue
            if b"resource_tracker" not in line and used > 30:
                found.append(pid)
        if len(found) >= 2:
            return found
        time.sleep(0.02)


def _start(name: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *WORKING[name]],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_ctrl_c,
    )


@pytest.mark.parametrize("name", ["simulate", *map(long, [*WORKING][1:])])
def test_a_worker_that_is_killed_is_told(name: str, tmp_path: Path) -> None:
    process = _start(name, tmp_path)
    os.kill(_workers(process)[0], signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    told = out + err
    assert process.returncode == 2, told
    lost = "error[games-stopped]: a worker process was ended from outside, by SIGKILL"
    assert lost in told
    assert "Traceback" not in told
    assert "internal error" not in told
    assert not left(process.pid, 20)


@pytest.mark.parametrize("name", ["simulate", long("check subsets")])
def test_workers_end_with_the_command(name: str, tmp_path: Path) -> None:
    process = _start(name, tmp_path)
    _workers(process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    end = time.monotonic() + 20
    while members(process.pid):
        assert time.monotonic() < end
        time.sleep(0.02)
