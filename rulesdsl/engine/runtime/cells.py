"""Cells: their numbers, the slots of the cells in use, and the pieces that lie on them.

A cell is one number, so that cells in ascending order are in order of grid, row and column.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.faults import ABSENT, NO_SPACE, NOT_LAID, OUTSIDE, fault
from rulesdsl.engine.runtime.tables import *

ROW = 4096
"""The difference between the numbers of a cell and of the one south of it."""
CENTRE = 2048
"""The offset added to x and y."""
REACH = 1000
"""The distance that a grid without a size reaches from its centre."""


# --- numbers -------------------------------------------------------------------------------------


def cell_at(grid: int, x: int, y: int) -> int:
    """Return the cell of a grid that is x east and y south of its centre.

    Faults: OUTSIDE.
    """
    width = grid_width[grid]
    least = 0 if width > 0 else -REACH
    right = width - 1 if width > 0 else REACH
    bottom = grid_height[grid] - 1 if width > 0 else REACH
    if x < least or x > right or y < least or y > bottom:
        fault(OUTSIDE)
    return grid << 24 | (y + CENTRE) << 12 | x + CENTRE


def cell_from(cell: int, x: int, y: int) -> int:
    """Return the cell of the same grid that is x east and y south of another.

    Faults: OUTSIDE.
    """
    if max(x, y) > 2 * REACH or min(x, y) < -2 * REACH:
        fault(OUTSIDE)
    found = moved_cell(cell, x, y)
    if not inside(found):
        fault(OUTSIDE)
    return found


def moved_cell(cell: int, x: int, y: int) -> int:
    """Return the cell x east and y south of another, inside or outside the grid."""
    return cell + y * ROW + x


def beside(cell: int, side: int) -> int:
    """Return the neighbour of a cell over a side, inside or outside the grid.

    Over a side that a triangle has not, it is outside, and on no list of cells.
    """
    if SIDES[0] == 6:
        if grid_form[cell >> 24] == TRIANGLES and side & 1 != points_up(cell):
            return cell >> 24 << 24
        return cell + side_step[(cell >> 24) * 6 + side]
    return cell + 2 - side if side & 1 == 1 else cell + (side - 1) * ROW


def opposite(side: int) -> int:
    """Return the side across: the one of the neighbour over a side that lies against it."""
    return (side + 3) % 6 if SIDES[0] == 6 else side ^ 2


def turn_of(at: int) -> int:
    """Return the rotation of a placement."""
    return at & TURN_ROOM[0] - 1


def points_up(cell: int) -> int:
    """Return 1 if a cell points up if it is a triangle, else 0."""
    return (cell ^ cell >> 12 ^ 1) & 1


def near_width(grid: int) -> int:
    """Return the most columns between a cell and a neighbour of it."""
    return 2 if grid_form[grid] == TRIANGLES else 1


def is_near(cell: int, x: int, y: int) -> bool:
    """Return whether the cell x east and y south of a cell is a neighbour of it.

    `x` is at most `near_width`, and `y` at most 1. A square has eight neighbours and a hexagon six.
    A triangle has twelve, of which nine meet it at a corner.
    """
    form = grid_form[cell >> 24]
    if form == TRIANGLES and (x > 1 or x < -1):
        return y == 0 or int(y == 1) == points_up(cell)
    return (x != 0 or y != 0) and (x * y < 1 or form != HEXAGONS)


def cell_on(grid: int, cell: int) -> int:
    """Return the cell of a grid that lies over, or under, a cell of another one."""
    return grid << 24 | cell & 16777215


def ground(cell: int) -> int:
    """Return the cell below a cell of a layer, and any other cell itself."""
    below = grid_below[cell >> 24]
    return cell_on(below, cell) if below >= 0 else cell


def shares(grid: int, other: int) -> bool:
    """Return whether two grids are one, or lie over each other or over the same grid."""
    return ground(grid << 24) == ground(other << 24)


def inside(cell: int) -> bool:
    """Return whether a cell lies within its grid."""
    x = (cell & 4095) - CENTRE
    y = (cell >> 12 & 4095) - CENTRE
    width = grid_width[cell >> 24]
    if width > 0:
        return x >= 0 and x < width and y >= 0 and y < grid_height[cell >> 24]
    return x >= -REACH and x <= REACH and y >= -REACH and y <= REACH


def mixed(cell: int) -> int:
    """Return the entry of `crowd` of a cell; those of a board of eight by eight are different."""
    return (cell ^ cell >> 9) & 63


def join_crowd(piece: int, cell: int) -> None:
    """Insert a piece, which is in no list of `crowd`, into the one of a cell."""
    at = mixed(cell)
    before = -1
    after = crowd[at]
    while after >= 0 and after < piece:
        before = after
        after = crowd_next[after]
    crowd_next[piece] = after
    if before < 0:
        crowd[at] = piece
    else:
        crowd_next[before] = piece


def leave_crowd(piece: int, cell: int) -> None:
    """Remove a piece from the list of `crowd` of a cell."""
    at = mixed(cell)
    if crowd[at] == piece:
        crowd[at] = crowd_next[piece]
    else:
        before = crowd[at]
        while crowd_next[before] != piece:
            before = crowd_next[before]
        crowd_next[before] = crowd_next[piece]
    crowd_next[piece] = -1


# --- slots ---------------------------------------------------------------------------------------


def slot_of(cell: int) -> int:
    """Return the slot of a cell, -1 if it has none."""
    at = _spread(cell)
    slot = cell_index[at]
    while slot >= 0 and slot_cell[slot] != cell:
        at = (at + 1) % INDEX[0]
        slot = cell_index[at]
    return slot


def _spread(cell: int) -> int:
    """Return the hash of a cell: the first entry of `cell_index` to probe.

    Cells within 32 columns and rows of each other get different hashes if the index is large
    enough.
    """
    return (cell ^ cell >> 7 ^ cell >> 19) % INDEX[0]


def add_slot(cell: int) -> int:
    """Return the slot of a cell; add one if it has none.

    Faults: NO_SPACE.
    """
    at = _spread(cell)
    slot = cell_index[at]
    while slot >= 0 and slot_cell[slot] != cell:
        at = (at + 1) % INDEX[0]
        slot = cell_index[at]
    if slot >= 0:
        return slot
    made = cell_slots[0]
    if made >= SLOTS[0]:
        fault(NO_SPACE)
    cell_slots[0] = made + 1
    cell_index[at] = made
    slot_cell[made] = cell
    slot_piece[made] = -1
    slot_open[made] = 0
    for word in range(FITS[0]):
        slot_fit[word * SLOTS[0] + made] = 0
    return made


def clear_slots() -> None:
    """Remove all slots and empty all grids."""
    for at in range(INDEX[0]):
        cell_index[at] = -1
    cell_slots[0] = 0
    for grid in range(GRIDS[0]):
        grid_pieces[grid] = 0
        frontier_first[grid] = -1
        frontier_last[grid] = -1


# --- pieces on cells -----------------------------------------------------------------------------


def lying(cell: int) -> int:
    """Return the piece that lies on a cell, -1 for none."""
    slot = slot_of(cell)
    return slot_piece[slot] if slot >= 0 else -1


def upper_slot(cell: int) -> int:
    """Return the slot of the piece that is uppermost on a cell, on a layer or below; -1 for none.

    The slot of a cell on which nothing lies may be without a piece.
    """
    slot = slot_of(cell)
    if LAYERS[0] > 0:
        for grid in range(GRIDS[0]):
            over = slot_of(cell_on(grid, cell)) if grid_below[grid] == cell >> 24 else -1
            if over >= 0 and slot_piece[over] >= 0:
                slot = over
    return slot


def occupied(cell: int) -> bool:
    """Return whether a piece lies on a cell."""
    return lying(cell) >= 0


def lane_at(cell: int, side: int, lane: int) -> int:
    """Return the segment that holds a lane (1..3) of a side of a cell, -1 for none.

    It is one of the piece that is uppermost there.
    """
    slot = upper_slot(cell)
    piece = slot_piece[slot] if slot >= 0 else -1
    if piece < 0 or lane < 1 or lane > 3:
        return -1
    index = corner_holder[slot_corner[slot] * (3 * SIDES[0]) + side * 3 + lane - 1]
    return piece_segment[piece] + index if index >= 0 else -1


def lane_of(piece: int, at: int, cell: int, side: int, lane: int) -> int:
    """Return the segment of a piece that would hold a lane (1..3) of a side of a cell, -1 for none.

    Faults: ABSENT.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    shape = shape_at(piece, at)
    x = (cell & 4095) - (at >> TURN_BITS[0] & 4095)
    y = (cell >> 12) - (at >> 12 + TURN_BITS[0])
    if x < 0 or x >= shape_width[shape] or y < 0 or y >= shape_height[shape]:
        return -1
    if lane < 1 or lane > 3:
        return -1
    corner = shape_corner[shape] + y * shape_width[shape] + x
    index = corner_holder[corner * (3 * SIDES[0]) + side * 3 + lane - 1]
    return piece_segment[piece] + index if index >= 0 else -1


def laid_at(piece: int) -> int:
    """Return the placement of a piece.

    Faults: ABSENT, NOT_LAID.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    if place[piece] != LAID:
        fault(NOT_LAID)
    return spot[piece]


def shape_now(piece: int) -> int:
    """Return the shape of a piece with the face it shows, in the rotation it is laid in.

    A piece that is not laid is not rotated.
    """
    shape = piece_shape[piece] + SIDES[0] * face[piece]
    return shape + turn_of(spot[piece]) if place[piece] == LAID else shape


def shape_at(piece: int, at: int) -> int:
    """Return the shape of a piece with the face it shows, turned as in a placement."""
    return piece_shape[piece] + SIDES[0] * face[piece] + turn_of(at)
