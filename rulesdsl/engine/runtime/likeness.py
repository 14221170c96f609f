"""Symmetry: interchangeable pieces, and the moves that are equivalent because of them."""

from __future__ import annotations

from rulesdsl.engine.runtime.faults import NOT_KNOWN, fault
from rulesdsl.engine.runtime.heap import HEADER, begin, mark, push, release, work
from rulesdsl.engine.runtime.hooks import mark_queue, mark_states, same_states
from rulesdsl.engine.runtime.knowledge import all_told_alike, heard, told_alike
from rulesdsl.engine.runtime.tables import *

PIECE = 1
PART = 2
"""The kinds of an argument of a move: a piece; a segment or feature; 0 for everything else."""

KEY_MASK = 0xFFFFFFFF

# --- named pieces --------------------------------------------------------------------------------


def mark_named(every: bool) -> None:
    """Mark the pieces that frames, queued calls and states name now.

    Without `every`, slots that cannot tell them apart do not count. Every frame, the
    innermost one too, must be suspended at its point.
    """
    named_now[0] += 1
    named_count[0] = 0
    frame = top[0]
    while frame >= 0:
        point = stack[frame]
        row = live_first[point]
        while row < live_first[point + 1]:
            if every or live_telling[row] == 1:
                _name_slot(frame + live_slot[row], live_what[row])
            row += 1
        frame = stack[frame + 1]
    mark_queue()
    mark_states()


def name_piece(piece: int) -> None:
    """Mark a piece as named; -1 is none."""
    if piece >= 0 and named[piece] != named_now[0]:
        named[piece] = named_now[0]
        named_pieces[named_count[0]] = piece
        named_count[0] += 1


def name_segment(segment: int) -> None:
    """Mark the piece of a segment or feature as named; -1 is none."""
    if segment >= 0:
        name_piece(segment_piece[segment])


def _name_slot(slot: int, what: int) -> None:
    value = stack[slot]
    if what == 0:
        name_piece(value)
    elif what == 1:
        name_segment(value)
    elif value > 0:
        _name_items(value, stack[slot + 1] if what >= 4 else 0, what % 2 == 1)


def _name_items(handle: int, first: int, parts: bool) -> None:
    for at in range(handle + HEADER + first, handle + HEADER + store[handle + 2]):
        if parts:
            name_segment(store[at])
        else:
            name_piece(store[at])


# --- pieces --------------------------------------------------------------------------------------


def like_home(a: int, b: int) -> bool:
    """Return whether two pieces are the same outcome when one of them is taken from a zone.

    They have the same kind, owner, start, face and states, and neither is named. Call it after
    `mark_named`.
    """
    return a == b or (
        piece_like[a] == piece_like[b]
        and face[a] == face[b]
        and named[a] != named_now[0]
        and named[b] != named_now[0]
        and same_states(a, b)
    )


def alike(a: int, b: int) -> bool:
    """Return whether two pieces are interchangeable.

    They are `like_home`, lie at the same place, which is not an ordered zone, and the same
    players know them. Call it after `mark_named`.
    """
    return a == b or _one_sort(a, b, True)


def _together(a: int, b: int) -> bool:
    """Return whether only names and states could tell two pieces apart.

    The player who is asked tells unknown pieces apart by class, owner and place, and by what he was
    told of them.
    """
    if unknown(a):
        return (
            unknown(b)
            and piece_class[a] == piece_class[b]
            and piece_seat[a] == piece_seat[b]
            and place[a] == place[b]
            and spot[a] == spot[b]
            and told_alike(a, b, asked_seat[0])
            and not _apart(a)
        )
    return (
        piece_like[a] == piece_like[b]
        and place[a] == place[b]
        and spot[a] == spot[b]
        and known[a] == known[b]
        and face[a] == face[b]
        and face_down[a] == face_down[b]
        and shuffled[a] == shuffled[b]
        and all_told_alike(a, b)
        and not _apart(a)
    )


def unknown(piece: int) -> bool:
    """Return whether the player who is asked does not know a piece."""
    return place[piece] != NOWHERE and known[piece] >> asked_seat[0] & 1 == 0


def _apart(piece: int) -> bool:
    """Return whether the place of a piece distinguishes it from all others."""
    at = place[piece]
    if at == ON_CELL:
        return grid_ordered[spot[piece] >> 24] == 1
    return at == LAID or (at >= 0 and at < ZONES[0] and zone_ordered[at] == 1)


# --- moves ---------------------------------------------------------------------------------------


def lowest_first(items: int) -> int:
    """Return for each piece of a set the index of the piece before it that is interchangeable.

    It is -1 if there is none. Of interchangeable pieces, subsets that hold the lowest represent
    all. Call it after `mark_named`.

    Faults: NOT_KNOWN for a piece that the player who is asked does not know.
    """
    found = begin()
    for at in range(items + 1, items + 1 + heap[items]):
        if unknown(heap[at]):
            fault(NOT_KNOWN)
        before = at - 1
        while before > items and not alike(heap[before], heap[at]):
            before -= 1
        work(at - before)
        push(found, before - items - 1)
    return found


def put_members(entry: int, items: int, room: int, none: int) -> None:
    """Write the members of a set to `moves`, from an entry on, and `none` after them."""
    for index in range(room):
        moves[entry + index] = heap[items + 1 + index] if index < heap[items] else none


def members_of(entry: int, room: int, none: int) -> int:
    """Return the set whose members `put_members` has written."""
    made = begin()
    for index in range(entry, entry + room):
        if moves[index] != none:
            push(made, moves[index])
    return made


def fuse(first_row: int, width: int, count: int, kinds: int) -> int:
    """Drop the moves that are equivalent to an earlier one, and return the number left.

    Moves with unknown pieces are first sorted by the places of these.

    The moves are `count` rows of `moves`, of one option, from row `first_row` on. Two are
    equivalent if their arguments are the same except for interchangeable pieces, and the pieces
    are equal among themselves in one where they are in the other. The remaining rows move up in
    their order.

    `kinds` has 2 bits for each argument after the option, the first one lowest: 0, PIECE or
    PART.
    """
    if kinds == 0 or count < 2:
        return count
    mark_top = mark()
    pieces = _pieces_of_moves(first_row, width, count, kinds)
    if _rank(pieces):
        _sort_moves(first_row, width, count, kinds)
    left = count
    if _sort_pieces(pieces, False):
        mark_named(False)
        if _sort_pieces(pieces, True):
            left = _drop_rows(first_row, width, count, kinds)
    release(mark_top)
    return left


def _pieces_of_moves(first_row: int, width: int, count: int, kinds: int) -> int:
    """Return a list of all pieces that moves name, each once."""
    pieces = begin()
    sort_now[0] += 1
    now = sort_now[0]
    for argument in range(width - 1):
        kind = kinds >> 2 * argument & 3
        if kind != 0:
            entry = first_row * width + 1 + argument
            for _ in range(count):
                piece = moves[entry]
                if kind == PART and piece >= 0:
                    piece = segment_piece[piece]
                if piece >= 0 and sort_seen[piece] != now:
                    sort_seen[piece] = now
                    push(pieces, piece)
                entry += width
    return pieces


def _rank(pieces: int) -> bool:
    """Rank the unknown pieces of a list by their places, and return whether there are any.

    `sort_lead` has the number of each, from 0, and -1 for known pieces.
    """
    found = False
    for at in range(pieces + 1, pieces + 1 + heap[pieces]):
        piece = heap[at]
        rank = -1
        if unknown(piece):
            found = True
            rank = 0
            for other in range(pieces + 1, pieces + 1 + heap[pieces]):
                if unknown(heap[other]) and _lies_before(heap[other], piece):
                    rank += 1
            work(heap[pieces])
        sort_lead[piece] = rank
    return found


def _lies_before(a: int, b: int) -> bool:
    """Return whether a piece comes before another one by its place, or by what was told of it."""
    if place[a] != place[b]:
        return place[a] < place[b]
    if place[a] < 0 and spot[a] != spot[b]:
        return spot[a] < spot[b]
    if not _apart(a):
        answers = heard(a, asked_seat[0])
        others = heard(b, asked_seat[0])
        if answers != others:
            return answers < others
        answers = piece_answers[a] & answers
        others = piece_answers[b] & others
        if answers != others:
            return answers < others
    after = piece_next[a]
    while after >= 0 and after != b:
        after = piece_next[after]
    return after == b


def _sort_moves(first_row: int, width: int, count: int, kinds: int) -> None:
    """Sort moves by their arguments, unknown pieces after known ones and by their ranks."""
    for row in range(first_row + 1, first_row + count):
        at = row
        while at > first_row and _comes_before(at, at - 1, width, kinds):
            for entry in range(at * width, at * width + width):
                kept = moves[entry]
                moves[entry] = moves[entry - width]
                moves[entry - width] = kept
            at -= 1
        work(row - at)


def _comes_before(row: int, other: int, width: int, kinds: int) -> bool:
    """Return whether the move of a row comes before that of another one."""
    for argument in range(width - 1):
        kind = kinds >> 2 * argument & 3
        a = row * width + 1 + argument
        b = other * width + 1 + argument
        if moves[a] != moves[b]:
            one = _rank_in(a, kind)
            two = _rank_in(b, kind)
            return moves[a] < moves[b] if one == two else one < two
    return False


def _rank_in(entry: int, kind: int) -> int:
    """Return the rank of the piece in an argument of a move, -1 for anything else."""
    piece = _piece_in(entry, kind)
    return sort_lead[piece] if piece >= 0 else -1


def _piece_in(entry: int, kind: int) -> int:
    """Return the piece that an argument of a move names, -1 for none."""
    value = moves[entry]
    if kind == PART and value >= 0:
        return segment_piece[value]
    return value if kind == PIECE else -1


def _sort_pieces(pieces: int, exactly: bool) -> bool:
    """Find the lead of each piece of a list, and say whether a piece is not its own lead.

    The lead is the first piece of the list that is interchangeable with it, or, without
    `exactly`, that could be.
    """
    shared = False
    for at in range(pieces + 1, pieces + 1 + heap[pieces]):
        piece = heap[at]
        lead = piece
        if not _apart(piece):
            by = pieces + 1
            while lead == piece and by < at:
                other = heap[by]
                if sort_lead[other] == other and _one_sort(other, piece, exactly):
                    lead = other
                by += 1
            work(by - pieces)
        sort_lead[piece] = lead
        shared = shared or lead != piece
    return shared


def _one_sort(a: int, b: int, exactly: bool) -> bool:
    """Return whether two pieces are interchangeable or, without `exactly`, could be."""
    return _together(a, b) and (not exactly or unknown(a) or like_home(a, b))


def _drop_rows(first_row: int, width: int, count: int, kinds: int) -> int:
    """Drop equivalent moves as `fuse` does, once the leads of all pieces are known."""
    keys = _keys_of_moves(first_row, width, count, kinds) + 1
    left = 0
    for row in range(count):
        key = heap[keys + row]
        at = 0
        while at < left and (
            heap[keys + at] != key or not _one_move(first_row + at, first_row + row, width, kinds)
        ):
            at += 1
        work(at)
        if at == left:
            if left != row:
                heap[keys + left] = key
                for index in range(width):
                    moves[(first_row + left) * width + index] = moves[
                        (first_row + row) * width + index
                    ]
            left += 1
    return left


def _keys_of_moves(first_row: int, width: int, count: int, kinds: int) -> int:
    """Return a list of hashes of the moves; equivalent moves have equal hashes."""
    keys = begin()
    for _ in range(count):
        push(keys, 0)
    for argument in range(width - 1):
        kind = kinds >> 2 * argument & 3
        entry = first_row * width + 1 + argument
        for at in range(keys + 1, keys + 1 + count):
            value = moves[entry] if kind == 0 else _shape(entry, kind)
            heap[at] = heap[at] * 31 + value & KEY_MASK
            entry += width
    return keys


def _shape(entry: int, kind: int) -> int:
    """Return an argument of a move, with its piece replaced by the piece's lead."""
    value = moves[entry]
    if kind == 0 or value < 0:
        return value
    if kind == PIECE:
        return sort_lead[value]
    piece = segment_piece[value]
    return piece_segment[sort_lead[piece]] + value - piece_segment[piece]


def _one_move(row: int, other_row: int, width: int, kinds: int) -> bool:
    a = row * width + 1
    b = other_row * width + 1
    for argument in range(width - 1):
        kind = kinds >> 2 * argument & 3
        if _shape(a + argument, kind) != _shape(b + argument, kind):
            return False
        if kind != 0:
            one = _piece_in(a + argument, kind)
            other = _piece_in(b + argument, kind)
            for before in range(argument):
                earlier = kinds >> 2 * before & 3
                repeats = _piece_in(a + before, earlier) == one
                if repeats != (_piece_in(b + before, earlier) == other):
                    return False
    return True
