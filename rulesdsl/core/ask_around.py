"""Features of one kind among those on some cells, found without a set of all of them.

What rules look for around a piece is mostly of one kind, and mostly not there.
"""

from __future__ import annotations

from rulesdsl.core.ask_board import lies_on
from rulesdsl.core.cells import laid_at, lying, moved_cell, shape_at
from rulesdsl.core.heap import begin, insert
from rulesdsl.core.tables import (
    group_first,
    group_kind,
    heap,
    leader,
    piece_segment,
    seen,
    seen_now,
    shape_bit,
    shape_height,
    shape_kinds,
    shape_parts,
    shape_width,
    spot,
)

KINDS = 31
"""So many kinds have a bit in `shape_kinds`."""


def features_of_kind(cells: int, kind: int) -> int:
    """The features of a kind on some cells."""
    made = begin()
    seen_now[0] += 1
    for at in range(cells + 1, cells + 1 + heap[cells]):
        piece = lying(heap[at])
        if piece >= 0:
            _look_at(made, piece, heap[at], kind)
    return made


def features_around(piece: int, kind: int) -> int:
    """The features of a kind on the occupied cells around a piece. Fault ABSENT, NOT_LAID."""
    at = laid_at(piece)
    made = begin()
    seen_now[0] += 1
    shape = shape_at(piece, at)
    for y in range(-1, shape_height[shape] + 1):
        row = moved_cell(at >> 2, 0, y)
        for cell in range(row - 1, row + shape_width[shape] + 1):
            other = lying(cell)
            if other >= 0 and other != piece:
                _look_at(made, other, cell, kind)
    return made


def _look_at(made: int, piece: int, cell: int, kind: int) -> None:
    """Add the features of a kind that lie on a cell of a piece."""
    shape = shape_at(piece, spot[piece])
    if kind < KINDS and shape_kinds[shape] >> kind & 1 == 0:
        return
    first = piece_segment[piece]
    now = seen_now[0]
    for segment in range(first, first + shape_parts[shape]):
        group = leader[segment]
        if (
            group_kind[group] == kind
            and seen[group] != now
            and (shape_bit[shape] != 0 or lies_on(segment, cell))
        ):
            seen[group] = now
            insert(made, group_first[group])
