"""What mends a finding at once: the name that was meant, or a comment that allows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MEANT = re.compile(r"did you mean `([^`\n]+)`\?")


@dataclass(frozen=True)
class Mend:
    """A title, and what is to stand in the place from `start` to `end` of the text."""

    title: str
    start: int
    end: int
    text: str


def mends(text: str, start: int, end: int, slug: str, message: str, error: bool) -> Iterator[Mend]:
    """What mends a finding that lies from `start` to `end` of a text; `message` is all that it
    says."""
    for found in _MEANT.finditer(message):
        yield _replaced(text, start, end, found[1])
    if not error:
        yield from _allowed(text, start, slug)


def _replaced(text: str, start: int, end: int, word: str) -> Mend:
    """The word that was meant in the place of the last one there, quotes kept."""
    written = text[start:end]
    if "." in written and "." not in word:
        start += written.rindex(".") + 1
    elif written[:1] in ("'", '"') and written[:1] == written[-1:]:
        start, end = start + 1, end - 1
    return Mend(f"write `{word}`", start, end, word)


def _allowed(text: str, start: int, slug: str) -> Iterator[Mend]:
    """A comment at the end of the line, if it has none."""
    line = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    code = text[line:end].rstrip()
    if "#" not in code:
        at = line + len(code)
        yield Mend(f"allow `{slug}` here", at, at, f"  # allow: {slug}")
