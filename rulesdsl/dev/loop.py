"""Looking again whenever there is something new to see."""

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
"""So many milliseconds nothing must happen before a change is told: programs save in several
steps."""

_LONGEST = 2.0
"""So many seconds at most it waits: not every disk tells what happens on it."""


class FolderWatcher:
    """Watches folders, and what is above those that are not there.

    A context: it stops watching at the end.
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
        """Stop watching.

        An event is waited for, not the thread: Ctrl-C may have come before that had started.
        """
        self._stop.set()
        self._ended.wait(_LONGEST)


def _there(folder: str) -> str:
    """Return the folder, or the first above it that is there."""
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


GRACE = 0.2
"""So many seconds a file may be away or empty before that is told: some programs that save take it
away and write it anew."""

_HALF_SAVED = frozenset({"file-missing", "file-empty", "file-not-text", "ruleset-missing"})


class Watcher(Protocol):
    """Knows when something happens in folders."""

    def watch(self, folders: Iterable[str]) -> None:
        """Watch these folders, and no others, from now on."""

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until something has happened since this was last asked, or for so long, by default
        as long as it likes; whether it has."""


Show = Callable[[View | None], None]
"""Shows a view; None before the first of each look."""


def follow(bench: Bench, watcher: Watcher, show: Show) -> None:
    """Look, show, and wait for a change, for ever: only an exception of the watcher, or Ctrl-C,
    ends it. A look is left off when something changes meanwhile."""

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
