"""The frontier: all empty cells beside an occupied one, and what a piece laid there would face."""

from __future__ import annotations

from rulesdsl.core.cells import add_slot, beside, inside, moved_cell, shape_now, slot_of
from rulesdsl.core.tables import (
    SIDE_BITS,
    SIDE_MASK,
    corner_side,
    frontier,
    frontier_size,
    shape_corner,
    shape_height,
    shape_width,
    slot_cell,
    slot_mask,
    slot_near,
    slot_piece,
    slot_want,
    spot,
)


def open_around(piece: int) -> None:
    """Bring the frontier up to date after a piece was laid and its cells are occupied.

    Its cells leave the frontier; the empty cells beside them join it and want what it shows them.
    """
    shape = shape_now(piece)
    cell = spot[piece] >> 2
    sides = shape_corner[shape] * 4
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            _open_cell(slot_of(moved_cell(cell, x, y)), sides)
            sides += 4


def first_open(grid: int) -> int:
    """Where in the frontier the cells of a grid begin."""
    low = 0
    high = frontier_size[0]
    least = grid << 24
    while low < high:
        middle = (low + high) // 2
        if slot_cell[frontier[middle]] < least:
            low = middle + 1
        else:
            high = middle
    return low


def _open_cell(slot: int, sides: int) -> None:
    """A slot is occupied now, by a piece whose side codes there begin at `corner_side[sides]`.

    What joins the frontier is put into the gap the slot leaves there, as long as that is free.
    """
    size = frontier_size[0]
    gap = size
    if slot_mask[slot] > 0:
        gap = _rank(slot)
        slot_mask[slot] = 0
    for side in range(4):
        near = slot_near[slot * 4 + side]
        if near < 0:
            cell = beside(slot_cell[slot], side)
            if not inside(cell):
                continue
            near = add_slot(cell)
        elif slot_piece[near] >= 0:
            continue
        if slot_mask[near] == 0:
            if gap == size:
                size += 1
            _fill_gap(gap, size, near)
            gap = size
        shift = (side ^ 2) * SIDE_BITS[0]
        slot_want[near] |= corner_side[sides + side] << shift
        slot_mask[near] |= SIDE_MASK[0] << shift
    if gap < size:
        size -= 1
        while gap < size:
            frontier[gap] = frontier[gap + 1]
            gap += 1
    frontier_size[0] = size


def _rank(slot: int) -> int:
    """Where a slot is in the frontier."""
    cell = slot_cell[slot]
    low = 0
    high = frontier_size[0] - 1
    while low < high:
        middle = (low + high) // 2
        if slot_cell[frontier[middle]] < cell:
            low = middle + 1
        else:
            high = middle
    return low


def _fill_gap(gap: int, size: int, slot: int) -> None:
    """Put a slot where it belongs in the frontier, which has `size` entries and room at `gap`."""
    cell = slot_cell[slot]
    at = gap
    while at > 0 and slot_cell[frontier[at - 1]] > cell:
        frontier[at] = frontier[at - 1]
        at -= 1
    while at < size - 1 and slot_cell[frontier[at + 1]] < cell:
        frontier[at] = frontier[at + 1]
        at += 1
    frontier[at] = slot
