"""The loop that looks again after every change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from threading import Event, Thread
from typing import Protocol

from watchfiles import watch

from rulesdsl.dev.bench import Bench, Checked, View
from rulesdsl.dev.hand import Outdated

_QUIET = 20
"""The milliseconds without changes before a change is reported. Programs save in several steps."""

_LONGEST = 2.0
"""The most seconds to wait, as not every file system reports changes."""


class FolderWatcher:
    """Watches folders, and the nearest existing parents of those that do not exist.

    It is a context manager, which stops watching at the end.
    """

    def __init__(self) -> None:
        self._changed, self._stop, self._ended = Event(), Event(), Event()
        self._ended.set()
        self._folders: frozenset[str] = frozenset()

    def __enter__(self) -> FolderWatcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def watch(self, folders: Iterable[str]) -> None:
        """Watch these folders, and no others, from now on."""
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
        """Wait for a change, by default for `_LONGEST` seconds; return whether there was one."""
        happened = self._changed.wait(_LONGEST if seconds is None else seconds)
        self._changed.clear()
        return happened

    def _run(self, started: Event, stop: Event, ended: Event) -> None:
        """Report changes until it is stopped, or a folder cannot be watched."""
        # Errors are not reported: changes are then only noticed later.
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
        """Stop watching.

        It waits for an event, not for the thread, which may not have started when Ctrl-C came.
        """
        self._stop.set()
        self._ended.wait(_LONGEST)


def _there(folder: str) -> str:
    """Return the folder, or its nearest parent that exists."""
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


GRACE = 0.2
"""The seconds for which a missing or empty file is not reported.

Some programs remove a file and write it anew to save it.
"""

_HALF_SAVED = frozenset({"file-missing", "file-empty", "file-not-text", "ruleset-missing"})


class Watcher(Protocol):
    """A watcher for changes in folders."""

    def watch(self, folders: Iterable[str]) -> None:
        """Watch these folders, and no others, from now on."""

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until something has changed since the last call; return whether it has.

        It waits for so many seconds, by default for as long as the watcher chooses.
        """


Show = Callable[[View | None], None]
"""Shows a view; None before the first of each look."""


def follow(bench: Bench, watcher: Watcher, show: Show) -> None:
    """Look, show, and wait for a change, until an exception of the watcher or Ctrl-C.

    A look is cut short if something changes meanwhile.
    """

    def stale() -> bool:
        return watcher.wait(0) and bench.changed()

    while True:
        try:
            _look(bench, watcher, show, stale)
        except Outdated:
            continue
        watcher.watch(bench.folders)
        while not bench.changed():
            watcher.wait()


def _look(bench: Bench, watcher: Watcher, show: Show, stale: Callable[[], bool]) -> None:
    for number, view in enumerate(bench.look(stale)):
        if number == 0:
            if _half_saved(view) and watcher.wait(GRACE):
                raise Outdated
            show(None)
        show(view)


def _half_saved(view: View) -> bool:
    return isinstance(view, Checked) and any(f.slug in _HALF_SAVED for f in view.findings)
