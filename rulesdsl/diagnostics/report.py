"""Diagnostics and the report that collects them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import field
from enum import Enum

from rulesdsl.diagnostics.slugs import LIKELY, SLUGS
from rulesdsl.diagnostics.visible import visible
from rulesdsl.records import dataclass


@dataclass(frozen=True, eq=False)
class Source:
    """A text of a user: `name` is the path as shown, `text` its decoded content."""

    name: str
    text: str
    _starts: list[int] = field(default_factory=list, repr=False)

    def __reduce__(self) -> tuple[type[Source], tuple[str, str]]:
        """Pickle the text as written; the line starts are computed again."""
        return Source, (self.name, self.text)

    def _line_starts(self) -> list[int]:
        if not self._starts:
            self._starts.append(0)
            self._starts.extend(i + 1 for i, char in enumerate(self.text) if char == "\n")
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return the 1-based (line, column) of a character offset; columns count characters."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return the text of 1-based line `number` without its line end.

        Empty past the last line.
        """
        starts = self._line_starts()
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")

    def span(self, start: int, end: int) -> Span:
        """Return the span of the characters `start` (included) to `end` (excluded)."""
        return Span(self, start, end)


@dataclass(frozen=True)
class Span:
    """A stretch of one source: character offsets, `start` included, `end` excluded."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """1-based line of the first character."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """1-based column of the first character."""
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        """The characters of the span."""
        return self.source.text[self.start : self.end]

    def head(self, length: int) -> Span:
        """Return the first characters of this one.

        All but the last ones if `length` is negative.
        """
        end = self.start if length >= 0 else self.end
        return Span(self.source, self.start, end + length)

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`."""
        return Span(self.source, self.start, max(self.end, other.end))

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


class Severity(Enum):
    """The severity of a finding: errors prevent a game from being played, the others do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Confidence(Enum):
    """The confidence of a finding: a likely one may turn out to be intended."""

    CERTAIN = "certain"
    LIKELY = "likely"


@dataclass(frozen=True)
class Label:
    """A second place related to a finding, with its explanation."""

    span: Span
    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", visible(self.text))


class Fix(str):
    """A help line with an edit: write `text` in place of `span`.

    If `span` is None, the edit replaces the span of the finding.
    """

    __slots__ = ("span", "text")
    text: str
    span: Span | None

    def __new__(cls, line: str, text: str, span: Span | None = None) -> Fix:
        """Make the line."""
        found = super().__new__(cls, visible(line, lines=True))
        found.text, found.span = text, span
        return found

    def __reduce__(self) -> tuple[type[Fix], tuple[str, str, Span | None]]:
        """Pickle the line with its edit."""
        return Fix, (str(self), self.text, self.span)


@dataclass(frozen=True)
class Diagnostic:
    """A finding.

    `slug` is a key of `SLUGS`; `message` is one sentence without a full stop. `span` is the cause,
    `mark` the text below it, and `labels` are other places. `help` are lines the author can act on
    or paste, of which each `Fix` can be applied as it is. `picture` are the lines of a drawing in
    which the cause is marked. Control characters in these texts become escapes.
    """

    slug: str
    message: str
    span: Span | None = None
    mark: str = ""
    labels: tuple[Label, ...] = ()
    help: tuple[str, ...] = ()
    severity: Severity = Severity.ERROR
    picture: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert self.slug in SLUGS, f"unlisted slug {self.slug}"
        safe = {
            "message": visible(self.message),
            "mark": visible(self.mark),
            "help": tuple(
                text if isinstance(text, Fix) else visible(text, lines=True) for text in self.help
            ),
            "picture": tuple(map(visible, self.picture)),
        }
        for name, text in safe.items():
            object.__setattr__(self, name, text)

    @property
    def fixes(self) -> Iterator[tuple[Span, str]]:
        """The places and texts of edits in help lines; quotes stay."""
        for line in self.help:
            span = (line.span or self.span) if isinstance(line, Fix) else None
            if span is not None and isinstance(line, Fix):
                quoted = span.text[:1] in ("'", '"') and len(span.text) > 1
                yield Span(span.source, span.start + quoted, span.end - quoted), line.text

    @property
    def confidence(self) -> Confidence:
        """The confidence of findings of this kind."""
        return Confidence.LIKELY if self.slug in LIKELY else Confidence.CERTAIN

    def lies_in(self, span: Span) -> bool:
        """Return whether the cause begins in `span`."""
        own = self.span
        return own is not None and own.source is span.source and span.start <= own.start <= span.end

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """A key that orders findings by file, place, slug and text."""
        if self.span is None:
            return ("", 0, 0, self.slug, self.message)
        return (self.span.source.name, self.span.start, self.span.end, self.slug, self.message)


@dataclass
class Report:
    """A collection of findings, to which all stages add; equal ones are kept once."""

    _found: dict[Diagnostic, None] = field(default_factory=dict)

    def add(self, diagnostic: Diagnostic) -> None:
        """Add one finding."""
        self._found[diagnostic] = None

    def extend(self, found: Iterable[Diagnostic]) -> None:
        """Add several findings."""
        for diagnostic in found:
            self.add(diagnostic)

    def error(
        self,
        slug: str,
        message: str,
        span: Span | None = None,
        *,
        mark: str = "",
        labels: Iterable[Label] = (),
        help: Iterable[str] = (),
        picture: Iterable[str] = (),
    ) -> None:
        """Add an error."""
        own = tuple(labels), tuple(help)
        self.add(Diagnostic(slug, message, span, mark, *own, picture=tuple(picture)))

    def warning(
        self,
        slug: str,
        message: str,
        span: Span | None = None,
        *,
        mark: str = "",
        labels: Iterable[Label] = (),
        help: Iterable[str] = (),
    ) -> None:
        """Add a warning."""
        self.add(
            Diagnostic(slug, message, span, mark, tuple(labels), tuple(help), Severity.WARNING)
        )

    @property
    def ok(self) -> bool:
        """True while there is no error."""
        return not any(d.severity is Severity.ERROR for d in self._found)

    def sorted(self) -> list[Diagnostic]:
        """Return all findings by file and position."""
        return sorted(self._found, key=lambda d: d.sort_key)

    def check(self) -> None:
        """Raise `RulesError` with all findings if any of them is an error."""
        if not self.ok:
            raise RulesError(self.sorted())

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.sorted())

    def __len__(self) -> int:
        return len(self._found)


class RulesError(Exception):
    """The error for rulesets that cannot be used; `diagnostics` are the reasons."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        first = self.diagnostics[0] if self.diagnostics else None
        where = f"{first.span}: " if first and first.span else ""
        more = f" (and {len(self.diagnostics) - 1} more)" if len(self.diagnostics) > 1 else ""
        super().__init__(f"{where}{first.message}{more}" if first else "no diagnostic")
