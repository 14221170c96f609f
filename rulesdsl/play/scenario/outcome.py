"""Outcomes of scenarios and golden records: failures, differences, and edits that fix the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from rulesdsl.base.deadline import Deadline, OutOfTime, under
from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.diagnostics import Diagnostic, Label, Severity, Span
from rulesdsl.language.model.nodes import Node, Scalar
from rulesdsl.language.read.yaml import interpret

# --- differences ---------------------------------------------------------------------------------

EXPECTED, FOUND = "expected", "found"
NOTHING = "-"
MOST = 12


def side_by_side(rows: Sequence[tuple[str, str, str]]) -> str:
    """Return a table: for each row its name, the expected value and the value found.

    `<-` marks the rows in which they differ; numbers are right-aligned.
    """
    table = [("", EXPECTED, FOUND), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(3)]
    texts = (text for _, *texts in rows for text in texts)
    numbers = all(text == NOTHING or text.lstrip("-").isdigit() for text in texts)
    return "\n".join(
        _row(row, widths, numbers) + ("  <-" if number and row[1] != row[2] else "")
        for number, row in enumerate(table)
    )


def of_mappings(expected: Mapping[str, object], found: Mapping[str, object]) -> str:
    """Return a table of two mappings by key, in the order of `found`; `-` is a missing value."""
    keys = dict.fromkeys([*found, *expected])
    return side_by_side(
        [(key, str(expected.get(key, NOTHING)), str(found.get(key, NOTHING))) for key in keys]
    )


def of_sets(expected: Sequence[str], found: Sequence[str]) -> str:
    """Return the items that only one of two lists has, one a line, `MOST` lines at most."""
    missing, more = Counter(expected), Counter(found)
    missing, more = missing - more, more - missing
    lines = [
        *(f"{EXPECTED}, not {FOUND}: {each}" for each in counted(missing)),
        *(f"{FOUND}, not {EXPECTED}: {each}" for each in counted(more)),
    ]
    left = len(lines) - MOST
    return "\n".join([*lines[:MOST], f"and {left} more"] if left > 0 else lines)


def counted(items: Iterable[str]) -> Iterator[str]:
    """Yield the different items in order, with the number of each that occurs several times."""
    for each, count in Counter(items).items():
        yield f"{each} ({count} times)" if count > 1 else each


def _row(row: tuple[str, str, str], widths: Sequence[int], numbers: bool) -> str:
    name, *texts = row
    cells = [
        text.rjust(width) if numbers else text.ljust(width)
        for text, width in zip(texts, widths[1:], strict=True)
    ]
    return "  ".join([name.ljust(widths[0]), *cells]).rstrip()


# --- failures ------------------------------------------------------------------------------------


class Failed(Exception):
    """An error for a step of a scenario that is impossible.

    `span` is the place where it is written, `rule` the rule that failed, if one did.
    """

    def __init__(
        self, message: str, span: Span, help: tuple[str, ...] = (), rule: Span | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.help = help
        self.rule = rule

    @staticmethod
    def by(error: PlayError, begin: str, span: Span) -> Failed:
        """Return the failure of a step because a rule failed; the message begins with `begin`."""
        return Failed(begin + error.message, span, rule=error.span)

    def diagnostic(self) -> Diagnostic:
        """Return the failure as a diagnostic."""
        labels = (Label(self.rule, "this rule fails"),) if self.rule else ()
        return Diagnostic("scenario-failed", self.message, self.span, "", labels, self.help)


WIDTH = 100
_BLOCK = re.compile(r"[\w(][^#\n]*(?<![ :])")
_FLOW = re.compile(r"[\w(][^#\n,\[\]{}]*(?<![ :])")


def scalar(value: object, flow: bool) -> str:
    """Return a text, number or boolean as YAML, quoted if it could be read as something else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    found = str(value)
    fits = (_FLOW if flow else _BLOCK).fullmatch(found)
    if fits and ": " not in found and interpret(found) == found:
        return found
    return "'" + found.replace("'", "''") + "'"


def flow(value: object) -> str:
    """Return any value as YAML on one line."""
    match value:
        case Mapping():
            inside = (f"{scalar(key, True)}: {flow(item)}" for key, item in value.items())
            return "{" + ", ".join(inside) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(flow, value)) + "]"
        case _:
            return scalar(value, True)


def block(value: object, indent: int) -> list[str]:
    """Return a mapping or a list as lines of YAML, each entry on one line where it fits."""
    if isinstance(value, Mapping):
        return [line for key, item in value.items() for line in _entry(key, item, indent)]
    assert isinstance(value, Sequence), "only mappings and lists take several lines"
    return [line for item in value for line in _item(item, indent)]


def item(value: Mapping[str, object], indent: int) -> list[str]:
    """Return a mapping as lines of YAML, as an item of a list.

    Entries that are read more easily on several lines, such as moves, are put on several lines.
    """
    first, *rest = block(value, indent + 2)
    return [" " * indent + "- " + first.lstrip(), *rest]


def _entry(key: object, value: object, indent: int) -> Iterator[str]:
    begin = " " * indent + scalar(key, False) + ":"
    if not isinstance(value, (Mapping, list, tuple)):
        yield f"{begin} {scalar(value, False)}"
    elif not value or (key not in _SPREAD and len(begin) + 1 + len(flow(value)) <= WIDTH):
        yield f"{begin} {flow(value)}"
    else:
        yield begin
        yield from block(value, indent + 2)


_SPREAD = ("board", "moves", "expect", "holds", "legal", "illegal", "offered")
"""The entries that are read more easily on several lines, however short they are."""


def _item(value: object, indent: int) -> Iterator[str]:
    begin = " " * indent + "- "
    if not isinstance(value, (Mapping, list, tuple)):
        yield begin + scalar(value, False)
    elif len(begin) + len(flow(value)) <= WIDTH or not isinstance(value, Mapping):
        yield begin + flow(value)
    else:
        yield from item(value, indent)


_QUOTES = ("'", '"')


class FileEdit(NamedTuple):
    """A part of a file and the text to replace it with."""

    span: Span
    text: str


def edited(text: str, edits: Iterable[FileEdit]) -> str:
    """Return a text with edits made; no two may touch."""
    for span, new in sorted(set(edits), key=lambda each: each.span.start, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text


@dataclass(frozen=True)
class FailedExpectation:
    """A failed expectation and the edits that fix it; none where a person has to decide."""

    diagnostic: Diagnostic
    edits: tuple[FileEdit, ...] = ()


class Findings:
    """Collects the findings of a scenario without duplicates."""

    def __init__(self, scenario: str) -> None:
        self.scenario = scenario
        self._found: dict[FailedExpectation, None] = {}

    def wrong(
        self, span: Span, message: str, help: Sequence[str] = (), edits: Sequence[FileEdit] = ()
    ) -> None:
        """Add a failed expectation."""
        self.add(Diagnostic("scenario-failed", message, span, help=tuple(help)), edits)

    def add(self, diagnostic: Diagnostic, edits: Sequence[FileEdit] = ()) -> None:
        """Add a diagnostic with its edits."""
        self._found[FailedExpectation(diagnostic, tuple(edits))] = None

    def sorted(self) -> tuple[FailedExpectation, ...]:
        """Return all findings by position."""
        return tuple(sorted(self._found, key=lambda each: each.diagnostic.sort_key))


def rewritten(node: Node, value: object) -> FileEdit:
    """Return the edit that replaces a node by `value`, in the same layout."""
    written = node.span.text
    if isinstance(node, Scalar):
        text = scalar(value, True)
        if isinstance(value, str) and text == value and written[:1] in _QUOTES:
            text = written[0] + text + written[0]
    elif written[:1] in ("[", "{") or not value:
        text = flow(value)
    else:
        text = "\n".join(block(value, node.span.column - 1)).lstrip()
    return FileEdit(node.span, text)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a test: its name, its place, its findings, and its rulesets.

    `rulesets` are the ids of the rulesets it was played with, in canonical order; empty if they
    cannot be played.
    """

    name: str
    span: Span
    found: tuple[FailedExpectation, ...] = ()
    rulesets: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The failures of the test, and warnings, with which it still passes."""
        return tuple(each.diagnostic for each in self.found)

    @property
    def passed(self) -> bool:
        """True if there is no finding that is an error."""
        return all(each.severity is not Severity.ERROR for each in self.findings)


class RunnableTest(Protocol):
    """A test that can be run: a scenario or a golden record."""

    name: str
    span: Span

    def run(self) -> Outcome:
        """Run the test."""


def try_within(test: RunnableTest, seconds: float | None) -> Outcome:
    """Run a test; it fails if it is still running after so many seconds."""
    try:
        with under(Deadline.after(seconds)):
            return test.run()
    except OutOfTime as error:
        found = Diagnostic("out-of-time", str(error), test.span)
        return Outcome(test.name, test.span, (FailedExpectation(found),))
