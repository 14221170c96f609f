"""Small plots: dots with intervals, and how often numbers were seen. Colours are classes of CSS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from math import ceil, floor, inf, log10

from rulesdsl.simulate.summary import Finding
from rulesdsl.simulate.wording import bounds, unit, value

WIDTH, ROW, LABEL, RIGHT, AXIS = 720, 26, 230, 90, 24
HEIGHT = 220
LINES = 6
"""So many colours there are for lines; more lines are dashed."""


def intervals(findings: Sequence[Finding], line: float | None = None) -> str:
    """A row for each finding, with its value as a dot and its interval as a bar; `line` is a value
    to compare with."""
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
    """How often there was which number, a line for each name: shares of all."""
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
    """Which line is whose, under the plot, if there are several."""
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
    """Round bounds, and the distance between marks."""
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
