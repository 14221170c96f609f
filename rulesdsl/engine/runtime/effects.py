"""The built-in effects of rules, applied after chance has been decided."""

from __future__ import annotations

from rulesdsl.engine.runtime.cells import inside, laid_at, shape_at, shape_now
from rulesdsl.engine.runtime.faults import (
    ABSENT,
    ELSEWHERE,
    FACE,
    FULL,
    JOINT,
    MISFIT,
    NO_ORDER,
    NOT_HELD,
    NOT_LAID,
    NOT_SHOWN,
    OUTSIDE,
    STOOD_ON,
    fault,
)
from rulesdsl.engine.runtime.groups import (
    add_joint,
    drop_joint,
    feature_kind,
    forget_joints,
    joint,
    lay,
    merge,
    part_of,
    rebuild,
    rebuild_group,
)
from rulesdsl.engine.runtime.heap import mark, release, work
from rulesdsl.engine.runtime.hooks import states_key
from rulesdsl.engine.runtime.knowledge import mix, shuffle, turn_face_down, turn_face_up
from rulesdsl.engine.runtime.notes import REVEALED, SHOWN, SHUFFLED, TOLD, TURNED, note, note_move
from rulesdsl.engine.runtime.placements import against, can_place, is_covered
from rulesdsl.engine.runtime.places import pieces_at, position_in, put, reposition, show_top
from rulesdsl.engine.runtime.questions import level
from rulesdsl.engine.runtime.tables import *


def link(a: int, b: int) -> None:
    """Join two segments of one kind that lie on grids.

    Faults: ABSENT, NOT_SHOWN, NOT_LAID, JOINT.
    """
    _check_pair(a, b)
    by_rule = joint(a, b)
    if by_rule == UNLINKED:
        drop_joint(a, b)
    elif by_rule == 0 and not in_contact(a, b):
        add_joint(a, b, LINKED)
    merge(a, b)


def unlink(a: int, b: int) -> None:
    """Separate two segments that are joined directly.

    Faults: ABSENT, NOT_SHOWN, NOT_LAID, JOINT.
    """
    _check_pair(a, b)
    touching = in_contact(a, b)
    by_rule = joint(a, b)
    if by_rule == UNLINKED or (by_rule == 0 and not touching):
        fault(JOINT)
    if by_rule == LINKED:
        drop_joint(a, b)
    if touching:
        add_joint(a, b, UNLINKED)
    rebuild_group(a)


def in_contact(a: int, b: int) -> bool:
    """Return whether two segments of one kind lie against each other, unlinked or not."""
    part = part_of(a)
    piece = segment_piece[a]
    for port in range(part_port[part], part_port[part + 1]):
        grid = spot[segment_piece[b]] >> 24 + TURN_BITS[0]
        if against(piece, spot[piece] >> TURN_BITS[0], port, grid) == b:
            return True
    return False


def _check_pair(a: int, b: int) -> None:
    part_of(a)
    laid_at(segment_piece[a])
    part_of(b)
    laid_at(segment_piece[b])
    if a == b or feature_kind(a) != feature_kind(b):
        fault(JOINT)


STANDING = 24
"""The mask of the classes that stand on segments and cells (tokens and figures); the others are
laid with `place`."""


# --- places --------------------------------------------------------------------------------------


def place_piece(piece: int, at: int) -> None:
    """Lay a piece on a grid at a placement; a piece with segments always lies face up.

    Faults: ABSENT, NOT_HELD, MISFIT, STOOD_ON.
    """
    _check_there(piece)
    if grid_holds[at >> 24 + TURN_BITS[0]] >> piece_class[piece] & 1 == 0:
        fault(NOT_HELD)
    if not can_place(piece, at):
        fault(MISFIT)
    old = place[piece]
    laid = old == LAID
    if laid:
        _lift(piece)
    put(piece, LAID, at)
    if shape_parts[shape_at(piece, at)] > 0:
        turn_face_up(piece)
    note_move(piece)
    uncover(old)
    if laid:
        rebuild()
        return
    lay(piece)


def move_to_zone(piece: int, zone: int) -> None:
    """Put a component into a zone.

    Faults: ABSENT, NOT_HELD, FULL, STOOD_ON.
    """
    _check_there(piece)
    _check_zone(piece, zone)
    _carry(piece, zone, -1, 0)


def move_to_segment(piece: int, segment: int) -> None:
    """Put a component on a segment of a laid piece.

    Faults: ABSENT, NOT_HELD, NOT_SHOWN, NOT_LAID, STOOD_ON.
    """
    _check_there(piece)
    _check_segment(piece, segment)
    _carry(piece, ZONES[0] + SPACES[0] + segment, -1, 0)


def move_to_space(piece: int, space: int) -> None:
    """Put a component on a space.

    Faults: ABSENT, NOT_HELD, STOOD_ON.
    """
    _check_there(piece)
    _check_held(piece, track_holds[space_track[space]])
    _carry(piece, ZONES[0] + space, -1, 0)


def move_to_cell(piece: int, cell: int) -> None:
    """Put a component on a cell.

    Faults: ABSENT, NOT_HELD, OUTSIDE, STOOD_ON.
    """
    _check_there(piece)
    _check_cell(piece, cell)
    _carry(piece, ON_CELL, cell, 0)


def _carry(piece: int, to: int, at: int, position: int) -> None:
    """Put a component to a place that takes it, at a position of an ordered zone (0: the last)."""
    old = place[piece]
    if old == LAID:
        _lift(piece)
    put(piece, to, at)
    if position > 0:
        reposition(piece, position)
    if to >= 0 and tail[to] == piece:
        show_top(to)
    note_move(piece)
    uncover(old)
    uncover(to)
    if old == LAID:
        rebuild()


def uncover(at: int) -> None:
    """Let all seats see the last piece of a zone `visible: top` after others left it."""
    piece = show_top(at)
    if piece >= 0:
        note(REVEALED, piece, 0, 0, 0)


def move_all(zone: int, to: int) -> None:
    """Put all components of a zone into another one, in their order.

    An order that was unknown stays unknown where somebody could read something from it: into an
    ordered zone those that everybody knows go first, and the others are mixed.

    Faults: NOT_HELD, FULL.
    """
    if zone == to:
        return
    if amount[zone] > zone_room[to] - amount[to]:
        fault(FULL)
    piece = head[zone]
    while piece >= 0:
        _check_held(piece, zone_holds[to])
        piece = piece_next[piece]
    if zone_keeps[zone] == 0 and zone_keeps[to] == 1:
        _move_pieces(zone, to, EVERYBODY[0])
        top = mark()
        rest = pieces_at(zone)
        mask = EVERYBODY[0]
        for index in range(rest + 1, rest + 1 + heap[rest]):
            mask = mask & known[heap[index]]
        mix(rest, mask)
        release(top)
    _move_pieces(zone, to, 0)
    uncover(to)


def _move_pieces(zone: int, to: int, mask: int) -> None:
    """Put the components of a zone that the seats of a mask know into another zone, in order."""
    loose = zone_keeps[zone] == 0
    piece = head[zone]
    while piece >= 0:
        after = piece_next[piece]
        if known[piece] & mask == mask:
            mixed = loose or shuffled[piece] == 1
            put(piece, to, -1)
            if mixed and zone_keeps[to] == 1 and known[piece] != EVERYBODY[0]:
                shuffled[piece] = 1
            note_move(piece)
        piece = after


def move_into(piece: int, zone: int, position: int) -> None:
    """Put a component into an ordered zone at a position, from 1.

    Faults: as `move_to_zone`, and NO_ORDER for a position that the zone does not have.
    """
    _check_there(piece)
    _check_zone(piece, zone)
    last = amount[zone] if place[piece] == zone else amount[zone] + 1
    if zone_keeps[zone] == 0 or position < 1 or position > last:
        fault(NO_ORDER)
    _carry(piece, zone, -1, position)


def _check_there(piece: int) -> None:
    if piece_in[piece] == 0:
        fault(ABSENT)


def _check_held(piece: int, holds: int) -> None:
    if holds >> piece_class[piece] & 1 == 0:
        fault(NOT_HELD)


def _check_zone(piece: int, zone: int) -> None:
    _check_held(piece, zone_holds[zone])
    others = amount[zone] - 1 if place[piece] == zone else amount[zone]
    if others >= zone_room[zone]:
        fault(FULL)


def _check_cell(piece: int, cell: int) -> None:
    if not inside(cell):
        fault(OUTSIDE)
    _check_held(piece, STANDING)


def _check_segment(piece: int, segment: int) -> None:
    below = segment_piece[segment]
    if piece_in[below] == 0:
        fault(ABSENT)
    if segment - piece_segment[below] >= shape_parts[shape_now(below)]:
        fault(NOT_SHOWN)
    if place[below] != LAID:
        fault(NOT_LAID)
    _check_held(piece, STANDING)


def _lift(piece: int) -> None:
    """Prepare taking a piece from its grid: check that nothing stands on it, forget its joints."""
    first = ZONES[0] + SPACES[0] + piece_segment[piece]
    for at in range(first, first + shape_parts[shape_now(piece)]):
        if amount[at] > 0:
            fault(STOOD_ON)
    if LAYERS[0] > 0 and is_covered(piece):
        fault(STOOD_ON)
    forget_joints(piece)


# --- knowledge and faces -------------------------------------------------------------------------


def shuffle_zone(zone: int) -> None:
    """Forget the order and identity of the pieces in a zone."""
    shuffle(zone)
    note(SHUFFLED, zone, 0, 0, 0)


def reveal(piece: int) -> None:
    """Let all players see a component, now and wherever it is moved.

    Faults: ABSENT.
    """
    _check_there(piece)
    hidden = face_down[piece] == 1 or known[piece] != EVERYBODY[0]
    turn_face_up(piece)
    if hidden:
        note(REVEALED, piece, 0, 0, 0)


def reveal_to(piece: int, seat: int) -> None:
    """Let one player see a component, now and wherever it is moved.

    Faults: ABSENT.
    """
    if piece_in[piece] == 0 or EVERYBODY[0] >> seat & 1 == 0:
        fault(ABSENT)
    hidden = known[piece] >> seat & 1 == 0
    shuffled[piece] = 0
    known[piece] |= 1 << seat
    if hidden:
        note(SHOWN, piece, seat, known[piece], 0)


def tell_answers(piece: int, answers: int, seat: int) -> None:
    """Tell a player answers about a component, wherever it is moved; all players if `seat` is -1.

    Faults: ABSENT.
    """
    if piece_in[piece] == 0 or (seat >= 0 and EVERYBODY[0] >> seat & 1 == 0):
        fault(ABSENT)
    shuffled[piece] = 0
    to = 0
    for each in range(PLAYERS[0]):
        at = piece * PLAYERS[0] + each
        hidden = known[piece] >> each & 1 == 0
        if (seat < 0 or seat == each) and hidden and told[at] & answers != answers:
            told[at] |= answers
            to |= 1 << each
    if to != 0 and place[piece] != NOWHERE:
        seats = to * (EVERYBODY[0] + 1) + known[piece]
        note(TOLD, piece, seats, answers, position_in(piece))


def conceal(piece: int) -> None:
    """Turn a component face down, so that only those who know it already still do.

    Faults: ABSENT, and ELSEWHERE for one that lies on a grid with its segments up.
    """
    _check_there(piece)
    if place[piece] == LAID and shape_parts[shape_now(piece)] > 0:
        fault(ELSEWHERE)
    turn_face_down(piece)


def turn_to(die: int, up: int) -> None:
    """Turn up a face of a die; the face is numbered over all kinds.

    On a grid the new face must have the same outline.

    Faults: ABSENT, FACE.
    """
    turn_up(die, up)
    note(TURNED, die, face[die], 0, 0)


def turn_up(die: int, up: int) -> None:
    """Turn up a face of a die without a note.

    Faults: as `turn_to`.
    """
    if piece_in[die] == 0:
        fault(ABSENT)
    kind = piece_kind[die]
    index = up - kind_face[kind]
    if kind_faces[kind] == 0 or index < 0 or index >= kind_faces[kind]:
        fault(FACE)
    if place[die] == LAID and face_drawing[up] != face_drawing[kind_face[kind] + face[die]]:
        fault(FACE)
    face[die] = index


# --- earlier positions ---------------------------------------------------------------------------

HALF = 0x3FFFFFFF
KEY = 0xFFFFFFFFFFFFFFF
"""The greatest half of a hash, and the greatest hash."""


def note_position(pieces: int, value: int, ruleset: int, decision: int) -> int:
    """Note how the pieces of a set lie, and return how often they have lain so, now included.

    `value` is what else the position has. Each ruleset has its own positions; a position that is
    noted again before the number of the decision changes counts once.
    """
    key = 0
    for at in range(pieces + 1, pieces + 1 + heap[pieces]):
        piece = heap[at]
        shown = described(piece)
        if known[piece] == EVERYBODY[0]:
            shown = blend(shown, states_key(piece))
        key = key + shown & KEY
    key = blend(blend(blend(key, heap[pieces]), value), ruleset)
    end = history_end[0]
    if history_now[0] != decision:
        history_now[0] = decision
        history_now[1] = end
    room = HISTORY[0]
    times = 0
    for at in range(min(end, room)):
        if history[at] == key:
            times += 1
    work(heap[pieces] + min(end, room))
    if times > 0:
        for number in range(max(history_now[1], end - room), end):
            if history[number % room] == key:
                return times
    history[end % room] = key
    history_end[0] = end + 1
    return times + 1


def described(piece: int) -> int:
    """Return a hash of what all players see of a piece and its place, without its states."""
    at = place[piece]
    key = blend(at, spot[piece])
    stands = ZONES[0] + SPACES[0]
    if at >= stands:
        below = segment_piece[at - stands]
        key = blend(at - piece_segment[below], spot[below])
    if at >= 0 and at < ZONES[0]:
        ordered = zone_keeps[at] == 1 and shuffled[piece] == 0
    else:
        ordered = at == ON_CELL and grid_ordered[spot[piece] >> 24] == 1
    if ordered:
        key = blend(key, level(piece))
    if known[piece] != EVERYBODY[0]:
        return blend(key, piece_class[piece] << 8 | piece_seat[piece] + 1)
    return blend(key, (piece_like[piece] << 8 | face[piece]) << 4 | face_down[piece] << 1 | 1)


def blend(key: int, number: int) -> int:
    """Return a hash with another number in it, of 60 bits; no product takes more."""
    low = (key ^ number) & HALF
    high = (key ^ number) >> 30 & HALF
    high ^= low * 0x2C1B3C6D >> 15 & HALF
    low ^= high * 0x297A2D39 >> 15 & HALF
    high ^= low * 0x1B56C4E9 >> 15 & HALF
    return high << 30 | low
