"""The book's own words in one language.

All other texts are labels and comments of the rulesets.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from rulesdsl.texts import FALLBACK, languages, section


class BookTexts:
    """The words in one language; English for languages without texts."""

    def __init__(self, language: str) -> None:
        self.language = language if language in languages() else FALLBACK
        self._texts = section("book", self.language)

    def __call__(self, key: str, **values: object) -> Markup:
        """Return the text `key` with its placeholders filled; values are escaped unless markup."""
        return Markup(self._texts[key]).format(**values)

    def players(self, numbers: Sequence[int]) -> Markup:
        """Return rising numbers of players in words."""
        least, most = numbers[0], numbers[-1]
        if most == 1:
            return self("one-player")
        if 1 < len(numbers) == most - least + 1:
            return self("players", least=least, most=most)
        *others, last = map(str, numbers)
        said = self("or", first=", ".join(others), second=last) if others else last
        return self("some-players", numbers=said)
