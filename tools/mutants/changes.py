"""Changes of meaning by the operators of `rulesdsl test --mutants`, which know no mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from rulesdsl.author.testing import mutants
from tools.mutants.mutant import Mutant
from tools.mutants.shipped import rulesets

OPERATORS = {
    "another comparison": ("comparison", "comparison turned"),
    "another number": ("number", "arithmetic", "count"),
    "another condition": ("truth", "not", "either", "part of or", "line of ladder"),
    "a rule left out": ("rule",),
    "a statement left out": ("statement", "if", "if that leaves", "aggregate"),
}
"""The kinds of changes by the names of their classes in the docs."""


def candidates(name: str) -> Callable[[Random], Iterator[Mutant]]:
    """Return the function that yields all changes of a class."""
    kinds = OPERATORS[name]

    def found(_: Random) -> Iterator[Mutant]:
        for ruleset in rulesets().values():
            if ruleset.rules is not None:
                for change in mutants.of_rules(ruleset.module):
                    if change.kind in kinds:
                        yield _mutant(ruleset.id, ruleset.rules.name, change)
            for change in mutants.of_manifest(ruleset.manifest):
                if change.kind in kinds:
                    yield _mutant(ruleset.id, ruleset.yaml.name, change)

    return found


def _mutant(id: str, file: str, change: mutants.Mutation) -> Mutant:
    return Mutant(change.kind, id, file, change.start, change.end, change.new)
