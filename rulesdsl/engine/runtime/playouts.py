"""Random playouts of whole games, and their results."""

from __future__ import annotations

from rulesdsl.engine.runtime.faults import NO_SPACE, fault
from rulesdsl.engine.runtime.hooks import final_score
from rulesdsl.engine.runtime.machine import (
    note_lead,
    note_options,
    open_account,
    play,
    playout,
    start,
)
from rulesdsl.engine.runtime.rng import seed_game
from rulesdsl.engine.runtime.tables import *


def playouts(seed_low: int, seed_high: int, first: int, count: int, limit: int) -> None:
    """Play `count` random games of a seed, from number `first` on, and fill `results`.

    Each is played until it is over or `limit` moves were played.

    Faults: NO_SPACE for more than BATCH games; any other fault is that of the game after the
    first `results_count` ones.
    """
    results_count[0] = 0
    if count > BATCH[0]:
        fault(NO_SPACE)
    for number in range(count):
        seed_game(seed_low, seed_high, first + number)
        start_told()
        tell(number, playout(limit))


def start_told() -> None:
    """Start a game with statistics; `rng` is set before."""
    resolves[0] = 1
    open_account()
    start()
    note_lead()


def play_told(row: int) -> None:
    """Play a row of `moves` in a game with statistics."""
    note_options()
    play(row)
    note_lead()


def tell(number: int, moves: int) -> None:
    """Write the result of a game of `moves` moves to row `number`, now the last, of `results`."""
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
