"""A last resort against calls that do not end.

Fuel ends everything the rules do, but steps are not equally long: a hostile ruleset can make each
of two hundred thousand compare large sets, and no signal reaches Python meanwhile. So one thread
looks now and then for calls that take too long, and takes their fuel away.
"""

from __future__ import annotations

from threading import Lock, Thread
from time import monotonic, sleep
from typing import Protocol
from weakref import WeakSet

LONGEST = 60.0
"""So many seconds a call may take."""
OFTEN, SOON = 0.5, 0.001
"""So many seconds after it has looked the thread looks again, and where it has found something: a
program that is stopped fills up its fuel before it goes on with the next decision."""


class Watched(Protocol):
    """What is called. `since` is when the call began that is under way, None if there is none."""

    since: float | None

    def stop(self) -> None:
        """Let the call fail at its next step; may come too late, and be repeated."""


class Watch:
    """Looks after everything that is `added`, for as long as it is there."""

    def __init__(self) -> None:
        self._all = WeakSet[Watched]()
        self._lock = Lock()
        self._thread: Thread | None = None

    def add(self, watched: Watched) -> None:
        """Look after something."""
        with self._lock:
            self._all.add(watched)
            # Of a process that was forked only the thread goes on that did it.
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._look, name="rulesdsl-watch", daemon=True)
                self._thread.start()

    def _look(self) -> None:
        while True:
            sleep(SOON if self._stop_late() else OFTEN)

    def _stop_late(self) -> bool:
        """Stop what takes too long; was there anything?"""
        with self._lock:
            every = list(self._all)
        late = [each for each in every if _is_late(each)]
        for each in late:
            each.stop()
        return bool(late)


def _is_late(watched: Watched) -> bool:
    since = watched.since
    return since is not None and monotonic() - since > LONGEST


WATCH = Watch()
"""That of this process."""
