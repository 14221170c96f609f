"""What comes of a scenario or of a golden record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rulesdsl.diagnostics import Diagnostic, Span


@dataclass(frozen=True)
class Outcome:
    """One test: its name, where it stands, why it does not hold (empty: it does), and the ids of
    the rulesets that it was played with, in canonical order (empty: they cannot be played)."""

    name: str
    span: Span
    findings: tuple[Diagnostic, ...]
    rulesets: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Does everything hold?"""
        return not self.findings


class Trial(Protocol):
    """What can be tried: a scenario, or a golden record."""

    name: str
    span: Span

    def run(self) -> Outcome:
        """Try it."""
