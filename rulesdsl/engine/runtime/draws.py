"""Chance: the outcomes of a draw from a zone or of a die, their weights, and taking one.

Of interchangeable pieces the lowest represents all of them, with their number as its weight;
outcomes are in ascending order of these leads. A sole outcome draws nothing from the generator.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.effects import turn_up, uncover
from rulesdsl.engine.runtime.faults import ABSENT, ELSEWHERE, EMPTY, fault
from rulesdsl.engine.runtime.heap import begin, mark, push, release, work
from rulesdsl.engine.runtime.hooks import stateful
from rulesdsl.engine.runtime.knowledge import all_told_alike, mix
from rulesdsl.engine.runtime.likeness import like_home, mark_named
from rulesdsl.engine.runtime.notes import DRAWN, ROLLED, note
from rulesdsl.engine.runtime.places import put
from rulesdsl.engine.runtime.rng import below
from rulesdsl.engine.runtime.tables import *

TAKE = 0
ROLL = 1
OFFERED = -2
"""The result of `draw` if the outcome is to be chosen from outside."""

DICE = 4
"""The mask of the class of pieces with several faces."""

SOLE = 0
PLAIN = 1
GROUPS = 2
"""The possible results of `_outlook` for a zone: one outcome; any piece, where pieces that are
`piece_like` are one outcome; or the outcomes that `_groups` lists."""


# --- both ----------------------------------------------------------------------------------------


def draw(effect: int, given: int) -> int:
    """Take a piece from a zone or roll a die, and return the outcome.

    Return OFFERED if there are several outcomes and they are to be offered as moves.

    Faults: ABSENT, EMPTY.
    """
    if effect == TAKE:
        outlook = _outlook(given)
        if outlook == SOLE:
            return take_only(given)
        if resolves[0] == 1:
            return _take_one(given, outlook)
        return OFFERED if take_open(given) > 1 else take_only(given)
    if roll_open(given) == 1:
        return roll_only(given)
    return roll_drawn(given) if resolves[0] == 1 else OFFERED


def offer(effect: int, given: int) -> None:
    """Fill `moves` with the outcomes, as rows of weight and outcome.

    Faults: as `draw`.
    """
    if effect == TAKE:
        take_offer(given)
    else:
        roll_offer(given)


def resolve(effect: int, given: int, outcome: int) -> None:
    """Apply one of the outcomes.

    Faults: ELSEWHERE if it is not an outcome.
    """
    if effect == TAKE:
        take_piece(given, outcome)
    else:
        roll_face(given, outcome)


# --- taking --------------------------------------------------------------------------------------


def take_open(zone: int) -> int:
    """Return the number of outcomes of taking a piece from a zone.

    Faults: ABSENT, EMPTY.
    """
    if _outlook(zone) == SOLE:
        return 1
    top = mark()
    count = heap[_groups(zone)] // 2
    release(top)
    return count


def take_drawn(zone: int) -> int:
    """Take a piece drawn with the generator.

    Faults: as `take_open`.
    """
    return _take_one(zone, _outlook(zone))


def take_only(zone: int) -> int:
    """Take the sole outcome."""
    piece = head[zone]
    if zone_keeps[zone] == 1:
        if shuffled[tail[zone]] == 0:
            piece = tail[zone]
        else:
            while shuffled[piece] == 0:
                piece = piece_next[piece]
    _take(zone, piece)
    return piece


def take_offer(zone: int) -> None:
    """Fill `moves` with weights and pieces.

    Faults: as `take_open`.
    """
    _outlook(zone)
    top = mark()
    groups = _groups(zone)
    move_width[0] = 2
    move_count[0] = heap[groups] // 2
    for index in range(heap[groups]):
        moves[index] = heap[groups + 1 + index]
    release(top)


def take_piece(zone: int, piece: int) -> None:
    """Take the piece that was chosen as the outcome.

    Faults: as `take_open`, and ELSEWHERE if it is not an outcome.
    """
    _outlook(zone)
    top = mark()
    groups = _groups(zone)
    row = groups + 1
    while row < groups + heap[groups] and heap[row + 1] != piece:
        row += 2
    if row > groups + heap[groups]:
        fault(ELSEWHERE)
    release(top)
    _take(zone, piece)


def _outlook(zone: int) -> int:
    """Return the kind of draw from a zone: SOLE, PLAIN or GROUPS.

    If pieces have to be told apart, `mark_named` has been called.

    Faults: ABSENT, EMPTY.
    """
    if zone < 0 or zone >= ZONES[0]:
        fault(ABSENT)
    if amount[zone] == 0:
        fault(EMPTY)
    if amount[zone] == 1 or (zone_keeps[zone] == 1 and shuffled[tail[zone]] == 0):
        return SOLE
    mark_named(True)
    if zone_keeps[zone] == 1 or LIKE_RUNS[0] == 0:
        return GROUPS
    if zone_holds[zone] & (stateful() | DICE) != 0 or _names_one_in(zone):
        return GROUPS
    return SOLE if piece_like[head[zone]] == piece_like[tail[zone]] else PLAIN


def _names_one_in(zone: int) -> bool:
    index = 0
    while index < named_count[0] and place[named_pieces[index]] != zone:
        index += 1
    return index < named_count[0]


def _take_one(zone: int, outlook: int) -> int:
    """Take a piece, drawn with the generator if there are several outcomes."""
    if outlook == SOLE:
        return take_only(zone)
    if outlook == PLAIN:
        return _take_plain(zone)
    piece = _group_piece(zone)
    _take(zone, piece)
    return piece


def _take_plain(zone: int) -> int:
    """Draw and take a piece of a zone where like pieces are neighbours and form a group."""
    lead = _plain_piece(zone)
    mask = known[lead]
    mixed = False
    piece = piece_next[lead]
    while piece >= 0 and piece_like[piece] == piece_like[lead]:
        if _can_be_told(piece, lead, mask):
            mixed = True
        mask &= known[piece]
        piece = piece_next[piece]
    if mixed:
        _mix_group(zone, lead, mask)
    put(lead, NOWHERE, -1)
    note(DRAWN, lead, zone, 0, 0)
    return lead


def _plain_piece(zone: int) -> int:
    """Draw a piece of a zone where like pieces are neighbours; return the lowest one like it."""
    count = amount[zone]
    number = below(count)
    if number * 2 < count:
        piece = head[zone]
        for _ in range(number):
            piece = piece_next[piece]
    else:
        piece = tail[zone]
        for _ in range(number + 1, count):
            piece = piece_before[piece]
    like = piece_like[piece]
    before = piece_before[piece]
    while before >= 0 and piece_like[before] == like:
        piece = before
        before = piece_before[piece]
    return piece


def _group_piece(zone: int) -> int:
    """Draw one of the groups of a zone, and return its lead."""
    top = mark()
    groups = _groups(zone)
    total = 0
    for row in range(heap[groups] // 2):
        total += heap[groups + 1 + row * 2]
    at = groups + 1
    if heap[groups] > 2:
        left = below(total)
        while left >= heap[at]:
            left -= heap[at]
            at += 2
    release(top)
    return heap[at + 1]


def _groups(zone: int) -> int:
    """Return the outcomes of a zone as a list of weights and leads."""
    groups = begin()
    if zone_keeps[zone] == 1 and shuffled[tail[zone]] == 0:
        push(groups, 1)
        push(groups, tail[zone])
        return groups
    piece = head[zone]
    while piece >= 0:
        if zone_keeps[zone] == 0 or shuffled[piece] == 1:
            _count_in(groups, piece)
        piece = piece_next[piece]
    return groups


def _count_in(groups: int, piece: int) -> None:
    """Count a piece in the group it belongs to, or start a new group."""
    last = groups + heap[groups] - 1
    row = last
    while row > groups and (LIKE_RUNS[0] == 0 or piece_like[heap[row + 1]] == piece_like[piece]):
        if like_home(heap[row + 1], piece):
            heap[row] += 1
            work(last - row)
            return
        row -= 2
    work(last - row)
    push(groups, 1)
    push(groups, piece)


def _take(zone: int, lead: int) -> None:
    """Take the lead of a group out of its zone; it is nowhere until it is moved.

    Afterwards nobody can tell which piece of the group it was; those who knew all of them know
    it.
    """
    keeps = zone_keeps[zone] == 1
    runs = LIKE_RUNS[0] == 1 and not keeps
    mask = known[lead]
    mixed = False
    piece = piece_next[lead]
    while piece >= 0 and not (runs and piece_like[piece] != piece_like[lead]):
        if (not keeps or shuffled[piece] == 1) and like_home(lead, piece):
            if _can_be_told(piece, lead, mask):
                mixed = True
            mask &= known[piece]
        piece = piece_next[piece]
    if mixed:
        _mix_group(zone, lead, mask)
    put(lead, NOWHERE, -1)
    note(DRAWN, lead, zone, 0, 0)
    uncover(zone)


def _can_be_told(piece: int, lead: int, mask: int) -> bool:
    """Return whether anybody can tell a piece of a group from its lead.

    `mask` holds the seats that know the lead.
    """
    pools = mask != EVERYBODY[0] and pool[piece] != pool[lead]
    return known[piece] != mask or pools or not all_told_alike(piece, lead)


def _mix_group(zone: int, lead: int, mask: int) -> None:
    """Leave only the seats of a mask able to tell the pieces of a group apart."""
    keeps = zone_keeps[zone] == 1
    top = mark()
    group = begin()
    piece = lead
    while piece >= 0:
        if (not keeps or shuffled[piece] == 1) and like_home(lead, piece):
            push(group, piece)
        piece = piece_next[piece]
    mix(group, mask)
    release(top)


# --- rolling -------------------------------------------------------------------------------------


def roll_open(die: int) -> int:
    """Return the number of outcomes of rolling a die.

    Faults: ABSENT.
    """
    if piece_in[die] == 0:
        fault(ABSENT)
    return kind_faces[piece_kind[die]]


def roll_drawn(die: int) -> int:
    """Roll a die with the generator and return the face.

    Faults: as `roll_open` and `turn_to`.
    """
    count = roll_open(die)
    up = kind_face[piece_kind[die]]
    if count > 1:
        left = below(kind_sides[piece_kind[die]])
        while left >= face_count[up]:
            left -= face_count[up]
            up += 1
    _roll(die, up)
    return up


def roll_only(die: int) -> int:
    """Turn up the sole face of a die.

    Faults: as `turn_to`.
    """
    up = kind_face[piece_kind[die]]
    _roll(die, up)
    return up


def roll_offer(die: int) -> None:
    """Fill `moves` with weights (the counts of faces) and faces.

    Faults: as `roll_open`.
    """
    count = roll_open(die)
    move_width[0] = 2
    move_count[0] = count
    for index in range(count):
        up = kind_face[piece_kind[die]] + index
        moves[index * 2] = face_count[up]
        moves[index * 2 + 1] = up


def roll_face(die: int, up: int) -> None:
    """Turn up the face that was chosen as the outcome.

    Faults: as `turn_to`.
    """
    _roll(die, up)


def _roll(die: int, up: int) -> None:
    turn_up(die, up)
    note(ROLLED, die, up - kind_face[piece_kind[die]], 0, 0)
