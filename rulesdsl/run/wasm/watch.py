"""A last resort against calls that do not end.

Fuel ends everything the rules do, but steps are not equally long: a hostile ruleset can make each
of two hundred thousand compare large sets, and no signal reaches Python meanwhile. So one thread
looks now and then for calls that take too long, and takes their fuel away.
"""

from __future__ import annotations

from threading import Lock, Thread
from time import sleep
from typing import Protocol
from weakref import WeakKeyDictionary

LONGEST = 60.0
"""So many seconds a call may take."""
OFTEN, SOON = 0.5, 0.001
"""So many seconds after it has looked the thread looks again, and where it has found something: a
program that is stopped fills up its fuel before it goes on with the next decision."""


class Watched(Protocol):
    """What is called. `running` is the number of the call that is under way, 0 if there is none."""

    running: int

    def stop(self) -> None:
        """Let the call fail at its next step; may come too late, and be repeated."""


class Watch:
    """Looks after everything that is `added`, for as long as it is there.

    Time is what this thread has slept: no call is late because the whole process was stopped.
    """

    def __init__(self) -> None:
        self._seen = WeakKeyDictionary[Watched, tuple[int, float]]()
        self._lock = Lock()
        self._thread: Thread | None = None

    def add(self, watched: Watched) -> None:
        """Look after something."""
        with self._lock:
            self._seen[watched] = 0, 0.0
            # Of a process that was forked only the thread goes on that did it.
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._watch, name="rulesdsl-watch", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        slept = OFTEN
        while True:
            sleep(slept)
            slept = SOON if self.look(slept) else OFTEN

    def look(self, slept: float) -> bool:
        """Stop what takes too long, so many seconds after the last look; was there anything?"""
        with self._lock:
            late = [
                each for each, seen in list(self._seen.items()) if self._late(each, seen, slept)
            ]
        for each in late:
            each.stop()
        return bool(late)

    def _late(self, watched: Watched, seen: tuple[int, float], slept: float) -> bool:
        """Has a call taken too long, of which this was seen at the last look?"""
        number, (before, time) = watched.running, seen
        time = time + slept if number == before else 0.0
        self._seen[watched] = number, time
        return number > 0 and time > LONGEST


WATCH = Watch()
"""That of this process."""
