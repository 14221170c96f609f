"""Findings as JUnit's XML, which most servers that build and test can show."""

from __future__ import annotations

from collections import defaultdict

from rulesdsl.audit.formats.run import Run, rendered
from rulesdsl.diagnostics import Diagnostic, Severity
from rulesdsl.reports import Case, junit


def text(run: Run) -> str:
    """A suite for each file with findings, in which each finding is a test that failed (notes pass,
    and say what they say), and a suite of one test that passed for all else that was checked."""
    files: dict[str, list[Case]] = defaultdict(list)
    for each in run.found:
        files["" if each.span is None else each.span.source.name].append(_case(each))
    for name in run.checked:
        files.setdefault(name, [Case("check")])
    return junit("rulesdsl check", files.items())


def _case(found: Diagnostic) -> Case:
    line = None if found.span is None else found.span.line
    place = "" if found.span is None else f" {found.span.line}:{found.span.column}"
    kind = f"{found.severity.value}, {found.confidence.value}"
    failed = "" if found.severity is Severity.NOTE else "failure"
    return Case(found.slug + place, rendered(found), failed, found.message, kind, line=line)
