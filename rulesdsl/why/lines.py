"""Answers as lines of text: source lines with what they were worth under them.

worth(lane@E.W(0,0)): 6
 --> hamlets.rules:7:5
7 |     2 * f.cells
  |         ^^^^^^^ 3
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulesdsl.diagnostics.render import Line, Role, columns, shown
from rulesdsl.why.answer import Answer, Mark, Step

STEP = "  "
"""How far what tells more about something is moved in."""

_NARROW = 2


def lines(answer: Answer) -> Iterator[Line]:
    """An answer, line by line."""
    yield (("note", shown(answer.head)),)
    for note in answer.notes:
        yield (("text", STEP + shown(note)),)
    for step in answer.steps:
        yield from _step(step, STEP, len(answer.steps) == 1)


def _step(step: Step, indent: str, alone: bool) -> Iterator[Line]:
    """A step, and what is told besides; `alone`: nothing else is told at its side."""
    yield (("text", indent + shown(step.title)),)
    rows = _rows(step)
    gutter = len(str(rows[-1]))
    yield (("frame", f"{indent}{' ' * gutter}--> {shown(str(step.span))}"),)
    for row in rows:
        text = step.span.source.line(row)
        yield (("frame", f"{indent}{str(row).rjust(gutter)} | "), ("text", shown(text)))
        here = [mark for mark in step.marks if mark.span.line == row]
        for marks in _fitted(here, text):
            yield (("frame", f"{indent}{' ' * gutter} | "), *_under(marks, text))
    for note in step.notes:
        yield (("frame", f"{indent}{' ' * gutter} = "), ("help", shown(note)))
    only = len(step.steps) == 1
    # What has one reason alone is told like a chain.
    inner = indent if only and alone else indent + STEP
    for each in step.steps:
        yield from _step(each, inner, only)


def _rows(step: Step) -> list[int]:
    """The lines to show."""
    return sorted({step.span.line, *(mark.span.line for mark in step.marks)})


def _at(mark: Mark, text: str) -> tuple[int, int]:
    """The columns that a mark begins and ends at, of the first line of what it marks."""
    start = mark.span.column - 1
    end = min(start + len(mark.span.text), len(text))
    before = columns(shown(text[:start]))
    return before, before + max(columns(shown(text[start:end])), 1)


def _fitted(marks: Sequence[Mark], text: str) -> list[list[Mark]]:
    """The marks of a line in rows: no two of a row touch. What holds others stands above them."""
    rows: list[list[Mark]] = []
    for mark in sorted(marks, key=lambda each: (_at(each, text)[0], -_at(each, text)[1])):
        start, _ = _at(mark, text)
        fitting = (row for row in rows if _end(row[-1], text) + _NARROW <= start)
        row = next(fitting, None)
        if row is None:
            rows.append([mark])
        else:
            row.append(mark)
    return rows


def _end(mark: Mark, text: str) -> int:
    """The column after a mark and what stands beside it."""
    return _at(mark, text)[1] + 1 + columns(shown(mark.text))


def _under(marks: Sequence[Mark], text: str) -> Iterator[tuple[Role, str]]:
    at = 0
    for mark in marks:
        start, end = _at(mark, text)
        yield "text", " " * (start - at)
        yield "label", "^" * (end - start)
        yield "help", f" {shown(mark.text)}"
        at = _end(mark, text)
