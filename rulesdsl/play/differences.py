"""Differences between expected and found values, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

EXPECTED, FOUND = "expected", "found"
NOTHING = "-"
MOST = 12


def side_by_side(rows: Sequence[tuple[str, str, str]]) -> str:
    """Return a table: for each row its name, the expected value and the value found.

    `<-` marks the rows in which they differ; numbers are right-aligned.
    """
    table = [("", EXPECTED, FOUND), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(3)]
    numbers = all(_is_number(text) for _, *texts in rows for text in texts)
    return "\n".join(
        _row(row, widths, numbers) + ("  <-" if number and row[1] != row[2] else "")
        for number, row in enumerate(table)
    )


def of_mappings(expected: Mapping[str, object], found: Mapping[str, object]) -> str:
    """Return a table of two mappings by key, in the order of `found`; `-` is a missing value."""
    keys = dict.fromkeys([*found, *expected])
    return side_by_side(
        [(key, str(expected.get(key, NOTHING)), str(found.get(key, NOTHING))) for key in keys]
    )


def of_sets(expected: Sequence[str], found: Sequence[str]) -> str:
    """Return the items that only one of two lists has, one a line, `MOST` lines at most."""
    missing, more = Counter(expected), Counter(found)
    missing, more = missing - more, more - missing
    lines = [
        *(f"{EXPECTED}, not {FOUND}: {each}" for each in counted(missing)),
        *(f"{FOUND}, not {EXPECTED}: {each}" for each in counted(more)),
    ]
    left = len(lines) - MOST
    return "\n".join([*lines[:MOST], f"and {left} more"] if left > 0 else lines)


def counted(items: Iterable[str]) -> Iterator[str]:
    """Yield the different items in order, with the number of each that occurs several times."""
    for each, count in Counter(items).items():
        yield f"{each} ({count} times)" if count > 1 else each


def _row(row: tuple[str, str, str], widths: Sequence[int], numbers: bool) -> str:
    name, *texts = row
    cells = [
        text.rjust(width) if numbers else text.ljust(width)
        for text, width in zip(texts, widths[1:], strict=True)
    ]
    return "  ".join([name.ljust(widths[0]), *cells]).rstrip()


def _is_number(text: str) -> bool:
    return text == NOTHING or text.lstrip("-").isdigit()
