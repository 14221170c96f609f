"""Source texts and positions in them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class Source:
    """One text a user wrote: `name` is the path as it is shown, `text` its decoded content."""

    name: str
    text: str
    _starts: list[int] = field(default_factory=list, repr=False)

    def __reduce__(self) -> tuple[type[Source], tuple[str, str]]:
        """Pickled as what was written; where lines start is found again."""
        return Source, (self.name, self.text)

    def _line_starts(self) -> list[int]:
        if not self._starts:
            self._starts.append(0)
            self._starts.extend(i + 1 for i, char in enumerate(self.text) if char == "\n")
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based (line, column) of a character offset; columns count characters."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of 1-based line `number` without its line end; empty past the last line."""
        starts = self._line_starts()
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")

    def span(self, start: int, end: int) -> Span:
        """The span of the characters `start` (included) to `end` (excluded)."""
        return Span(self, start, end)


@dataclass(frozen=True)
class Span:
    """A stretch of one source: character offsets, `start` included, `end` excluded."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """1-based line of the first character."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """1-based column of the first character."""
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        """The characters of the span."""
        return self.source.text[self.start : self.end]

    def head(self, length: int) -> Span:
        """The first characters of this one; all but the last ones if `length` is negative."""
        end = self.start if length >= 0 else self.end
        return Span(self.source, self.start, end + length)

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.source, self.start, max(self.end, other.end))

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"
