"""The legal placements of a piece on a grid, and the frontier: the empty cells where one could lie.

A piece that already lies on the grid is treated as taken up.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.cells import (
    beside,
    cell_at,
    cell_on,
    ground,
    inside,
    is_near,
    laid_at,
    lying,
    moved_cell,
    opposite,
    points_up,
    shape_at,
    shares,
    slot_of,
    turn_of,
    upper_slot,
)
from rulesdsl.engine.runtime.faults import ABSENT, NO_SPACE, NOT_HELD, fault
from rulesdsl.engine.runtime.heap import begin, keep, mark, push, put_sorted
from rulesdsl.engine.runtime.tables import *


def show_side(slot: int, corner: int, side: int, hint: int) -> None:
    """Record that a row of the `corner_` tables faces the empty cell of a slot over a side.

    The slot joins the frontier if it is not in it. `hint` is the slot from which its position
    is searched, -1 for the first.
    """
    fitting = (corner_side[corner * SIDES[0] + side] * SIDES[0] + opposite(side)) * FITS[0]
    if slot_open[slot] == 1:
        for word in range(FITS[0]):
            slot_fit[word * SLOTS[0] + slot] &= side_fit[fitting + word]
        return
    for word in range(FITS[0]):
        slot_fit[word * SLOTS[0] + slot] = side_fit[fitting + word]
    _join_frontier(slot, hint)


def leave_frontier(slot: int) -> int:
    """Remove an occupied cell and return the slot before it in the frontier, -1 for none."""
    slot_open[slot] = 0
    for word in range(FITS[0]):
        slot_fit[word * SLOTS[0] + slot] = 0
    before = frontier_before[slot]
    after = frontier_next[slot]
    if after >= 0:
        frontier_before[after] = before
    else:
        frontier_last[slot_cell[slot] >> 24] = before
    if before >= 0:
        frontier_next[before] = after
    else:
        frontier_first[slot_cell[slot] >> 24] = after
    return before


def _join_frontier(slot: int, hint: int) -> None:
    """Insert a slot into the frontier at its position."""
    slot_open[slot] = 1
    cell = slot_cell[slot]
    before = hint
    while before >= 0 and slot_cell[before] > cell:
        before = frontier_before[before]
    after = frontier_next[before] if before >= 0 else frontier_first[cell >> 24]
    while after >= 0 and slot_cell[after] < cell:
        before = after
        after = frontier_next[after]
    frontier_before[slot] = before
    frontier_next[slot] = after
    if after >= 0:
        frontier_before[after] = slot
    else:
        frontier_last[cell >> 24] = slot
    if before >= 0:
        frontier_next[before] = slot
    else:
        frontier_first[cell >> 24] = slot


def facing(first: int, port: int) -> int:
    """Return the cell that a port faces, of a piece whose north-west cell is `first`."""
    return beside(moved_cell(first, port_x[port], port_y[port]), port_side[port])


def against(piece: int, first: int, port: int, grid: int) -> int:
    """Return the segment of another piece on a grid that lies against a port, -1 for none.

    `first` is the north-west cell that the piece covers or would cover. Grids that do not lie over
    each other have nothing in contact.
    """
    if not shares(grid, first >> 24):
        return -1
    slot = slot_of(cell_on(grid, facing(first, port)))
    other = slot_piece[slot] if slot >= 0 else -1
    if other < 0 or other == piece:
        return -1
    lanes = slot_corner[slot] * (3 * SIDES[0]) + opposite(port_side[port]) * 3
    index = corner_holder[lanes + 2 - port_lane[port]]
    return piece_segment[other] + index if index >= 0 else -1


def open_port(piece: int, first: int, port: int) -> bool:
    """Return whether a port of a piece faces an empty cell or the edge of the grid.

    `first` is the north-west cell that the piece covers or would cover.
    """
    other = lying(ground(facing(first, port)))
    return other < 0 or other == piece


def is_covered(piece: int) -> bool:
    """Return whether a piece on a layer lies over a laid piece."""
    shape = shape_at(piece, spot[piece])
    for grid in range(GRIDS[0]):
        layer = grid_below[grid] == spot[piece] >> 24 + TURN_BITS[0]
        for y in range(shape_height[shape] if layer else 0):
            for x in range(shape_width[shape]):
                if lying(cell_on(grid, moved_cell(spot[piece] >> TURN_BITS[0], x, y))) >= 0:
                    return True
    return False


def placements(grid: int, piece: int) -> int:
    """Return the set of all legal placements of a piece on a grid.

    On an empty grid these are all cells if the grid has a size, else the centre. Otherwise they
    are all cells if it has a size; else those where the piece touches another or, with `touch:
    false`, lies within or against the bounding rectangle of all pieces. Of these, only
    placements whose sides agree as `match` demands are legal.

    Faults: ABSENT, NOT_HELD, NO_SPACE.
    """
    if is_quick(grid, piece):
        return _along_frontier(grid, shape_at(piece, 0))
    if piece_in[piece] == 0:
        fault(ABSENT)
    if grid_holds[grid] >> piece_class[piece] & 1 == 0:
        fault(NOT_HELD)
    return _tried(grid, piece)


def can_place(piece: int, at: int) -> bool:
    """Return whether a placement of a piece is legal.

    On a grid without a size the first piece may lie anywhere.
    """
    grid = at >> 24 + TURN_BITS[0]
    if is_quick(grid, piece):
        slot = slot_of(at >> TURN_BITS[0])
        if slot < 0 or slot_open[slot] == 0:
            return False
        shape = shape_at(piece, at)
        return slot_fit[shape_fit[shape] * SLOTS[0] + slot] & shape_bit[shape] != 0
    if piece_in[piece] == 0 or grid_holds[grid] >> piece_class[piece] & 1 == 0:
        return False
    return _free(piece, at) and _agrees(piece, at, _others(grid, piece) > 0)


# --- pieces of one cell on an open grid ----------------------------------------------------------


def is_quick(grid: int, piece: int) -> bool:
    """Return whether the legal placements are exactly the fitting ones along the frontier.

    The grid then holds the piece, and they need not be gathered: see `placement_after`.
    """
    # Below layers, what lies above it counts, too, which the fits of the frontier do not know.
    if LAYERS[0] > 0 or piece_in[piece] == 0 or grid_open[grid] >> piece_class[piece] & 1 == 0:
        return False
    if shape_bit[shape_at(piece, 0)] == 0:
        return False
    return grid_pieces[grid] > 0 and place[piece] != LAID


def rotations_of(grid: int, shape: int) -> int:
    """Return the mask of the rotations that a grid offers of a piece, given any of its shapes."""
    return grid_turns[grid] | shape_turns[shape]


def placement_after(grid: int, piece: int, at: int) -> int:
    """Return the first placement after `at`, or the first of all (`at` -1); -1 if there is none.

    Requires `is_quick`.
    """
    shape = shape_at(piece, 0)
    first = shape_fit[shape] * SLOTS[0]
    turns = rotations_of(grid, shape)
    turned = shape_bit[shape] * turns
    slot = frontier_first[grid]
    if at >= 0:
        slot = slot_of(at >> TURN_BITS[0])
        # The bits of the rotations follow one another.
        turned = shape_bit[shape] * (turns & (16 - (2 << (at & 3))))
    while slot >= 0:
        fitting = slot_fit[first + slot] & turned
        if fitting != 0:
            rotation = 0
            while fitting & shape_bit[shape + rotation] == 0:
                rotation += 1
            return slot_cell[slot] * 4 + rotation
        turned = shape_bit[shape] * turns
        slot = frontier_next[slot]
    return -1


def count_placements(grid: int, piece: int) -> int:
    """Return the number of legal placements, for use with `counted_placement`.

    Requires `is_quick`.
    """
    shape = shape_at(piece, 0)
    first = shape_fit[shape] * SLOTS[0]
    shift = shape_shift[shape]
    turns = rotations_of(grid, shape)
    count = 0
    # All slots are quicker than the frontier, each of whose slots has to be known for the next.
    for slot in range(cell_slots[0]):
        if GRIDS[0] == 1 or slot_cell[slot] >> 24 == grid:
            count += bits_in[slot_fit[first + slot] >> shift & turns]
    counted[0] = grid
    counted[1] = piece
    counted[2] = count
    return count


def counted_placement(number: int) -> int:
    """Return a placement of those counted last, by its index in ascending order."""
    shape = shape_at(counted[1], 0)
    first = shape_fit[shape] * SLOTS[0]
    shift = shape_shift[shape]
    turns = rotations_of(counted[0], shape)
    if number * 2 < counted[2]:
        slot = frontier_first[counted[0]]
        fitting = slot_fit[first + slot] >> shift & turns
        number -= bits_in[fitting]
        while number >= 0:
            slot = frontier_next[slot]
            fitting = slot_fit[first + slot] >> shift & turns
            number -= bits_in[fitting]
        number += bits_in[fitting]
    else:
        slot = frontier_last[counted[0]]
        fitting = slot_fit[first + slot] >> shift & turns
        number += bits_in[fitting] - counted[2]
        while number < 0:
            slot = frontier_before[slot]
            fitting = slot_fit[first + slot] >> shift & turns
            number += bits_in[fitting]
    return slot_cell[slot] * 4 + bit_at[fitting * 4 + number]


def _along_frontier(grid: int, shape: int) -> int:
    """Return the placements along the frontier where a piece of one cell fits, in any rotation."""
    made = begin()
    top = heap_top[0]
    if top + 4 * cell_slots[0] >= HEAP[0]:
        fault(NO_SPACE)
    first = shape_fit[shape] * SLOTS[0]
    turns = rotations_of(grid, shape)
    north = shape_bit[shape] * (turns & 1)
    east = shape_bit[shape + 1] * (turns >> 1 & 1)
    south = shape_bit[shape + 2] * (turns >> 2 & 1)
    west = shape_bit[shape + 3] * (turns >> 3)
    turned = north | east | south | west
    slot = frontier_first[grid]
    while slot >= 0:
        fitting = slot_fit[first + slot] & turned
        if fitting != 0:
            # The fitting rotations are unpredictable: code without branches is faster.
            at = slot_cell[slot] * 4
            heap[top] = at
            top += int(fitting & north != 0)
            heap[top] = at + 1
            top += int(fitting & east != 0)
            heap[top] = at + 2
            top += int(fitting & south != 0)
            heap[top] = at + 3
            top += int(fitting & west != 0)
        slot = frontier_next[slot]
    heap[made] = top - made - 1
    heap_top[0] = top
    return made


# --- everything else -----------------------------------------------------------------------------


def _others(grid: int, piece: int) -> int:
    own = place[piece] == LAID and spot[piece] >> 24 + TURN_BITS[0] == grid
    return grid_pieces[grid] - 1 if own else grid_pieces[grid]


def _tried(grid: int, piece: int) -> int:
    """Return all legal placements of a piece, found by trial."""
    top = mark()
    tried = begin()
    others = _others(grid, piece) > 0
    turns = rotations_of(grid, shape_at(piece, 0))
    for rotation in range(SIDES[0]):
        if turns >> rotation & 1 == 0:
            continue
        if grid_below[grid] >= 0:
            _try_over(tried, grid, piece, rotation)
        elif grid_width[grid] > 0:
            _try_all(tried, grid, rotation)
        elif not others:
            push(tried, cell_at(grid, 0, 0) * TURN_ROOM[0] + rotation)
        elif grid_touch[grid] == 1 and _goes_by_sides(grid):
            _try_beside(tried, grid, piece, rotation)
        else:
            _try_around(tried, grid, piece, rotation)
    tried = put_sorted(tried)
    made = begin()
    for entry in range(tried + 1, tried + 1 + heap[tried]):
        at = heap[entry]
        if _free(piece, at) and _agrees(piece, at, others):
            push(made, at)
    return keep(top, made)


def _try_all(tried: int, grid: int, rotation: int) -> None:
    """Try every cell of a grid with a size."""
    first = cell_at(grid, 0, 0)
    for y in range(grid_height[grid]):
        for x in range(grid_width[grid]):
            push(tried, moved_cell(first, x, y) * TURN_ROOM[0] + rotation)


def _try_over(tried: int, grid: int, piece: int, rotation: int) -> None:
    """Try every cell of a layer where a piece covers the cell of a piece below."""
    shape = shape_at(piece, rotation)
    for slot in range(cell_slots[0]):
        if slot_piece[slot] >= 0 and slot_cell[slot] >> 24 == grid_below[grid]:
            cell = cell_on(grid, slot_cell[slot])
            for y in range(shape_height[shape]):
                for x in range(shape_width[shape]):
                    push(tried, moved_cell(cell, -x, -y) * TURN_ROOM[0] + rotation)


def _try_beside(tried: int, grid: int, piece: int, rotation: int) -> None:
    """Try every cell where a piece covers an empty cell beside an occupied one."""
    shape = shape_at(piece, rotation)
    for slot in range(cell_slots[0]):
        cell = slot_cell[slot]
        if cell >> 24 == grid and _is_beside(slot, piece):
            for y in range(shape_height[shape]):
                for x in range(shape_width[shape]):
                    push(tried, moved_cell(cell, -x, -y) * TURN_ROOM[0] + rotation)


def _is_beside(slot: int, piece: int) -> bool:
    """Return whether a slot would be empty and beside an occupied one if a piece were taken up."""
    here = slot_piece[slot]
    if here >= 0 and here != piece:
        return False
    for side in range(SIDES[0]):
        near = lying(beside(slot_cell[slot], side))
        if near >= 0 and near != piece:
            return True
    return False


def _try_around(tried: int, grid: int, piece: int, rotation: int) -> None:
    """Try every cell where a piece lies within or against the bounding rectangle of all others."""
    west = 4095
    east = 0
    north = 4095
    south = 0
    for slot in range(cell_slots[0]):
        here = slot_piece[slot]
        if here >= 0 and here != piece and slot_cell[slot] >> 24 == grid:
            x = slot_cell[slot] & 4095
            y = slot_cell[slot] >> 12 & 4095
            west = min(west, x)
            east = max(east, x)
            north = min(north, y)
            south = max(south, y)
    shape = shape_at(piece, rotation)
    for y in range(north - shape_height[shape], south + 2):
        for x in range(west - shape_width[shape], east + 2):
            push(tried, (grid << 24 | y << 12 | x) * TURN_ROOM[0] + rotation)


def _free(piece: int, at: int) -> bool:
    """Return whether all cells of a placement are inside the grid and free of other pieces.

    On a layer, other pieces must lie below all of them. On triangles, the piece points where its
    cell does.
    """
    if not points_there(at):
        return False
    shape = shape_at(piece, at)
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            cell = moved_cell(at >> TURN_BITS[0], x, y)
            other = lying(cell)
            if not inside(cell) or (other >= 0 and other != piece):
                return False
            below = lying(ground(cell)) if grid_below[at >> 24 + TURN_BITS[0]] >= 0 else PIECES[0]
            if below < 0 or below == piece:
                return False
    return True


def _agrees(piece: int, at: int, others: bool) -> bool:
    """Return whether the sides of a placement agree with their neighbours as the grid demands.

    `others` says whether another piece lies on the grid.
    """
    grid = at >> 24 + TURN_BITS[0]
    if not _goes_by_sides(grid):
        return grid_touch[grid] == 0 or not others or _touches(piece, at >> TURN_BITS[0])
    shape = shape_at(piece, at)
    sides = shape_corner[shape] * SIDES[0]
    touched = 0
    agreeing = 0
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            for side in range(SIDES[0]):
                found = _side_agrees(
                    piece, corner_side[sides + side], moved_cell(at >> TURN_BITS[0], x, y), side
                )
                touched += int(found >= 0)
                agreeing += int(found == 1)
            sides += SIDES[0]
    if touched == 0:
        return grid_touch[grid] == 0 or not others
    if grid_match[grid] == 1:
        return agreeing == touched
    return grid_match[grid] == 0 or agreeing > 0


def agrees_at(piece: int, at: int, side: int) -> bool:
    """Return whether a side of a piece would agree with all that lies there, if anything does."""
    shape = shape_at(piece, at)
    sides = shape_corner[shape] * SIDES[0]
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            cell = moved_cell(at >> TURN_BITS[0], x, y)
            if _side_agrees(piece, corner_side[sides + side], cell, side) == 0:
                return False
            sides += SIDES[0]
    return True


def agrees(piece: int, side: int) -> bool:
    """Return whether a side of a laid piece agrees with all that lies there, if anything does.

    Faults: ABSENT, NOT_LAID.
    """
    return agrees_at(piece, laid_at(piece), side)


def _side_agrees(piece: int, ours: int, cell: int, side: int) -> int:
    """Return 1 if a side with a code agrees with the other piece over it, 0 if not, -1 for none.

    Where a layer covers that piece, the uppermost one counts.
    """
    slot = slot_of(beside(cell, side))
    if slot < 0 or slot_piece[slot] < 0 or slot_piece[slot] == piece:
        return -1
    slot = upper_slot(beside(cell, side))
    theirs = corner_side[slot_corner[slot] * SIDES[0] + opposite(side)]
    return int(ours == theirs or ours == EVERY[0] or theirs == EVERY[0])


def points_there(at: int) -> bool:
    """Return whether a piece with a placement points where its cell does, if it is a triangle."""
    cell = at >> TURN_BITS[0]
    return grid_form[cell >> 24] != TRIANGLES or turn_of(at) & 1 != points_up(cell)


def _goes_by_sides(grid: int) -> bool:
    """Return whether neighbours on a grid are those over the sides of the game's pieces."""
    return SIDES[0] == 6 or grid_form[grid] == 0


def _touches(piece: int, cell: int) -> bool:
    """Return whether a piece would touch another one on a cell of hexagons."""
    for y in range(-1, 2):
        for x in range(-1, 2):
            near = lying(moved_cell(cell, x, y))
            if is_near(cell, x, y) and near >= 0 and near != piece:
                return True
    return False
