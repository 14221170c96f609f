"""Characters that steer what shows a text, or hide in it, and the escapes that stand for them.

Terminals obey control characters, bidirectional controls reorder what people read, characters
without a glyph hide, and servers that build and test take some lines of output for commands. What
a stranger wrote reaches no output before it went through this module.
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
    "\ud800-\udfff\ufff0-\ufffb\ufffe\uffff"  # halves of pairs, annotations, no characters at all
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff"  # layout, tags
)
"""The characters, as the inside of a character class of a regular expression.

The joiners U+200C and U+200D are not among them: Persian, the scripts of India and emoji need them.
The definitions `line` and `code` of the schemas refuse the same characters."""

_ANY = re.compile(f"[{STEERING}]")
_IN_LINES = re.compile("[" + STEERING.replace("\0-\x1f", "\0-\x09\x0b-\x1f") + "]")
_IN_CODE = re.compile("[" + STEERING.replace("\0-\x1f", "\0-\x08\x0b-\x1f") + "]")

_COMMAND = re.compile(r"^[^\S\n]*(:)(?=:)|(#)(?=#\w*\[)", re.MULTILINE)
"""Where GitHub (`::error`, at the beginning of a line), Azure Pipelines and TeamCity (`##vso[`,
`##[`, `##teamcity[`, anywhere in a line) see a command."""

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
    """Replace each steering character by an escape such as `\\u{1b}`.

    With `lines` line feeds stay.
    """
    steering = _IN_LINES if lines else _ANY
    return steering.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", text)


def first_steering(text: str, *, code: bool = False) -> int | None:
    """Return the offset of the first steering character, if there is one.

    In code, tabs and line feeds are none.
    """
    found = (_IN_CODE if code else _ANY).search(text)
    return None if found is None else found.start()


def described(char: str) -> str:
    """Name a character by its code point: `U+202E (RIGHT-TO-LEFT OVERRIDE)`."""
    called = _NAMES.get(char) or name(char, "")
    return f"U+{ord(char):04X}{f' ({called})' if called else ''}"


def command_signs(text: str) -> frozenset[int]:
    """Return the offsets of the characters that make commands of a build server, in lines of
    text."""
    return frozenset(found.start(found.lastindex or 0) for found in _COMMAND.finditer(text))


def escaped(text: str, offsets: Collection[int], escape: str = "\\u{{{:x}}}") -> str:
    """Replace the characters at some offsets by escapes, which hold their code points."""
    if not offsets:
        return text
    return "".join(
        escape.format(ord(char)) if at in offsets else char for at, char in enumerate(text)
    )


def inert(text: str) -> str:
    """Replace, in lines of text, the steering characters and the signs of commands by escapes."""
    found = visible(text, lines=True)
    return escaped(found, command_signs(found))


def inert_markup(document: str) -> str:
    """Replace steering characters in a document of HTML or XML by escapes.

    Write the signs of commands, and tabs, as references to characters.
    """
    found = visible(document.replace("\t", "&#9;"), lines=True)
    return escaped(found, command_signs(found), "&#{};")


def inert_json(value: object, indent: int | None = None) -> str:
    """Write a value as JSON in ASCII, without commands of build servers."""
    text = json.dumps(value, indent=indent, allow_nan=False)
    return text.replace("##", "#\\u0023")  # a `#` stands in strings alone
