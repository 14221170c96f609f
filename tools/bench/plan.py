"""The extent and the subjects of the measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tools.bench.clock import Clock
from tools.bench.measuring import Reading, Task
from tools.bench.playing import Setup


@dataclass(frozen=True)
class Effort:
    """The amount of work in each round.

    `playouts`, `by_moves` and `readable` are numbers of games of the base ruleset: with playouts of
    an engine, move by move, and by an engine without playouts. `others` is that for every other
    setup, `batch` that for one call, `study` that for each core when all cores play. A measurement
    of playing goes on for at least `seconds`. `growth` is the number of sizes of each kind of
    growth. `tables` are the numbers of tables of a server, `moves` those of moves at each; `shared`
    are the number of tables of two servers, and how often some moves are made at all of them.
    """

    rounds: int = 5
    playouts: int = 20
    by_moves: int = 4
    readable: int = 2
    others: int = 3
    batch: int = 1000
    study: int = 300
    seconds: float = 0.1
    tiles: tuple[int, ...] = (50, 100, 250, 500)
    growth: int = 3
    tables: tuple[int, ...] = (25, 100)
    moves: int = 8
    shared: tuple[int, int] = 60, 8


QUICK = Effort(
    rounds=2,
    playouts=2,
    by_moves=1,
    readable=1,
    others=1,
    batch=20,
    study=100,
    seconds=0,
    tiles=(20, 40),
    growth=1,
    tables=(3,),
    moves=2,
    shared=(4, 1),
)


@dataclass(frozen=True)
class Plan:
    """The parameters of measurements: effort, clock, engines and setups.

    They may write into `scratch`.
    """

    effort: Effort
    clock: Clock
    engines: tuple[str, ...]
    base: Setup
    others: tuple[Setup, ...]
    scratch: Path


def least_and_most(
    plan: Plan, engine: str, measure: Callable[[Plan, Setup, int], Iterable[Reading]]
) -> list[Task]:
    """Return a task for the base ruleset alone, and one with all expansions, if `engine` counts."""
    if engine not in plan.engines:
        return []
    setups = (plan.base, *(setup for setup in plan.others if setup.large))
    return [Task(setup.name, partial(measure, plan, setup)) for setup in setups]


Measurement = Callable[[Plan], list[Task]]
"""Type of a function that prepares a measurement and returns its tasks."""
