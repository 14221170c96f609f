"""Looking again whenever there is something new to see."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from rulesdsl.dev.bench import Bench, Checked, View
from rulesdsl.dev.hand import Outdated

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
