"""The frontier: all empty cells beside an occupied one, and what a piece laid there would face."""

from __future__ import annotations

from rulesdsl.core.cells import moved_cell, shape_now, slot_of
from rulesdsl.core.tables import (
    SIDE_BITS,
    SIDE_MASK,
    corner_side,
    frontier_before,
    frontier_first,
    frontier_next,
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


def _open_cell(slot: int, sides: int) -> None:
    """A slot is occupied now, by a piece whose side codes there begin at `corner_side[sides]`."""
    hint = -1
    if slot_mask[slot] > 0:
        hint = frontier_before[slot]
        _leave_frontier(slot)
        slot_mask[slot] = 0
    for side in range(4):
        near = slot_near[slot * 4 + side]
        if near >= 0 and slot_piece[near] < 0:
            if slot_mask[near] == 0:
                _join_frontier(near, hint)
            shift = (side ^ 2) * SIDE_BITS[0]
            slot_want[near] |= corner_side[sides + side] << shift
            slot_mask[near] |= SIDE_MASK[0] << shift


def _leave_frontier(slot: int) -> None:
    before = frontier_before[slot]
    after = frontier_next[slot]
    if after >= 0:
        frontier_before[after] = before
    if before >= 0:
        frontier_next[before] = after
    else:
        frontier_first[slot_cell[slot] >> 24] = after


def _join_frontier(slot: int, hint: int) -> None:
    """Put a slot where it belongs, which is looked for from another one on (-1: the first)."""
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
    if before >= 0:
        frontier_next[before] = slot
    else:
        frontier_first[cell >> 24] = slot
