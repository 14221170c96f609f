"""What came of tests as other programs read it: JSON, and the XML of JUnit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from rulesdsl.diagnostics import Diagnostic
from rulesdsl.diagnostics.render import render
from rulesdsl.diagnostics.visible import inert_json, inert_markup, visible
from rulesdsl.play.scenario.coverage import Covered
from rulesdsl.suite.mutants.judging import Fate
from rulesdsl.suite.result import Result

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
    root = ElementTree.Element("testsuites", name="rulesdsl test")
    for tried in result.tried:
        failed = sum(not each.passed for each in tried.outcomes)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=visible(tried.file.shown),
            tests=str(len(tried.outcomes) + bool(tried.unreadable)),
            failures=str(failed),
            errors=str(int(bool(tried.unreadable))),
            time=f"{sum(tried.seconds):.3f}",
        )
        for outcome, seconds in zip(tried.outcomes, tried.seconds, strict=True):
            case = _case(suite, outcome.name, tried.file.shown, f"{seconds:.3f}")
            if not outcome.passed:
                _told(case, "failure", outcome.findings)
            elif outcome.findings:
                ElementTree.SubElement(case, "system-out").text = render(outcome.findings)
        if tried.unreadable:
            _told(
                _case(suite, "the file can be read", tried.file.shown, "0"),
                "error",
                tried.unreadable,
            )
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return inert_markup(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def _case(suite: ElementTree.Element, name: str, file: str, seconds: str) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", name=visible(name), classname=visible(file), time=seconds
    )


def _told(case: ElementTree.Element, kind: str, found: tuple[Diagnostic, ...]) -> None:
    told = ElementTree.SubElement(case, kind, message=found[0].message, type=found[0].slug)
    told.text = render(found)
