"""How much is measured, and on what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.bench.clock import Clock
from tools.bench.measuring import Task
from tools.bench.playing import Setup


@dataclass(frozen=True)
class Effort:
    """How much is done in each round.

    `playouts`, `by_moves` and `readable` are the games of the base ruleset that are played inside
    of an engine, move by move, and by an engine without playouts; `others` are those of every
    other setup, `batch` those that are played in one call, `study` those of each core when all
    cores play. A measurement of playing goes on until `seconds` are spent.
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
    """What measurements are told: how much to do, by which clock, with which engines and files;
    they may write into `scratch`."""

    effort: Effort
    clock: Clock
    engines: tuple[str, ...]
    base: Setup
    others: tuple[Setup, ...]
    scratch: Path


Measurement = Callable[[Plan], list[Task]]
"""Makes ready what it measures, and gives the tasks that measure it."""
