"""Findings as JUnit's XML, which most servers that build and test can show."""

from __future__ import annotations

from collections import defaultdict
from xml.etree import ElementTree as Xml

from rulesdsl.audit.formats.run import Run, rendered
from rulesdsl.diagnostics import Diagnostic, Severity
from rulesdsl.diagnostics.visible import inert_markup, visible


def text(run: Run) -> str:
    """A suite for each file with findings, in which each finding is a test that failed (notes pass,
    and say what they say), and a suite of one test that passed for all else that was checked."""
    files: dict[str, list[Diagnostic]] = defaultdict(list)
    for each in run.found:
        files["" if each.span is None else each.span.source.name].append(each)
    root = Xml.Element("testsuites", name="rulesdsl check")
    for name, found in files.items():
        suite = _suite(root, name or "rulesdsl check", len(found), sum(map(_fails, found)))
        for each in found:
            _case(suite, name, each)
    for name in run.checked:
        if name not in files:
            suite = _suite(root, name, 1, 0)
            Xml.SubElement(suite, "testcase", name="check", classname=visible(name), time="0")
    for key in ("tests", "failures"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    root.set("errors", "0")
    Xml.indent(root)
    data: bytes = Xml.tostring(root, encoding="us-ascii", xml_declaration=True)
    return inert_markup(f"{data.decode()}\n")


def _suite(root: Xml.Element, name: str, tests: int, failures: int) -> Xml.Element:
    counts = {"tests": str(tests), "failures": str(failures), "errors": "0", "skipped": "0"}
    return Xml.SubElement(root, "testsuite", {"name": visible(name), **counts, "time": "0"})


def _case(suite: Xml.Element, file: str, found: Diagnostic) -> None:
    place = "" if found.span is None else f" {found.span.line}:{found.span.column}"
    name = f"{found.slug}{place}"
    case = Xml.SubElement(suite, "testcase", name=name, classname=visible(file), time="0")
    if found.span is not None:
        case.set("file", visible(file))
        case.set("line", str(found.span.line))
    if not _fails(found):
        Xml.SubElement(case, "system-out").text = rendered(found)
        return
    kind = f"{found.severity.value}, {found.confidence.value}"
    failure = Xml.SubElement(case, "failure", message=found.message, type=kind)
    failure.text = rendered(found)


def _fails(found: Diagnostic) -> bool:
    return found.severity is not Severity.NOTE
