"""Rules as they are written, with words told apart by colour and names that lead to where they are
declared."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup, escape

from rulesdsl.builtins import EFFECTS, FORMS, FUNCTIONS, PROPERTIES
from rulesdsl.model.checked import Checked
from rulesdsl.model.names import short_name
from rulesdsl.parse.words import WORDS

_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<id>'[^'\n]*')|(?P<number>\b\d+\b)"
    r"|(?P<name>[^\W\d]\w*)|(?P<rest>.[^\w'#\n]*|\n)",
    re.DOTALL,
)

_CALLED = frozenset([*FUNCTIONS, *FORMS, *EFFECTS])


class Code:
    """Writes code of a game; names of `anchors` (full names) become links."""

    def __init__(self, checked: Checked, anchors: Mapping[str, str]) -> None:
        self._visible = checked.game.visible
        self._anchors = anchors
        self._short = {_short(name): anchor for name, anchor in reversed(list(anchors.items()))}

    def write(self, text: str, ruleset: str) -> Markup:
        """Code as the ruleset `ruleset` means it."""
        written, before = Markup(), ""
        for token in _TOKEN.finditer(text):
            kind, word = token.lastgroup or "rest", token.group()
            written += self._token(kind, word, before.rstrip(" ")[-1:] == ".", ruleset)
            before = word
        return written

    def link(self, name: str, text: str) -> Markup:
        """A text that leads to where a full name is declared, if it is in the book."""
        anchor = self._anchors.get(name)
        if anchor is None:
            return escape(text)
        return Markup('<a href="#{}">{}</a>').format(anchor, text)

    def _token(self, kind: str, word: str, member: bool, ruleset: str) -> Markup:
        if kind == "rest":
            return escape(word)
        if kind != "name":
            return Markup('<span class="{}">{}</span>').format(kind[0], word)
        anchor = self._anchor(word, member, ruleset)
        if anchor is not None:
            return Markup('<a href="#{}">{}</a>').format(anchor, word)
        if word in WORDS and not member:
            return Markup('<span class="k">{}</span>').format(word)
        if word in _CALLED or (member and word in PROPERTIES):
            return Markup('<span class="b">{}</span>').format(word)
        return escape(word)

    def _anchor(self, word: str, member: bool, ruleset: str) -> str | None:
        """Where a name is declared: members of a player or the game by their last part."""
        if member:
            return self._short.get(f".{word}")
        for id in self._visible.get(ruleset, ()):
            if (anchor := self._anchors.get(f"{id}/{word}")) is not None:
                return anchor
        return self._short.get(f".{word}") if word not in WORDS else None


def _short(name: str) -> str:
    """The name of a state or a setting as its members are written: `.score`."""
    owner, dot, last = short_name(name).rpartition(".")
    return f".{last}" if dot and owner else name
