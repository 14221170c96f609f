"""Contacts at the ports of a piece, for its placement or any other placement it could have.

A row of the `port_` tables belongs to a shape, so it determines the rotation too.
"""

from __future__ import annotations

from rulesdsl.runtime.cells import beside, lying, moved_cell, slot_of
from rulesdsl.runtime.tables import (
    corner_holder,
    piece_segment,
    port_lane,
    port_side,
    port_x,
    port_y,
    slot_corner,
    slot_piece,
)


def facing(first: int, port: int) -> int:
    """Return the cell that a port faces, of a piece whose north-west cell is `first`."""
    return beside(moved_cell(first, port_x[port], port_y[port]), port_side[port])


def against(piece: int, first: int, port: int) -> int:
    """Return the segment of another piece that lies against a port, -1 for none.

    `first` is the north-west cell that the piece covers or would cover.
    """
    slot = slot_of(facing(first, port))
    other = slot_piece[slot] if slot >= 0 else -1
    if other < 0 or other == piece:
        return -1
    lanes = slot_corner[slot] * 12 + (port_side[port] ^ 2) * 3
    index = corner_holder[lanes + 2 - port_lane[port]]
    return piece_segment[other] + index if index >= 0 else -1


def open_port(piece: int, first: int, port: int) -> bool:
    """Say whether a port of a piece faces an empty cell or the edge of the grid.

    `first` is the north-west cell that the piece covers or would cover.
    """
    other = lying(facing(first, port))
    return other < 0 or other == piece
