"""Reports of a summary: tables, pages with plots, JSON, CSV and Parquet."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from io import BytesIO, StringIO
from itertools import groupby
from math import ceil, floor, inf, log10

from rulesdsl import reports
from rulesdsl.diagnostics.visible import inert, inert_json, visible
from rulesdsl.simulate.plan import Study
from rulesdsl.simulate.summary import FIRST, SOURCES, WINS, Finding, Summary

NOTES = (
    "Intervals hold the true value in 95 of 100 studies: by Wilson's formula for shares of wins, "
    "by Student's t for means and for differences between games of the same number, linearised "
    "for the ratio of options to decisions.",
    "A game with several winners counts as an equal part of a win for each.",
    "Spread is the standard deviation from game to game; pp are percentage points.",
    "The lead changes when a player alone has the most points and the previous sole leader "
    "was another player.",
)


def heading(summary: Summary) -> list[tuple[str, str]]:
    """Return the facts about the study as pairs of a name and a text."""
    study = summary.study
    found = [("games", f"{summary.games:,} of seed {study.seed}, by {study.players} players")]
    if not summary.complete:
        found.append(("interrupted", f"{study.games:,} games were requested"))
    found.append(("bots", bots(study)))
    for variant, kind in zip(study.variants, study.kinds, strict=True):
        rulesets = ", ".join(kind.rulesets)
        chosen = "".join(f", {name}={value}" for name, value in variant.settings)
        name = f"rulesets of {variant.name}" if len(study.variants) > 1 else "rulesets"
        found.append((name, rulesets + chosen))
    if summary.unfinished:
        found.append(("not over", f"{summary.unfinished:,} games were stopped at their limit"))
    return found


def bots(study: Study) -> str:
    """Return the bots of a study as text."""
    if len(set(study.bots)) == 1:
        return f"{study.bots[0]} in every seat"
    return f"{', '.join(study.bots)}; they rotate by one seat from game to game"


def sections(findings: list[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """Yield the findings of one variant by section, without sources that gave nothing."""
    kept = [
        each
        for each in findings
        if each.section != SOURCES or each.deviation != 0 or each.interval.value != 0
    ]
    for section, found in groupby(kept, key=lambda each: each.section):
        yield section, list(found)


def groups(findings: list[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """Yield the findings by variant, and by the variant it is compared with, each with a title."""
    for (variant, against), found in groupby(findings, key=lambda e: (e.variant, e.against)):
        yield f"{variant} minus {against}" if against else variant, list(found)


def value(finding: Finding) -> str:
    """Return the value as text, as exact as its interval allows."""
    return _number(finding, finding.interval.value)


def bounds(finding: Finding) -> str:
    """Return the interval as text."""
    low, high = finding.interval.low, finding.interval.high
    return f"{_number(finding, low)} to {_number(finding, high)}"


def spread(finding: Finding) -> str:
    """Return the standard deviation as text; empty for shares, where it follows from the share."""
    if finding.deviation is None or finding.share or finding.deviation == inf:
        return ""
    return f"{finding.deviation:,.2f}"


def unit(finding: Finding) -> str:
    """Return the unit of a value: per cent for shares, percentage points for differences."""
    if not finding.share:
        return ""
    return " pp" if finding.against or finding.section == FIRST else " %"


def _number(finding: Finding, number: float) -> str:
    if abs(number) == inf:
        return "?"
    factor = 100 if finding.share else 1
    width = (finding.interval.high - finding.interval.low) * factor
    places = 2 if width in (0, inf) else min(4, max(0, 1 - floor(log10(width / 2))))
    sign = "+" if finding.against and number > 0 else ""
    text = f"{number * factor:,.{places}f}"
    if not text.strip("-0."):
        text, sign = text.lstrip("-"), ""
    return f"{sign}{text}{unit(finding)}"


WIDTH, ROW, LABEL, RIGHT, AXIS = 720, 26, 230, 90, 24
HEIGHT = 220
LINES = 6
"""The number of colours for lines; further lines are dashed."""


def intervals(findings: Sequence[Finding], line: float | None = None) -> str:
    """Return a plot with a row for each finding: its value as a dot and its interval as a bar.

    `line` is a value to compare with.
    """
    shown = [each for each in findings if abs(each.interval.low) != inf]
    if not shown:
        return ""
    factor = 100 if shown[0].share else 1
    ends = [end * factor for each in shown for end in (each.interval.low, each.interval.high)]
    ends += [line * factor] if line is not None else []
    low, high, step = _axis(min(ends), max(ends))
    height = ROW * len(shown) + AXIS

    def x(number: float) -> float:
        return LABEL + (number - low) / (high - low) * (WIDTH - LABEL - RIGHT)

    parts = _grid(low, high, step, x, height - AXIS, unit(shown[0]))
    if line is not None:
        at = x(line * factor)
        parts.append(
            f'<line class="even" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height - AXIS}"/>'
        )
    for row, each in enumerate(shown):
        y = ROW * row + ROW / 2
        left, middle, right = (
            x(number * factor)
            for number in (each.interval.low, each.interval.value, each.interval.high)
        )
        parts += [
            f"<g><title>{escape(each.label)}: {value(each)} ({bounds(each)})</title>",
            f'<text x="{LABEL - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(each.label)}</text>',
            f'<line class="bar" x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>',
            f'<circle class="dot" cx="{middle:.1f}" cy="{y:.1f}" r="4"/>',
            f'<text x="{WIDTH - RIGHT + 12}" y="{y + 4:.1f}">{value(each)}</text></g>',
        ]
    return _svg(parts, height)


def histogram(counts: Mapping[str, Mapping[int, int]]) -> str:
    """Return a plot of the distribution of numbers, a line of shares for each name."""
    numbers = sorted({number for each in counts.values() for number in each})
    if not numbers:
        return ""
    bin_ = max(1, ceil((numbers[-1] - numbers[0] + 1) / 60))
    first, last = numbers[0] // bin_, numbers[-1] // bin_
    binned = {name: _binned(each, bin_, first, last) for name, each in counts.items()}
    top = max(max(each) for each in binned.values())
    low, high, step = _axis(first * bin_, (last + 1) * bin_)

    def x(number: float) -> float:
        return 20 + (number - low) / (high - low) * (WIDTH - 40)

    parts = _grid(low, high, step, x, HEIGHT - AXIS, "")
    for at, shares in enumerate(binned.values()):
        points = []
        for place, share in enumerate([0, *shares, 0], first - 1):
            y = (HEIGHT - AXIS) - share / top * (HEIGHT - AXIS - 10)
            for edge in (max(first, place), min(last, place) + 1):
                points.append(f"{x(edge * bin_):.1f},{y:.1f}")
        dashes = f' stroke-dasharray="{at // LINES * 3} 2"' if at >= LINES else ""
        parts.append(f'<polyline class="line{at % LINES}"{dashes} points="{" ".join(points)}"/>')
    return _svg(parts, HEIGHT) + _legend(binned)


def _legend(names: Iterable[str]) -> str:
    """Return the legend of the lines below a plot, if there are several."""
    pieces = [
        f'<span class="line{at % LINES}">{"━" if at < LINES else "┅"}</span> {escape(name)}'
        for at, name in enumerate(names)
    ]
    return f'<p class="legend">{"<br>".join(pieces)}</p>' if len(pieces) > 1 else ""


def _binned(counts: Mapping[int, int], bin_: int, first: int, last: int) -> list[float]:
    found, total = [0] * (last - first + 1), sum(counts.values())
    for number, count in counts.items():
        found[number // bin_ - first] += count
    return [count / total for count in found]


def _axis(low: float, high: float) -> tuple[float, float, float]:
    """Return rounded bounds of an axis, and the distance between its marks."""
    width = high - low or max(abs(high), 1.0)
    step = 10.0 ** floor(log10(width / 4))
    step *= next((factor for factor in (1, 2, 5, 10) if width / (step * factor) <= 7), 10)
    return floor(low / step) * step, (floor(high / step) + 1) * step, step


def _grid(
    low: float, high: float, step: float, x: Callable[[float], float], bottom: float, unit: str
) -> list[str]:
    parts, places = [], max(0, -floor(log10(step)))
    for at in range(round((high - low) / step) + 1):
        number = low + at * step
        here = x(number)
        parts += [
            f'<line class="grid" x1="{here:.1f}" x2="{here:.1f}" y1="0" y2="{bottom}"/>',
            f'<text class="mark" x="{here:.1f}" y="{bottom + 16}" text-anchor="middle">'
            f"{number + 0.0:.{places}f}{unit}</text>",
        ]
    return parts


def _svg(parts: Sequence[str], height: float) -> str:
    inner = "\n".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img">\n{inner}\n</svg>'


Line = tuple[str | tuple[str, str], ...]
"""Pieces of a line: plain text, or text with its role (`title`, `label`, `faint`, `mark`)."""


def lines(summary: Summary) -> Iterator[Line]:
    """Yield the lines of the table."""
    for name, text in heading(summary):
        yield (f"{name}: ", "label"), text
    for title, findings in groups(summary.findings()):
        yield ("",)
        yield from _group(title, findings)
    yield ("",)
    for note in NOTES:
        yield ((note, "faint"),)


def _group(title: str, findings: list[Finding]) -> Iterator[Line]:
    against = bool(findings[0].against)
    rows = [(each, [value(each), bounds(each), spread(each)]) for each in findings]
    cells = dict(rows)
    heads = ["difference" if against else "mean", "95 % interval", "spread"]
    label = max(len(each.label) for each in findings) + 2
    widths = [max(len(row[at]) for row in [heads, *cells.values()]) for at in range(3)]
    head = "  ".join(text.rjust(width) for text, width in zip(heads, widths, strict=True))
    yield (title.ljust(label), "title"), "  ", (head, "faint")
    for section, found in sections(findings):
        yield ((section, "label"),)
        for each in found:
            texts = zip(cells[each], widths, strict=True)
            yield (
                f"  {each.label}".ljust(label),
                "  ",
                "  ".join(text.rjust(width) for text, width in texts),
                "  *" if against and each.sure else "",
            )
    if against:
        yield (("  * the interval does not contain 0", "faint"),)


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
    """Return the report as an HTML page."""
    title = f"{summary.study.ruleset}: {summary.games:,} games"
    body = "\n".join(("<main>", f"<h1>{escape(title)}</h1>", *_parts(summary), "</main>"))
    return reports.page(title, body, _STYLE)


def _parts(summary: Summary) -> Iterator[str]:
    yield "<dl>"
    for name, text in heading(summary):
        yield f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>"
    yield "</dl>"
    yield from _histograms(summary)
    even = 1 / summary.study.players
    for title, findings in groups(summary.findings()):
        yield f"<h2>{escape(title)}</h2>"
        line = 0.0 if findings[0].against else None
        for section, found in sections(findings):
            if section in (WINS, SOURCES) or (line is not None and section != FIRST):
                compared = even if section == WINS and line is None else line
                yield f"<h3>{escape(section)}</h3>" + intervals(found, compared)
        yield _table(findings)
    for note in NOTES:
        yield f'<p class="note">{escape(note)}</p>'


def _histograms(summary: Summary) -> Iterator[str]:
    names = [variant.name for variant in summary.study.variants]
    scores = {name: each.scores for name, each in zip(names, summary.totals, strict=True)}
    lengths = {name: each.lengths for name, each in zip(names, summary.totals, strict=True)}
    yield "<h2>Distribution of points</h2>" + histogram(scores)
    yield "<h2>Distribution of decisions per game</h2>" + histogram(lengths)


def _table(findings: list[Finding]) -> str:
    heads = ("", "difference" if findings[0].against else "mean", "95 % interval", "spread")
    rows = ["<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for section, found in sections(findings):
        rows.append(f'<tr><th class="section" colspan="4">{escape(section)}</th></tr>')
        for each in found:
            cells = (each.label, value(each), bounds(each), spread(each))
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return f"<table>{''.join(rows)}</table>"


FORMATS = ("table", "json", "csv", "parquet", "html")
"""The formats of a summary; `table` is for terminals."""


def as_bytes(summary: Summary, format_: str) -> bytes:
    """Return the summary in one of the formats other than `table`.

    Raises ImportError for Parquet without pyarrow.
    """
    if format_ == "parquet":
        return as_parquet(summary)
    makers = {"json": as_json, "csv": as_csv, "html": page}
    return makers[format_](summary).encode()


def as_json(summary: Summary) -> str:
    """Return the summary as a JSON object.

    It has the parameters as `study`, the number of `games`, `complete` if these are all games of
    the study, and all `findings`.
    """
    found = {
        "study": summary.study.parameters,
        "games": summary.games,
        "complete": summary.complete,
        "findings": [each.row() for each in summary.findings()],
    }
    return inert_json(found, indent=1) + "\n"


def as_csv(summary: Summary) -> str:
    """Return the findings as CSV, one a row."""
    rows = [each.row() for each in summary.findings()]
    text = StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:  # the format has no escapes of its own
        texts = {key: inert(visible(cell)) for key, cell in row.items() if isinstance(cell, str)}
        writer.writerow(row | texts)
    return text.getvalue()


def as_parquet(summary: Summary) -> bytes:
    """Return the findings as Parquet, one a row."""
    import pyarrow
    import pyarrow.parquet

    rows = [each.row() for each in summary.findings()]
    kinds = {"games": pyarrow.int64()}
    kinds |= dict.fromkeys(("value", "low", "high", "deviation"), pyarrow.float64())
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in rows[0]])
    file = BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), file)
    return file.getvalue()
