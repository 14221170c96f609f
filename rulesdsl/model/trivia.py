"""Comments around and inside a line of rules, as syntax trees carry them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Inner:
    """A comment inside a line that goes on. `after`: how many words and signs of the line stand
    before it, parentheses that only group left out; `own`: it has a line of its own."""

    after: int
    text: str
    own: bool


@dataclass(frozen=True)
class Trivia:
    """`before`: comment lines with their `#`, blank lines as empty strings; `after`: the comment
    at the end of the node's first line, with its `#`; `inner`: those where that line is broken."""

    before: tuple[str, ...] = ()
    after: str = ""
    inner: tuple[Inner, ...] = ()
