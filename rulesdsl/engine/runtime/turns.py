"""Turns that players choose in playouts: nearly the best ones if the game ended after them.

A turn is rated by the margin after it. It has one or two decisions; if the player decides once
more, that is another turn. Playouts of one *scenario* meet the same chance. So the gains of turns
in earlier playouts of a scenario show which turns to rate in the next one: those that gained most,
and those that were not possible before.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.hooks import standing
from rulesdsl.engine.runtime.machine import enumerate_moves, finish, play, play_counting, playout
from rulesdsl.engine.runtime.rng import luck_below, luck_word
from rulesdsl.engine.runtime.tables import *

FINE = 16
"""The units of a point in margins."""
AGAIN = 4
"""The number of moves with known gains that are rated in a place."""
FRESH = 48
"""The most moves without a known gain that are rated in a place."""
UNKNOWN = 1 << 40
"""More than any gain."""
MOST = 512
"""The most moves of a place; if there are more, one of them is played at random."""
WIDE = 8192
"""The most numbers that these moves take."""
TURN_SLOT = 28
"""The slots for the positions before the two decisions of a turn."""
HASHES = 32768
"""The number of gains that are remembered."""
HASH = 0xFFFFFFFF
"""The greatest hash."""

# Entries of `turn`.
PIECE = 0
"""The worth of a player's first piece in hand, in units of 1 / `FINE`."""
SEAT = 1
BASE = 2
"""The rating before the turn."""
BEST = 3
FIRST = 4
SECOND = 5
"""The rating and the rows of the best turn so far; the second row is -1 for none."""
NEW = 6
"""1 if no gain was known for the row."""
CHANCE = 7
"""A word of the generator before the row: if it changes, chance decides, and the turn is over."""
RATED = 8
"""The number of ratings."""


def forget_gains() -> None:
    """Forget what turns gained."""
    for at in range(HASHES):
        gain_hash[at] = -1


def resolve_anew() -> None:
    """Resolve chance from now on, with a generator that is drawn with `luck`."""
    for word in range(4):
        rng[word] = luck_word()
    rng[0] = rng[0] | 1
    resolves[0] = 1


def score_hands(piece: int) -> None:
    """Set the worth of the players' pieces in their own zones; none if the game is over.

    A zone counts if its first piece belongs to the player. Pieces that belong to nobody do not
    count: they come and go with the turns, so a player need not save them. The first piece of a
    player has the worth `piece`, the second half of it, the third a third, because a player can
    least do without the last ones. The worth stays part of the margins after `finish`.
    """
    for seat in range(PLAYERS[0]):
        pieces[seat] = 0
        hand[seat] = 0
    if waiting[0] != 0 and piece > 0:
        for zone in range(ZONES[0]):
            seat = zone_seat[zone]
            if seat >= 0 and amount[zone] > 0 and piece_seat[head[zone]] == seat:
                pieces[seat] += amount[zone]
        for seat in range(PLAYERS[0]):
            for number in range(min(pieces[seat], piece)):
                hand[seat] += piece // (1 + number)


def margin(seat: int) -> int:
    """Return the margin of a seat over its best rival; with one player, its score.

    It is in units of 1 / `FINE`, and counts the pieces in hand.
    """
    best = 0
    found = False
    for other in range(PLAYERS[0]):
        if other != seat:
            reached = standing(other) * FINE + hand[other]
            if not found or reached > best:
                best = reached
                found = True
    return standing(seat) * FINE + hand[seat] - best


def choose_turn(scenario: int) -> None:
    """Play a turn that is nearly the best for the player who decides."""
    enumerate_moves()
    if move_count[0] == 1:
        play(0)
        return
    if move_count[0] > MOST or move_count[0] * move_width[0] > WIDE:
        playout(1)
        return
    seat = asked_seat[0]
    turn[SEAT] = seat
    turn[BEST] = -UNKNOWN
    _open(0, _mixed(scenario, seat))
    turn[BASE] = _rating()
    row = _next(0)
    while row >= 0:
        _play(0, row)
        goes_on = waiting[0] == 1 and asked_seat[0] == seat and rng[0] == turn[CHANCE]
        gain = _continue(row) if goes_on and turn[NEW] == 0 else _rate(row, -1)
        if turn[NEW] == 1:
            place_gain[row] = gain
        _learn(place_hash[row], gain)
        row = _next(0)
    load_state(TURN_SLOT)
    _play(0, turn[FIRST])
    if turn[SECOND] >= 0:
        enumerate_moves()
        play(turn[SECOND])


def _continue(row: int) -> int:
    """Rate the moves that can follow a row, and return the best gain."""
    enumerate_moves()
    if move_count[0] > MOST or move_count[0] * move_width[0] > WIDE:
        return _rate(row, -1)
    _open(1, place_hash[row])
    best = -UNKNOWN
    second = _next(1)
    while second >= 0:
        _play(1, second)
        gain = _rate(row, second)
        _learn(place_hash[MOST + second], gain)
        best = max(best, gain)
        second = _next(1)
    return best


def _open(level: int, hash_: int) -> None:
    """Keep the position and its moves as the place of the first or second decision."""
    save_state(TURN_SLOT + level)
    width = move_width[0]
    place_width[level] = width
    place_count[level] = move_count[0]
    place_again[level] = AGAIN
    place_fresh[level] = FRESH
    from_ = level * WIDE
    for row in range(move_count[0]):
        mixed = hash_
        for at in range(row * width, (row + 1) * width):
            place_rows[from_ + at] = moves[at]
            mixed = _mixed(mixed, moves[at])
        place_hash[level * MOST + row] = mixed
        at = _slot(mixed)
        known = gain_hash[at] == mixed
        place_gain[level * MOST + row] = gain_of[at] if known else UNKNOWN + luck_below(MOST)


def _next(level: int) -> int:
    """Load a place and return the row to be rated next, -1 for none."""
    found = -1
    best = -UNKNOWN
    fresh = place_fresh[level] > 0
    for row in range(place_count[level]):
        gain = place_gain[level * MOST + row]
        if gain > best and (fresh or gain < UNKNOWN):
            best = gain
            found = row
    if found < 0:
        return -1
    if best < UNKNOWN:
        if place_again[level] == 0:
            return -1
        place_again[level] -= 1
        turn[NEW] = 0
    else:
        turn[NEW] = 1
        place_fresh[level] -= 1
    place_gain[level * MOST + found] = -UNKNOWN
    load_state(TURN_SLOT + level)
    resolve_anew()
    turn[CHANCE] = rng[0]
    return found


def _play(level: int, row: int) -> None:
    width = place_width[level]
    first = level * WIDE + row * width
    for at in range(width):
        moves[at] = place_rows[first + at]
    move_width[0] = width
    move_count[0] = 1
    listed[0] = -1
    counted[0] = -1
    play_counting(0)


def _rate(first: int, second: int) -> int:
    """Rate the turn of these rows, which was played, and return its gain."""
    rating = _rating()
    if rating > turn[BEST]:
        turn[BEST] = rating
        turn[FIRST] = first
        turn[SECOND] = second
    return rating - turn[BASE]


def _rating() -> int:
    """Return the margin if the game ended here, times 1,024; luck decides among equal margins."""
    turn[RATED] += 1
    score_hands(turn[PIECE])
    if waiting[0] != 0:
        finish()
    return (margin(turn[SEAT]) << 10) + luck_below(1024)


def _mixed(hash_: int, number: int) -> int:
    """Return a hash with another number in it; no product takes more than 52 bits."""
    return (hash_ * 1000003 + (number & HASH)) & HASH


def _slot(hash_: int) -> int:
    return (hash_ ^ hash_ >> 13) % HASHES


def _learn(hash_: int, gain: int) -> None:
    at = _slot(hash_)
    gain_hash[at] = hash_
    gain_of[at] = gain
