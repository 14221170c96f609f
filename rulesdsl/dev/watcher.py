"""The watcher that asks the operating system."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack, suppress
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
        self._changed, self._stop, self._ended = Event(), Event(), Event()
        self._ended.set()
        self._folders: frozenset[str] = frozenset()

    def __enter__(self) -> FolderWatcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def watch(self, folders: Iterable[str]) -> None:
        """See `loop.Watcher`."""
        wanted = frozenset(map(_there, folders))
        if wanted == self._folders and not self._ended.is_set():
            return
        self._end()
        self._folders, started = wanted, Event()
        self._stop, self._ended = Event(), Event()
        told = started, self._stop, self._ended
        Thread(target=self._run, args=told, daemon=True).start()
        started.wait(1)

    def wait(self, seconds: float | None = None) -> bool:
        """See `loop.Watcher`."""
        happened = self._changed.wait(_LONGEST if seconds is None else seconds)
        self._changed.clear()
        return happened

    def _run(self, started: Event, stop: Event, ended: Event) -> None:
        """Tell of changes until it is stopped, or a folder cannot be watched."""
        # What goes wrong is no news: then it is only slower to tell.
        with suppress(OSError, RuntimeError), ExitStack() as last:
            last.callback(started.set)
            last.callback(ended.set)
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

    def _end(self) -> None:
        """Stop watching. An event is waited for, not the thread: Ctrl-C may have come before that
        had started."""
        self._stop.set()
        self._ended.wait(_LONGEST)


def _there(folder: str) -> str:
    """The folder, or the first above it that is there."""
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder
