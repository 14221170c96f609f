"""What can be folded away: blocks, by their indentation, and comments of several lines. A text may
be in any state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Fold:
    """Lines, from 0, of which the first stays in sight."""

    first: int
    last: int
    comment: bool = False


def folds(text: str) -> list[Fold]:
    """Everything that can be folded, by line."""
    lines = [line.expandtabs() for line in text.split("\n")]
    found = [*_blocks(lines), *_comments(lines)]
    return sorted(found, key=lambda fold: (fold.first, -fold.last))


def _blocks(lines: list[str]) -> Iterator[Fold]:
    """Each line with the lines below it that are indented deeper."""
    open_: list[tuple[int, int]] = []
    last = -1
    for number, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        depth = _depth(line)
        while open_ and open_[-1][0] >= depth:
            first = open_.pop()[1]
            if last > first:
                yield Fold(first, last)
        open_.append((depth, number))
        last = number
    for _, first in reversed(open_):
        if last > first:
            yield Fold(first, last)


def _depth(line: str) -> int:
    """How deep a line is indented; the items of a list in YAML may stand below their key's first
    letter, and are deeper than it."""
    depth = 2 * (len(line) - len(line.lstrip()))
    return depth + line.lstrip().startswith("- ")


def _comments(lines: list[str]) -> Iterator[Fold]:
    first: int | None = None
    for number, line in enumerate([*lines, ""]):
        if line.lstrip().startswith("#"):
            first = number if first is None else first
        elif first is not None:
            if number - first > 1:
                yield Fold(first, number - 1, comment=True)
            first = None
