"""Whole games played out at random, many in one call."""

from __future__ import annotations

from rulesdsl.core.faults import NO_SPACE, fault
from rulesdsl.core.hooks import final_score
from rulesdsl.core.machine import playout, start
from rulesdsl.core.seeds import seed_game
from rulesdsl.core.tables import BATCH, PLAYERS, resolves, results, results_count, waiting, winners

COLUMNS = 3
"""Of a row of `results`, before the scores."""


def playouts(seed_low: int, seed_high: int, first: int, count: int, limit: int) -> None:
    """Play games of a seed, `count` of them from number `first` on, each until it is over or
    `limit` moves were played; `results` tells what came of them. Fault NO_SPACE for more than
    BATCH; another fault is that of the game that comes after `results_count` others."""
    results_count[0] = 0
    if count > BATCH[0]:
        fault(NO_SPACE)
    for number in range(count):
        seed_game(seed_low, seed_high, first + number)
        resolves[0] = 1
        start()
        row = number * (COLUMNS + PLAYERS[0])
        results[row] = playout(limit)
        results[row + 1] = 1 if waiting[0] == 0 else 0
        results[row + 2] = winners[0]
        for seat in range(PLAYERS[0]):
            results[row + COLUMNS + seat] = final_score(seat)
        results_count[0] = number + 1
