"""A thread that stops engines after their deadline, or when a decision takes too long.

Rules spend steps as they run, and are stopped when none are left. The thread takes their steps
away: that costs a running engine nothing, and works inside WebAssembly, where no signal reaches
Python. A step that is spent at the same moment may undo that, so it is repeated until the call has
ended.
"""

from __future__ import annotations

import os
import sys
import time
from threading import Lock, Thread, get_ident
from typing import Protocol

from rulesdsl.base.deadline import Deadlines
from rulesdsl.base.records import dataclass

_THREADS = sys.platform != "emscripten"
"""False in browsers, where whoever runs Python ends it."""

OFTEN, SOON = 0.1, 0.001
"""The seconds until the thread looks again, and where it has stopped something."""


LONGEST = 4.0
"""The maximal processor time of a decision in seconds.

Steps are not equally long, and the clock is the last resort against rules that make all of them as
long as possible. A failed decision may be repeated by a slower program, to report the reason.
"""


class Watched(Protocol):
    """An engine that runs a call."""

    @property
    def progress(self) -> object:
        """A value that is different for each decision in the call."""

    def stop(self) -> None:
        """Take away all steps, also those of later decisions; may be repeated.

        The call fails when it spends the next step.
        """

    def resume(self) -> None:
        """Give the next call its steps again, after the stopped call has ended."""

    def late(self) -> None:
        """Note that the current decision has taken too long."""


@dataclass(slots=True)
class Running:
    """A call under way."""

    watched: Watched
    deadlines: Deadlines
    clock: int | None
    stopped: bool = False

    def used(self) -> float:
        """Return the processor time of the calling thread in seconds.

        On systems that do not report it, return the elapsed time.
        """
        return time.monotonic() if self.clock is None else time.clock_gettime(self.clock)


def _clock() -> int | None:
    """Return the clock of the processor time of this thread, None if the system has none."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return None
    return time.pthread_getcpuclockid(get_ident())


class CallWatch:
    """A watcher of calls between their `begin` and their `end`."""

    def __init__(self) -> None:
        self._running: dict[int, Running] = {}
        self._seen: dict[int, tuple[Running, object, float]] = {}
        self._lock = Lock()
        self._thread: Thread | None = None

    def begin(self, watched: Watched, deadlines: Deadlines) -> None:
        """Watch a call from now on, where there are threads."""
        if not _THREADS:
            return
        self._running[id(watched)] = Running(watched, deadlines, _clock())
        if self._thread is None:
            self._thread = Thread(target=self._watch, name="rulesdsl-watch", daemon=True)
            self._thread.start()

    def end(self, watched: Watched) -> None:
        """Stop watching a call, because it has ended."""
        with self._lock:
            call = self._running.pop(id(watched), None)
        if call is not None and call.stopped:
            watched.resume()

    def _watch(self) -> None:
        while True:
            time.sleep(SOON if self.look() else OFTEN)

    def look(self) -> bool:
        """Stop calls that are out of time, and say whether there were any."""
        running, before, found = self._running.copy(), self._seen, False
        self._seen = {}
        for key, call in running.items():
            watched, progress, used = call.watched, call.watched.progress, call.used()
            seen, last, begun = before.get(key, (None, None, 0.0))
            if seen is not call or last != progress:
                begun = used
            self._seen[key] = call, progress, begun
            late = used - begun > LONGEST
            if late or any(deadline.over for deadline in call.deadlines):
                with self._lock:
                    if self._running.get(key) is call:
                        call.stopped = True
                        watched.stop()
                        if late:
                            watched.late()
                found = True
        return found


WATCH = CallWatch()
"""The watch of this process."""

if hasattr(os, "register_at_fork"):
    # Only the thread that forks continues in the new process.
    os.register_at_fork(after_in_child=WATCH.__init__)  # type: ignore[misc]
