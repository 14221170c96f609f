"""Whole games, and what came of them."""

from __future__ import annotations

from rulesdsl.runtime.account import note_lead, note_options, open_account
from rulesdsl.runtime.faults import NO_SPACE, fault
from rulesdsl.runtime.hooks import final_score
from rulesdsl.runtime.machine import play, playout, start
from rulesdsl.runtime.rng import seed_game
from rulesdsl.runtime.tables import (
    BATCH,
    COLUMNS,
    PLAYERS,
    SOURCES,
    decided,
    gained,
    leads,
    offered,
    resolves,
    results,
    results_count,
    waiting,
    winners,
)


def playouts(seed_low: int, seed_high: int, first: int, count: int, limit: int) -> None:
    """Play games of a seed at random, `count` of them from number `first` on, each until it is over
    or `limit` moves were played; `results` tells what came of them. Fault NO_SPACE for more than
    BATCH; another fault is that of the game that comes after `results_count` others."""
    results_count[0] = 0
    if count > BATCH[0]:
        fault(NO_SPACE)
    for number in range(count):
        seed_game(seed_low, seed_high, first + number)
        start_told()
        tell(number, playout(limit))


def start_told() -> None:
    """Begin a game of which will be told; `rng` is set before."""
    resolves[0] = 1
    open_account()
    start()
    note_lead()


def play_told(row: int) -> None:
    """Play that row of `moves` in a game of which will be told."""
    note_options()
    play(row)
    note_lead()


def tell(number: int, moves: int) -> None:
    """Let row `number` of `results`, and no later one, tell what came of a game of that many
    moves."""
    seats = PLAYERS[0]
    row = number * (COLUMNS + seats + SOURCES[0] * seats)
    results[row] = moves
    results[row + 1] = 1 if waiting[0] == 0 else 0
    results[row + 2] = winners[0]
    results[row + 3] = decided[0]
    results[row + 4] = offered[0]
    results[row + 5] = leads[0]
    for seat in range(seats):
        results[row + COLUMNS + seat] = final_score(seat)
    for at in range(SOURCES[0] * seats):
        results[row + COLUMNS + seats + at] = gained[at]
    results_count[0] = number + 1
