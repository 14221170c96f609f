"""The frontier: all empty cells beside an occupied one, and the sides a piece there would face."""

from __future__ import annotations

from rulesdsl.runtime.tables import (
    FITS,
    SLOTS,
    corner_side,
    frontier_before,
    frontier_first,
    frontier_last,
    frontier_next,
    side_fit,
    slot_cell,
    slot_fit,
    slot_open,
)


def show_side(slot: int, corner: int, side: int, hint: int) -> None:
    """Record that a row of the `corner_` tables faces the empty cell of a slot over a side.

    The slot joins the frontier if it is not in it. `hint` is the slot from which its position
    is searched, -1 for the first.
    """
    fitting = (corner_side[corner * 4 + side] * 4 + (side ^ 2)) * FITS[0]
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
