"""The classes of mistakes, and the mutants of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from rulesdsl.language.diagnostics import SLUGS
from tools.mutants import (
    changes,
    clashes,
    counts,
    geometry,
    guards,
    references,
    spelling,
    wrong_types,
)
from tools.mutants.mutant import Mutant, drawn

SEED = 7
"""Seed of the random generator."""

COUNT = 120
"""Number of mutants measured in each class."""


@dataclass(frozen=True)
class Class:
    """A class of mistakes: all candidates, and the findings that recognise one."""

    candidates: Callable[[Random], Iterator[Mutant]]
    slugs: frozenset[str]


def _slugs(*words: str) -> frozenset[str]:
    return frozenset(" ".join(words).split())


_NAMES = """unknown-name unknown-attribute unknown-key label-unknown not-callable ruleset-missing
file-missing bad-value wrong-type missing-key setting-unknown setting-value order-unknown"""
_TYPES = "type-mismatch wrong-type bad-value"
_DRAWN = "sides-differ segments-cross segment-target port-twice port-unknown"

_GUARDS = """value-clash replacement-clash unused maybe-none never-applies unguarded-index
count-total"""

CLASSES = {
    "misspelt key": Class(spelling.keys, _slugs(_NAMES)),
    "misspelt name": Class(spelling.names, _slugs(_NAMES, "bad-syntax")),
    "misspelt attribute": Class(spelling.attributes_read, _slugs(_NAMES)),
    "wrong type": Class(
        wrong_types.candidates,
        _slugs(_TYPES, "port-unknown unknown-name unknown-attribute missing-key"),
    ),
    "dropped guard": Class(guards.candidates, _slugs(_TYPES, _GUARDS)),
    "wrong reference": Class(
        references.candidates, _slugs(_NAMES, _TYPES, "wrong-verb maybe-none arity asks-in-value")
    ),
    "swapped sides": Class(geometry.swapped, _slugs(_DRAWN)),
    "crossed segments": Class(geometry.crossed, _slugs("segments-cross segment-target port-twice")),
    "wrong count": Class(counts.candidates, _slugs("count-total range bad-value")),
    "dropped proceed": Class(clashes.without_proceed, _slugs("missing-proceed")),
    "clashing refinements": Class(clashes.clashing, _slugs("value-clash")),
}
"""The classes by their names in the docs."""

CHANGES = {name: Class(changes.candidates(name), frozenset(SLUGS)) for name in changes.OPERATORS}
"""A second set, whose operators are those of `rulesdsl test --mutants`: any finding counts."""

FEW = 24
"""Number of mutants measured in each class of the second set."""


def corpus(name: str, count: int) -> list[Mutant]:
    """Return the first `count` mutants of a class."""
    random = Random(f"{SEED} {name}")
    return drawn((CLASSES | CHANGES)[name].candidates(random), count, random)
