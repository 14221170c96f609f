"""Commands that are interrupted at some moment, as a terminal does it."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

from tests.cli.conftest import heed_ctrl_c

ROOT = Path(__file__).parents[2]
COMMAND = (str(Path(sys.executable).parent / "rulesdsl"),)
SECOND = 1.0
"""So long a command may take to end on a machine that does nothing else."""

_OWN = re.compile(rf'File "{re.escape(str(ROOT / "rulesdsl"))}')


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, output, the seconds it took after the signal, and how
    many times as long as usual everything takes on this machine now."""

    code: int
    out: str
    err: str
    seconds: float
    load: float

    @property
    def early(self) -> bool:
        """Was the process interrupted before it had come to code of this project? Python ends it
        then, in its own way."""
        if self.code == -signal.SIGINT and not self.err:
            return True
        traced = self.err.startswith(
            ("Traceback", "Exception ignored", "Fatal Python error", "Error processing line")
        )
        return traced and not _OWN.search(self.err)


def interrupt(
    arguments: Sequence[str],
    folder: Path,
    after: float = 0,
    number: int = signal.SIGINT,
    again: Sequence[float] = (),
    ready: Callable[[], object] = lambda: True,
) -> Ended:
    """Run a command in `folder` in a process group of its own, send the group a signal when it is
    `ready` and after so many seconds (of a machine that does nothing else), and again after more of
    them; see that no process of the group is left."""
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            start_new_session=True,
            preexec_fn=heed_ctrl_c,
        )
        try:
            while not ready():
                assert process.poll() is None, f"{arguments}: ended by itself"
                time.sleep(0.02)
            time.sleep(after * min(_load(), 4))
            _send(process.pid, number)
            begun = time.monotonic()
            for more in again:
                time.sleep(more)
                _send(process.pid, number)
            code = process.wait(60)
            seconds = time.monotonic() - begun
            load = _load()
            assert not left(process.pid, 2 * load), f"{arguments}: processes are left"
        finally:
            _send(process.pid, signal.SIGKILL)
            process.wait()
            assert process.stdin is not None
            process.stdin.close()
        out.seek(0)
        err.seek(0)
        return Ended(code, out.read(), err.read(), seconds, load)


def _send(group: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def members(group: int) -> list[int]:
    """The processes of a group that have not ended."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, _, its_group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if int(its_group) == group and state != "Z":
                found.append(int(folder.name))
    return found


def left(group: int, patience: float) -> list[int]:
    """The processes of a group that do not end within some seconds."""
    end = time.monotonic() + patience
    while (found := members(group)) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def _busy() -> tuple[float, float]:
    """Seconds by the clock, and of the processor, that some work takes."""
    before, begun = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    sum(range(2_000_000))
    after, ended = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    return ended - begun, after.ru_utime - before.ru_utime


@cache
def _usual() -> float:
    return min(_busy()[1] for _ in range(5))


def _load() -> float:
    """How many times as long as usual everything takes at the moment."""
    return max(1.0, _busy()[0] / _usual())
