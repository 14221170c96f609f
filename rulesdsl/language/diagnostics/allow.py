"""Comments that suppress findings: `# allow: unused` at the end of a line or on one above it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import SLUGS, Diagnostic, Report, Severity, Source, Span
from rulesdsl.language.diagnostics.report import Fix, did_you_mean

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#[ \t]*allow:[ \t]*([\w-]*(?:[ \t]*,[ \t]*[\w-]+)*)", re.M)
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Allowance:
    """A slug in a comment (`span`), and the line (from 1) of the same file to which it applies."""

    slug: str
    span: Span
    line: int

    def covers(self, found: Diagnostic) -> bool:
        """Return whether a finding has that slug, and is or has a label in that line."""
        return found.slug == self.slug and any(
            at.source.name == self.span.source.name and at.line == self.line for at in places(found)
        )


def places(found: Diagnostic) -> tuple[Span, ...]:
    """Return the places of a finding, at each of which a comment can allow it."""
    own = () if found.span is None else (found.span,)
    return (*own, *(label.span for label in found.labels))


def allowances(source: Source) -> Iterator[Allowance | Diagnostic]:
    """Yield the allowances in the comments of a file, and findings for invalid ones."""
    for comment in _COMMENT.finditer(source.text):
        line = _line_meant(source, source.position(comment.start())[0])
        words = list(_WORD.finditer(source.text, *comment.span(1)))
        if not words:
            yield _unknown("name the finding that the comment allows", source.span(*comment.span()))
        for word in words:
            span = source.span(*word.span())
            if word[0] in SLUGS:
                yield Allowance(word[0], span, line)
            else:
                help = did_you_mean(word[0], SLUGS)
                yield _unknown(f"there is no kind of finding `{word[0]}`", span, *help)


def _line_meant(source: Source, line: int) -> int:
    """Return the line of a comment, or the next line of code if the comment stands alone."""
    last = source.position(len(source.text))[0]
    while source.line(line).lstrip()[:1] in ("", "#") and line < last:
        line += 1
    return line


def _unknown(message: str, span: Span, *help: str) -> Diagnostic:
    return Diagnostic("allow-unknown", message, span, help=help, severity=Severity.WARNING)


def allowing(span: Span, slug: str) -> Fix:
    """Return the first line of a span with the comment that allows a finding there, for help."""
    text = span.source.text
    begin, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.start)
    line = text[begin : end if end >= 0 else len(text)].rstrip()
    comment, after = f"  # allow: {slug}", begin + len(line)
    return Fix(f"    {line.strip()}{comment}", comment, span.source.span(after, after))


def not_allowed(report: Report) -> Report:
    """Return the findings that no comment in their files allows; errors cannot be allowed."""
    comments: dict[str, list[Allowance]] = {}
    left = Report()
    for found in report:
        near: list[Allowance] = []
        for source in {at.source.name: at.source for at in places(found)}.values():
            if source.name not in comments:
                made = allowances(source)
                comments[source.name] = [each for each in made if isinstance(each, Allowance)]
            near += comments[source.name]
        if found.severity is Severity.ERROR or not any(each.covers(found) for each in near):
            left.add(found)
    return left


def unused(allowance: Allowance, stops: Diagnostic | None) -> Diagnostic:
    """Return the finding for a comment that allows nothing.

    `stops` is the error at which it is aimed, if any, because errors cannot be allowed.
    """
    slug = allowance.slug
    if stops is not None:
        message, help = f"`{slug}` is an error here, and errors cannot be allowed", "fix the error"
    else:
        message, help = f"line {allowance.line} has no finding `{slug}`", "remove it"
    return Diagnostic(
        "allow-unused", message, allowance.span, help=(help,), severity=Severity.WARNING
    )
