"""Answers as lines of text: source lines with their values below.

worth(lane@E.W(0,0)): 6
 --> hamlets.rules:7:5
7 |     2 * f.cells
  |         ^^^^^^^ 3
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rulesdsl.diagnostics.render import WIDEST, Line, Role, columns, shown
from rulesdsl.why.answer import Answer, Step

STEP = "  "
"""Indentation of details."""

_NARROW = 2
"""Minimum distance between two marks of a row."""

_BEFORE = 24
"""Number of characters of a long line that are shown before its first mark."""


def lines(answer: Answer) -> Iterator[Line]:
    """Yield an answer, line by line."""
    yield (("note", shown(answer.head)),)
    for note in answer.notes:
        yield (("text", STEP + shown(note)),)
    for step in answer.steps:
        yield from _step(step, STEP, len(answer.steps) == 1)


def _step(step: Step, indent: str, alone: bool) -> Iterator[Line]:
    """Yield the lines of a step and its details; `alone` if there is no other step beside it."""
    yield (("text", indent + shown(step.title)),)
    rows = _rows(step)
    gutter = len(str(rows[-1]))
    yield (("frame", f"{indent}{' ' * gutter}--> {shown(str(step.span))}"),)
    for row in rows:
        text = step.span.source.line(row)
        here = [mark for mark in step.marks if mark.span.line == row]
        placed = [(mark.span.column - 1, len(mark.span.text), mark.text) for mark in here]
        text, placed = _window(text, placed)
        yield (("frame", f"{indent}{str(row).rjust(gutter)} | "), ("text", shown(text)))
        for marks in _fitted([_under(text, *each) for each in placed]):
            yield (("frame", f"{indent}{' ' * gutter} | "), *_line(marks))
    for note in step.notes:
        yield (("frame", f"{indent}{' ' * gutter} = "), ("help", shown(note)))
    only = len(step.steps) == 1
    # Steps with a single reason are shown as a chain.
    inner = indent if only and alone else indent + STEP
    for each in step.steps:
        yield from _step(each, inner, only)


def _rows(step: Step) -> list[int]:
    """Return the lines to show."""
    return sorted({step.span.line, *(mark.span.line for mark in step.marks)})


Placed = tuple[int, int, str]
"""A mark in a line: its start, its length in characters, and the text beside it."""


def _window(text: str, marks: list[Placed]) -> tuple[str, list[Placed]]:
    """Return the shown part of a long line, from a little before its first mark on."""
    if len(text) <= WIDEST:
        return text, marks
    first = min((start for start, _, _ in marks), default=0)
    left = max(0, min(first - _BEFORE, len(text) - WIDEST))
    right = min(len(text), left + WIDEST)
    before, after = "…" if left else "", "…" if right < len(text) else ""
    inside = [
        (start - left + len(before), min(length, right - start), said)
        for start, length, said in marks
        if start < right
    ]
    return before + text[left:right] + after, inside


@dataclass(frozen=True)
class _Mark:
    """A mark by columns: its start, its end and the text beside it."""

    start: int
    end: int
    text: str

    @property
    def last(self) -> int:
        """The column after the text beside it."""
        return self.end + 1 + columns(self.text)


def _under(text: str, start: int, length: int, said: str) -> _Mark:
    before = columns(shown(text[:start]))
    inside = columns(shown(text[start : start + length]))
    return _Mark(before, before + max(inside, 1), shown(said))


def _fitted(marks: Sequence[_Mark]) -> list[list[_Mark]]:
    """Arrange the marks of a line in rows in which no two touch.

    Enclosing marks are above the ones inside.
    """
    rows: list[list[_Mark]] = []
    for mark in sorted(marks, key=lambda each: (each.start, -each.end)):
        row = next((row for row in rows if row[-1].last + _NARROW <= mark.start), None)
        if row is None:
            rows.append([mark])
        else:
            row.append(mark)
    return rows


def _line(marks: Sequence[_Mark]) -> Iterator[tuple[Role, str]]:
    at = 0
    for mark in marks:
        yield "text", " " * (mark.start - at)
        yield "label", "^" * (mark.end - mark.start)
        yield "help", f" {mark.text}"
        at = mark.last
