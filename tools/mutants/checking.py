"""Checks of mutants."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from rulesdsl.base.speed import uncollected
from rulesdsl.engine.build.stages import StageMemo, build
from rulesdsl.language.diagnostics import Diagnostic, Report, Source
from rulesdsl.language.read.files import overlaid
from tools.mutants.mutant import Mutant
from tools.mutants.shipped import FOLDER, expansions, rulesets


@dataclass(frozen=True)
class Verdict:
    """The result of checking a mutant: whether the mistake was recognised, and all findings."""

    caught: bool
    found: tuple[Diagnostic, ...]


@dataclass
class Checker:
    """Checker of mutants; their results in common with the shipped rulesets are computed once."""

    known: StageMemo = field(default_factory=StageMemo)

    def verdict(self, mutant: Mutant, slugs: frozenset[str]) -> Verdict:
        """Return whether one of `slugs` is found in the right place, and all findings.

        The smallest game with the ruleset is checked first, and, if nothing is found there, the
        game with all that extends it.
        """
        source = source_of(mutant)
        lines = mutant.lines(source)
        found: tuple[Diagnostic, ...] = ()
        for others in games(mutant):
            found = self.findings(mutant, mutant.of(source), others)
            if found:
                break
        return Verdict(any(_hits(each, slugs, lines) for each in found), found)

    def findings(
        self, mutant: Mutant, text: str, others: Sequence[str] = ()
    ) -> tuple[Diagnostic, ...]:
        """Return all findings with this text in place of the mutant's file."""
        report = Report()
        path = os.path.realpath(FOLDER / mutant.file)
        main, *on = (mutant.ruleset, *others)
        with overlaid({path: text.encode()}), uncollected():
            build(FOLDER / f"{main}.yaml", on, report=report, known=self.known)
        return tuple(report)


def source_of(mutant: Mutant) -> Source:
    """Return the shipped text of the file with the mistake."""
    sources = rulesets()[mutant.ruleset].sources()
    return next(source for source in sources if source.name == mutant.file)


def games(mutant: Mutant) -> list[tuple[str, ...]]:
    """Return the rulesets to add: those that the mistake needs, then all that extend its game."""
    root = rulesets()[mutant.ruleset].loaded[0]
    wide = tuple(id for id in expansions(root) if id != mutant.ruleset)
    return [mutant.beside, wide] if wide else [mutant.beside]


def _hits(found: Diagnostic, slugs: frozenset[str], lines: frozenset[tuple[str, int]]) -> bool:
    if found.slug not in slugs or found.span is None:
        return False
    return (os.path.basename(found.span.source.name), found.span.line) in lines
