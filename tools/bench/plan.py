"""The extent and the subjects of the measurements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.bench.clock import Clock
from tools.bench.measuring import Task
from tools.bench.playing import Setup


@dataclass(frozen=True)
class Effort:
    """The amount of work in each round.

    `playouts`, `by_moves` and `readable` are numbers of games of the base ruleset: with playouts of
    an engine, move by move, and by an engine without playouts. `others` is that for every other
    setup, `batch` that for one call, `study` that for each core when all cores play. A measurement
    of playing goes on for at least `seconds`.
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


Measurement = Callable[[Plan], list[Task]]
"""Type of a function that prepares a measurement and returns its tasks."""
