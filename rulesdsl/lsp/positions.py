"""Positions in a text as editors count them: by lines, and units of an encoding in each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property

from lsprotocol.types import (
    Position,
    PositionEncodingKind,
    Range,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
)

UTF8 = PositionEncodingKind.Utf8
UTF16 = PositionEncodingKind.Utf16
UTF32 = PositionEncodingKind.Utf32

_LINE_END = re.compile("\r\n|\n|\r")


class TextLines:
    """The lines of a text.

    An offset counts characters. A position counts lines from 0, and within a line the units of
    `encoding`: UTF-16 unless both sides agree on another one.
    """

    def __init__(self, text: str, encoding: PositionEncodingKind | str = UTF16) -> None:
        self.text = text
        self.encoding = encoding

    @cached_property
    def _ends(self) -> list[tuple[int, int]]:
        """The end of the content of each line but the last, and the start of the next line."""
        return [match.span() for match in _LINE_END.finditer(self.text)]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(next_ for _, next_ in self._ends)]

    def _line(self, number: int) -> tuple[int, int]:
        """Return the start and end of the content of a line."""
        end = self._ends[number][0] if number < len(self._ends) else len(self.text)
        return self._starts[number], end

    def offset(self, position: Position) -> int:
        """Return the offset of a position.

        A position behind the end of a line or of the text is moved to that end.
        """
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self._line(position.line)
        line = self.text[start:end]
        if line.isascii() or self.encoding == UTF32:
            return min(start + position.character, end)
        units = 0
        for index, character in enumerate(line):
            if units >= position.character:
                return start + index
            units += self._units(character)
        return end

    def position(self, offset: int) -> Position:
        """Return the position of an offset."""
        number = bisect_right(self._starts, offset) - 1
        start, end = self._line(number)
        return Position(number, self._units(self.text[start : min(offset, end)]))

    def range(self, start: int, end: int) -> Range:
        """Return the range from one offset to another."""
        return Range(self.position(start), self.position(end))

    def length(self, start: int, end: int) -> int:
        """Return the number of units from one offset to another in the same line."""
        return self._units(self.text[start:end])

    def _units(self, text: str) -> int:
        if text.isascii() or self.encoding == UTF32:
            return len(text)
        if self.encoding == UTF8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2


def edited(
    text: str,
    changes: Iterable[TextDocumentContentChangeEvent],
    encoding: PositionEncodingKind | str = UTF16,
) -> str:
    """Apply changes one after the other, each to the whole text or to a range in it."""
    for change in changes:
        if isinstance(change, TextDocumentContentChangePartial):
            lines = TextLines(text, encoding)
            start, end = lines.offset(change.range.start), lines.offset(change.range.end)
            text = text[:start] + change.text + text[max(start, end) :]
        else:
            text = change.text
    return text
