"""Knowledge of pieces: which seats know a piece, and which pieces could have been exchanged."""

from __future__ import annotations

from rulesdsl.engine.runtime.heap import begin, mark, push, release
from rulesdsl.engine.runtime.places import arrange, pieces_at
from rulesdsl.engine.runtime.tables import *


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
    if ANSWERS[0] > 0:
        _mix_told(pieces)
    if not _one_pool(pieces):
        _join_pools(pieces)
    for index in range(pieces + 1, pieces + 1 + heap[pieces]):
        known[heap[index]] = mask


def heard(piece: int, seat: int) -> int:
    """Return the answers that a seat was told about a piece that it does not know."""
    if ANSWERS[0] == 0 or known[piece] >> seat & 1 == 1:
        return 0
    return told[piece * PLAYERS[0] + seat]


def told_alike(a: int, b: int, seat: int) -> bool:
    """Return whether a seat, which does not know them, was told the same about two pieces."""
    answers = heard(a, seat)
    return answers == heard(b, seat) and (piece_answers[a] ^ piece_answers[b]) & answers == 0


def all_told_alike(a: int, b: int) -> bool:
    """Return whether each seat was told the same about two pieces."""
    if ANSWERS[0] > 0:
        for seat in range(PLAYERS[0]):
            if not told_alike(a, b, seat):
                return False
    return True


def answer(value: int, low: int, count: int, first: int) -> int:
    """Return the bit of the answer that an attribute has a value; 0 if no piece has this value."""
    if value < low or value >= low + count:
        return 0
    return 1 << first + value - low


def _mix_told(pieces: int) -> None:
    """Keep only the answers that a seat was told about all pieces of a list, and are the same."""
    for seat in range(PLAYERS[0]):
        kept = -1
        for index in range(pieces + 1, pieces + 1 + heap[pieces]):
            piece = heap[index]
            kept &= heard(piece, seat) & ~(piece_answers[piece] ^ piece_answers[heap[pieces + 1]])
        for index in range(pieces + 1, pieces + 1 + heap[pieces]):
            told[heap[index] * PLAYERS[0] + seat] = kept


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
