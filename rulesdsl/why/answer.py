"""What is answered: plain data, the same for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rulesdsl.diagnostics import Span


@dataclass(frozen=True)
class Mark:
    """A stretch of rules text, and what it was worth."""

    span: Span
    text: str


@dataclass(frozen=True)
class Step:
    """One place in the rules and what came out there.

    `title` says what is worked out, `span` where; `marks` are values of what is written there;
    `notes` say more; `steps` tell how the marked values came about.
    """

    title: str
    span: Span
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Answer:
    """An answer: one line, what programs are told besides, and how it came about. `when` says of
    which moment it tells."""

    when: str
    head: str
    facts: Mapping[str, object]
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()


def fields(answer: Answer) -> dict[str, object]:
    """The answer as an object for JSON."""
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
    """What is written at a place, in one line."""
    return " ".join(span.text.split())
