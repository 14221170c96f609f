"""What is asked about zones and tracks, and where single pieces are."""

from __future__ import annotations

from rulesdsl.core.faults import (
    ABSENT,
    ELSEWHERE,
    HIDDEN,
    NO_HOME,
    NO_LIMIT,
    NO_ORDER,
    NOT_HELD,
    OTHER_TRACK,
    TRACK_END,
    fault,
)
from rulesdsl.core.heap import added, finished, space_for
from rulesdsl.core.knowledge import hides
from rulesdsl.core.tables import (
    LAID,
    NOWHERE,
    SPACES,
    ZONES,
    amount,
    head,
    piece_home,
    piece_in,
    piece_kind,
    piece_next,
    place,
    segment_piece,
    space_track,
    spot,
    track_loop,
    track_space,
    zone_keeps,
    zone_room,
)

UNLIMITED = 2**31 - 1


# --- zones ---------------------------------------------------------------------------------------


def kinds_in(zone: int) -> int:
    """The kinds of what is in a zone. Fault HIDDEN."""
    check_open(zone)
    made = space_for(amount[zone])
    end = made + 1
    last = -1
    piece = head[zone]
    while piece >= 0:
        if piece_kind[piece] != last:
            last = piece_kind[piece]
            end = added(made + 1, end, last)
        piece = piece_next[piece]
    return finished(made, end)


def one(zone: int, kind: int) -> int:
    """The lowest piece of a kind in a zone. Fault HIDDEN, NOT_HELD."""
    check_open(zone)
    found = -1
    piece = head[zone]
    while piece >= 0:
        if piece_kind[piece] == kind and (found < 0 or piece < found):
            found = piece
        piece = piece_next[piece]
    if found < 0:
        fault(NOT_HELD)
    return found


def room(zone: int) -> int:
    """How many more pieces a zone takes. Fault NO_LIMIT."""
    if zone_room[zone] == UNLIMITED:
        fault(NO_LIMIT)
    return max(0, zone_room[zone] - amount[zone])


def position(piece: int) -> int:
    """Which piece it is of those in its zone, from 1. Fault ABSENT, ELSEWHERE, NO_ORDER, HIDDEN."""
    zone = zone_of(piece)
    if zone_keeps[zone] == 0:
        fault(NO_ORDER)
    check_open(zone)
    found = 1
    other = head[zone]
    while other != piece:
        found += 1
        other = piece_next[other]
    return found


def check_open(zone: int) -> None:
    """Fault HIDDEN where rules may only count what is in a zone."""
    if hides(zone):
        fault(HIDDEN)


# --- single pieces -------------------------------------------------------------------------------


def home_of(piece: int) -> int:
    """The zone where a piece began. Fault ABSENT, NO_HOME."""
    if piece_in[piece] == 0:
        fault(ABSENT)
    if piece_home[piece] < 0:
        fault(NO_HOME)
    return piece_home[piece]


def zone_of(piece: int) -> int:
    """The zone a piece is in. Fault ABSENT, ELSEWHERE."""
    return _within(piece, 0, ZONES[0])


def space_of(piece: int) -> int:
    """The space a piece stands on. Fault ABSENT, ELSEWHERE."""
    return _within(piece, ZONES[0], ZONES[0] + SPACES[0])


def segment_of(piece: int) -> int:
    """The segment a piece stands on. Fault ABSENT, ELSEWHERE."""
    if piece_in[piece] == 0:
        fault(ABSENT)
    segment = place[piece] - ZONES[0] - SPACES[0]
    if segment < 0:
        fault(ELSEWHERE)
    return segment


def _within(piece: int, low: int, high: int) -> int:
    """Which of the places from `low` to before `high` a piece is at. Fault ABSENT, ELSEWHERE."""
    if piece_in[piece] == 0:
        fault(ABSENT)
    at = place[piece]
    if at < low or at >= high:
        fault(ELSEWHERE)
    return at - low


def on_board(piece: int) -> bool:
    """Does a piece lie on a grid or stand on what lies there? Fault ABSENT."""
    if piece_in[piece] == 0:
        fault(ABSENT)
    return grid_under(piece) >= 0


def grid_under(piece: int) -> int:
    """The grid on which a piece lies or stands, -1 for none."""
    below = piece
    at = place[piece]
    if at >= ZONES[0] + SPACES[0]:
        below = segment_piece[at - ZONES[0] - SPACES[0]]
        at = place[below]
    if at >= NOWHERE:
        return -1
    return spot[below] >> 26 if at == LAID else spot[below] >> 24


# --- tracks --------------------------------------------------------------------------------------


def forward_space(space: int, steps: int) -> int:
    """The space that many steps on. Fault TRACK_END."""
    track = space_track[space]
    first = track_space[track]
    length = track_space[track + 1] - first
    index = space - first + steps
    if track_loop[track] == 1:
        return first + index % length
    if index < 0 or index >= length:
        fault(TRACK_END)
    return first + index


def steps_space(start: int, end: int) -> int:
    """How many steps lead from one space to another: fewer than 0 where a track that is no loop
    would have to be walked back. Fault OTHER_TRACK."""
    track = space_track[start]
    if space_track[end] != track:
        fault(OTHER_TRACK)
    if track_loop[track] == 1:
        return (end - start) % (track_space[track + 1] - track_space[track])
    return end - start
