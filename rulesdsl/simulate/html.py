"""A summary as one page with plots, which needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from rulesdsl import reports
from rulesdsl.simulate import svg, wording
from rulesdsl.simulate.summary import FIRST, SOURCES, WINS, Finding, Summary

_STYLE = """
:root { --c0: #1f6fb4; --c1: #d1581d; --c2: #2a8a4a; --c3: #8b4fa8; --c4: #a08000; --c5: #b0306a; }
@media (prefers-color-scheme: dark) { :root { --c0: #6fb1ea; --c1: #f09060; --c2: #6fc98d;
  --c3: #c79be0; --c4: #d8bd4a; --c5: #ee86b4; } }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2em 1em; }
dt { color: var(--faint); } dd { margin: 0; }
table { width: 100%; font-variant-numeric: tabular-nums; }
td, th { text-align: right; padding: .15em .6em; }
td:first-child, th:first-child { text-align: left; }
tbody tr { border-top: 1px solid var(--rule); } th.section { padding-top: .8em; }
svg { width: 100%; height: auto; display: block; margin: .5em 0; }
svg text { font-size: 13px; fill: var(--ink); } svg .mark { fill: var(--faint); font-size: 11px; }
.grid { stroke: var(--rule); } .even { stroke: var(--ink); stroke-dasharray: 4 3; }
.bar { stroke: var(--c0); stroke-width: 3; } .dot { fill: var(--c0); }
polyline { fill: none; stroke-width: 2; stroke: currentColor; }
.line0 { color: var(--c0); } .line1 { color: var(--c1); } .line2 { color: var(--c2); }
.line3 { color: var(--c3); } .line4 { color: var(--c4); } .line5 { color: var(--c5); }
"""


def page(summary: Summary) -> str:
    """The page."""
    title = f"{summary.study.ruleset}: {summary.games:,} games"
    body = "\n".join((f"<h1>{escape(title)}</h1>", *_parts(summary)))
    return reports.page(title, body, _STYLE)


def _parts(summary: Summary) -> Iterator[str]:
    yield "<dl>"
    for name, text in wording.heading(summary):
        yield f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>"
    yield "</dl>"
    yield from _histograms(summary)
    even = 1 / summary.study.players
    for title, findings in wording.groups(summary.findings()):
        yield f"<h2>{escape(title)}</h2>"
        line = 0.0 if findings[0].against else None
        for section, found in wording.sections(findings):
            if section in (WINS, SOURCES) or (line is not None and section != FIRST):
                compared = even if section == WINS and line is None else line
                yield f"<h3>{escape(section)}</h3>" + svg.intervals(found, compared)
        yield _table(findings)
    for note in wording.NOTES:
        yield f'<p class="note">{escape(note)}</p>'


def _histograms(summary: Summary) -> Iterator[str]:
    names = [variant.name for variant in summary.study.variants]
    scores = {name: each.scores for name, each in zip(names, summary.totals, strict=True)}
    lengths = {name: each.lengths for name, each in zip(names, summary.totals, strict=True)}
    yield "<h2>How often players had how many points</h2>" + svg.histogram(scores)
    yield "<h2>How often games had how many decisions</h2>" + svg.histogram(lengths)


def _table(findings: list[Finding]) -> str:
    heads = ("", "difference" if findings[0].against else "mean", "95 % interval", "spread")
    rows = ["<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for section, found in wording.sections(findings):
        rows.append(f'<tr><th class="section" colspan="4">{escape(section)}</th></tr>')
        for each in found:
            cells = (each.label, wording.value(each), wording.bounds(each), wording.spread(each))
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return f"<table>{''.join(rows)}</table>"
