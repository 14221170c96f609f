"""Comments and blank lines of a YAML text, handed to the nodes they stand at."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BREAK = re.compile(r"\r\n|[\n\r]")
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*")
_AT_LINE_END = re.compile(r"(?:[ \t]++|[ \t]*+[:,][ \t]++)(#[^\n\r]*)")


@dataclass
class CommentScanner:
    """Walks a text beside the parser; `cursor` is where the last node, or its comment, ended."""

    text: str
    cursor: int

    def above(self, start: int) -> tuple[str, ...]:
        """Comment lines and blank lines since the last node, for the node that begins at `start`.

        All nodes together get each comment once: of nodes that begin at one place the first asked
        about gets it.
        """
        if self.text.find("\n", self.cursor, start) < 0:
            self.cursor = max(self.cursor, start)
            return ()
        # The last line is the node's own.
        return tuple(self._lines(start)[:-1])

    def beside(self, end: int) -> str:
        """The comment on the line of the node that ends at `end`; empty if there is none."""
        match = _AT_LINE_END.match(self.text, end)
        self.cursor = max(self.cursor, match.end() if match else end)
        return match[1].rstrip() if match else ""

    def within(self, end: int) -> tuple[str, ...]:
        """Comments left over before `end`, where a collection closes: they stand above no node."""
        return tuple(filter(None, self._lines(end)))

    def _lines(self, end: int) -> list[str]:
        """The lines since the last node, each as its comment, or empty; lines which hold other
        text alone are left out, as is the rest of the last node's own line if it is blank."""
        gap, fresh = self.text[self.cursor : end], self.cursor == 0
        self.cursor = max(self.cursor, end)
        lines = _BREAK.split(gap)
        found = []
        for number, line in enumerate(lines):
            if comment := _COMMENT.search(line):
                found.append(comment[0].rstrip())
            elif number == len(lines) - 1 or (not line.strip() and (number > 0 or fresh)):
                found.append("")
        return found
