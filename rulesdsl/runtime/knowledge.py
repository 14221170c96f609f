"""Knowledge of pieces: which seats know a piece, and which pieces could have been exchanged."""

from __future__ import annotations

from rulesdsl.runtime.heap import begin, mark, push, release
from rulesdsl.runtime.places import arrange, pieces_at
from rulesdsl.runtime.tables import *


def turn_face_up(piece: int) -> None:
    """Turn a piece face up, so that all seats know it and it is not shuffled any more."""
    face_down[piece] = 0
    shuffled[piece] = 0
    known[piece] = EVERYBODY[0]


def turn_face_down(piece: int) -> None:
    """Turn a piece face down, so that no further seats learn it."""
    face_down[piece] = 1


def hides(zone: int) -> bool:
    """Return whether the order of a zone is unknown, so that rules may only count its pieces."""
    if zone_visible[zone] == UNSEEN:
        return True
    piece = head[zone]
    while piece >= 0:
        if shuffled[piece] == 1:
            return True
        piece = piece_next[piece]
    return False


def shuffle(zone: int) -> None:
    """Forget the order and identity of the pieces in a zone."""
    top = mark()
    pieces = pieces_at(zone)
    mix(pieces, 0)
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        shuffled[heap[index]] = 1
        face_down[heap[index]] = 0
    arrange(zone, pieces)
    release(top)


def mix(pieces: int, mask: int) -> None:
    """Leave only the seats of a mask able to tell the pieces of a list apart.

    This includes all pieces that could already be exchanged with one of them.
    """
    if not _one_pool(pieces):
        _join_pools(pieces)
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        known[heap[index]] = mask


def _one_pool(pieces: int) -> bool:
    """Return whether all pieces of a list could already be exchanged with each other."""
    label = pool[heap[pieces + 1]] if heap[pieces] > 0 else -1
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        if pool[heap[index]] != label or known[heap[index]] == EVERYBODY[0]:
            return False
    return True


def _join_pools(pieces: int) -> None:
    """Make one pool of the pieces of a list and of all that could be exchanged with one of them.

    The number of a pool is its lowest piece (or one that was in it until all seats knew it).
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
