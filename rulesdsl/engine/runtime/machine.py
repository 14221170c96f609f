"""The machine: it steps the innermost frame, and the calls that wait for the end of a step.

It stops when the game waits for somebody or is over.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.draws import offer, resolve
from rulesdsl.engine.runtime.faults import (
    ENDLESS,
    NO_SPACE,
    PROCEED,
    STEPS,
    TOO_MANY_LATER,
    WAITING,
    fault,
)
from rulesdsl.engine.runtime.heap import begin, push
from rulesdsl.engine.runtime.hooks import (
    begin_finish,
    begin_game,
    begin_option,
    finishing,
    forget_depths,
    list_moves,
    prepare_states,
    settle_rest,
    standing,
    step,
)
from rulesdsl.engine.runtime.placements import counted_placement
from rulesdsl.engine.runtime.places import start_all
from rulesdsl.engine.runtime.rng import luck_below
from rulesdsl.engine.runtime.tables import *


def later(action: int) -> None:
    """Queue a call; its arguments are appended one by one.

    Faults: TOO_MANY_LATER.
    """
    if queued[0] >= WAITING:
        fault(TOO_MANY_LATER)
    queued[0] += 1
    enqueue(action)


def enqueue(number: int) -> None:
    """Append an argument to the last queued call.

    Faults: NO_SPACE.
    """
    if queue_free[0] >= QUEUE[0]:
        fault(NO_SPACE)
    queue[queue_free[0]] = number
    queue_free[0] += 1


def enqueue_set(items: int) -> None:
    """Append a set of the heap, or -1 for none, as an argument of the last queued call.

    Faults: NO_SPACE.
    """
    if items < 0:
        enqueue(-1)
        return
    for at in range(items, items + 1 + heap[items]):
        enqueue(heap[at])


def queued_set(at: int) -> int:
    """Copy the set argument at an index of `queue` to the heap and return it; -1 for none."""
    if queue[at] < 0:
        return -1
    made = begin()
    for index in range(at + 1, at + 1 + queue[at]):
        push(made, queue[index])
    return made


def unqueue(size: int) -> None:
    """Drop the oldest queued call, which takes `size` numbers."""
    queued[0] -= 1
    queue_free[0] -= size
    for index in range(queue_free[0]):
        queue[index] = queue[index + size]


def start() -> None:
    """Initialise the game and run to the first decision; `rng` and `resolves` are set before."""
    start_on()
    _fill_moves()


def start_on() -> None:
    """Start like `start`, but leave the legal moves where they are listed."""
    start_all()
    drop_all()
    refuel()
    prepare_states()
    decided[0] = 0
    history_end[0] = 0
    history_now[0] = 0
    history_now[1] = 0
    cut_short[0] = 0
    refuel()
    heap_top[0] = 0
    begin_game()
    list_all(0)
    _run()


def run() -> None:
    """Run to the next decision or the end of the game, and fill `moves` with the legal moves."""
    list_all(0)
    _run()
    _fill_moves()


def _run() -> None:
    """Step until a decision is due or nothing is left to run."""
    while waiting[0] == 0:
        frame = top[0]
        if frame >= 0:
            step(frame, stack[frame])
        elif queued[0] > 0:
            settle_rest()
        else:
            return


def play(row: int) -> None:
    """Play a row of `moves` and run on."""
    list_all(0)
    _play(row)
    _fill_moves()


def play_counting(row: int) -> None:
    """Play a row of `moves`; the next moves are counted if possible."""
    list_all(1)
    _play(row)


def play_on() -> None:
    """Play the first row of `moves`, but leave the next ones where they are listed."""
    _play(0)


def _play(row: int) -> None:
    """Play a move, wherever it is listed.

    Chance moves bring no new steps: the steps between two decisions are the same whether a
    generator draws or not.
    """
    heap_top[0] = 0
    if waiting[0] == 2:
        outcome = moves[row * move_width[0] + 1]
        waiting[0] = 0
        resolve(asked[0], asked_given[0], outcome)
        result[0] = outcome
    else:
        waiting[0] = 0
        decided[0] += 1
        refuel()
        begin_option(row)
    _run()


def refuel() -> None:
    """Refill the steps between two decisions; give none once the program is to stop."""
    if fuel[0] > 0:
        spent[0] = spent[0] + STEPS - fuel[0]
    fuel[0] = 0
    if halted[0] == 0:
        fuel[0] = STEPS


def listed_move(row: int) -> int:
    """Return the only argument of a listed move, from wherever the moves are listed."""
    if counted[0] >= 0:
        found = counted_placement(row)
        counted[0] = -1
        return found
    if listed[0] >= 0:
        return heap[listed[0] + 1 + row]
    return moves[row * 2 + 1]


def list_all(but_count: int) -> None:
    """Clear the lists of moves: the next ones are listed in full or, if possible, counted."""
    listed[0] = -1
    counted[0] = -1
    counting[0] = but_count


def _fill_moves() -> None:
    """Copy the moves that are listed elsewhere into `moves`."""
    if listed[0] >= 0:
        move_width[0] = 2
        for row in range(move_count[0]):
            moves[row * 2] = 0
            moves[row * 2 + 1] = heap[listed[0] + 1 + row]
        listed[0] = -1


def enumerate_moves() -> None:
    """Fill `moves` for the pending decision; nothing else changes."""
    left = fuel[0]
    refuel()
    heap_top[0] = 0
    list_all(0)
    if waiting[0] == 1:
        list_moves(top[0])
    elif waiting[0] == 2:
        offer(asked[0], asked_given[0])
    _fill_moves()
    fuel[0] = left


def finish() -> None:
    """Drop all frames and queued calls, and run the game's finish action."""
    drop_all()
    refuel()
    heap_top[0] = 0
    begin_finish()
    run()


def playout(limit: int) -> int:
    """Play moves drawn with `luck` until the game is over or `limit` moves were played.

    Return the number of moves played. Afterwards `moves` may not hold the legal moves.
    """
    list_all(1)
    played = 0
    while waiting[0] != 0 and played < limit:
        note_options()
        _play(luck_below(move_count[0]) if waiting[0] == 1 else luck_outcome())
        note_lead()
        played += 1
    return played


def luck_outcome() -> int:
    """Draw a row of the offered chance moves, with probabilities by weight."""
    total = 0
    for row in range(move_count[0]):
        total += moves[row * 2]
    left = luck_below(total)
    row = 0
    while left >= moves[row * 2]:
        left -= moves[row * 2]
        row += 1
    return row


def ask_player() -> None:
    """Wait for a decision of a player.

    If the limit of decisions is reached, end the game as `finish` does. The finish action may
    then ask as often again.
    """
    if decided[0] < LIMIT[0]:
        waiting[0] = 1
        return
    if decided[0] >= 2 * LIMIT[0]:
        fault(ENDLESS)
    if finishing():
        waiting[0] = 1
        return
    # The routine that asked may still be returning: it must not find its frame on top.
    beyond = free[0]
    drop_all()
    free[0] = beyond
    cut_short[0] = 1
    begin_finish()


def ask_chance(effect: int, given: int) -> None:
    """Offer a chance move."""
    waiting[0] = 2
    asked[0] = effect
    asked_given[0] = given
    offer(effect, given)


def end_game(seats: int) -> None:
    """End the game: a set of players has won, and all frames and queued calls are dropped."""
    mask = 0
    for at in range(seats + 1, seats + 1 + heap[seats]):
        mask = mask | (1 << heap[at])
    drop_all()
    winners[0] = mask


def drop_all() -> None:
    """Drop all frames and queued calls."""
    top[0] = -1
    free[0] = 0
    store_free[0] = 1
    queued[0] = 0
    queue_free[0] = 0
    steps[0] = 0
    waiting[0] = 0
    winners[0] = 0
    settling[0] = 0
    settling[1] = 0
    listed[0] = -1
    counted[0] = -1
    forget_depths()


def proceed_once(flag: int) -> None:
    """Record that `proceed` runs in a frame.

    Faults: PROCEED if it ran before.
    """
    if stack[flag] == 1:
        fault(PROCEED)
    stack[flag] = 1


# --- statistics ----------------------------------------------------------------------------------


def open_account() -> None:
    """Reset the statistics at the start of a game."""
    for row in range(SOURCES[0] * PLAYERS[0]):
        gained[row] = 0
    offered[0] = 0
    lead[0] = -1
    leads[0] = 0
    scored[0] = 1


def note_options() -> None:
    """Count the moves offered, if a player decides; call it before the move is played."""
    if waiting[0] == 1:
        offered[0] += move_count[0]


def note_lead() -> None:
    """Record a change of the lead after a move.

    The lead passes to a player who alone stands best, and stays until another one does.
    """
    if scored[0] == 0:
        return
    scored[0] = 0
    best = standing(0)
    leader = 0
    for seat in range(1, PLAYERS[0]):
        score = standing(seat)
        if score > best:
            best = score
            leader = seat
        elif score == best:
            leader = -1
    if leader >= 0 and leader != lead[0]:
        if lead[0] >= 0:
            leads[0] += 1
        lead[0] = leader
