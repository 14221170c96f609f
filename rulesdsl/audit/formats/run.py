"""What all formats tell."""

from __future__ import annotations

from dataclasses import dataclass, field

from rulesdsl.diagnostics import Diagnostic, Span
from rulesdsl.diagnostics.render import lines, plain


@dataclass(frozen=True)
class Run:
    """One run of `rulesdsl check`: what was checked, by the names that were given; what was found,
    in order; and what is allowed by comments or known from a baseline."""

    version: str
    checked: tuple[str, ...]
    found: tuple[Diagnostic, ...]
    allowed: tuple[Diagnostic, ...] = field(default=())
    known: tuple[Diagnostic, ...] = field(default=())


def end(span: Span) -> tuple[int, int]:
    """The 1-based line and column behind the last character of a span; at least one character."""
    return span.source.position(max(span.end, span.start + 1))


def told(found: Diagnostic) -> str:
    """All that a finding says but its places, in lines."""
    mark = [found.mark] if found.mark else []
    return "\n".join((found.message, *mark, *found.help, *found.picture))


def rendered(found: Diagnostic) -> str:
    """A finding as people see it, in lines."""
    return "\n".join(map(plain, lines(found)))
