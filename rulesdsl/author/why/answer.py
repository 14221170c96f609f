"""Answers as plain data, the same for people and programs, and as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulesdsl.author.why.tracing import Bound, ExpressionTrace, TracedPosition
from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.diagnostics.render import WIDEST, Line, Role, columns, shown
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.values import Piece, Segment, Space, Value
from rulesdsl.play.moves import text
from rulesdsl.play.names import PlainForms

HIDDEN = "hidden"
"""The text for values that are hidden from a player."""

MOST = 6
"""Number of members of a list that are named at most."""


class ValueTexts:
    """The texts for values of the current position."""

    def __init__(self, position: TracedPosition) -> None:
        self._tracer = position.tracer
        self._names = PlainForms(position)

    def value(self, value: Value) -> str:
        """Return the text of a value: pieces and segments with their places."""
        match value:
            case tuple():
                return "{" + self.listed(value) + "}"
            case _ if self._tracer.hides(value):
                return HIDDEN
            case Segment():
                laid = self._names.position.placement_of(Piece(value.piece)) is not None
                return text(self._names.full(value) if laid else self._names.short(value))
            case Piece():
                stands = isinstance(self._names.position.place_of(value), Segment | Space)
                return text(self._names.full(value) if stands else self._names.short(value))
            case _:
                return text(self._names.short(value))

    def listed(self, values: Iterable[Value]) -> str:
        """Return the text of several values, the first ones if there are many."""
        found = [self.value(value) for value in values]
        more = f", … {len(found)} in all" if len(found) > MOST else ""
        return ", ".join(found[:MOST]) + more

    def bound(self, bound: Bound) -> str:
        """Return the text of locals with their values, by their names as written."""
        return ", ".join(f"{name.partition('$')[0]} = {self.value(value)}" for name, value in bound)

    def of(self, seen: ExpressionTrace) -> str:
        """Return the text of the value of an expression, or `HIDDEN`."""
        return HIDDEN if seen.hidden else self.value(seen.value)

    def call(self, key: str, arguments: Iterable[Value]) -> str:
        """Return the text of a call of something by its full name."""
        return f"{short_name(key)}({', '.join(self.value(each) for each in arguments)})"


REFUSED = " is not legal"
"""The text after the move in the answer why it is refused; a reason may follow."""


@dataclass(frozen=True)
class ValueMark:
    """A span of rules text with its value."""

    span: Span
    text: str


@dataclass(frozen=True)
class AnswerStep:
    """One place in the rules with its values.

    `title` names the computed thing, `span` its place. `marks` are values of expressions there,
    `notes` are further lines, and `steps` show how the marked values were computed.
    """

    title: str
    span: Span
    marks: tuple[ValueMark, ...] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[AnswerStep, ...] = ()


@dataclass(frozen=True)
class Answer:
    """An answer: one line, facts for programs, and the steps that led to it.

    `when` is the moment in the game to which it applies.
    """

    when: str
    head: str
    facts: Mapping[str, object]
    steps: tuple[AnswerStep, ...] = ()
    notes: tuple[str, ...] = ()


def fields(answer: Answer) -> dict[str, object]:
    """Return the answer as an object for JSON."""
    return {
        **answer.facts,
        "when": answer.when,
        "text": answer.head,
        "notes": list(answer.notes),
        "steps": [_step(step) for step in answer.steps],
    }


def _step(step: AnswerStep) -> dict[str, object]:
    return {
        "title": step.title,
        **_place(step.span),
        "marks": [
            {"written": written(mark.span), **_place(mark.span), "value": mark.text}
            for mark in step.marks
        ],
        "notes": list(step.notes),
        "steps": [_step(each) for each in step.steps],
    }


def _place(span: Span) -> dict[str, object]:
    return {"file": span.source.name, "line": span.line, "column": span.column}


def written(span: Span) -> str:
    """Return the text of a span in one line."""
    return " ".join(span.text.split())


def brief(answer: Answer) -> Iterator[str]:
    """Yield the reason of a refused move in a few lines: what it is, its notes, and the rules."""
    _, refused, reason = answer.head.partition(REFUSED)
    if not refused:
        return
    if reason:
        yield reason.removeprefix(": ")
    yield from (f"{STEP}{note}" for note in answer.notes)
    for step in answer.steps:
        yield f"{step.title}: {written(step.span)} ({step.span})"


# --- lines ---------------------------------------------------------------------------------------

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
        yield from _step_lines(step, STEP, len(answer.steps) == 1)


def _step_lines(step: AnswerStep, indent: str, alone: bool) -> Iterator[Line]:
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
        yield from _step_lines(each, inner, only)


def _rows(step: AnswerStep) -> list[int]:
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
