"""Progress of a command that does many things, such as playing games."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rulesdsl.cli.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress


class Shown:
    """Shows how much of the work is done."""

    def __init__(self, progress: Progress | None, total: int, what: str) -> None:
        self._progress, self._total = progress, total
        self._task = progress.add_task(what, total=None) if progress else None

    def __call__(self, done: int) -> None:
        if self._progress is None or self._task is None:
            return
        if self._progress.tasks[0].total is None:
            # What was there before counts neither for the rate nor for the time left.
            self._progress.reset(self._task, total=self._total, completed=done)
        self._progress.update(self._task, completed=done)


@contextmanager
def progress_bar(console: Console, total: int, what: str = "games") -> Iterator[Shown]:
    """Show a bar with rate and time left on standard error, if that is a terminal."""
    if not console.err.isatty():
        yield Shown(None, total, what)
        return
    from rich.console import Console as Terminal
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Rate per second."""

        def render(self, task: Task) -> Text:
            speed = task.speed or 0
            return Text(f"{speed:,.{0 if speed >= 10 else 2}f}/s" if speed else "")

    columns = (what, BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    terminal = Terminal(file=console.err)
    with Progress(*columns, console=terminal, transient=True, speed_estimate_period=60) as progress:
        yield Shown(progress, total, what)
