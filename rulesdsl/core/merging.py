"""Merging features: the members of the smaller one are told the new leader, and what is known of
both is put together."""

from __future__ import annotations

from rulesdsl.core.cells import shape_now
from rulesdsl.core.tables import (
    FOLDS,
    area_x,
    area_y,
    fold_of,
    group_cells,
    group_ends,
    group_first,
    group_size,
    group_stander,
    group_twin,
    group_value,
    leader,
    member_next,
    part_cell,
    piece_segment,
    segment_piece,
    shape_part,
    stander_before,
    stander_next,
    twin_next,
)


def merge(a: int, b: int) -> None:
    """Make one feature of those that hold two segments."""
    into = leader[a]
    gone = leader[b]
    if into != gone:
        if group_size[into] < group_size[gone]:
            _merge_into(gone, into)
        else:
            _merge_into(into, gone)


def _merge_into(into: int, gone: int) -> None:
    """Let the members of the second feature be members of the first, which is not the smaller."""
    cells = group_cells[into] + group_cells[gone]
    twin = group_twin[gone]
    if twin >= 0:
        other = group_twin[into]
        if other < 0:
            group_twin[into] = twin
        else:
            cells -= _shared_cells(gone, into)
            after = twin_next[other]
            twin_next[other] = twin_next[twin]
            twin_next[twin] = after
    group_cells[into] = cells
    group_ends[into] += group_ends[gone]
    group_size[into] += group_size[gone]
    if group_first[gone] < group_first[into]:
        group_first[into] = group_first[gone]
    for fold in range(FOLDS[0]):
        _fold(fold, into * FOLDS[0] + fold, group_value[gone * FOLDS[0] + fold])
    stander = group_stander[gone]
    if stander >= 0:
        if group_stander[into] < 0:
            group_stander[into] = stander
        else:
            join_standers(group_stander[into], stander)
    member = member_next[gone]
    leader[gone] = into
    while member != gone:
        leader[member] = into
        member = member_next[member]
    member = member_next[into]
    member_next[into] = member_next[gone]
    member_next[gone] = member


def _fold(fold: int, entry: int, value: int) -> None:
    """Fold one more value into an entry of `group_value`: for a sum, else for the largest (odd) or
    the smallest."""
    how = fold_of[fold]
    if how == 0:
        group_value[entry] += value
    elif how & 1 == 1:
        group_value[entry] = max(group_value[entry], value)
    else:
        group_value[entry] = min(group_value[entry], value)


def _shared_cells(gone: int, into: int) -> int:
    """How many cells two features both cover: some of those of pieces where both have twins."""
    count = 0
    twin = group_twin[gone]
    more = True
    while more:
        piece = segment_piece[twin]
        for segment in range(piece_segment[piece], piece_segment[piece + 1]):
            if leader[segment] == into:
                count += _shared_on(twin, gone, into)
                break
        twin = twin_next[twin]
        more = twin != group_twin[gone]
    return count


def _shared_on(twin: int, gone: int, into: int) -> int:
    """How many cells of a member of one feature the other covers, without those that a member of
    the first one on the same piece with a lower number covers too."""
    count = 0
    piece = segment_piece[twin]
    part = shape_part[shape_now(piece)] + twin - piece_segment[piece]
    for area in range(part_cell[part], part_cell[part + 1]):
        shared = _covers(piece, into, area, piece_segment[piece + 1])
        if shared and not _covers(piece, gone, area, twin):
            count += 1
    return count


def _covers(piece: int, group: int, area: int, end: int) -> bool:
    """Does a segment of the piece below `end` that is in that feature cover the cell of a row of
    the `area_` tables?"""
    base = shape_part[shape_now(piece)] - piece_segment[piece]
    for segment in range(piece_segment[piece], end):
        if leader[segment] == group:
            for row in range(part_cell[base + segment], part_cell[base + segment + 1]):
                if area_x[row] == area_x[area] and area_y[row] == area_y[area]:
                    return True
    return False


def join_standers(a: int, b: int) -> None:
    """Make one ring of those of two pieces."""
    after_a = stander_next[a]
    after_b = stander_next[b]
    stander_next[a] = after_b
    stander_before[after_b] = a
    stander_next[b] = after_a
    stander_before[after_a] = b
