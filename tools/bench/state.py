"""Size of positions, and the time to copy and to save them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from statistics import median

from rulesdsl import State
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.bench.playing import LIMIT, Setup, has_playouts, play_inside, play_positions, start

STEP = 7
"""Number of moves between the measured positions."""
TIMES = 5


def tasks(plan: Plan) -> list[Task]:
    """Return tasks for every setup by every engine."""
    return [
        Task(f"{setup.name} by {engine}", partial(_walk, plan, setup, engine))
        for setup in (plan.base, *plan.others)
        for engine in setup.engines(plan.engines)
    ]


def _walk(plan: Plan, setup: Setup, engine: str, number: int) -> Iterator[Reading]:
    """Measure another game in every round."""
    inside = has_playouts(setup, engine)
    sizes, clones, saves = [], [], []
    for state in _positions(start(setup, engine, number), inside, number):
        sizes.append(len(state.to_bytes()))
        clones.append(_timed(plan, state.clone))
        saves.append(_timed(plan, state.to_bytes))
    yield Reading(setup.name, engine, "median size", median(sizes), Unit.BYTES)
    yield Reading(setup.name, engine, "largest size", max(sizes), Unit.BYTES)
    yield Reading(setup.name, engine, "clone", median(clones), Unit.TIME)
    yield Reading(setup.name, engine, "to_bytes", median(saves), Unit.TIME)


def _positions(state: State, inside: bool, seed: int) -> Iterator[State]:
    """Yield the state every few moves, and at the end.

    It is measured before the game continues.
    """
    play = play_inside if inside else play_positions
    for each in range(LIMIT):
        yield state
        if not play(state, seed + each, STEP):
            return


def _timed(plan: Plan, work: Callable[[], object]) -> float:
    began = plan.clock()
    for _ in range(TIMES):
        work()
    return (plan.clock() - began) / TIMES
