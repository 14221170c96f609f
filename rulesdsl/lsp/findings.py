"""The texts and the quick fixes of findings in an editor."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.diagnostics import Diagnostic, Severity, Span


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
