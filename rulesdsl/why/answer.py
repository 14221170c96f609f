"""Answers as plain data, the same for people and for programs, with values as people write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rulesdsl.diagnostics import Span
from rulesdsl.engines.reference.observing import Bound, ObservedPosition, Seen
from rulesdsl.model.names import short_name
from rulesdsl.model.values import Piece, Segment, Space, Value
from rulesdsl.play.moves import text
from rulesdsl.play.names import Names

HIDDEN = "hidden"
"""The text for values that are hidden from a player."""

MOST = 6
"""Number of members of a list that are named at most."""


class Texts:
    """The texts for values of the current position."""

    def __init__(self, position: ObservedPosition) -> None:
        self.runtime = position.runtime
        self._names = Names(position)

    def value(self, value: Value) -> str:
        """Return the text of a value: pieces and segments with their places."""
        eyes = self.runtime.eyes
        match value:
            case tuple():
                return "{" + self.listed(value) + "}"
            case _ if eyes is not None and self.runtime.hides(value, eyes):
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

    def of(self, seen: Seen) -> str:
        """Return the text of the value of an expression, or `HIDDEN`."""
        return HIDDEN if seen.hidden else self.value(seen.value)

    def call(self, key: str, arguments: Iterable[Value]) -> str:
        """Return the text of a call of something by its full name."""
        return f"{short_name(key)}({', '.join(self.value(each) for each in arguments)})"


@dataclass(frozen=True)
class Mark:
    """A span of rules text with its value."""

    span: Span
    text: str


@dataclass(frozen=True)
class Step:
    """One place in the rules with its values.

    `title` names the computed thing, `span` its place. `marks` are values of expressions there,
    `notes` are further lines, and `steps` show how the marked values were computed.
    """

    title: str
    span: Span
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Answer:
    """An answer: one line, facts for programs, and the steps that led to it.

    `when` is the moment in the game to which it applies.
    """

    when: str
    head: str
    facts: Mapping[str, object]
    steps: tuple[Step, ...] = ()
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


def _step(step: Step) -> dict[str, object]:
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
