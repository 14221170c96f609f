"""Control characters and hidden characters in texts, and escapes to show them.

Terminals obey control characters, bidirectional controls reorder text, characters without a glyph
are invisible, and build servers take some lines of output for commands. Untrusted text passes
through this module before it reaches any output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from unicodedata import name

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
    called = _NAMES.get(char) or name(char, "")
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
