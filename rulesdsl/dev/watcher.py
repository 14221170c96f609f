"""The watcher that asks the operating system."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from threading import Event, Thread

from watchfiles import watch

_QUIET = 20
"""So many milliseconds nothing must happen before a change is told: programs save in several
steps."""

_LONGEST = 2.0
"""So many seconds at most it waits: not every disk tells what happens on it."""


class FolderWatcher:
    """Watches folders, and what is above those that are not there. A context: it stops watching at
    the end."""

    def __init__(self) -> None:
        self._changed, self._stop = Event(), Event()
        self._folders: frozenset[str] = frozenset()
        self._thread: Thread | None = None

    def __enter__(self) -> FolderWatcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def watch(self, folders: Iterable[str]) -> None:
        """See `loop.Watcher`."""
        wanted = frozenset(map(_there, folders))
        if wanted == self._folders and self._thread is not None and self._thread.is_alive():
            return
        self._end()
        self._folders, self._stop, started = wanted, Event(), Event()
        self._thread = Thread(target=self._run, args=(self._stop, started), daemon=True)
        self._thread.start()
        started.wait(1)

    def wait(self, seconds: float | None = None) -> bool:
        """See `loop.Watcher`."""
        happened = self._changed.wait(_LONGEST if seconds is None else seconds)
        self._changed.clear()
        return happened

    def _run(self, stop: Event, started: Event) -> None:
        """Tell of changes until it is stopped, or a folder cannot be watched."""
        # What goes wrong is no news: then it is only slower to tell.
        with suppress(OSError, RuntimeError):
            found = watch(
                *sorted(self._folders),
                recursive=False,
                step=_QUIET,
                debounce=10 * _QUIET,
                rust_timeout=50,
                yield_on_timeout=True,
                stop_event=stop,
                raise_interrupt=False,
                watch_filter=None,
            )
            for changes in found:
                started.set()
                if changes:
                    self._changed.set()
        started.set()

    def _end(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()


def _there(folder: str) -> str:
    """The folder, or the first above it that is there."""
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder
