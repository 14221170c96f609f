"""Diagnostics, the report that collects them, and words in messages."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from difflib import get_close_matches
from enum import Enum

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics.slugs import LIKELY, SLUGS

STEERING = (
    "\0-\x1f\x7f-\x9f"  # controls, line ends among them
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f"  # direction, line and paragraph separators
    "\xad\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u3164\ufeff\uffa0"  # no width, no glyph
    "\ud800-\udfff\ufff0-\ufffb\ufffe\uffff"  # surrogates, annotations, noncharacters
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff"  # layout, tags
)
"""The characters, as the inside of a character class of a regular expression.

The joiners U+200C and U+200D are not among them: Persian, the scripts of India and emoji need them.
The definitions `line` and `code` of the schemas refuse the same characters."""

_ANY = re.compile(f"[{STEERING}]")
_IN_LINES = re.compile("[" + STEERING.replace("\0-\x1f", "\0-\x09\x0b-\x1f") + "]")
_IN_CODE = re.compile("[" + STEERING.replace("\0-\x1f", "\0-\x08\x0b-\x1f") + "]")

_COMMAND = re.compile(r"^[^\S\n]*(:)(?=:)|(#)(?=#\w*\[)", re.MULTILINE)
"""Commands of build servers, as they recognise them.

GitHub takes `::error` at the beginning of a line, Azure Pipelines and TeamCity take `##vso[`,
`##[`, `##teamcity[` anywhere in a line.
"""

_NAMES = {
    "\x07": "BELL",
    "\x08": "BACKSPACE",
    "\t": "TAB",
    "\n": "LINE FEED",
    "\r": "CARRIAGE RETURN",
    "\x1b": "ESCAPE",
    "\x7f": "DELETE",
    "\x85": "NEXT LINE",
}


def visible(text: str, *, lines: bool = False) -> str:
    """Replace each control or hidden character by an escape such as `\\u{1b}`.

    With `lines`, line feeds stay.
    """
    steering = _IN_LINES if lines else _ANY
    return steering.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", text)


def first_steering(text: str, *, code: bool = False) -> int | None:
    """Return the offset of the first control or hidden character, or None.

    With `code`, tabs and line feeds do not count.
    """
    found = (_IN_CODE if code else _ANY).search(text)
    return None if found is None else found.start()


def described(char: str) -> str:
    """Name a character by its code point: `U+202E (RIGHT-TO-LEFT OVERRIDE)`."""
    called = _NAMES.get(char) or unicodedata.name(char, "")
    return f"U+{ord(char):04X}{f' ({called})' if called else ''}"


def command_signs(text: str) -> frozenset[int]:
    """Return the offsets of the characters that make commands of a build server."""
    return frozenset(found.start(found.lastindex or 0) for found in _COMMAND.finditer(text))


def escaped(text: str, offsets: Collection[int], escape: str = "\\u{{{:x}}}") -> str:
    """Replace the characters at some offsets by escapes with their code points."""
    if not offsets:
        return text
    return "".join(
        escape.format(ord(char)) if at in offsets else char for at, char in enumerate(text)
    )


def inert(text: str) -> str:
    """Escape control characters and the signs of build server commands in lines of text."""
    found = visible(text, lines=True)
    return escaped(found, command_signs(found))


def inert_markup(document: str) -> str:
    """Escape control characters in a document of HTML or XML.

    Signs of commands, and tabs, become character references.
    """
    found = visible(document.replace("\t", "&#9;"), lines=True)
    return escaped(found, command_signs(found), "&#{};")


def inert_json(value: object, indent: int | None = None) -> str:
    """Return a value as JSON in ASCII, without commands of build servers."""
    text = json.dumps(value, indent=indent, allow_nan=False)
    return text.replace("##", "#\\u0023")  # a `#` only occurs in strings


@dataclass(frozen=True, eq=False)
class Source:
    """A text of a user: `name` is the path as shown, `text` its decoded content."""

    name: str
    text: str = field(repr=False)
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
        """Return 1-based line `number` without its line end, empty past the last line."""
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
        """Return the first characters, all but the last ones if `length` is negative."""
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
    """A finding, as text what `check` prints. Control characters in its texts become escapes."""

    slug: str
    """The kind of finding, a key of `SLUGS`."""
    message: str
    """One sentence without a full stop."""
    span: Span | None = None
    """The cause."""
    mark: str = ""
    """The text below the cause."""
    labels: tuple[Label, ...] = ()
    """Other places."""
    help: tuple[str, ...] = ()
    """Lines that the author can act on or paste; each `Fix` among them can be applied as it is."""
    severity: Severity = Severity.ERROR
    """`ERROR`, `WARNING` or `NOTE`."""
    picture: tuple[str, ...] = ()
    """The lines of a drawing in which the cause is marked."""

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

    def __str__(self) -> str:
        from rulesdsl.language.diagnostics.render import render  # it imports this module

        return render([self]).rstrip("\n")

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

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def __len__(self) -> int:
        return len(self._found)


class RulesError(Exception):
    """The error for rulesets that cannot be used."""

    diagnostics: tuple[Diagnostic, ...]
    """The reasons."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        first = self.diagnostics[0] if self.diagnostics else None
        where = f"{first.span}: " if first and first.span else ""
        more = f" (and {len(self.diagnostics) - 1} more)" if len(self.diagnostics) > 1 else ""
        super().__init__(f"{where}{first.message}{more}" if first else "no diagnostic")
        for line in first.help if first else ():  # programs that do not catch it show them
            self.add_note(f"= {line}")

    def __reduce__(self) -> tuple[type[RulesError], tuple[tuple[Diagnostic, ...]]]:
        """Pickle the diagnostics, which other processes need to make the message again."""
        return RulesError, (self.diagnostics,)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most similar to `word`, or None when none is close.

    Of similar words that with the fewest edits is taken. Ties break by spelling.
    """
    words = sorted(set(known))
    matches = get_close_matches(word, words, n=len(words) or 1, cutoff=0.6)
    return min(matches, key=lambda match: _edits(word, match), default=None)


def _edits(one: str, other: str) -> int:
    """Return how many letters are added, left out, changed or swapped with the next one."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one, 1):
        row, above = [i], rows[-1]
        for j, wanted in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != wanted)))
            if i > 1 and j > 1 and (letter, one[i - 2]) == (other[j - 2], wanted):
                row[-1] = min(row[-1], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def near(word: str, known: Iterable[str]) -> list[str]:
    """Return the known words similar to `word`, at most three, the most similar first.

    Words that contain it count, too.
    """
    words = sorted(set(known))
    holding = [each for each in words if word and word in each]
    return list(dict.fromkeys(get_close_matches(word, words, n=3, cutoff=0.6) + holding))[:3]


def did_you_mean(word: str, known: Iterable[str], at: Span | None = None) -> tuple[str, ...]:
    """Return help lines for an unknown `word`: one suggestion, or none.

    `at` is the span of the word if the finding covers more than that.
    """
    match = nearest(word, known)
    return (Fix(f"did you mean `{match}`?", match, at),) if match else ()


def listed(words: Sequence[str], last: str = "or") -> str:
    """Join one or more words as in `a, b or c`, with `last` before the last word."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def copies(found: Mapping[int, Sequence[int]]) -> str:
    """Return how many copies there are for which numbers of players, as `LinkedGame.copies`."""
    return ", ".join(
        f"{count} for {numbers(players)} player{'s' if players[-1] > 1 else ''}"
        for count, players in found.items()
    )


def numbers(found: Sequence[int]) -> str:
    """Return rising numbers in words: `2 to 5` if none is left out between them, or `2, 4 or 5`."""
    whole = len(found) > 1 and found[-1] - found[0] + 1 == len(found)
    return f"{found[0]} to {found[-1]}" if whole else listed([str(each) for each in found])
