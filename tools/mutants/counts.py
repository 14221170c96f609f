"""Wrong counts of components."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from rulesdsl.author.testing import mutants
from tools.mutants.mutant import Line, Mutant
from tools.mutants.shipped import Ruleset, rulesets


def candidates(random: Random) -> Iterator[Mutant]:
    """Yield wrong counts of components and copies, and wrong totals.

    They are off by one or two, or ten times as large.
    """
    for ruleset in rulesets().values():
        for keys, scalar in mutants.counts(ruleset.scalars()):
            sort = {"count": "of components", "copies": "of copies"}.get(keys[-1], "in total")
            text = str(scalar.value)
            for new in dict.fromkeys(_off(random, text) for _ in range(3)):
                start, end = scalar.span.start, scalar.span.end
                parties = (*totals(ruleset), *(_siblings(ruleset) if sort == "of copies" else ()))
                yield Mutant(sort, ruleset.id, ruleset.yaml.name, start, end, new, parties)


def _off(random: Random, text: str) -> str:
    """Return a count that differs from `text`, which may be an expression."""
    if not text.isdecimal():
        return f"{text} {random.choice('+-')} 1" if " if " not in text else f"({text}) + 1"
    count = int(text)
    return str(
        random.choice(
            [n for n in (count - 1, count + 1, count + 2, 10 * count) if n >= 0 and n != count]
        )
    )


def _siblings(ruleset: Ruleset) -> Iterator[Line]:
    """Yield the other lines with `copies`: too many there leave too few here."""
    for keys, scalar, key in ruleset.scalars():
        if key and keys[-1] == "copies":
            yield ruleset.yaml.name, scalar.span.line


def totals(ruleset: Ruleset) -> Iterator[Line]:
    """Yield the lines of declared totals.

    If counts and total differ, nobody can tell which one is wrong.
    """
    for keys, scalar, key in ruleset.scalars():
        if key and keys[0] == "totals" and len(keys) == 2:
            yield ruleset.yaml.name, scalar.span.line
