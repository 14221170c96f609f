"""Moving pieces from place to place."""

from __future__ import annotations

from rulesdsl.runtime.groups import add_stander, drop_stander, rebuild
from rulesdsl.runtime.lists import link_in, link_out
from rulesdsl.runtime.tables import (
    EVERYBODY,
    NOWHERE,
    PIECES,
    SEGMENTS,
    SPACES,
    ZONES,
    amount,
    face,
    face_down,
    head,
    known,
    links,
    piece_before,
    piece_in,
    piece_next,
    piece_start,
    place,
    pool,
    shuffled,
    spot,
    tail,
    unlinks,
    zone_seat,
    zone_visible,
)


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
    shuffled[piece] = 0
    place[piece] = to
    spot[piece] = at
    if to >= 0:
        link_in(piece, to)
        if to >= stands:
            add_stander(to - stands, piece)
    if to != NOWHERE:
        _arrive(piece, to)


def _arrive(piece: int, to: int) -> None:
    """Let the players who see a piece at its new place know it."""
    zone = to >= 0 and to < ZONES[0]
    if zone and zone_visible[to] != 0:
        face_down[piece] = 0
        if zone_visible[to] == 1 and zone_seat[to] >= 0:
            known[piece] |= 1 << zone_seat[to]
    elif face_down[piece] == 0:
        known[piece] = EVERYBODY[0]


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
        pool[piece] = piece
        start = piece_start[piece]
        if start >= 0:
            put(piece, start, -1)
            pool[piece] = head[start]
        elif piece_in[piece] == 1:
            nowhere = piece if nowhere < 0 else nowhere
            pool[piece] = nowhere
    links[0] = 0
    unlinks[0] = 0
    rebuild()
