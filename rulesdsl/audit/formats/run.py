"""What all formats tell."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rulesdsl.diagnostics import Diagnostic, Span
from rulesdsl.diagnostics.render import lines, plain

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Run:
    """One run of `rulesdsl check`: what was checked, by the names that were given; what was found,
    in order; and what is allowed by comments or known from a baseline."""

    version: str
    checked: tuple[str, ...]
    found: tuple[Diagnostic, ...]
    allowed: tuple[Diagnostic, ...] = field(default=())
    known: tuple[Diagnostic, ...] = field(default=())


def clean(text: str) -> str:
    """Text without characters that no format may hold."""
    return _CONTROL.sub("\ufffd", text)


def end(span: Span) -> tuple[int, int]:
    """The 1-based line and column behind the last character of a span; at least one character."""
    return span.source.position(max(span.end, span.start + 1))


def told(found: Diagnostic) -> str:
    """All that a finding says but its places, in lines."""
    mark = [found.mark] if found.mark else []
    return clean("\n".join((found.message, *mark, *found.help, *found.picture)))


def rendered(found: Diagnostic) -> str:
    """A finding as people see it, in lines."""
    return clean("\n".join(map(plain, lines(found))))
