"""The tables of results."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from tools.bench.goals import GOALS
from tools.bench.history import Before
from tools.bench.measuring import Figure, Results, Unit

NOMINAL = 0.01
"""Approximate time of the fixed workload on an idle 3 GHz processor."""
SCALES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def show(results: Results, before: Mapping[str, Before] | None, console: Console) -> None:
    """Show all figures, with earlier ones if there are any, and the goals that are reached."""
    for measurement, figures in groupby(results.figures, lambda f: f.key.measurement):
        console.print(_table(measurement, list(figures), before))
    console.print(_goals(results))
    loop = amount(results.loop, Unit.TIME)
    console.print(f"The fixed work took {loop}; it is the unit of what is calibrated.")


def amount(value: float, unit: Unit) -> str:
    """Return a value with its unit in readable form."""
    if unit is Unit.TIME:
        scale, name = next((s for s in SCALES if value >= s[0]), SCALES[-1])
        return f"{_number(value / scale)} {name}"
    return f"{value:,.0f} B" if unit is Unit.BYTES else _number(value)


def change(figure: Figure, before: Before) -> str:
    """Return the change of a calibrated figure since an earlier run, with a verdict.

    A change within the spread of either run is not significant.
    """
    if not before.calibrated:
        return "?"
    part = figure.calibrated / before.calibrated - 1
    if abs(part) <= max(figure.spread, before.spread, 0.005):
        return f"{part:+.0%}"
    better = (part > 0) == (figure.unit in (Unit.RATE, Unit.SPEEDUP))
    return f"{part:+.0%} {'better' if better else 'worse'}"


def _table(measurement: str, figures: list[Figure], before: Mapping[str, Before] | None) -> Table:
    table = Table(title=measurement, title_justify="left", box=SIMPLE_HEAD)
    for name in ("of", "by", "what"):
        table.add_column(name, no_wrap=True)
    for name in ("median", "lowest", "highest", "calibrated", "spread"):
        table.add_column(name, justify="right", no_wrap=True)
    if before is not None:
        table.add_column("change", no_wrap=True)
        table.add_column("since", no_wrap=True)
    for figure in figures:
        cells = [amount(n, figure.unit) for n in (figure.median, figure.low, figure.high)]
        if figure.unit in (Unit.TIME, Unit.RATE):
            cells += [_number(figure.calibrated), f"{figure.spread:.0%}"]
        else:
            cells += ["", ""]
        if before is not None:
            past = before.get(str(figure.key))
            cells += [change(figure, past), _when(past)] if past else ["new", ""]
        table.add_row(figure.key.of, figure.key.by, figure.key.what, *cells)
    return table


def _when(before: Before) -> str:
    return f"{before.date} ({before.revision})" if before.revision else before.date


def _goals(results: Results) -> Table:
    table = Table(title="goals", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("goal")
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column(f"if the fixed work took {amount(NOMINAL, Unit.TIME)}", justify="right")
    for goal in GOALS:
        figure = goal.figure(results)
        if figure is None:
            table.add_row(goal.text, "", "not measured", "")
        else:
            word = "reached" if goal.reached(figure) else "not reached"
            there = amount(figure.unit.seconds(figure.calibrated, NOMINAL), figure.unit)
            table.add_row(goal.text, amount(figure.median, figure.unit), word, there)
    return table


def _number(value: float) -> str:
    """Return a number with three digits, or more if they are before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}"
