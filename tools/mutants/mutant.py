"""What a mutant is, and how some are drawn from all there could be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from rulesdsl.diagnostics import Source

Line = tuple[str, int]
"""A file, and a line of it."""


@dataclass(frozen=True)
class Mutant:
    """The shipped rulesets with one slip.

    In the file of `ruleset` called `file`, the characters `start` to `end` become `new`. `sort`
    groups slips that are made alike. A finding is in the right place on the lines that changed, or
    on one of `parties`, the other places it can be seen from. `beside` are rulesets that are on
    too, and `sound` is what would stand there without the slip, if that is not the shipped text.
    """

    sort: str
    ruleset: str
    file: str
    start: int
    end: int
    new: str
    parties: tuple[Line, ...] = ()
    beside: tuple[str, ...] = ()
    sound: str | None = None

    def of(self, source: Source, new: str | None = None) -> str:
        """The text of the file after the slip; or with `new` put in its place."""
        put = self.new if new is None else new
        return source.text[: self.start] + put + source.text[self.end :]

    def lines(self, source: Source) -> frozenset[Line]:
        """Where a finding is in the right place, in the text after the slip."""
        first = source.position(self.start)[0]
        changed = range(first, first + self.new.strip("\n").count("\n") + 1)
        shift = self.new.count("\n") - source.text.count("\n", self.start, self.end)
        parties = (
            (file, line + shift if file == self.file and line > first else line)
            for file, line in self.parties
        )
        lead = len(self.new) - len(self.new.lstrip("\n"))
        return frozenset((*((self.file, line + lead) for line in changed), *parties))

    def shown(self, source: Source) -> str:
        """The slip in one line: where, what stood there and what stands there now."""
        old = " ".join(source.text[self.start : self.end].split())
        new = " ".join(self.new.split())
        line = source.position(self.start)[0]
        return f"{self.file}:{line}: {old or 'nothing'} -> {new or 'nothing'}"


def drawn(candidates: Iterable[Mutant], count: int, random: Random) -> list[Mutant]:
    """So many different ones, or all there are, drawn at random; the same for the same candidates
    and the same state of `random`."""
    found = list(dict.fromkeys(candidates))
    random.shuffle(found)
    return found[:count]
