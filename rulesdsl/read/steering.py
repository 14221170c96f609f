"""Findings for characters that would steer a terminal, or hide, in files and in their values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulesdsl.diagnostics import Diagnostic, Source, Span
from rulesdsl.diagnostics.visible import described, first_steering

_ESCAPE = re.compile(r"\\(?:x(\w{2})|u(\w{4})|U(\w{8})|(.))", re.DOTALL)
_SHORT = {
    **{"0": "\0", "a": "\x07", "b": "\x08", "t": "\t", "n": "\n", "v": "\x0b", "f": "\x0c"},
    **{"r": "\r", "e": "\x1b", "N": "\x85", "L": "\u2028", "P": "\u2029", "\t": "\t"},
}
"""Characters by what YAML, and JSON, write for them after a backslash."""


def in_file(source: Source) -> Diagnostic | None:
    """Return the finding for the first character of a file that no file may hold, if there is
    one; a byte order mark may begin it."""
    # As many characters as there are, so that places stay.
    text = f"{source.text}\n".replace("\r\n", " \n")
    start = first_steering(f" {text[1:]}" if text[0] == "\ufeff" else text, code=True)
    if start is None:
        return None
    char = text[start]
    message = f"the character {described(char)} is not allowed in a file"
    return Diagnostic("hidden-character", message, source.span(start, start + 1), help=_help(char))


def in_value(text: str, what: str, span: Span, *, code: bool) -> Diagnostic | None:
    """Return the finding for the first character that a value, written in `span`, may not hold:
    code may hold tabs and line feeds."""
    at = first_steering(text, code=code)
    if at is None:
        return None
    char = text[at]
    message = f"the character {described(char)} is not allowed in {what}"
    return Diagnostic("hidden-character", message, _place(char, span), help=_help(char))


def _place(char: str, span: Span) -> Span:
    """The character, or its escape, in the text of a span; the whole span if it is not there."""
    places = ((start, end) for start, end, meant in _written(span.text) if meant == char)
    start, end = next(places, (0, len(span.text)))
    return span.source.span(span.start + start, span.start + end)


def _written(text: str) -> Iterator[tuple[int, int, str]]:
    """The escapes of a text, and the characters that are written as they are."""
    at = 0
    while at < len(text):
        escape = _ESCAPE.match(text, at)
        if escape is None:
            yield at, at + 1, text[at]
            at += 1
            continue
        code, short = escape[1] or escape[2] or escape[3], escape[4]
        yield at, escape.end(), _char(code) if code else _SHORT.get(short, short)
        at = escape.end()


def _char(code: str) -> str:
    try:
        return chr(int(code, 16))
    except (ValueError, OverflowError):  # no number, or none of a character
        return ""


def _help(char: str) -> tuple[str, ...]:
    """Say what to type instead."""
    if char in "\n\r\x0b\x0c\x85\u2028\u2029":
        return ("write the text on one line; in files, lines end with LF or CR LF",)
    if char == "\t":
        return ("write spaces",)
    return ("remove it: type the letters in the order in which they are read",)
