"""The frontier: all empty cells beside an occupied one, and what a piece laid there would face."""

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
    """The piece that shows a row of the `corner_` tables has an empty cell over that side.

    If it is not in the frontier it joins it; where is looked for from the slot `hint` on (-1: the
    first).
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
    """Take an occupied cell out; gives the slot before it in the frontier, -1 for none."""
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
    """Put a slot where it belongs."""
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
