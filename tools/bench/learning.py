"""Steps of learning programs a second: batches of games in NumPy, and PettingZoo."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from rulesdsl.rl import Batch, environment
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan, least_and_most
from tools.bench.playing import PLAYERS, Setup, game

ENGINE = "wasm"
RATE, VIEW, THREADS = "steps/s", "view of a row", "two threads / one"
BATCH, ZOO = f"{ENGINE}, batch", f"{ENGINE}, PettingZoo"

ROWS = 256
STEPS = 60
"""Factor for the number of steps: as many as that for each game of a batch."""
WARM = 5
"""Factor for the number of steps of PettingZoo: as many again come before those measured."""
THREADED = 4
"""Factor for the number of rows of threads, which take time to start."""


def tasks(plan: Plan) -> list[Task]:
    """Return tasks for the base ruleset, alone and with all expansions, by the engine `wasm`."""
    return least_and_most(plan, ENGINE, _measure)


def _measure(plan: Plan, setup: Setup, number: int) -> Iterator[Reading]:
    """Measure other games in every round."""
    rounds = max(1, plan.effort.batch * STEPS // ROWS // (PLAYERS if setup.large else 1))
    batch = _batch(setup, number, ROWS, 1)
    luck = np.random.default_rng(number)
    seen = 0.0
    began = plan.clock()
    for _ in range(rounds):
        _step(batch, luck)
        looked = plan.clock()
        batch.view()
        seen += plan.clock() - looked
    steps = rounds * ROWS
    yield Reading(setup.name, BATCH, RATE, steps / (plan.clock() - began - seen), Unit.RATE)
    yield Reading(setup.name, BATCH, VIEW, seen / steps, Unit.TIME)
    one, two = (_wall(setup, number, max(1, rounds // THREADED), threads) for threads in (1, 2))
    yield Reading(setup.name, BATCH, THREADS, one / two, Unit.SPEEDUP)
    yield Reading(setup.name, ZOO, RATE, _zoo(plan, setup, number), Unit.RATE)


def _batch(setup: Setup, seed: int, rows: int, threads: int) -> Batch:
    return Batch(game(setup, ENGINE), rows, setup.players or PLAYERS, seed, threads=threads)


def _step(batch: Batch, luck: np.random.Generator) -> None:
    """Play a random move in each game."""
    counts = batch.counts
    batch.play((luck.random(len(counts)) * counts).astype(np.int64))


def _wall(setup: Setup, seed: int, rounds: int, threads: int) -> float:
    """Return the wall-clock time of steps: two threads are faster only by that clock."""
    batch = _batch(setup, seed, ROWS * THREADED, threads)
    luck = np.random.default_rng(seed)
    began = perf_counter()
    for _ in range(rounds):
        _step(batch, luck)
        batch.see()
    return perf_counter() - began


def _zoo(plan: Plan, setup: Setup, seed: int) -> float:
    """Return the steps of a PettingZoo environment a second, once it knows the usual actions."""
    env = environment(game(setup, ENGINE), setup.players or PLAYERS)
    luck, steps = np.random.default_rng(seed), WARM * plan.effort.batch
    env.reset(seed=seed)

    def play() -> None:
        for _ in range(steps):
            _, _, over, cut, info = env.last()
            if over or cut:
                env.reset()
                continue
            actions = info["actions"]
            env.step(int(actions[int(luck.random() * len(actions))]))

    play()
    began = plan.clock()
    play()
    return steps / (plan.clock() - began)
