"""Findings as diagnostics of the protocol, and their quick fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lsprotocol import types

from rulesdsl.diagnostics import Diagnostic, Severity, Span
from rulesdsl.diagnostics.pages import page_file

NAME = "rulesdsl"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_TOP = types.Range(types.Position(0, 0), types.Position(0, 0))

Locate = Callable[[Span], types.Location]
"""Converts a span to a location of the protocol."""


def finding(found: Diagnostic, locate: Locate) -> types.Diagnostic:
    """Return a finding as a diagnostic of the protocol.

    Each help is a line of the message; other places are related information. A finding without a
    place is reported at the top of its file.
    """
    tags = [types.DiagnosticTag.Unnecessary] if found.slug == "unused" else None
    related = [
        types.DiagnosticRelatedInformation(locate(label.span), label.text) for label in found.labels
    ]
    return types.Diagnostic(
        range=_TOP if found.span is None else locate(found.span).range,
        message=text(found),
        severity=_SEVERITIES[found.severity],
        code=found.slug,
        code_description=types.CodeDescription(page_file(found.slug).as_uri()),
        source=NAME,
        tags=tags,
        related_information=related or None,
    )


def fixes(found: Diagnostic) -> Iterator[tuple[str, Span, str]]:
    """Yield the quick fixes of a finding: title, place and replacement text."""
    for span, written in found.fixes:
        yield f"write `{' '.join(written.split())}`", span, written
    if found.span is not None and found.severity is not Severity.ERROR:
        yield from _allowed(found.slug, found.span)


def _allowed(slug: str, span: Span) -> Iterator[tuple[str, Span, str]]:
    """Yield the fix that adds an `allow` comment, unless the line ends with a comment already."""
    line = span.source.line(span.line).rstrip()
    if "#" not in line:
        end = span.start - span.column + 1 + len(line)
        yield f"allow `{slug}` here", span.source.span(end, end), f"  # allow: {slug}"


def text(found: Diagnostic) -> str:
    """Return the whole text of a finding, in lines."""
    mark = [found.mark] if found.mark else []
    help = (f"help: {line}" for line in found.help)
    return "\n".join((found.message, *mark, *help, *found.picture))
