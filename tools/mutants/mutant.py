"""Mutants, and the random choice of some among all candidates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from rulesdsl.language.diagnostics import Source

Line = tuple[str, int]
"""A file, and a line of it."""


@dataclass(frozen=True)
class Mutant:
    """The shipped rulesets with one mistake.

    In the file of `ruleset` called `file`, the characters `start` to `end` become `new`. `sort`
    groups mistakes of the same kind. A finding is in the right place on the changed lines, or on
    one of `parties`, the other places that may show the mistake. `beside` are further active
    rulesets, and `sound` is the correct text, if that is not the shipped one.
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
        """Return the text of the file with the mistake, or with `new` in its place."""
        put = self.new if new is None else new
        return source.text[: self.start] + put + source.text[self.end :]

    def lines(self, source: Source) -> frozenset[Line]:
        """Return the lines on which a finding is in the right place, in the changed text."""
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
        """Return the mistake in one line: its place, the old text and the new one."""
        old = " ".join(source.text[self.start : self.end].split())
        new = " ".join(self.new.split())
        line = source.position(self.start)[0]
        return f"{self.file}:{line}: {old or 'nothing'} -> {new or 'nothing'}"


def drawn(candidates: Iterable[Mutant], count: int, random: Random) -> list[Mutant]:
    """Draw up to `count` different mutants at random.

    The result is the same for the same candidates and the same state of `random`.
    """
    found = list(dict.fromkeys(candidates))
    random.shuffle(found)
    return found[:count]
