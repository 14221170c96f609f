"""Findings of one run: each once, as bad as it counts, and without what is allowed or known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rulesdsl.audit.baseline import Baseline
from rulesdsl.audit.levels import Levels, leveled
from rulesdsl.diagnostics import SLUGS, Diagnostic, Severity, Source
from rulesdsl.diagnostics.allow import Allowance, allowances, unused
from rulesdsl.diagnostics.render import render

PLAYED = frozenset({"never-given", "never-offered", "never-ran"})
"""What is only found by playing."""

MEETING = frozenset({"hooks-meet", "last-option", "new-kind", "order-of-names"})
"""What is only found where expansions meet."""

ALWAYS = frozenset(SLUGS) - PLAYED - MEETING - {"uncovered", "unnoticed"}
"""What is found wherever it is; the others need scenarios."""


@dataclass(frozen=True)
class Sifted:
    """What came through: all of it, and what did so for the first time in this run."""

    counted: tuple[Diagnostic, ...]
    fresh: tuple[Diagnostic, ...]


@dataclass
class Sieve:
    """`levels` say how bad findings count, `baseline` which are known; `judged` are the slugs that
    this run would find if there were something to be found.

    `shown` are the findings that came through, `allowed` and `known` the ones that did not.
    """

    levels: Levels
    baseline: Baseline | None = None
    judged: frozenset[str] = frozenset(SLUGS)
    shown: list[Diagnostic] = field(default_factory=list)
    allowed: list[Diagnostic] = field(default_factory=list)
    known: list[Diagnostic] = field(default_factory=list)
    _judged: dict[str, Diagnostic | None] = field(default_factory=dict)
    _sources: dict[str, list[Allowance]] = field(default_factory=dict)
    _wrong: dict[str, list[Diagnostic]] = field(default_factory=dict)
    _used: set[Allowance] = field(default_factory=set)
    _errors: list[Diagnostic] = field(default_factory=list)

    def sift(self, found: Iterable[Diagnostic], sources: Iterable[Source]) -> Sifted:
        """What comes through of what was found in rulesets with these sources."""
        wrong = [each for source in sources for each in self._read(source)]
        counted: dict[str, Diagnostic] = {}
        fresh: list[Diagnostic] = []
        for each in (*found, *wrong):
            text = render([each])
            new = text not in self._judged
            if new:
                self._judged[text] = self._kept(each)
            kept = self._judged[text]
            if kept is not None:
                counted[text] = kept
                fresh += [kept] if new else []
        self.shown += fresh
        return Sifted(tuple(counted.values()), tuple(fresh))

    def end(self) -> Sifted:
        """What is left over: comments that allow nothing, entries that are not found any more."""
        left: list[Diagnostic] = []
        for each in (each for listed in self._sources.values() for each in listed):
            stops = next((error for error in self._errors if each.covers(error)), None)
            # After an error not all is looked for.
            judged = each.slug in self.judged and not self._errors
            if each not in self._used and (judged or stops is not None):
                left.append(unused(each, stops))
        if self.baseline is not None and not self._errors:
            left += self.baseline.gone(self._sources, self.judged)
        return self.sift(sorted(left, key=lambda each: each.sort_key), ())

    def _read(self, source: Source) -> list[Diagnostic]:
        """Note what a file allows; what is wrong with that."""
        if source.name in self._sources:
            return self._wrong[source.name]
        found = list(allowances(source))
        self._sources[source.name] = [each for each in found if isinstance(each, Allowance)]
        self._wrong[source.name] = [each for each in found if isinstance(each, Diagnostic)]
        return self._wrong[source.name]

    def _kept(self, found: Diagnostic) -> Diagnostic | None:
        if found.severity is Severity.ERROR:
            self._errors.append(found)
            return found
        name = found.span.source.name if found.span is not None else ""
        covering = [each for each in self._sources.get(name, ()) if each.covers(found)]
        if covering:
            self._used.update(covering)
            self.allowed.append(found)
            return None
        if self.baseline is not None and self.baseline.has(found):
            self.known.append(found)
            return None
        return leveled(found, self.levels)
