"""The place in the rules at which a fault happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from types import TracebackType

from rulesdsl.diagnostics import Source, Span

CORE = "<runtime>"
"""The file of printed code that comes from no rule."""

Elsewhere = dict[tuple[str, int, int], tuple[str, int, int, int]]
"""The true places of statements that come from outside the file of their function.

The key is the name of the function, and the line and the column at which the statement is shown.
The value is its file, line, column and length.
"""


@dataclass(frozen=True)
class Place:
    """A place in a `.rules` file, with line and column from 1 and its `length` on that line."""

    file: str
    line: int
    column: int
    length: int = field(default=1, compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def span(self, source: Source) -> Span:
        """Return the place as a span of the text of the file."""
        before = source.text.split("\n")[: self.line - 1]
        start = sum(len(line) + 1 for line in before) + self.column - 1
        return source.span(start, start + self.length)


def place_of(traceback: TracebackType | None) -> Place | None:
    """Return the innermost place in the rules that a traceback passes through.

    It is None if there is none.
    """
    found = None
    while traceback is not None:
        elsewhere = traceback.tb_frame.f_globals.get("__elsewhere__")
        if isinstance(elsewhere, dict):
            found = _place(traceback, elsewhere) or found
        traceback = traceback.tb_next
    return found


def _place(traceback: TracebackType, elsewhere: Elsewhere) -> Place | None:
    code = traceback.tb_frame.f_code
    positions = next(islice(code.co_positions(), traceback.tb_lasti // 2, None), None)
    line, _, column, end = positions or (None, None, None, None)
    line, column, end = line or traceback.tb_lineno, column or 0, end or 1
    function = code.co_qualname.split(".")[2]  # of `make.<locals>.function`
    place = elsewhere.get((function, line, column))
    if place is not None:
        return Place(*place)
    if code.co_filename == CORE:
        return None
    return Place(code.co_filename, line, column + 1, max(end - column, 1))
