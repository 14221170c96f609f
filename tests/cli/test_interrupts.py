"""Signals at any moment of any command: exit codes, what is kept, and no traceback."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.cli.conftest import HAMLETS, heed_ctrl_c
from tests.cli.interrupting import COMMAND, ROOT, SECOND, Ended, interrupt, left, members

BASE = str(ROOT / "rulesets" / "base.yaml")
RECORD = "RECORD"
"""Stands for the name of a recorded game."""
MANY = ("--games", "10000000")

COMMANDS: dict[str, tuple[float, tuple[str, ...]]] = {
    "run": (1.5, ("run", BASE, "--bots", "greedy", "--players", "5", "--record", "g.jsonl")),
    "run python": (2.5, ("run", BASE, "--engine", "python", "--record", "g.jsonl")),
    "run wasm": (2.5, ("run", BASE, "--engine", "wasm", "--record", "g.jsonl")),
    "run human": (1.0, ("run", BASE, "--human", "red")),
    **{
        f"simulate {engine} {jobs}": (
            3.0,
            ("simulate", BASE, "--engine", engine, "--jobs", jobs, *MANY, "--json"),
        )
        for engine in ("wasm", "python", "reference")
        for jobs in "12"
    },
    "simulate bots": (3.0, ("simulate", HAMLETS, "--bots", "mcts:50", "--jobs", "2", *MANY)),
    "simulate out": (3.0, ("simulate", HAMLETS, "--jobs", "2", *MANY, "--out", "games")),
    "test": (4.0, ("test", str(ROOT / "rulesets"), "--jobs", "2")),
    "test alone": (2.0, ("test", str(ROOT / "rulesets"), "--jobs", "1")),
    "check": (1.0, ("check", str(ROOT / "rulesets"))),
    "check subsets": (4.0, ("check", BASE, "--all-subsets")),
    "check play": (4.0, ("check", BASE, "--play", "1000")),
    "replay": (2.0, ("replay", RECORD)),
    "doc": (1.5, ("doc", BASE, "--to", "book.html")),
    "show tile": (1.5, ("show", "tile", BASE)),
    "show board": (1.5, ("show", "board", RECORD)),
    "show schema": (0.5, ("show", "schema", "ruleset")),
    "pack": (1.5, ("pack", BASE, "--to", "base.zip")),
    "fmt": (2.0, ("fmt", "--check", str(ROOT / "rulesets"))),
    "why": (2.0, ("why", "points", RECORD, "--turn", "9")),
    "explain": (0.5, ("explain", "unknown-name")),
    "new": (1.0, ("new", "expansion", "mine")),
    "lsp": (1.5, ("lsp",)),
    "page": (2.0, ("page", BASE, "--players", "2", "--to", "page.html")),
    "play": (3.0, ("play", HAMLETS, "--no-browser")),
    "export": (2.0, ("export", BASE, "--players", "2")),
    "studio": (3.0, ("studio", str(ROOT / "tests" / "cli" / "rulesets"), "--no-browser")),
    "list": (1.5, ("list",)),
    "games": (1.0, ("games",)),
    "dev": (2.5, ("dev", HAMLETS)),
    "completion": (0.5, ("--print-completion", "bash")),
    "help": (0.5, ("--help",)),
}
"""Commands, and how many seconds they take or may be interrupted in."""


def _check(name: str, ended: Ended, folder: Path, number: int = signal.SIGINT) -> None:
    """Does everything hold that has to hold of every command at every moment?"""
    told = f"{name}: {ended}"
    if ended.early:
        return
    assert "Traceback" not in ended.err + ended.out, told
    assert "Error" not in ended.err, told
    assert "internal error" not in ended.err, told
    assert "leaked" not in ended.err, told
    # `dev` ends by Ctrl-C, and others may have ended before.
    endless = name.startswith(("simulate", "lsp", "play", "studio", "run human"))
    assert ended.code == 128 + number or (ended.code == 0 and not endless), told
    assert ended.seconds < SECOND * ended.load, told
    for record in folder.glob("*.jsonl"):
        text = record.read_text()
        assert not text or text.endswith("\n"), told
        for line in text.splitlines():
            json.loads(line)
    if name.startswith("simulate") and ended.out.startswith("{"):
        found = json.loads(ended.out)
        assert not found["complete"]
        assert f"stopped after {found['games']:,} of 10,000,000 games" in ended.err, told


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The record of a whole game."""
    name = str(tmp_path_factory.mktemp("record") / "whole.jsonl")
    playing = [*COMMAND, "run", BASE, "--players", "5", "--record", name, "--quiet"]
    subprocess.run(playing, check=True, capture_output=True)
    return name


def _at_random(seed: int, name: str, folder: Path, recorded: str) -> Ended:
    """Interrupt a command at a moment that is drawn; sometimes twice."""
    luck = random.Random(f"{seed} {name}")
    longest, given = COMMANDS[name]
    arguments = [recorded if each == RECORD else each for each in given]
    again = [luck.uniform(0, 0.1)] if luck.random() < 0.3 else []
    ended = interrupt(arguments, folder, luck.uniform(0.05, longest), again=again)
    _check(name, ended, folder)
    return ended


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if number % 2 else ())
        for number, name in enumerate(COMMANDS)
    ],
)
def test_ctrl_c_at_any_moment(name: str, tmp_path: Path, recorded: str) -> None:
    _at_random(1, name, tmp_path, recorded)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 18))
@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_at_many_moments(name: str, seed: int, tmp_path: Path, recorded: str) -> None:
    _at_random(seed, name, tmp_path, recorded)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_end_it_as_ctrl_c_does(number: int, tmp_path: Path) -> None:
    arguments = ("simulate", HAMLETS, "--engine", "python", "--jobs", "2", *MANY, "--out", "games")
    ended = interrupt(
        arguments, tmp_path, number=number, ready=lambda: list(tmp_path.glob("games/games-*"))
    )
    _check("simulate", ended, tmp_path, number)
    assert ended.code == 128 + number
    kept = len(pyarrow.parquet.read_table(tmp_path / "games"))
    assert f"stopped after {kept:,} of 10,000,000 games" in ended.err
    assert kept > 0


def test_the_first_import_already_catches_it() -> None:
    """Nothing that takes long may come before the handler."""
    told = subprocess.run(
        [COMMAND[0].replace("rulesdsl", "python"), "-X", "importtime", "-m", "rulesdsl", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    first = re.split(r"\| +rulesdsl\.interrupts\n", told)[0]
    own = re.findall(r"\| +(rulesdsl[.\w]*)\n", first)
    assert set(own) <= {"rulesdsl", "rulesdsl.lazy", "rulesdsl.cli", "rulesdsl.__main__"}


def _ended(program: str) -> tuple[int, str, str]:
    """How a program ends that handles signals as the command does."""
    begin = "from rulesdsl.interrupts import INTERRUPTS\nINTERRUPTS.catch()\n"
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


def test_before_anybody_catches_it_the_process_ends_at_once() -> None:
    assert _ended("ctrl_c()\nprint('still there')") == (130, "", "")


def test_what_is_lost_in_a_destructor_is_raised_again() -> None:
    program = """
class Late:
    def __del__(self):
        ctrl_c()

INTERRUPTS.begin()
try:
    late = Late()
    del late
    time.sleep(30)
except KeyboardInterrupt:
    print("caught")
    INTERRUPTS.end()
"""
    assert _ended(program) == (130, "caught\n", "")


def test_a_command_that_does_not_end_is_ended() -> None:
    program = """
INTERRUPTS.begin()
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
INTERRUPTS.begin()
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
        "import signal, sys, rulesdsl.cli.main, rulesdsl.processes, rulesdsl.simulate\n"
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


@pytest.mark.parametrize("name", WORKING)
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


@pytest.mark.parametrize("name", ["simulate", "check subsets"])
def test_workers_end_with_the_command(name: str, tmp_path: Path) -> None:
    process = _start(name, tmp_path)
    _workers(process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    end = time.monotonic() + 20
    while members(process.pid):
        assert time.monotonic() < end
        time.sleep(0.02)
