"""What came of tests as other programs read it: JSON, and the XML of JUnit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rulesdsl.diagnostics import Diagnostic
from rulesdsl.diagnostics.render import render
from rulesdsl.diagnostics.visible import inert_json
from rulesdsl.play.scenario.coverage import Covered
from rulesdsl.reports import Case, junit
from rulesdsl.suite.mutants.judging import Fate
from rulesdsl.suite.result import Result
from rulesdsl.suite.trying import Tried

if TYPE_CHECKING:
    from rulesdsl.suite.mutants.survey import Survey


def as_json(result: Result) -> str:
    """One object: `tests` with their findings, `unreadable` files, and `coverage` if that was asked
    for, with `rules` by file and `pairs` of expansions, and `mutants` if those were. Times are left
    out: it is the same each time."""
    found: dict[str, object] = {
        "passed": result.passed,
        "failed": result.failed,
        "left_out": sum(each.left_out for each in result.tried),
        "tests": [
            {
                "name": outcome.name,
                "file": file.shown,
                "line": outcome.span.line,
                "golden": file.golden,
                "passed": outcome.passed,
                "rulesets": list(outcome.rulesets),
                "findings": [_finding(each) for each in outcome.findings],
            }
            for file, outcome, _ in result.outcomes()
        ],
        "unreadable": [_finding(each) for tried in result.tried for each in tried.unreadable],
    }
    if result.mutants is not None:
        found["mutants"] = _mutants(result.mutants)
    if result.coverage:
        found["coverage"] = {
            "rules": [_covered(each) for each in result.covered],
            "pairs": [
                {
                    "rulesets": [each.one, each.other],
                    "scenarios": each.scenarios,
                    "golden": each.golden,
                    "interactions": list(each.interactions),
                }
                for each in result.pairs
            ],
        }
    return inert_json(found, indent=2) + "\n"


def _mutants(survey: Survey) -> Mapping[str, object]:
    counts = {fate.value: survey.count(fate) for fate in Fate if fate is not Fate.INVALID}
    return {
        "made": len(survey.mutants) - survey.count(Fate.INVALID),
        "judged": len(survey.verdicts) - survey.count(Fate.INVALID),
        **counts,
        "allowed": survey.sifted()[1],
        "findings": [
            {**_finding(found), "severity": found.severity.value} for found in survey.sifted()[0]
        ],
    }


def _covered(covered: Covered) -> Mapping[str, object]:
    gaps = [
        {
            "file": gap.span.source.name,
            "line": gap.span.line,
            "column": gap.span.column,
            "missing": gap.missing,
        }
        for gap in covered.gaps
    ]
    return {
        "file": covered.file,
        "demanded": covered.demanded,
        "shown": covered.shown,
        "gaps": gaps,
    }


def _finding(found: Diagnostic) -> Mapping[str, object]:
    place = (
        {}
        if found.span is None
        else {
            "file": found.span.source.name,
            "line": found.span.line,
            "column": found.span.column,
        }
    )
    return {"slug": found.slug, "message": found.message, **place, "help": list(found.help)}


def as_junit(result: Result) -> str:
    """A test suite for each file, a test case for each test; what cannot be read is an error."""
    return junit("rulesdsl test", ((each.file.shown, list(_cases(each))) for each in result.tried))


def _cases(tried: Tried) -> Iterator[Case]:
    for each, seconds in zip(tried.outcomes, tried.seconds, strict=True):
        yield _case(each.name, each.findings, "" if each.passed else "failure", seconds)
    if tried.unreadable:
        yield _case("the file can be read", tried.unreadable, "error")


def _case(name: str, found: Sequence[Diagnostic], failed: str, seconds: float = 0) -> Case:
    first = (found[0].message, found[0].slug) if found else ("", "")
    return Case(name, render(found) if found else "", failed, *first, seconds)
