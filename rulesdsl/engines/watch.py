"""A thread that stops engines whose deadline has passed, or that take too long for a decision.

Rules spend steps wherever they go on, and are stopped when none are left. So this thread takes
their steps away: that costs an engine nothing while it runs, and works inside of WebAssembly, where
no signal reaches Python. A step that is being spent meanwhile may undo that: it is repeated until
the call has ended.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from threading import Lock, Thread, get_ident
from typing import Protocol

from rulesdsl.deadline import Deadlines

OFTEN, SOON = 0.1, 0.001
"""The seconds until the thread looks again, and where it has stopped something."""


LONGEST = 4.0
"""The seconds of processor time that a decision may take: steps are not equally long, and the clock
is the last resort against rules that make all of them as long as they can be. What has failed may
be done once more by the reference engine, to say why."""


class Watched(Protocol):
    """An engine at work on a call."""

    @property
    def progress(self) -> object:
        """Something else for each decision in the call."""

    def stop(self) -> None:
        """Take away all steps, those of later decisions too: the call fails when it spends the next
        one. May be repeated."""

    def resume(self) -> None:
        """The call that was stopped has ended: the next one has its steps."""

    def late(self) -> None:
        """Note that the decision of now has taken too long."""


@dataclass(slots=True)
class Running:
    """A call under way."""

    watched: Watched
    deadlines: Deadlines
    clock: int | None
    stopped: bool = False

    def used(self) -> float:
        """The seconds that the calling thread has computed so far, or that have passed on systems
        that do not tell."""
        return time.monotonic() if self.clock is None else time.clock_gettime(self.clock)


def _clock() -> int | None:
    """Return the clock of the processor time of this thread, if the system has one."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return None
    return time.pthread_getcpuclockid(get_ident())


class Watch:
    """Looks after calls between their `begin` and their `end`."""

    def __init__(self) -> None:
        self._running: dict[int, Running] = {}
        self._seen: dict[int, tuple[Running, object, float]] = {}
        self._lock = Lock()
        self._thread: Thread | None = None

    def begin(self, watched: Watched, deadlines: Deadlines) -> None:
        """Look after a call from now on."""
        self._running[id(watched)] = Running(watched, deadlines, _clock())
        if self._thread is None:
            self._thread = Thread(target=self._watch, name="rulesdsl-watch", daemon=True)
            self._thread.start()

    def end(self, watched: Watched) -> None:
        """The call has ended, and is not stopped any more."""
        with self._lock:
            call = self._running.pop(id(watched), None)
        if call is not None and call.stopped:
            watched.resume()

    def _watch(self) -> None:
        while True:
            time.sleep(SOON if self.look() else OFTEN)

    def look(self) -> bool:
        """Stop calls that are out of time; were there any?"""
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


WATCH = Watch()
"""The one of this process."""

if hasattr(os, "register_at_fork"):
    # Of all threads only the one that forks goes on in the new process.
    os.register_at_fork(after_in_child=WATCH.__init__)  # type: ignore[misc]
