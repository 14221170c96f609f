"""What comes of a scenario or of a golden record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rulesdsl.diagnostics import Diagnostic, Span
from rulesdsl.play.scenario.findings import Finding


@dataclass(frozen=True)
class Outcome:
    """One test: its name, where it stands, what does not hold (nothing: all does), and the ids of
    the rulesets that it was played with, in canonical order (empty: they cannot be played)."""

    name: str
    span: Span
    found: tuple[Finding, ...] = ()
    rulesets: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Why it does not hold."""
        return tuple(each.diagnostic for each in self.found)

    @property
    def passed(self) -> bool:
        """Does everything hold?"""
        return not self.found


class Trial(Protocol):
    """What can be tried: a scenario, or a golden record."""

    name: str
    span: Span

    def run(self) -> Outcome:
        """Try it."""
