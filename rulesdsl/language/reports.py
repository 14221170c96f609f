"""Reports for people and for other programs: HTML pages and JUnit XML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from xml.etree import ElementTree as Xml

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics.report import inert_markup, visible

_STYLE = """
:root { color-scheme: light dark; --ink: #232323; --faint: #6b6b6b; --rule: #ddd; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --faint: #a0a0a0; --rule: #444; --paper: #1b1b1b; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 56rem; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; } h2 { margin-top: 2em; border-bottom: 1px solid var(--rule); }
table { border-collapse: collapse; } .note { color: var(--faint); }
"""


def page(title: str, body: str, style: str = "", language: str = "en") -> str:
    """Return a self-contained HTML page: no script, no other file, no network.

    `body` is markup, `style` is CSS added to that of all pages.
    """
    return inert_markup(
        f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<title>{escape(title)}</title>
<meta name="viewport" content="width=device-width">
<meta name="generator" content="rulesdsl">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'">
<style>{_STYLE}{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
    )


@dataclass(frozen=True)
class JUnitCase:
    """A test of a JUnit report; `failed` is `failure`, `error` or empty, `sort` is its type."""

    name: str
    text: str = ""
    failed: str = ""
    message: str = ""
    sort: str = ""
    seconds: float = 0
    line: int | None = None


def junit(name: str, suites: Iterable[tuple[str, Sequence[JUnitCase]]]) -> str:
    """Return suites of tests, each of a file, as JUnit XML."""
    root = Xml.Element("testsuites", name=name)
    all_cases: list[JUnitCase] = []
    for file, cases in suites:
        suite = Xml.SubElement(root, "testsuite", {"name": visible(file) or name, **_counts(cases)})
        for case in cases:
            named = {"name": visible(case.name), "classname": visible(file)}
            named["time"] = f"{case.seconds:.3f}"
            if case.line is not None:
                named |= {"file": visible(file), "line": str(case.line)}
            element = Xml.SubElement(suite, "testcase", named)
            if case.failed:
                element = Xml.SubElement(element, case.failed, message=case.message, type=case.sort)
            elif case.text:
                element = Xml.SubElement(element, "system-out")
            element.text = case.text or None
        all_cases += cases
    root.attrib.update(_counts(all_cases))
    Xml.indent(root)
    data: bytes = Xml.tostring(root, encoding="us-ascii", xml_declaration=True)
    return inert_markup(f"{data.decode()}\n")


def _counts(cases: Sequence[JUnitCase]) -> dict[str, str]:
    return {
        "tests": str(len(cases)),
        "failures": str(sum(case.failed == "failure" for case in cases)),
        "errors": str(sum(case.failed == "error" for case in cases)),
        "skipped": "0",
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }
