"""Cost of a turn while the board grows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.bench.playing import LUCK, has_playouts, play_inside, play_positions, start

MOVES = 2
"""Number of moves in every turn of the base ruleset."""
TURNS = 10
"""Number of turns timed together: starting a playout takes as long as some moves."""
LAST = 70
EARLY, LATE = (10, 20), (60, 70)
"""The ratio is the time of the late turns over that of the early ones."""


def tasks(plan: Plan) -> list[Task]:
    """Return tasks for games of the base ruleset by every engine, ten turns at a time."""
    return [Task(f"by {engine}", partial(_play, plan, engine)) for engine in plan.engines]


def _play(plan: Plan, engine: str, _: int) -> Iterator[Reading]:
    inside = has_playouts(plan.base, engine)
    play = play_inside if inside else play_positions
    games = plan.effort.playouts if inside else plan.effort.readable
    spent = dict.fromkeys(range(0, LAST, TURNS), 0.0)
    for seed in range(games):
        state = start(plan.base, engine, seed)
        for first in spent:
            began = plan.clock()
            play(state, seed + first * LUCK, TURNS * MOVES)
            spent[first] += plan.clock() - began
    for first, time in spent.items():
        what = _turns(first, first + TURNS)
        yield Reading("base", engine, what, time / games / TURNS, Unit.TIME)
    ratio = spent[LATE[0]] / spent[EARLY[0]]
    yield Reading("base", engine, RATIO, ratio, Unit.RATIO)


def _turns(first: int, last: int) -> str:
    return f"turn {first}-{last}"


RATIO = f"{_turns(*LATE)} / {_turns(*EARLY)}"
