"""Reports of test results: JSON, JUnit, and an HTML page of coverage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from rulesdsl.author.testing import Pair, Result, Tried
from rulesdsl.author.testing.mutants import Fate
from rulesdsl.language import reports
from rulesdsl.language.diagnostics import Diagnostic, Span
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.diagnostics.report import inert_json
from rulesdsl.language.reports import JUnitCase, junit


def as_json(result: Result) -> str:
    """Return the result as a JSON object, without times, so that it is reproducible.

    It has `tests` with their findings and `unreadable` files; with coverage also `coverage`, with
    `rules` by file and `pairs` of expansions, and with mutants also `mutants`.
    """
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
    if (survey := result.mutants) is not None:
        findings, allowed = survey.sifted()
        found["mutants"] = {
            "made": len(survey.mutants) - survey.count(Fate.INVALID),
            "judged": len(survey.verdicts) - survey.count(Fate.INVALID),
            **{fate.value: survey.count(fate) for fate in Fate if fate is not Fate.INVALID},
            "allowed": allowed,
            "findings": [{**_finding(e), "severity": e.severity.value} for e in findings],
        }
    if result.coverage:
        found["coverage"] = {
            "rules": [
                {
                    "file": each.file,
                    "demanded": each.demanded,
                    "shown": each.shown,
                    "gaps": [{**_place(gap.span), "missing": gap.missing} for gap in each.gaps],
                }
                for each in result.covered
            ],
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


def _place(span: Span | None) -> Mapping[str, object]:
    if span is None:
        return {}
    return {"file": span.source.name, "line": span.line, "column": span.column}


def _finding(found: Diagnostic) -> Mapping[str, object]:
    said = {"slug": found.slug, "message": found.message}
    return {**said, **_place(found.span), "help": list(found.help)}


def as_junit(result: Result) -> str:
    """Return a test suite for each file and a test case for each test.

    Files that cannot be read are errors.
    """
    return junit("rulesdsl test", ((each.file.shown, list(_cases(each))) for each in result.tried))


def _cases(tried: Tried) -> Iterator[JUnitCase]:
    for each, seconds in zip(tried.outcomes, tried.seconds, strict=True):
        yield _case(each.name, each.findings, "" if each.passed else "failure", seconds)
    if tried.unreadable:
        yield _case("the file can be read", tried.unreadable, "error")


def _case(name: str, found: Sequence[Diagnostic], failed: str, seconds: float = 0) -> JUnitCase:
    first = (found[0].message, found[0].slug) if found else ("", "")
    return JUnitCase(name, render(found) if found else "", failed, *first, seconds)


_STYLE = """
:root { --good: #2a7d46; --bad: #b3372b; --some: #e3f1e7; --none: #f7dfdb; }
@media (prefers-color-scheme: dark) {
  :root { --good: #6fc98d; --bad: #ee8a7c; --some: #24402d; --none: #54261f; } }
table { font-variant-numeric: tabular-nums; }
td, th { padding: .2em .6em; border: 1px solid var(--rule); text-align: center; }
th { font-weight: 500; text-align: left; } thead th { writing-mode: vertical-rl; }
thead th:first-child { writing-mode: horizontal-tb; border: 0; }
.some { background: var(--some); } .none { background: var(--none); } .self { border: 0; }
.bar { background: var(--rule); width: 12em; height: .8em; display: inline-block; }
.bar span { background: var(--good); height: 100%; display: block; }
pre { overflow-x: auto; margin: .3em 0 .8em; } .missing { color: var(--bad); }
"""


def page(result: Result) -> str:
    """Return the HTML page: failed tests, the coverage of each ruleset, and pairs of expansions."""
    counts = f"<h1>Test results</h1>\n<p>{result.passed} passed, {result.failed} failed</p>"
    parts = ["<main>", counts, *_failed(result), *_rules(result), *_pairs(result), "</main>"]
    return reports.page("Test results", "\n".join(parts), _STYLE)


def _failed(result: Result) -> Iterator[str]:
    failed = [(file, outcome) for file, outcome, _ in result.outcomes() if not outcome.passed]
    if failed:
        yield "<h2>Failures</h2><ul>"
    for file, outcome in failed:
        reason = outcome.findings[0].message
        place = f"{file.shown}:{outcome.span.line}"
        yield (
            f"<li>{escape(outcome.name)} <span class=note>{escape(place)}</span>: "
            f'<span class="missing">{escape(reason)}</span>'
        )
    if failed:
        yield "</ul>"


def _rules(result: Result) -> Iterator[str]:
    if not result.covered:
        return
    yield "<h2>Rules</h2><table>"
    for each in result.covered:
        share = 100 * each.shown / each.demanded if each.demanded else 100
        yield (
            f"<tr><th>{escape(each.file)}<td>{each.shown} of {each.demanded}"
            f'<td><span class="bar"><span style="width:{share:.1f}%"></span></span>'
        )
    yield "</table>"
    for gap in (gap for each in result.covered for gap in each.gaps):
        line = gap.span.source.line(gap.span.line).strip()
        yield (
            f"<p>{escape(gap.span.source.name)}:{gap.span.line} "
            f'<span class="missing">{escape(gap.missing)}</span><pre>{escape(line)}</pre>'
        )


def _pairs(result: Result) -> Iterator[str]:
    """Yield a table of pairs of expansions with the number of tests in which both are on."""
    if not result.pairs:
        return
    names = sorted({name for each in result.pairs for name in (each.one, each.other)})
    known = {(each.one, each.other): each for each in result.pairs}
    yield "<h2>Pairs of expansions</h2>"
    yield (
        '<p class="note">The number of scenarios + golden records that load both. '
        "* a ruleset has rules for the combination</p>"
    )
    yield "<table><thead><tr><th>" + "".join(f"<th>{escape(each)}" for each in names) + "<tbody>"
    for row in names:
        cells = (_cell(known.get((row, each)) or known.get((each, row))) for each in names)
        yield f"<tr><th>{escape(row)}" + "".join(cells)
    yield "</table>"


def _cell(pair: Pair | None) -> str:
    if pair is None:
        return '<td class="self">'
    star = "*" if pair.interactions else ""
    return f'<td class="{"some" if pair.played else "none"}">{pair.scenarios} + {pair.golden}{star}'
