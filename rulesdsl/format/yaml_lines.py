"""Lines of YAML that are being written, and values that stand in line with one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise


@dataclass
class _Entry:
    """A key whose value follows on its line: what it is part of, its line, the column behind its
    colon, and the column and distance at which its value was written; `end` is its last line."""

    owner: object
    line: int
    column: int
    written_at: int
    gap: int
    end: int


class Lines:
    """Lines that are being written; the last one is not ended yet."""

    def __init__(self) -> None:
        self._lines = [""]
        self._entries: list[_Entry] = []
        self._open: _Entry | None = None
        self._blank = False
        self._kept = 0

    @property
    def begun(self) -> bool:
        """Whether something stands on the last line."""
        return bool(self._lines[-1].strip())

    @property
    def column(self) -> int:
        """The column behind the last line."""
        return len(self._lines[-1])

    def write(self, blanks: str, text: str) -> None:
        """Go on with the last line; no blanks are written where it begins."""
        self._lines[-1] += (blanks if self.begun else "") + text

    def end(self, indent: int) -> None:
        """End the last line, if something stands on it, and begin one."""
        if self.begun or len(self._lines) == self._kept:
            self._lines += ["", ""] if self._blank else [""]
        self._blank = False
        self._lines[-1] = " " * indent

    def blank(self) -> None:
        """Part the last line from the next; several blank lines are one."""
        self._blank = True

    def raw(self, line: str) -> None:
        """Add a line of text that goes on."""
        self._lines.append(line)
        self._kept = len(self._lines)

    def entry(self, owner: object, written_at: int, gap: int) -> None:
        """The last line ends with the colon of a key of `owner`; its value was written at a column,
        that many blanks further on."""
        line = len(self._lines) - 1
        self._open = _Entry(owner, line, self.column, written_at, gap, line)
        self._entries.append(self._open)

    def no_entry(self) -> None:
        """What follows is no value of the last entry."""
        self._open = None

    def go_on(self) -> None:
        """The value of the last entry reaches to the last line."""
        if self._open:
            self._open.end = len(self._lines) - 1

    def text(self) -> str:
        """All lines."""
        for run in self._runs():
            if _lined_up(run):
                self._line_up(run)
        while len(self._lines) > self._kept and not self.begun:
            self._lines.pop()
        return "".join(f"{line}\n" for line in self._lines)

    def _runs(self) -> Iterator[list[_Entry]]:
        """Entries of one mapping on lines one after the other."""
        run: list[_Entry] = []
        for entry in self._entries:
            if run and not (entry.owner is run[-1].owner and entry.line == run[-1].line + 1):
                yield run
                run = []
            if entry.end == entry.line:
                run.append(entry)
        yield run

    def _line_up(self, run: list[_Entry]) -> None:
        column = max(entry.column for entry in run) + 1
        for entry in run:
            line = self._lines[entry.line]
            before, after = line[: entry.column], line[entry.column :].lstrip(" ")
            self._lines[entry.line] = f"{before:<{column}}{after}"


def _lined_up(run: list[_Entry]) -> bool:
    """Whether two neighbours were written in one column, one of them with more than a blank."""
    return any(a.written_at == b.written_at and max(a.gap, b.gap) > 1 for a, b in pairwise(run))
