"""Profiles of games by function: rules by their lines, the runtime by its own."""

from __future__ import annotations

import cProfile
from functools import partial
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from tools.bench.playing import Setup, play_inside, start
from tools.bench.work import count

GAMES = 20
ROWS = 40


def profile(setup: Setup, engine: str, games: int = GAMES) -> Table:
    """Return a table of the functions that take most of the time of playouts, by their own time.

    The profiler slows calls down, so small functions look more expensive than they are.
    """
    play_inside(start(setup, engine, games), games)
    states = [start(setup, engine, seed) for seed in range(games)]
    profiler = cProfile.Profile()
    profiler.enable()
    for seed, state in enumerate(states):
        play_inside(state, seed)
    profiler.disable()
    table = _table(f"{setup.name} by {engine}, {games} playouts")
    counted, _ = count(partial(play_inside, start(setup, engine, 0), 0))
    instructions = counted.total()
    # Builtins have a text instead of code; games use few, and no slow ones.
    found = [(each.code, each) for each in profiler.getstats() if not isinstance(each.code, str)]
    total = sum(each.inlinetime for _, each in found)
    for code, each in sorted(found, key=lambda pair: -pair[1].inlinetime)[:ROWS]:
        table.add_row(
            f"{each.inlinetime / total:.1%}",
            f"{each.totaltime / total:.1%}",
            f"{counted[code] / instructions:.1%}",
            f"{each.callcount / games:,.0f}",
            code.co_name,
            f"{Path(code.co_filename).name}:{code.co_firstlineno}",
        )
    return table


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for name in ("own time", "with callees", "instructions", "calls a game"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("function", no_wrap=True)
    table.add_column("place", no_wrap=True)
    return table
