"""Findings as text: the message, the source line with a mark below it, and help.

error[unknown-name]: there is no `coutn`
  --> hamlets.rules:7:11
 7 |     while coutn(bag) > 0:
   |           ^^^^^ not declared
   = did you mean `count`?
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

from rulesdsl.language.diagnostics.report import (
    Confidence,
    Diagnostic,
    Source,
    Span,
    inert,
    visible,
)

Role = Literal["error", "warning", "note", "text", "frame", "mark", "label", "help"]
Line = tuple[tuple[Role, str], ...]
"""One line in pieces, each with its role, by which it is coloured."""
_Place = tuple[Span, str, str, Role]
"""A place to show, with the text and the sign below it, and their role."""

WIDEST = 120
"""Number of columns of a source line that are shown; a longer one is cut around the mark."""

_TAB = 4


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Return all findings as plain text, separated by empty lines.

    The text ends with a line end if it is not empty.
    """
    blocks = ["\n".join(map(plain, lines(each))) + "\n" for each in diagnostics]
    return "\n".join(blocks)


def plain(line: Line) -> str:
    """Return a line without roles, in which no build server finds a command."""
    return inert("".join(text for _, text in line).rstrip())


def lines(diagnostic: Diagnostic) -> list[Line]:
    """Return the lines of one finding."""
    places: list[_Place] = [(label.span, label.text, "-", "label") for label in diagnostic.labels]
    if diagnostic.span is not None:
        places.insert(0, (diagnostic.span, diagnostic.mark, "^", "mark"))
    gutter = max((len(str(span.line)) for span, *_ in places), default=1) + 1
    severity: Role = diagnostic.severity.value
    likely = ", likely" if diagnostic.confidence is Confidence.LIKELY else ""
    head = f"{severity}[{diagnostic.slug}]"
    found: list[Line] = [((severity, head), ("text", f"{likely}: {shown(diagnostic.message)}"))]
    source: Source | None = None
    for place in places:
        span = place[0]
        if span.source is not source:
            found.append((("frame", f"{' ' * gutter}--> {shown(str(span))}"),))
        source = span.source
        found += _snippet(place, gutter)
    for help in diagnostic.help:
        found += _help(help, gutter)
    indent: tuple[Role, str] = ("frame", " " * (gutter + 3))
    found += ((indent, ("text", shown(line))) for line in diagnostic.picture)
    return found


def _snippet(place: _Place, gutter: int) -> Iterator[Line]:
    span, note, sign, role = place
    text = span.source.line(span.line)
    start = min(span.column - 1, len(text))
    end = min(start + max(span.end - span.start, 1), max(len(text), start + 1))
    left, right = _window(text, start, end)
    before = ("…" if left else "") + shown(text[left:start])
    inside = shown(text[start : min(end, right)])
    after = shown(text[max(end, start) : right]) + ("…" if right < len(text) else "")
    number = str(span.line).rjust(gutter)
    yield (("frame", f"{number} | "), ("text", before + inside + after))
    marks = sign * max(columns(inside), 1) + (f" {shown(note)}" if note else "")
    yield (("frame", f"{' ' * gutter} | "), ("text", " " * columns(before)), (role, marks))


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    if len(text) <= WIDEST:
        return 0, len(text)
    room = max(WIDEST - (end - start), WIDEST // 2)
    left = max(0, min(start - room // 2, len(text) - WIDEST))
    return left, min(len(text), left + WIDEST)


def _help(text: str, gutter: int) -> Iterator[Line]:
    sign = "="
    for part in text.split("\n"):
        yield (("frame", f"{' ' * gutter} {sign} "), ("help", shown(part)))
        sign = " "


def shown(text: str) -> str:
    """Return `text` with tabs as spaces, and escapes for control characters."""
    return visible(text.replace("\t", " " * _TAB))


def columns(text: str) -> int:
    """Count the columns that `text` takes on a terminal."""
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )
