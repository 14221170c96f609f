"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table with a row of headings; `|` in cells is escaped."""
    names = list(head)
    lines = [names, ["---"] * len(names), *(map(_cell, row) for row in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
