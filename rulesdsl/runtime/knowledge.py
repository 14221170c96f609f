"""Who knows what a piece is, and which pieces could have been exchanged."""

from __future__ import annotations

from rulesdsl.runtime.heap import begin, mark, push, release
from rulesdsl.runtime.lists import arrange, listed
from rulesdsl.runtime.tables import (
    EVERYBODY,
    PIECES,
    UNSEEN,
    face_down,
    head,
    heap,
    known,
    piece_next,
    pool,
    shuffled,
    zone_visible,
)


def turn_face_up(piece: int) -> None:
    """All see it; it is no longer one of several."""
    face_down[piece] = 0
    shuffled[piece] = 0
    known[piece] = EVERYBODY[0]


def turn_face_down(piece: int) -> None:
    """Those who know it still do, no one else from now on."""
    face_down[piece] = 1


def hides(zone: int) -> bool:
    """Is it open which of its pieces lies where, so that rules may only count them?"""
    if zone_visible[zone] == UNSEEN:
        return True
    piece = head[zone]
    while piece >= 0:
        if shuffled[piece] == 1:
            return True
        piece = piece_next[piece]
    return False


def shuffle(zone: int) -> None:
    """Forget the order and identity of what is in a zone."""
    top = mark()
    pieces = listed(zone)
    mix(pieces, 0)
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        shuffled[heap[index]] = 1
        face_down[heap[index]] = 0
    arrange(zone, pieces)
    release(top)


def mix(pieces: int, mask: int) -> None:
    """Only the seats of a mask can tell the pieces of a list apart from now on, and from all that
    could already be exchanged with one of them."""
    if not _one_pool(pieces):
        _join_pools(pieces)
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        known[heap[index]] = mask


def _one_pool(pieces: int) -> bool:
    """Could all pieces of a list be exchanged already?"""
    label = pool[heap[pieces + 1]] if heap[pieces] > 0 else -1
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        if pool[heap[index]] != label or known[heap[index]] == EVERYBODY[0]:
            return False
    return True


def _join_pools(pieces: int) -> None:
    """Make one pool of the pieces of a list and of all that could be exchanged with one of them.

    Every pool is called after the lowest piece in it (or that was in it until all knew it).
    """
    count = PIECES[0]
    top = mark()
    names = begin()
    for _ in range(count + 1):
        push(names, -1)
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        if known[heap[index]] != EVERYBODY[0]:
            heap[names + 1 + pool[heap[index]]] = count
    for piece in range(count):
        if known[piece] != EVERYBODY[0] and heap[names + 1 + pool[piece]] == count:
            pool[piece] = count
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        pool[heap[index]] = count
    for piece in range(count + 1):
        heap[names + 1 + piece] = -1
    for piece in range(count):
        name = names + 1 + pool[piece]
        if heap[name] < 0:
            heap[name] = piece
        pool[piece] = heap[name]
    release(top)
