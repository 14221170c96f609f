"""Places in texts as the page counts them: in units of UTF-16."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

_WIDE = re.compile("[\U00010000-\U0010ffff]")


class Offsets:
    """Converts places in a text: Python counts characters, the page counts units of UTF-16."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _wide(self) -> list[int]:
        """The places of the characters that take two units."""
        return [] if self._text.isascii() else [m.start() for m in _WIDE.finditer(self._text)]

    def to_page(self, offset: int) -> int:
        """Return the number of units before a character."""
        return offset + bisect_right(self._wide, offset - 1)

    def from_page(self, units: int) -> int:
        """Return the number of characters in the first units; places outside are moved inside."""
        low, high = 0, min(max(units, 0), len(self._text))
        while low < high:
            middle = (low + high) // 2
            if self.to_page(middle) < units:
                low = middle + 1
            else:
                high = middle
        return low
