"""The outcomes of legal moves: how a player stands after them, and if the game ended there.

A move is followed by the player's own further moves, until another player or chance comes. All
sequences of them are tried, as long as there are tries; the one with the best margin is kept.

What is known between two tries is in tables. So this goes on after a fault, which belongs to the
move that was tried. Slots hold the positions of a sequence, the first one that of the row.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.faults import NO_SPACE, fault
from rulesdsl.engine.runtime.hooks import final_score, standing
from rulesdsl.engine.runtime.machine import finish, play_on
from rulesdsl.engine.runtime.rng import seed_luck
from rulesdsl.engine.runtime.rows import append_moves, enter, relative, take_legal
from rulesdsl.engine.runtime.tables import *
from rulesdsl.engine.runtime.turns import PIECE, margin, score_hands

TRIED = 0
"""1 if there is an outcome, 0 if a rule fails in all sequences."""
MARGIN = 1
"""The player's standing minus the best of the others', if the game ended after the sequence."""
WON = 2
"""1 if the player has won then, -1 if others have, 0 if the game goes on."""
OWN = 3
"""The first of the scores."""

# Entries of `trial`.
ROW = 0
LEVEL = 1
"""The number of positions in which moves are being tried."""
SEAT = 2

LEVELS = 64
"""The most moves of a sequence."""


def columns() -> int:
    """Return the number of columns of `outcomes`."""
    return OWN + 2 * PLAYERS[0] + ZONES[0]


def weigh_begin(first: int) -> None:
    """Begin with this row."""
    trial[ROW] = first
    trial[LEVEL] = 0
    turn[PIECE] = 0


def weigh_rows(last: int, tries: int) -> None:
    """Write the outcomes of the legal moves of the rows before `last`, or go on after a fault.

    Each row is left as it was. Faults: NO_SPACE.
    """
    while trial[ROW] < last:
        enter(trial[ROW])
        if trial[LEVEL] == 0:
            begin_trial(tries)
        while trial[LEVEL] > 0:
            try_next()
        trial[ROW] += 1
    enter(0)


def begin_trial(tries: int) -> None:
    """Begin to try the moves of the row, which are listed.

    Faults: NO_SPACE.
    """
    if legal_count[0] == 0:
        return
    width = columns()
    end = (legal_first[0] + legal_count[0]) * width
    if end > ROOM[0]:
        fault(NO_SPACE)
    for at in range(legal_first[0] * width, end):
        outcomes[at] = 0
    # `finish` gets this generator.
    seed_luck(0)
    trial[SEAT] = asked_seat[0]
    _open(0, legal_first[0], legal_count[0], tries)


def _open(level: int, first: int, count: int, tries: int) -> None:
    """Begin to try moves of `legal` in the position at hand."""
    save_state(level)
    trial_first[level] = first
    trial_count[level] = count
    trial_at[level] = 0
    trial_left[level] = tries
    trial[LEVEL] = level + 1


def try_next() -> None:
    """Try the next move of the innermost position, or leave it if there is none.

    All moves are tried when no position is left (`LEVEL` is 0).
    """
    level = trial[LEVEL] - 1
    at = trial_at[level]
    left = trial_count[level] - at
    load_state(level)
    if left == 0:
        trial[LEVEL] = level
        if level > 0:
            legal_end[0] = trial_first[level] * WIDTH[0]
        return
    trial_at[level] = at + 1
    resolves[0] = 0
    take_legal(trial_first[level] + at)
    play_on()
    tries = trial_left[level] // left
    again = waiting[0] == 1 and asked_seat[0] == trial[SEAT]
    room = legal_end[0] + move_count[0] * WIDTH[0] <= ROOM[0]
    if again and move_count[0] <= tries and level + 1 < LEVELS and room:
        count = move_count[0]
        _open(level + 1, append_moves(count), count, tries)
        return
    _end()
    for outer in range(level + 1):
        trial_left[outer] -= 1


def _end() -> None:
    """Keep how the player stands here, if it is the best outcome of the move so far."""
    seats = PLAYERS[0]
    seat = trial[SEAT]
    after = OWN + seats
    for each in range(seats):
        ended[after + relative(each, seat)] = final_score(each)
    for zone in range(ZONES[0]):
        owner = zone_seat[zone]
        shown = zone if owner < 0 else zone + (relative(owner, seat) - owner) * zone_inner[zone]
        ended[after + seats + shown] = amount[zone]
    ended[WON] = 0
    score_hands(turn[PIECE])
    if waiting[0] != 0:
        for word in range(4):
            rng[word] = luck[word]
        resolves[0] = 1
        finish()
    elif winners[0] >> seat & 1 == 1:
        ended[WON] = 1
    elif winners[0] != 0:
        ended[WON] = -1
    best = 0
    for each in range(seats):
        ended[OWN + relative(each, seat)] = final_score(each)
        score = standing(each)
        if each != seat and (score > best or each == (1 if seat == 0 else 0)):
            best = score
    ended[TRIED] = 1
    ended[MARGIN] = standing(seat) - best
    width = columns()
    row = legal_first[0] + trial_at[0] - 1
    to = row * width
    value = margin(seat)
    if outcomes[to + TRIED] == 0 or value > outcome_value[row]:
        outcome_value[row] = value
        for column in range(width):
            outcomes[to + column] = ended[column]
