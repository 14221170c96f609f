"""Plain words for what a YAML parser says when it gives up."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from yaml import MarkedYAMLError

from rulesdsl.diagnostics import Label, Report, Source


@dataclass(frozen=True)
class _Failure:
    """Where parsing stopped (`at`), where the construct around it began (`opened`, or None)."""

    source: Source
    at: int
    opened: int | None

    @property
    def char(self) -> str:
        """The character parsing stopped at; empty at the end of the text."""
        return self.source.text[self.at : self.at + 1]

    @property
    def before(self) -> str:
        """The part of the line left of the place."""
        return self.source.text[self.source.text.rfind("\n", 0, self.at) + 1 : self.at]

    @property
    def beside_opening(self) -> bool:
        """Whether the construct begins on the line on which parsing stopped."""
        return self.opened is not None and "\n" not in self.source.text[self.opened : self.at]

    @property
    def line_above(self) -> str:
        """The line above the place; empty if there is none."""
        return self.source.line(self.source.position(self.at)[0] - 1)


@dataclass(frozen=True)
class _Cause:
    """One explanation; `whole` marks the opening instead of the place where parsing stopped."""

    message: str
    help: tuple[str, ...] = ()
    slug: str = "yaml-syntax"
    opened: str = ""
    whole: bool = False


_LINE_UP = "give lines of one block the same indentation"


def _bad_start(failure: _Failure) -> _Cause:
    if failure.char == "\t":
        return _Cause("a tab cannot indent a line", ("indent with spaces",))
    return _Cause(
        "a value cannot begin like this", ("put the value in quotes if the text is meant",)
    )


def _second_colon(failure: _Failure) -> _Cause:
    if re.search(r"\S\s*:\s", failure.before):
        return _Cause(
            "a second `:` on one line",
            ("put the value in quotes if the colon belongs to it", "or begin a new line"),
        )
    if re.fullmatch(r"\s*[\w.-]+:\S.*", failure.line_above):
        return _Cause("the line above is no key and value", ("write a space after its colon",))
    return _Cause("this key is not in line with a mapping above it", (_LINE_UP,))


def _left_over(failure: _Failure) -> _Cause:
    if failure.before.strip():
        return _Cause(
            "text after the end of a value", ("put the whole value in quotes, or begin a new line",)
        )
    if failure.char == ":":
        return _Cause("there is no key before this `:`")
    return _Cause(
        "this line is not in line with the keys above it",
        (_LINE_UP,),
        opened="the mapping begins here",
    )


def _not_closed(bracket: str, what: str) -> Callable[[_Failure], _Cause]:
    def explain(failure: _Failure) -> _Cause:
        if not failure.beside_opening:
            return _Cause(
                f"a {what} that is not closed", (f"write `{bracket}` at its end",), whole=True
            )
        return _Cause(
            f"a `,` or `{bracket}` is missing here",
            (
                f"close the {what}, or part what is in it with commas",
                "a text with brackets, braces or commas of its own stands in quotes",
            ),
            opened=f"the {what} is opened here",
        )

    return explain


def _constantly(cause: _Cause) -> Callable[[_Failure], _Cause]:
    return lambda _: cause


# Matched against "context: problem" as either of PyYAML's two parsers words it; first row wins.
_CAUSES: tuple[tuple[re.Pattern[str], Callable[[_Failure], _Cause]], ...] = tuple(
    (re.compile(pattern), cause if callable(cause) else _constantly(cause))
    for pattern, cause in (
        (r"cannot start any token", _bad_start),
        (r"mapping values are not allowed", _second_colon),
        (
            r"quoted scalar: found unexpected (end of stream|document)",
            _Cause("a quote that is never closed", whole=True),
        ),
        (
            r"unknown escape|hexdecimal|hexadecimal|escape sequence",
            _Cause(
                "an unknown escape in double quotes",
                ("write `\\\\` for a backslash, or use single quotes",),
            ),
        ),
        (r"flow sequence: [^:]*(',' or '\]')", _not_closed("]", "list")),
        (r"flow mapping: [^:]*(',' or '\}')", _not_closed("}", "mapping")),
        (
            r"block (collection|sequence): ",
            _Cause(
                "this line is no item of the list above it",
                ("begin items with `- ` in line with the first one", _LINE_UP),
                opened="the list begins here",
            ),
        ),
        (r"block mapping: ", _left_over),
        (
            r"find expected ':'",
            _Cause("a line without `: `", ("write `key: value`, with a space after the colon",)),
        ),
        (r"expected (the )?node content", _Cause("a value is missing here")),
        (
            r"tag|directive|incompatible YAML",
            _Cause("tags and directives are not supported", ("remove it",), slug="yaml-tag"),
        ),
        (
            r"scanning an (anchor|alias)",
            _Cause(
                "`&` and `*` must be followed by a name",
                ("put the value in quotes if the text is meant",),
                slug="yaml-alias",
            ),
        ),
        (
            r"block scalar",
            _Cause(
                "this does not fit a block of text opened with `|` or `>`",
                ("write `|` or `>` alone on the line and indent the text below it with spaces",),
            ),
        ),
        (
            r"sequence entries are not allowed",
            _Cause("a list cannot begin here", ("begin it on the next line, or write `[a, b]`",)),
        ),
        (
            r"<document start>",
            _Cause("this line belongs to nothing above it", (_LINE_UP,)),
        ),
    )
)
_UNKNOWN = _constantly(_Cause("YAML cannot be read here"))


def report_syntax(source: Source, shift: int, error: MarkedYAMLError, report: Report) -> None:
    """Report what `error` means at its place; parser positions count from `shift`."""
    marks = (error.problem_mark, error.context_mark)
    at, opened = (
        None if mark is None else min(mark.index + shift, len(source.text)) for mark in marks
    )
    failure = _Failure(source, len(source.text) if at is None else at, opened)
    said = f"{error.context or ''}: {error.problem or ''}"
    found = next((cause for pattern, cause in _CAUSES if pattern.search(said)), _UNKNOWN)(failure)
    start = failure.at
    if (found.whole or "find expected ':'" in said) and opened is not None:
        start = opened
    labels: tuple[Label, ...] = ()
    if found.opened and opened is not None and opened != start:
        labels = (Label(source.span(opened, opened + 1), found.opened),)
    report.error(
        found.slug,
        found.message,
        source.span(start, _word_end(source.text, start)),
        labels=labels,
        help=found.help,
    )


def _word_end(text: str, start: int) -> int:
    """The end of the run of non-blank characters at `start`, at least one character."""
    match = re.compile(r"[^\s,\]}]+").match(text, start)
    return min(match.end() if match else start + 1, max(len(text), start))
