"""Information-set Monte Carlo search.

The candidates with the best *first values* (those of ending the game after them) are on a
*shortlist*, and playouts compare them. Sequential halving divides the playouts among them. The n-th
playout of each candidate is *scenario* n: it begins with the same sample of the position and meets
the same chance. Players choose their turns in playouts (see `runtime.turns`). They play at
random if ending the game at once says nothing about a turn, and if there are few playouts.

The search does one unit of work after the other, and all that it knows between two of them is in
tables. So it can be interrupted, and it goes on after a fault, which belongs to the move that was
tried or to the playout. Values are numbers from 0 to `ONE`; nothing here knows a game.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.hooks import standing
from rulesdsl.engine.runtime.machine import (
    enumerate_moves,
    finish,
    luck_outcome,
    play,
    play_on,
    playout,
)
from rulesdsl.engine.runtime.outcomes import (
    LEVEL,
    LEVELS,
    OWN,
    TRIED,
    WON,
    begin_trial,
    columns,
    try_next,
)
from rulesdsl.engine.runtime.rng import WORD, luck_below, seed_luck
from rulesdsl.engine.runtime.rows import list_rows, take_legal
from rulesdsl.engine.runtime.tables import *
from rulesdsl.engine.runtime.turns import (
    FINE,
    PIECE,
    RATED,
    choose_turn,
    forget_gains,
    margin,
    resolve_anew,
    score_hands,
)

ONE = 1 << 20
"""The greatest value."""

OF_WIN = 1
OF_MARGIN = 4
"""The shares of the win and of the margin in a value."""
SHORTEST = 16
LONGEST = 512
"""The bounds of the number of decisions before a playout is ended and scored.

The longer players play at random, the less the result depends on the move before; but playouts are
longer where little happens in a short time, or where points are spent before they are gained.
"""
FIRST = 16
"""The number of playouts that determine the gauge of a search."""
SURE = 3
"""The number of standard errors by which players must lose points in the gauge on average."""
TURNS = 3
"""The number of turns of a playout in which players choose their turns."""
GAUGE = 4
"""The number of such playouts that determine what a piece is worth and what a playout costs."""
RATINGS = 8
CHEAP = 16
"""A playout with chosen turns counts as one random playout for every `RATINGS` turns that one of
the gauge rates on average, but as at least `CHEAP` random playouts."""
LEAST = 64
"""The least budget with which players choose their turns."""
SCARCE = 4
"""The number of turns that gain as much as a player's first piece in hand is worth."""
SHORTLIST = 16
"""The most candidates that are compared by such playouts."""
LONGLIST = 128
"""The most candidates that are compared by random playouts."""
EACH = 4
"""The number of random playouts for each of them, at least."""
GUESS = 2
"""The weight of a first value, in playouts with chosen turns."""
PRIOR = 12
"""The weight of a first value, in random playouts of the shortest length."""
TRIES = 400
"""The number of sequences of the player's own moves to try for first values."""

# Entries of `search`.
DOING = 0
"""What runs: nothing of the following, a playout of the gauge, a first value, or a playout."""
NOTHING = 0
GAUGING = 1
WEIGHING = 2
PLAYING = 3
LENGTH = 1
"""The number of decisions of a playout."""
SCALE = 2
"""The standard deviation of margins, in units of 1 / `FINE`."""
WEIGHT = 3
"""The weight of a first value."""
SAMPLES = 4
"""The number of samples."""
SEAT = 5
"""The player who decides."""
GAUGED = 6
"""The number of playouts of the gauge so far, -1 when it is done."""
GAIN = 7
ALIKE = 8
OVER = 9
"""Over the playouts of the gauge: the points gained, the number that left all scores as they are,
and the number that ended the game."""
SQUARES = 10
"""The sum of the squares of margins."""
GAIN_SQUARES = 11
"""The sum of the squares of the points gained in each playout of the gauge."""
BLIND = 12
"""1 if players surely lose points in short playouts, so that first values are misleading."""
CHOOSES = 13
"""1 if players choose their turns in playouts."""
PRICE = 14
"""The number of random playouts as which a playout counts."""
SPENT = 15
BUDGET = 16
"""The playouts that were made, and the number when the search is to end."""
LISTED = 17
"""The number of candidates on the shortlist, -1 before there is one."""
LEFT = 18
"""The number of those that were not dropped; they come first."""
PLAYED = 19
"""The place on the shortlist of the candidate that is played."""
SEED = 20

SAMPLE_SLOT = LEVELS
"""The slot of the first sample; trials and turns use those before."""


# --- from outside --------------------------------------------------------------------------------


def search_sample(number: int) -> None:
    """Take the position as one of the samples, numbered from 0."""
    resolves[0] = 0
    save_state(SAMPLE_SLOT + number)


def search_open(samples: int, seed: int) -> None:
    """Begin a search over the samples that were taken, with a seed of 32 bits."""
    seed_luck(seed)
    search[SEED] = seed
    search[SAMPLES] = samples
    search[DOING] = NOTHING
    search[CHOOSES] = 0
    search[PRICE] = 1
    search[SPENT] = 0
    search[LISTED] = -1
    search[LEFT] = 0
    search[BLIND] = 0
    turn[PIECE] = 0
    trial[LEVEL] = 0
    load_state(SAMPLE_SLOT)
    search[SEAT] = asked_seat[0]
    list_rows(0, 1)
    _begin_gauge(SHORTEST)


def search_grow(units: int, playouts: int) -> int:
    """Work until that many playouts are made, or for some units; return how many are made.

    The number of playouts may be an estimate that changes from call to call. A playout in which
    players choose their turns counts as several.
    """
    search[BUDGET] = playouts
    left = units
    while left > 0 and search[SPENT] < playouts:
        left -= 1
        if search[GAUGED] >= 0:
            _gauge()
        elif trial[LEVEL] > 0:
            search[DOING] = WEIGHING
            try_next()
            search[DOING] = NOTHING
        else:
            _compare()
    return search[SPENT]


def search_failed() -> bool:
    """Recover from a fault, so that the search can go on; return whether a move caused it."""
    doing = search[DOING]
    search[DOING] = NOTHING
    if doing == GAUGING:
        for seat in range(PLAYERS[0]):
            usual[seat] = 0
        search[PRICE] = 1
        _end_gauge(LONGEST if search[CHOOSES] == 0 else search[LENGTH], FINE)
        search[CHOOSES] = 0
    elif doing == PLAYING:
        search[CHOOSES] = 0
        search[PRICE] = 1
        _add_playout(_even())
    return doing != NOTHING


def search_best() -> int:
    """Return the candidate that is best among those left; the first one if all of them fail."""
    found = -1
    for at in range(search[LEFT]):
        if found < 0 or listed_mean[at] > listed_mean[found]:
            found = at
    return listed_row[found] if found >= 0 else 0


# --- the gauge -----------------------------------------------------------------------------------


def _begin_gauge(length: int) -> None:
    """Begin the gauge for playouts of that many decisions."""
    search[LENGTH] = length
    search[GAUGED] = 0
    search[GAIN] = 0
    search[GAIN_SQUARES] = 0
    search[ALIKE] = 0
    search[OVER] = 0
    search[SQUARES] = 0
    for seat in range(PLAYERS[0]):
        best_rival[seat] = 0


def _gauge() -> None:
    """Work on the gauge for a unit: play once, or judge all playouts.

    The gauge is the margin of each seat that is expected, and the spread of margins. Playouts are
    long enough that some change the scores, and that players gain points on average. If players can
    choose their turns, playouts of that kind make a second gauge.
    """
    if search[GAUGED] < (GAUGE if search[CHOOSES] == 1 else FIRST):
        search[DOING] = GAUGING
        _gauge_playout()
        search[DOING] = NOTHING
        search[GAUGED] += 1
    elif search[CHOOSES] == 1:
        _judge_turns()
    else:
        _judge_random_playouts()


def _judge_random_playouts() -> None:
    """End the gauge of random playouts, or begin it again for longer ones or for chosen turns."""
    length = search[LENGTH]
    still = search[ALIKE] == FIRST
    if _loses():
        search[BLIND] = 1
        still = still or search[OVER] < FIRST
    if still and length < LONGEST:
        _begin_gauge(2 * length)
        return
    seats = PLAYERS[0]
    squares = search[SQUARES]
    for seat in range(seats):
        usual[seat] = best_rival[seat] // FIRST
        squares -= best_rival[seat] * best_rival[seat] // FIRST
    scale = _root(max(squares, 0) // (FIRST * seats))
    if search[BLIND] == 0 and search[BUDGET] >= LEAST:
        search[CHOOSES] = 1
        forget_gains()
        turn[RATED] = 0
        _begin_gauge(length)
        return
    _end_gauge(length, max(scale, FINE))


def _judge_turns() -> None:
    """End the gauge of playouts in which players choose their turns.

    A player's first piece in hand is worth as much as `SCARCE` turns gain.
    """
    for seat in range(PLAYERS[0]):
        usual[seat] = best_rival[seat] // GAUGE
    gain = max(search[GAIN], 1) * FINE // GAUGE
    turn[PIECE] = gain * SCARCE // TURNS
    _end_gauge(search[LENGTH], max(2 * gain, FINE))
    search[WEIGHT] = GUESS
    search[PRICE] = max(CHEAP, turn[RATED] // (GAUGE * RATINGS))


def _loses() -> bool:
    """Return whether players lose points in the gauge by more than chance explains.

    Where points come late, they do in nearly every playout. In a game of gains and losses the sum
    over a few playouts is often negative although nothing is misleading.
    """
    gain = search[GAIN]
    spread = search[GAIN_SQUARES] - gain * gain // FIRST
    return gain < 0 and gain * gain > SURE * SURE * spread


def _gauge_playout() -> None:
    """Play out once from the first sample, and count the result."""
    seats = PLAYERS[0]
    load_state(SAMPLE_SLOT)
    if search[GAUGED] == 0:
        resolve_anew()
        _finish()
        for seat in range(seats):
            ending[seat] = standing(seat)
        load_state(SAMPLE_SLOT)
    _play_out(search[GAUGED])
    if waiting[0] == 0:
        search[OVER] += 1
    _finish()
    alike = 1
    total = 0
    for seat in range(seats):
        score = standing(seat)
        total += score - ending[seat]
        if score != ending[seat]:
            alike = 0
        more = margin(seat)
        best_rival[seat] += more
        search[SQUARES] += more * more
    search[ALIKE] += alike
    search[GAIN] += total
    search[GAIN_SQUARES] += total * total


def _end_gauge(length: int, scale: int) -> None:
    """Set the length of playouts and the scale of margins, and begin with first values."""
    search[GAUGED] = -1
    search[LENGTH] = length
    search[SCALE] = scale
    search[WEIGHT] = max(1, PRIOR * SHORTEST // length)
    load_state(SAMPLE_SLOT)
    begin_trial(TRIES)


# --- values --------------------------------------------------------------------------------------


def _finish() -> None:
    score_hands(turn[PIECE])
    if waiting[0] != 0:
        finish()


def _value() -> int:
    """Return the value of the position for the player who decides, as if the game ended here."""
    seats = PLAYERS[0]
    seat = search[SEAT]
    first = standing(0)
    for each in range(1, seats):
        first = max(first, standing(each))
    winning = 0
    for each in range(seats):
        if _wins(each, first):
            winning += 1
    return _combined(ONE // winning if _wins(seat, first) else 0, margin(seat))


def _wins(seat: int, first: int) -> bool:
    """Return whether a seat has won, or leads with that score if nobody has won."""
    if winners[0] == 0:
        return standing(seat) == first
    return (winners[0] >> seat) & 1 == 1


def _combined(won: int, reached: int) -> int:
    """Return the value of a share of the win and a margin.

    The margin is compared with the usual one, and counts less the further it is from that.
    """
    more = reached - usual[search[SEAT]]
    soft = ONE // 2 + (ONE // 2) * more // (max(more, -more) + search[SCALE])
    return (OF_WIN * won + OF_MARGIN * soft) // (OF_WIN + OF_MARGIN)


def _even() -> int:
    return (OF_WIN * (ONE // PLAYERS[0]) + OF_MARGIN * (ONE // 2)) // (OF_WIN + OF_MARGIN)


def _first_value(row: int) -> int:
    """Return the value of ending the game after a candidate, or a neutral one if it misleads."""
    if search[BLIND] == 1:
        return _even()
    at = row * columns()
    leaders = 1
    for other in range(at + OWN + 1, at + OWN + PLAYERS[0]):
        if outcomes[other] > outcomes[at + OWN]:
            leaders = 0
        elif outcomes[other] == outcomes[at + OWN] and leaders > 0:
            leaders += 1
    won = 0
    if outcomes[at + WON] == 1:
        won = ONE
    elif outcomes[at + WON] == 0 and leaders > 0:
        won = ONE // leaders
    return _combined(won, outcome_value[row])


def _root(number: int) -> int:
    if number < 1:
        return 0
    found = 1
    rest = number
    while rest > 1:
        rest = rest >> 2
        found = found << 1
    found = found << 1
    after = (found + number // found) >> 1
    while after < found:
        found = after
        after = (found + number // found) >> 1
    return found


# --- the shortlist -------------------------------------------------------------------------------


def _make_shortlist() -> None:
    """Put the candidates with the best first values on the shortlist; luck chooses from equals."""
    seed_luck(search[SEED])
    for row in range(legal_count[0]):
        tried = outcomes[row * columns() + TRIED] == 1
        outcome_value[row] = _first_value(row) if tried else -1
    room = min(LONGLIST, search[BUDGET] // EACH)
    if search[CHOOSES] == 1:
        room = min(SHORTLIST, search[BUDGET] // search[PRICE])
    search[LISTED] = 0
    for _ in range(max(1, room)):
        found = -1
        best = 0
        equals = 0
        for row in range(legal_count[0]):
            value = outcome_value[row]
            if value > best or (value == best and luck_below(equals + 1) == 0):
                found = row
            if value > best:
                best = value
                equals = 0
            if value == best:
                equals += 1
        if found >= 0:
            _list(found)
    search[LEFT] = search[LISTED]


def _list(row: int) -> None:
    at = search[LISTED]
    listed_row[at] = row
    listed_guess[at] = outcome_value[row]
    listed_mean[at] = outcome_value[row]
    listed_visits[at] = 0
    listed_total[at] = 0
    outcome_value[row] = -1
    search[LISTED] = at + 1


def _compare() -> None:
    """Play out from the candidate that was played least, by the next scenario.

    The shortlist is halved when a share of the playouts was made (sequential halving).
    """
    if search[LISTED] < 0:
        _make_shortlist()
    if search[LEFT] == 0:
        # All candidates fail.
        search[SPENT] = search[BUDGET]
        return
    rounds = 1
    while search[LISTED] >> rounds > 1:
        rounds += 1
    step = search[SPENT] * rounds // search[BUDGET]
    while search[LEFT] > max(1, search[LISTED] >> step):
        _drop_worst()
    played = 0
    for at in range(1, search[LEFT]):
        if listed_visits[at] < listed_visits[played]:
            played = at
    search[PLAYED] = played
    scenario = listed_visits[played]
    search[DOING] = PLAYING
    seed_luck((search[SEED] + scenario) & WORD)
    load_state(SAMPLE_SLOT + scenario % search[SAMPLES])
    resolve_anew()
    take_legal(listed_row[played])
    play_on()
    _play_out(scenario)
    _finish()
    search[DOING] = NOTHING
    _add_playout(_value())


def _drop_worst() -> None:
    """Drop the candidate with the least mean value: the last one takes its place."""
    worst = 0
    for at in range(1, search[LEFT]):
        if listed_mean[at] <= listed_mean[worst]:
            worst = at
    last = search[LEFT] - 1
    search[LEFT] = last
    listed_row[worst] = listed_row[last]
    listed_guess[worst] = listed_guess[last]
    listed_visits[worst] = listed_visits[last]
    listed_total[worst] = listed_total[last]
    listed_mean[worst] = listed_mean[last]


def _add_playout(value: int) -> None:
    """Count a playout with this value for the candidate that was played."""
    at = search[PLAYED]
    weight = search[WEIGHT]
    search[SPENT] += search[PRICE]
    listed_visits[at] += 1
    listed_total[at] += value
    count = listed_visits[at] + weight
    listed_mean[at] = (listed_total[at] + weight * listed_guess[at]) // count


def _play_out(scenario: int) -> None:
    """Play until the playout is long enough; players play at random or choose their turns."""
    enumerate_moves()
    if waiting[0] == 2:
        play(luck_outcome())
    if resolves[0] == 0:
        resolve_anew()
    if search[CHOOSES] == 0:
        playout(search[LENGTH])
        return
    turns = 0
    end = decided[0] + SHORTEST
    while waiting[0] != 0 and turns < TURNS and decided[0] < end:
        seat = asked_seat[0]
        choose_turn(scenario * TURNS + turns)
        if waiting[0] == 0 or asked_seat[0] != seat:
            turns += 1
