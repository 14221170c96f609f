"""The places of pieces: the linked list of the pieces at each place, and moves between places.

The lists are in order of arrival in zones that keep one, else ascending.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.cells import join_crowd, leave_crowd, mixed
from rulesdsl.engine.runtime.groups import add_stander, drop_stander, rebuild
from rulesdsl.engine.runtime.heap import begin, mark, push, put_sorted, release
from rulesdsl.engine.runtime.tables import *


def link_in(piece: int, at: int) -> None:
    """Insert a piece, which is in no list, into the list of a place."""
    before = tail[at]
    if at >= ZONES[0] or zone_keeps[at] == 0:
        while before > piece:
            before = piece_before[before]
    if before < 0:
        after = head[at]
        head[at] = piece
    else:
        after = piece_next[before]
        piece_next[before] = piece
    if after < 0:
        tail[at] = piece
    else:
        piece_before[after] = piece
    piece_before[piece] = before
    piece_next[piece] = after
    amount[at] += 1


def link_out(piece: int, at: int) -> None:
    """Remove a piece from the list of its place."""
    before = piece_before[piece]
    after = piece_next[piece]
    if before < 0:
        head[at] = after
    else:
        piece_next[before] = after
        piece_before[piece] = -1
    if after < 0:
        tail[at] = before
    else:
        piece_before[after] = before
        piece_next[piece] = -1
    amount[at] -= 1


def _pile_on(piece: int, cell: int) -> None:
    """Add a piece to those on cells; link it to the highest there, if the grid keeps order."""
    if grid_ordered[cell >> 24] == 1:
        other = crowd[mixed(cell)]
        while other >= 0:
            if spot[other] == cell and piece_next[other] < 0:
                piece_next[other] = piece
                piece_before[piece] = other
                break
            other = crowd_next[other]
    join_crowd(piece, cell)


def _pile_off(piece: int) -> None:
    """Take a piece from those on cells, and link the pieces below and above it."""
    leave_crowd(piece, spot[piece])
    before = piece_before[piece]
    after = piece_next[piece]
    if before >= 0:
        piece_next[before] = after
    if after >= 0:
        piece_before[after] = before
    piece_before[piece] = -1
    piece_next[piece] = -1


def reposition(piece: int, position: int) -> None:
    """Move a piece within the list of its place to a position in it, from 1."""
    at = place[piece]
    link_out(piece, at)
    before = -1
    after = head[at]
    for _ in range(position - 1):
        before = after
        after = piece_next[after]
    piece_before[piece] = before
    piece_next[piece] = after
    if before < 0:
        head[at] = piece
    else:
        piece_next[before] = piece
    if after < 0:
        tail[at] = piece
    else:
        piece_before[after] = piece
    amount[at] += 1


def arrange(zone: int, pieces: int) -> None:
    """Reorder the pieces of a zone.

    `pieces` is a list on the heap of all pieces there, in the order they get as far as the zone
    keeps one. Pieces whose order does not matter are put in ascending order.
    """
    top = mark()
    keeps = zone_keeps[zone] == 1
    loose = begin()
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        if not keeps or shuffled[heap[index]] == 1:
            push(loose, heap[index])
    loose = put_sorted(loose)
    head[zone] = -1
    tail[zone] = -1
    amount[zone] = 0
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        piece = heap[index]
        if not keeps or shuffled[piece] == 1:
            loose += 1
            piece = heap[loose]
        link_in(piece, zone)
    release(top)


def pieces_at(at: int) -> int:
    """Return the pieces at a place, as a list of the heap in their order."""
    made = begin()
    piece = head[at]
    while piece >= 0:
        push(made, piece)
        piece = piece_next[piece]
    return made


def position_in(piece: int) -> int:
    """Return the position of a piece in a zone that keeps order, counted from 1; 0 elsewhere."""
    at = place[piece]
    if at < 0 or at >= ZONES[0] or zone_keeps[at] == 0:
        return 0
    found = 1
    other = head[at]
    while other != piece:
        found += 1
        other = piece_next[other]
    return found


def put(piece: int, to: int, at: int) -> None:
    """Move a piece to a place that takes it; players who see it there know it.

    `to` is its new `place`, `at` its new `spot`. Contents of grids and features are not
    updated, except for the pieces that stand on a feature.
    """
    old = place[piece]
    stands = ZONES[0] + SPACES[0]
    if old >= 0:
        link_out(piece, old)
        if old >= stands:
            drop_stander(old - stands, piece)
    elif old == ON_CELL:
        _pile_off(piece)
    shuffled[piece] = 0
    place[piece] = to
    spot[piece] = at
    if to >= 0:
        link_in(piece, to)
        if to >= stands:
            add_stander(to - stands, piece)
    elif to == ON_CELL:
        _pile_on(piece, at)
    if to != NOWHERE:
        _arrive(piece, to)


def _arrive(piece: int, to: int) -> None:
    """Let the players who see a piece at its new place know it; a die out of sight is reset.

    Whoever moves a piece to a zone `visible: top` calls `show_top` once it lies where it stays.
    """
    zone = to >= 0 and to < ZONES[0]
    if zone and zone_visible[to] == TOP:
        return
    if zone and zone_visible[to] != 0:
        face_down[piece] = 0
        if zone_visible[to] == UNSEEN:
            face[piece] = 0
        if zone_visible[to] == 1 and zone_seat[to] >= 0:
            known[piece] |= 1 << zone_seat[to]
        if zone_visible[to] == OTHERS:
            known[piece] |= EVERYBODY[0] & ~(1 << zone_seat[to])
    elif face_down[piece] == 0:
        known[piece] = EVERYBODY[0]


def show_top(at: int) -> int:
    """Let all seats know the last piece of a zone `visible: top`, unless it was turned or shuffled.

    Returns the piece if somebody learns it, else -1.
    """
    if at < 0 or at >= ZONES[0] or zone_visible[at] != TOP:
        return -1
    piece = tail[at]
    if piece < 0 or face_down[piece] == 1 or shuffled[piece] == 1:
        return -1
    if known[piece] == EVERYBODY[0]:
        return -1
    known[piece] = EVERYBODY[0]
    return piece


def start_all() -> None:
    """Put every piece where it begins, known to the players who see it there.

    Nothing lies on a grid, and no rule has linked or unlinked segments.
    """
    for at in range(ZONES[0] + SPACES[0] + SEGMENTS[0]):
        head[at] = -1
        tail[at] = -1
        amount[at] = 0
    nowhere = -1
    for piece in range(PIECES[0]):
        place[piece] = NOWHERE
        spot[piece] = -1
        piece_next[piece] = -1
        piece_before[piece] = -1
        face[piece] = 0
        face_down[piece] = 0
        shuffled[piece] = 0
        known[piece] = 0
        for seat in range(PLAYERS[0] if ANSWERS[0] > 0 else 0):
            told[piece * PLAYERS[0] + seat] = 0
        pool[piece] = piece
        start = piece_start[piece]
        if start >= 0:
            put(piece, start, -1)
            pool[piece] = head[start]
        elif piece_in[piece] == 1:
            nowhere = piece if nowhere < 0 else nowhere
            pool[piece] = nowhere
    for zone in range(ZONES[0]):
        show_top(zone)
    joints[0] = 0
    rebuild()
