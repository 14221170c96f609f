"""Every case of rules gives exactly the findings written under its lines."""

from __future__ import annotations

import pytest

from rulesdsl.language.diagnostics import Diagnostic
from tests.check.cases import Case, cases, finding, outcome

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case) -> None:
    found = outcome(case)
    findings = sorted(
        finding(diagnostic) for diagnostic in found.report if _counts(case, diagnostic)
    )
    assert findings == sorted(case.expected), "\n".join(
        f"{d.span}: {d.slug}: {d.message}" for d in found.report
    )
    assert (found.checked is None) is any(not each.warning for each in case.expected)


def _counts(case: Case, diagnostic: Diagnostic) -> bool:
    """Most cases, and the box they share, declare what nothing uses; usage.rules is about that."""
    assert diagnostic.span is not None
    shared = diagnostic.span.source.name.startswith("base.")
    return diagnostic.slug != "unused" or (case.file.stem == "usage" and not shared)


def test_cases_are_told_apart() -> None:
    assert len({str(case) for case in CASES}) == len(CASES)
