"""Many games in one memory: each row holds a game, its legal moves and what its mover sees.

Row 0 is the machine's own game. The others are numbered from 1; the machine makes room for them.
"""

from __future__ import annotations

from rulesdsl.engine.runtime import cells
from rulesdsl.engine.runtime.faults import NO_SPACE, RANGE, fault
from rulesdsl.engine.runtime.hooks import final_score
from rulesdsl.engine.runtime.machine import enumerate_moves, list_all, play_on, start_on
from rulesdsl.engine.runtime.rng import seed_game
from rulesdsl.engine.runtime.tables import *

BYTE = 255
UNKNOWN = -4
"""The place of a piece that a player does not know, in `looked`."""


def begin_rows(first: int, last: int, low: int, high: int) -> None:
    """Start the game of a seed that `game` names, in each row from `first` to before `last`."""
    for row in range(first, last):
        enter(row)
        over[0] = 0
        _begin(low, high)
        _list()
    enter(0)


def choose_rows(first: int, last: int) -> None:
    """Note the `chosen` move of each row, for `step_rows`, and forget all legal moves.

    Faults: RANGE for a move that is not legal.
    """
    width = WIDTH[0]
    for row in range(first, last):
        enter(row)
        if chosen[0] < 0 or chosen[0] >= legal_count[0]:
            fault(RANGE)
        at = (legal_first[0] + chosen[0]) * width
        for column in range(width):
            move[column] = legal[at + column]
    legal_end[0] = 0
    enter(0)


def step_rows(first: int, last: int, low: int, high: int, step: int) -> None:
    """Play the noted move in each row.

    Where a game ends, its result is kept, and the game `step` numbers later begins in its place.
    """
    for row in range(first, last):
        enter(row)
        over[0] = 0
        _take()
        play_on()
        if waiting[0] == 0:
            over[0] = 1
            won[0] = winners[0]
            for seat in range(PLAYERS[0]):
                final[seat] = final_score(seat)
            game[0] = game[0] + step
            _begin(low, high)
        _list()
    enter(0)


def list_rows(first: int, last: int) -> None:
    """List the legal moves of each row anew, after rows were changed from outside."""
    legal_end[0] = 0
    for row in range(first, last):
        enter(row)
        enumerate_moves()
        _list()
    enter(0)


def enter(row: int) -> None:
    """Enter a row and note its number."""
    row_now[0] = row
    enter_row(row)


def _begin(low: int, high: int) -> None:
    seed_game(low, high, game[0])
    resolves[0] = 1
    start_on()


def _take() -> None:
    """Make the noted move of the row the first one in `moves`."""
    for column in range(WIDTH[0]):
        moves[column] = move[column]
    move_width[0] = WIDTH[0]
    list_all(0)


def take_legal(number: int) -> None:
    """Make a move of `legal` the first one in `moves`."""
    width = WIDTH[0]
    for column in range(width):
        moves[column] = legal[number * width + column]
    move_width[0] = width
    list_all(0)


def _list() -> None:
    """Append the legal moves of the row to `legal`, and note them as those of the row.

    Faults: NO_SPACE.
    """
    count = move_count[0] if waiting[0] == 1 else 0
    if legal_end[0] + count * WIDTH[0] > ROOM[0]:
        fault(NO_SPACE)
    legal_first[0] = append_moves(count)
    legal_count[0] = count


def append_moves(count: int) -> int:
    """Append so many moves of the position to `legal`, and return the number of the first."""
    width = WIDTH[0]
    at = legal_end[0]
    first = at // width
    legal_end[0] = at + count * width
    if listed[0] >= 0:
        for number in range(listed[0] + 1, listed[0] + 1 + count):
            legal[at] = 0
            legal[at + 1] = heap[number]
            for column in range(2, width):
                legal[at + column] = 0
            at += width
        return first
    for number in range(count):
        listing = number * move_width[0]
        own = 1 + option_given[option_first[asked[0]] + moves[listing]]
        for column in range(own):
            legal[at + column] = moves[listing + column]
        for column in range(own, width):
            legal[at + column] = 0
        at += width
    return first


# --- what a player knows of each piece ------------------------------------------------------------


def look_rows(first: int, last: int) -> None:
    """Write what the mover knows of each piece in each row to `looked`."""
    for row in range(first, last):
        enter(row)
        look(asked_seat[0] if waiting[0] == 1 else 0)
    enter(0)


def look(seat: int) -> None:
    """Write what a player knows of each piece to `looked`.

    These are five numbers, each for all pieces in turn: the place (`UNKNOWN` for a piece that the
    player does not know), the column and the row of a piece on a cell, its rotation, and the face.
    """
    pieces = PIECES[0]
    for piece in range(pieces):
        where = place[piece]
        shown = where == NOWHERE or known[piece] >> seat & 1 == 1
        looked[piece] = where if shown else UNKNOWN
        looked[4 * pieces + piece] = face[piece] if shown else 0
        if shown and ON_CELL <= where <= LAID:
            cell = spot[piece] >> TURN_BITS[0] if where == LAID else spot[piece]
            looked[pieces + piece] = (cell & 4095) - cells.CENTRE
            looked[2 * pieces + piece] = (cell >> 12 & 4095) - cells.CENTRE
            looked[3 * pieces + piece] = cells.turn_of(spot[piece]) if where == LAID else 0
        else:
            looked[pieces + piece] = 0
            looked[2 * pieces + piece] = 0
            looked[3 * pieces + piece] = 0


# --- what a player sees --------------------------------------------------------------------------


def observe_rows(first: int, last: int) -> None:
    """Write what the mover sees of the game in each row to `view`, `origin` and `facts`."""
    for row in range(first, last):
        enter(row)
        observe(asked_seat[0] if waiting[0] == 1 else 0)
    enter(0)


def observe(seat: int) -> None:
    """Write what a player sees of the game.

    The channels of a cell in `view` are:

    - 0 and 1: 1 if a piece lies there; 1 if it is empty and beside a piece
    - 2 to 5: the codes of the first four sides
    - 6 and 7: the number of the kind and 1 (0: unknown); the rotation
    - 8 to 11: who stands on the feature in the middle of each side (1 the player, 2 others, 3 both)
    - 12 and 13: how many pieces of the player and of others stand on the piece (in the north-west
      cell of a larger one)
    - 14 and 15: whose the piece is (1 the player's, 2 another's); the face
    - 16 to 19 if pieces have six sides: what 2 to 5 and 8 to 11 are, for the last two sides (the
      others are the first four)

    `facts` are: the choice, the seat, the number of decisions so far, the scores and the amounts in
    zones, and a number and one for each side for each argument of the choice: a number; for a
    player the turns until
    that one and 1; for a piece the number of its kind and 1, and the codes of its sides; 0 for any
    other. Players come in turn from this one on, and so do their zones.
    """
    for at in range(GRIDS[0] * WINDOW[0] * WINDOW[0] * PLANES[0]):
        view[at] = 0
    for grid in range(GRIDS[0]):
        _aim(grid)
        _draw(grid, seat)
    for standing in range(PIECES[0]):
        if place[standing] >= ZONES[0] + SPACES[0]:
            _stand(standing, seat)
    _note(seat)


def _aim(grid: int) -> None:
    """Set the origin of a grid so that the middle of what lies there is the middle of the view."""
    if grid_width[grid] > 0:
        origin[2 * grid] = grid_width[grid] // 2 - WINDOW[0] // 2
        origin[2 * grid + 1] = grid_height[grid] // 2 - WINDOW[0] // 2
        return
    west = 4095
    east = 0
    first = (grid + 1 << 24) - 1
    last = grid << 24
    # The cells beside pieces reach as far on all sides.
    for slot in range(cell_slots[0]):
        cell = slot_cell[slot]
        if cell >> 24 == grid:
            west = min(west, cell & 4095)
            east = max(east, cell & 4095)
            first = min(first, cell)
            last = max(last, cell)
    middle = ((first >> 12 & 4095) + (last >> 12 & 4095) + 1) // 2
    centre = (west + east + 1) // 2
    origin[2 * grid] = centre - cells.CENTRE - WINDOW[0] // 2
    origin[2 * grid + 1] = middle - cells.CENTRE - WINDOW[0] // 2


def _draw(grid: int, seat: int) -> None:
    """Write the channels of the cells of a grid."""
    width = WINDOW[0]
    west = origin[2 * grid] + cells.CENTRE
    north = origin[2 * grid + 1] + cells.CENTRE
    begin = _shown(grid, seat) * width * width
    for slot in range(cell_slots[0]):
        cell = slot_cell[slot]
        x = (cell & 4095) - west
        y = (cell >> 12 & 4095) - north
        if cell >> 24 == grid and x >= 0 and x < width and y >= 0 and y < width:
            at = (begin + y * width + x) * PLANES[0]
            if slot_piece[slot] >= 0:
                _show(at, slot, slot_piece[slot], seat)
            else:
                view[at] = slot_open[slot] << 8


def _shown(grid: int, seat: int) -> int:
    """Return the place of a grid in the view: grids of players come in turn from this one on."""
    owner = grid_seat[grid]
    if owner < 0:
        return grid
    return grid - owner + relative(owner, seat)


def relative(owner: int, seat: int) -> int:
    """Return how many seats after another one a seat is."""
    return owner - seat if owner >= seat else owner - seat + PLAYERS[0]


def _show(at: int, slot: int, piece: int, seat: int) -> None:
    """Write the channels of a cell on which a piece lies."""
    owner = piece_seat[piece]
    whose = 0 if owner < 0 else 1 if owner == seat else 2
    if known[piece] >> seat & 1 == 0:
        view[at] = 1
        view[at + 1] = whose << 48
        return
    corner = slot_corner[slot]
    first = piece_segment[piece]
    code = 1 | corner_code[corner] << 16 | min(piece_kind[piece] + 1, BYTE) << 48
    if place[piece] == LAID:
        code = code | cells.turn_of(spot[piece]) << 56
    claims = whose << 48 | min(face[piece], BYTE // 2) << 56
    for side in range(4):
        claims = claims | _claims_at(corner, first, side, seat) << (8 * side)
    view[at] = code
    view[at + 1] = claims
    if SIDES[0] == 6:
        more = 0
        for side in range(4, 6):
            shown = min(corner_side[corner * 6 + side], BYTE)
            more = more | shown << (8 * side - 32)
            more = more | _claims_at(corner, first, side, seat) << (8 * side - 16)
        view[at + 2] = more


def _claims_at(corner: int, first: int, side: int, seat: int) -> int:
    """Say who stands on the feature in the middle of a side, 0 for none (see `_claims`)."""
    part = corner_holder[corner * (3 * SIDES[0]) + side * 3 + 1]
    return _claims(leader[first + part], seat) if part >= 0 and leader[first + part] >= 0 else 0


def _stand(piece: int, seat: int) -> None:
    under = segment_piece[place[piece] - ZONES[0] - SPACES[0]]
    if place[under] != LAID:
        return
    at = _entry(spot[under] >> TURN_BITS[0], seat)
    shift = 32 if piece_seat[piece] == seat else 40
    if at >= 0 and view[at + 1] >> shift & BYTE < BYTE:
        view[at + 1] += 1 << shift


def _entry(cell: int, seat: int) -> int:
    """Return the entry of a cell in the view, -1 if it is too far away."""
    grid = cell >> 24
    x = (cell & 4095) - cells.CENTRE - origin[2 * grid]
    y = (cell >> 12 & 4095) - cells.CENTRE - origin[2 * grid + 1]
    if x < 0 or x >= WINDOW[0] or y < 0 or y >= WINDOW[0]:
        return -1
    return ((_shown(grid, seat) * WINDOW[0] + y) * WINDOW[0] + x) * PLANES[0]


def _claims(feature: int, seat: int) -> int:
    """Say who stands on a feature, given by its leader: 1 the player, 2 others, 3 both."""
    begin = group_stander[feature]
    if begin < 0:
        return 0
    found = 0
    piece = begin
    while True:
        found = found | (1 if piece_seat[piece] == seat else 2)
        piece = stander_next[piece]
        if piece == begin or piece < 0:
            return found


def _note(seat: int) -> None:
    """Write the facts beside the grids."""
    seats = PLAYERS[0]
    facts[0] = asked[0]
    facts[1] = seat
    facts[2] = decided[0]
    for each in range(seats):
        facts[3 + relative(each, seat)] = final_score(each)
    at = 3 + seats
    for zone in range(ZONES[0]):
        owner = zone_seat[zone]
        shown = zone if owner < 0 else zone + (relative(owner, seat) - owner) * zone_inner[zone]
        facts[at + shown] = amount[zone]
    at += ZONES[0]
    for entry in range(at, at + GIVEN[0] * (1 + SIDES[0])):
        facts[entry] = 0
    if waiting[0] == 1:
        for row in range(ask_first[asked[0]], ask_first[asked[0] + 1]):
            _argue(at, stack[top[0] + ask_slot[row]], ask_what[row], seat)
            at += 1 + SIDES[0]


def _argue(at: int, value: int, what: int, seat: int) -> None:
    """Write what is seen of an argument of the choice."""
    if what == 0:
        facts[at] = value
    elif what == 2:
        facts[at] = 0 if value < 0 else 1 + relative(value, seat)
    elif what == 1 and value >= 0 and known[value] >> seat & 1 == 1:
        facts[at] = piece_kind[value] + 1
        shape = piece_shape[value] + SIDES[0] * face[value]
        for side in range(SIDES[0]):
            facts[at + 1 + side] = corner_side[shape_corner[shape] * SIDES[0] + side]
