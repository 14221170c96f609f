"""Lines of YAML that are being written, and values that stand in line with one another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise


@dataclass
class _Entry:
    """A colon or comma behind which something follows on its line: the block it is part of, how
    many commas of one value lead to it (0 for a colon), its line, the column behind it, and the
    column and distance at which what follows was written; `whole`: the value ends on its line."""

    owner: object
    number: int
    line: int
    column: int
    written_at: int
    gap: int
    whole: bool = True


class Lines:
    """Lines that are being written; the last one is not ended yet."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._last: list[str] = []
        self._indent = 0
        self._column = 0
        self._blank = False
        self._entries: list[_Entry] = []
        self._open: list[_Entry] = []
        self._goes_on = False
        self._on_line: dict[int, list[_Entry]] = defaultdict(list)

    @property
    def begun(self) -> bool:
        """Whether something stands on the last line."""
        return bool(self._last)

    @property
    def column(self) -> int:
        """The column behind the last line."""
        return self._column if self._last else self._indent

    def write(self, blanks: str, text: str) -> None:
        """Go on with the last line; no blanks are written where it begins."""
        if self._blank and not self._last:
            self._lines += [""] if self._lines else []
            self._blank = False
        parts = (blanks, text) if self._last else (" " * self._indent, text)
        self._column = sum(map(len, parts)) + (self._column if self._last else 0)
        self._last += parts

    def end(self, indent: int) -> None:
        """End the last line, if something stands on it, and begin one."""
        if self._last:
            self._lines.append("".join(self._last))
            self._last.clear()
        self._indent = indent

    def blank(self) -> None:
        """Part the last line from the next, if there are both; several blank lines are one."""
        self._blank = True

    def raw(self, line: str) -> None:
        """End the last line and add a line of text, as it is, with which the value goes on."""
        self._lines.append("".join(self._last))
        self._last[:], self._column = [line], len(line)

    def entry(self, owner: object, number: int, written_at: int, gap: int) -> None:
        """The last line ends with a colon or comma of `owner`, the one of this number of a value;
        what follows was written at a column, that many blanks further on."""
        if not self._goes_on:
            line = len(self._lines)
            self._open.append(_Entry(owner, number, line, self.column, written_at, gap))
            self._entries.append(self._open[-1])

    def no_entry(self) -> None:
        """What follows belongs to no value that was begun."""
        self._open.clear()
        self._goes_on = False

    def go_on(self) -> None:
        """The value that was begun reaches to the last line."""
        if self._open and self._open[0].line != len(self._lines):
            for entry in self._open:
                entry.whole = False
            self._open.clear()
            self._goes_on = True

    def text(self) -> str:
        """All lines."""
        self.end(0)
        for entry in self._entries:
            self._on_line[entry.line].append(entry)
        for run in self._runs():
            if _lined_up(run):
                self._line_up(run)
        return "".join(f"{line}\n" for line in self._lines)

    def _runs(self) -> Iterator[list[_Entry]]:
        """Entries of one number of one block on lines one after the other, by number."""
        groups: dict[tuple[int, int], list[_Entry]] = {}
        for entry in self._entries:
            if entry.whole:
                groups.setdefault((entry.number, id(entry.owner)), []).append(entry)
        for _, group in sorted(groups.items(), key=lambda each: each[0][0]):
            run = group[:1]
            for entry in group[1:]:
                if entry.line != run[-1].line + 1:
                    yield run
                    run = []
                run.append(entry)
            yield run

    def _line_up(self, run: list[_Entry]) -> None:
        column = max(entry.column for entry in run) + 1
        for entry in run:
            line = self._lines[entry.line]
            before, after = line[: entry.column], line[entry.column :].lstrip(" ")
            self._lines[entry.line] = f"{before:<{column}}{after}"
            further = len(self._lines[entry.line]) - len(line)
            for other in self._on_line[entry.line]:
                if other.number > entry.number:
                    other.column += further


def _lined_up(run: list[_Entry]) -> bool:
    """Whether two neighbours were written in one column, one of them with more than a blank."""
    return any(a.written_at == b.written_at and max(a.gap, b.gap) > 1 for a, b in pairwise(run))
