"""What comes of a scenario or of a golden record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rulesdsl.deadline import Deadline, OutOfTime, under
from rulesdsl.diagnostics import Diagnostic, Severity, Span
from rulesdsl.play.scenario.findings import Finding


@dataclass(frozen=True)
class Outcome:
    """One test: its name, where it stands, what is found in it, and the ids of the rulesets that it
    was played with, in canonical order (empty: they cannot be played)."""

    name: str
    span: Span
    found: tuple[Finding, ...] = ()
    rulesets: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Why it does not hold, and warnings, which do not keep it from holding."""
        return tuple(each.diagnostic for each in self.found)

    @property
    def passed(self) -> bool:
        """Does everything hold?"""
        return all(each.severity is not Severity.ERROR for each in self.findings)


class Trial(Protocol):
    """What can be tried: a scenario, or a golden record."""

    name: str
    span: Span

    def run(self) -> Outcome:
        """Try it."""


def try_within(test: Trial, seconds: float | None) -> Outcome:
    """Try a test; one that is still running after so many seconds does not hold."""
    try:
        with under(Deadline.after(seconds)):
            return test.run()
    except OutOfTime as error:
        found = Diagnostic("out-of-time", str(error), test.span)
        return Outcome(test.name, test.span, (Finding(found),))
