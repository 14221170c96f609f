"""Whole random games per second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from rulesdsl import State
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.bench.playing import Setup, has_playouts, play_by_moves, play_inside, start

Way = Callable[[State, int], int]
"""Type of a function that plays a game with a seed for its moves and returns their number."""


def tasks(plan: Plan) -> list[Task]:
    """Return tasks for every setup by every engine, with playouts and move by move.

    Raises SystemExit if they do not play the same games.
    """
    return [task for setup in (plan.base, *plan.others) for task in _of(setup, plan)]


def _of(setup: Setup, plan: Plan) -> list[Task]:
    found, ends = [], {}
    for engine in setup.engines(plan.engines):
        inside = has_playouts(setup, engine)
        ways: dict[str, Way] = {"playout": play_inside} if inside else {}
        for name, way in (ways | {"by moves": play_by_moves}).items():
            state = start(setup, engine, 0)
            ends[f"{engine} {name}"] = way(state, 0), state.scores()
            games = _count(plan, setup == plan.base, inside, name)
            run = partial(_play, setup, engine, name, way, games, plan)
            found.append(Task(f"{setup.name} by {engine}, {name}", run))
    if len(set(map(str, ends.values()))) > 1:
        raise SystemExit(f"{setup.name} is not the same game for all: {ends}")
    return found


def _count(plan: Plan, base: bool, inside: bool, way: str) -> int:
    effort = plan.effort
    if not base:
        return effort.others
    if not inside:
        return effort.readable
    return effort.playouts if way == "playout" else effort.by_moves


def _play(
    setup: Setup, engine: str, name: str, way: Way, games: int, plan: Plan, _: int
) -> Iterator[Reading]:
    """Measure the same games in every round, repeated until the time is long enough."""
    played = moves = 0
    began = plan.clock()
    while True:
        for seed in range(games):
            moves += way(start(setup, engine, seed), seed)
        played += games
        spent = plan.clock() - began
        if spent >= plan.effort.seconds:
            break
    by = f"{engine}, {name}"
    yield Reading(setup.name, by, "games/s", played / spent, Unit.RATE)
    yield Reading(setup.name, by, "moves/s", moves / spent, Unit.RATE)
