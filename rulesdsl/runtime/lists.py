"""The linked lists of the pieces at each place.

They are in order of arrival in zones that keep one, else ascending.
"""

from __future__ import annotations

from rulesdsl.runtime.heap import begin, mark, push, put_sorted, release
from rulesdsl.runtime.tables import (
    ZONES,
    amount,
    head,
    heap,
    piece_before,
    piece_next,
    shuffled,
    tail,
    zone_keeps,
)


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


def listed(at: int) -> int:
    """Return the pieces at a place, as a list of the heap in their order."""
    made = begin()
    piece = head[at]
    while piece >= 0:
        push(made, piece)
        piece = piece_next[piece]
    return made
