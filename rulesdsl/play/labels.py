"""Labels by language; English and then the id are the fallbacks."""

from __future__ import annotations

import re

from rulesdsl.model.game import Game
from rulesdsl.model.names import short_name

FALLBACK = "en"

_NAME = re.compile(r"[^@\[#:]+")
_INDEX = re.compile(r"\[[^\[\]]*\]")
_WORD = re.compile(r"[^\W\d]\w*")


class Labels:
    """The labels of a game.

    Names may be full (`base/bag`) or short; a short name takes the first ruleset in canonical order
    that labels it.
    """

    def __init__(self, game: Game) -> None:
        self._texts = game.labels
        self._order = [ruleset.id for ruleset in game.rulesets]
        self._enums = [enum.key for enum in game.enums]

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the labels, sorted."""
        return tuple(sorted(self._texts))

    def find(self, name: str, language: str = FALLBACK, *, count: int = 1) -> str | None:
        """Return the label of `name`, singular or plural by `count`, or None if there is none."""
        for tongue in dict.fromkeys((language, FALLBACK)):
            texts = self._texts.get(tongue, {})
            for key in self._keys(name):
                if key in texts:
                    return form(texts[key], count)
        return None

    def __call__(self, name: str, language: str = FALLBACK, *, count: int = 1) -> str:
        """Return the label of `name`, or without one the part of the name after the last `/`."""
        found = self.find(name, language, count=count)
        return short_name(name) if found is None else found

    def plain(self, text: str, language: str = FALLBACK) -> str:
        """Replace the names in a plain form (see `rulesdsl.play.names`) by their labels.

        Names are the part before `@`, `[` or `#`, also after an owner's name and a dot or after a
        `:`, and the words in brackets.
        """
        if (whole := self.find(text, language)) is not None:
            return whole
        owner, dot, rest = text.partition(".")
        if dot and owner.isidentifier() and (label := self.find(owner, language)) is not None:
            return f"{label} {self.plain(rest, language)}"
        match = _NAME.match(text)
        name = match.group() if match else text
        after = text[len(name) :]
        if after.startswith(":"):
            return f"{self(name, language)}: {self.plain(after[1:], language)}"
        return self(name, language) + _INDEX.sub(
            lambda index: _WORD.sub(lambda word: self(word.group(), language), index.group()), after
        )

    def _keys(self, name: str) -> list[str]:
        if "/" in name:
            return [name]
        own = [f"{ruleset}/{name}" for ruleset in self._order]
        return [*own, name, *(f"{enum}.{name}" for enum in self._enums)]


def form(text: str, count: int) -> str:
    """Return the singular or the plural of a text `singular | plural`.

    A text without a bar is both.
    """
    singular, bar, plural = text.partition("|")
    return (plural if bar and count != 1 else singular).strip()
