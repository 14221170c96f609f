"""What tests show of rulesets, as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from rulesdsl import reports
from rulesdsl.play.scenario.coverage import Covered
from rulesdsl.suite.pairs import Pair
from rulesdsl.suite.result import Result

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
    """The page: tests that do not hold, what is shown of each ruleset, and pairs of expansions."""
    counts = f"<h1>What tests show</h1>\n<p>{result.passed} passed, {result.failed} failed</p>"
    parts = [counts, *_failed(result), *_rules(result), *_pairs(result)]
    return reports.page("What tests show", "\n".join(parts), _STYLE)


def _failed(result: Result) -> Iterator[str]:
    failed = [(file, outcome) for file, outcome, _ in result.outcomes() if not outcome.passed]
    if failed:
        yield "<h2>What does not hold</h2><ul>"
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
    for each in result.covered:
        yield from _gaps(each)


def _gaps(covered: Covered) -> Iterator[str]:
    for gap in covered.gaps:
        line = gap.span.source.line(gap.span.line).strip()
        yield (
            f"<p>{escape(gap.span.source.name)}:{gap.span.line} "
            f'<span class="missing">{escape(gap.missing)}</span><pre>{escape(line)}</pre>'
        )


def _pairs(result: Result) -> Iterator[str]:
    """A square of expansions: in how many tests two of them are on."""
    if not result.pairs:
        return
    names = sorted({name for each in result.pairs for name in (each.one, each.other)})
    known = {(each.one, each.other): each for each in result.pairs}
    yield "<h2>Pairs of expansions</h2>"
    yield (
        '<p class="note">In how many scenarios + golden records both are on. '
        "* a ruleset says what they mean together</p>"
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
