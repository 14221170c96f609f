"""Features: the connected components of segments, and the properties of each.

Every segment on a grid has its leader in `leader` itself, never further up: when two features
merge, the members of the smaller one get the new leader. The properties of a feature are stored at
its leader. They are kept up to date while pieces are laid; splitting a feature, or taking a piece
from its grid, rebuilds it.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.cells import (
    add_slot,
    beside,
    cell_on,
    clear_slots,
    inside,
    join_crowd,
    moved_cell,
    opposite,
    shape_at,
    shape_now,
    shares,
    slot_of,
)
from rulesdsl.engine.runtime.faults import ABSENT, NO_SPACE, NOT_LAID, NOT_SHOWN, fault
from rulesdsl.engine.runtime.heap import begin, mark, push, release
from rulesdsl.engine.runtime.placements import against, leave_frontier, open_port, show_side
from rulesdsl.engine.runtime.tables import *


def merge(a: int, b: int) -> None:
    """Merge the features of two segments."""
    into = leader[a]
    gone = leader[b]
    if into != gone:
        if group_size[into] < group_size[gone]:
            _merge_into(gone, into)
        else:
            _merge_into(into, gone)


def _merge_into(into: int, gone: int) -> None:
    """Move the members of the second feature to the first, which is not the smaller one."""
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
    """Fold a value into an entry of `group_value`.

    `fold_of` says how: 0 is the sum, odd numbers are the maximum, other even numbers the
    minimum.
    """
    how = fold_of[fold]
    if how == 0:
        group_value[entry] += value
    elif how & 1 == 1:
        group_value[entry] = max(group_value[entry], value)
    else:
        group_value[entry] = min(group_value[entry], value)


def _shared_cells(gone: int, into: int) -> int:
    """Return the number of cells that two features both cover.

    Only pieces on which both have members with `part_twin` can have such cells.
    """
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
    """Return the number of cells of a member of one feature that the other one covers.

    Cells that a lower member of the first feature on the same piece also covers are not
    counted.
    """
    count = 0
    piece = segment_piece[twin]
    part = shape_part[shape_now(piece)] + twin - piece_segment[piece]
    for area in range(part_cell[part], part_cell[part + 1]):
        shared = _covers(piece, into, area, piece_segment[piece + 1])
        if shared and not _covers(piece, gone, area, twin):
            count += 1
    return count


def _covers(piece: int, group: int, area: int, end: int) -> bool:
    """Return whether a feature covers the cell of a row of the `area_` tables on a piece.

    Only segments of the piece below `end` count.
    """
    base = shape_part[shape_now(piece)] - piece_segment[piece]
    for segment in range(piece_segment[piece], end):
        if leader[segment] == group:
            for row in range(part_cell[base + segment], part_cell[base + segment + 1]):
                if area_x[row] == area_x[area] and area_y[row] == area_y[area]:
                    return True
    return False


def join_standers(a: int, b: int) -> None:
    """Join the rings of two standing pieces into one."""
    after_a = stander_next[a]
    after_b = stander_next[b]
    stander_next[a] = after_b
    stander_before[after_b] = a
    stander_next[b] = after_a
    stander_before[after_a] = b


# --- features ------------------------------------------------------------------------------------


# --- asking --------------------------------------------------------------------------------------


def part_of(segment: int) -> int:
    """Return the row of a segment in the `part_` tables, turned as it lies.

    Faults: ABSENT, NOT_SHOWN.
    """
    piece = segment_piece[segment]
    if piece_in[piece] == 0:
        fault(ABSENT)
    shape = shape_now(piece)
    index = segment - piece_segment[piece]
    if index >= shape_parts[shape]:
        fault(NOT_SHOWN)
    return shape_part[shape] + index


def feature_kind(segment: int) -> int:
    """Return the feature kind of a segment, laid or not.

    Faults: ABSENT, NOT_SHOWN.
    """
    return part_kind[part_of(segment)]


def find(segment: int) -> int:
    """Return the leader of the feature that holds a segment.

    Faults: ABSENT, NOT_SHOWN, NOT_LAID.
    """
    found = leader[segment]
    if found < 0:
        part_of(segment)
        fault(NOT_LAID)
    return found


def first_of(segment: int) -> int:
    """Return the smallest segment of the feature that holds a segment; it identifies the feature.

    Faults: as `find`.
    """
    return group_first[find(segment)]


# --- standing ------------------------------------------------------------------------------------


def add_stander(segment: int, piece: int) -> None:
    """Record that a piece stands on a laid segment."""
    group = leader[segment]
    stander_next[piece] = piece
    stander_before[piece] = piece
    if group_stander[group] < 0:
        group_stander[group] = piece
    else:
        join_standers(group_stander[group], piece)


def drop_stander(segment: int, piece: int) -> None:
    """Record that a piece no longer stands on a laid segment."""
    group = leader[segment]
    after = stander_next[piece]
    if group_stander[group] == piece:
        group_stander[group] = after if after != piece else -1
    stander_next[stander_before[piece]] = after
    stander_before[after] = stander_before[piece]
    stander_next[piece] = -1
    stander_before[piece] = -1


# --- laying --------------------------------------------------------------------------------------


def lay(piece: int) -> None:
    """Update cells, frontier and features for a piece that `place` and `spot` put on a grid.

    Its segments join the segments they touch, except where rules unlinked them. None of them
    may be linked by a rule yet.
    """
    cell = spot[piece] >> TURN_BITS[0]
    grid_pieces[cell >> 24] += 1
    shape = shape_at(piece, spot[piece])
    first = piece_segment[piece]
    part = shape_part[shape]
    # There are never more than are reserved: the bound only saves checks in the loop.
    for segment in range(first, min(first + shape_parts[shape], piece_segment[piece + 1])):
        _start_group(segment, part + segment - first)
    corner = shape_corner[shape]
    width = shape_width[shape]
    height = shape_height[shape]
    if width == 1 and height == 1:
        _open_cell(cell, _occupy(piece, cell, corner))
        return
    for y in range(height):
        for x in range(width):
            _occupy(piece, moved_cell(cell, x, y), corner + y * width + x)
    for y in range(height):
        for x in range(width):
            _open_cell(moved_cell(cell, x, y), slot_of(moved_cell(cell, x, y)))


def _occupy(piece: int, cell: int, corner: int) -> int:
    """Mark a cell as occupied by a piece and return its slot.

    `corner` is its row of the `corner_` tables.
    """
    slot = add_slot(cell)
    slot_piece[slot] = piece
    slot_corner[slot] = corner
    return slot


def _open_cell(cell: int, slot: int) -> None:
    """Update the neighbours of a cell that has become occupied.

    Inner sides of a piece have no holders, so nothing joins over them.
    """
    piece = slot_piece[slot]
    corner = slot_corner[slot]
    if LAYERS[0] > 0:
        _join_layers(piece, cell, corner)
        if grid_below[cell >> 24] >= 0:
            return
    hint = -1
    if slot_open[slot] == 1:
        hint = leave_frontier(slot)
    for side in range(SIDES[0]):
        over = beside(cell, side)
        near = slot_of(over)
        if near < 0:
            if inside(over):
                show_side(add_slot(over), corner, side, hint)
            continue
        other = slot_piece[near]
        if other < 0:
            show_side(near, corner, side, hint)
        else:
            lanes = corner * (3 * SIDES[0]) + side * 3
            across = slot_corner[near] * (3 * SIDES[0]) + opposite(side) * 3
            _join_side(piece_segment[piece], lanes, piece_segment[other], across)


def _join_layers(piece: int, cell: int, corner: int) -> None:
    """Join a cell that has become occupied with those beside it on layers, or below its own layer.

    What lies on the grid below closes the ports of layers.
    """
    grid = cell >> 24
    for other in range(GRIDS[0]):
        layered = grid_below[grid] >= 0 or grid_below[other] >= 0
        for side in range(SIDES[0] if layered and shares(grid, other) else 0):
            slot = slot_of(cell_on(other, beside(cell, side)))
            if slot >= 0 and slot_piece[slot] >= 0 and slot_piece[slot] != piece:
                there = slot_piece[slot]
                if grid_below[grid] < 0:
                    _join_lanes(there, slot_corner[slot], opposite(side), piece, corner, 1)
                else:
                    ends = int(grid_below[other] < 0)
                    _join_lanes(piece, corner, side, there, slot_corner[slot], ends)


def _join_lanes(piece: int, corner: int, side: int, other: int, across: int, ends: int) -> None:
    """Join the segments of a piece on a layer over a side with those of another piece.

    Each lane loses this number of open ends.
    """
    for lane in range(3):
        a = corner_holder[(corner * SIDES[0] + side) * 3 + lane]
        b = corner_holder[(across * SIDES[0] + opposite(side)) * 3 + 2 - lane]
        if a >= 0:
            a += piece_segment[piece]
            group_ends[leader[a]] -= ends
            if b >= 0 and joins(a, piece_segment[other] + b):
                merge(a, piece_segment[other] + b)


def _start_group(segment: int, part: int) -> None:
    """Make a laid segment a feature of its own, with all of its ports open."""
    leader[segment] = segment
    group_kind[segment] = part_kind[part]
    member_next[segment] = segment
    group_size[segment] = 1
    group_first[segment] = segment
    group_ends[segment] = part_port[part + 1] - part_port[part]
    group_cells[segment] = part_cell[part + 1] - part_cell[part]
    if part_twin[part] == 1:
        group_twin[segment] = segment
        twin_next[segment] = segment
    else:
        group_twin[segment] = -1
    group_stander[segment] = -1
    for fold in range(FOLDS[0]):
        group_value[segment * FOLDS[0] + fold] = part_value[part * FOLDS[0] + fold]


def _join_side(ours: int, lanes: int, theirs: int, across: int) -> None:
    """Join the segments of two pieces over a common side.

    `ours` and `theirs` are the first segments of the pieces. The holders of the lanes begin at
    `corner_holder[lanes]`, those of the other piece at `corner_holder[across]`.
    """
    left = corner_holder[lanes]
    facing_left = corner_holder[across + 2]
    centre = corner_holder[lanes + 1]
    facing_centre = corner_holder[across + 1]
    right = corner_holder[lanes + 2]
    facing_right = corner_holder[across]
    if left != right or facing_left != facing_right:
        _meet(ours, left, theirs, facing_left, 1)
        _meet(ours, centre, theirs, facing_centre, 1)
        _meet(ours, right, theirs, facing_right, 1)
    elif left != centre or facing_left != facing_centre:
        _meet(ours, left, theirs, facing_left, 2)
        _meet(ours, centre, theirs, facing_centre, 1)
    else:
        _meet(ours, left, theirs, facing_left, 3)


def _meet(ours: int, a: int, theirs: int, b: int, lanes: int) -> None:
    """Join segment `a` of one piece and `b` of another (-1: none), which meet on several lanes."""
    if a >= 0 and b >= 0 and matching(ours + a, theirs + b):
        merge(ours + a, theirs + b)
        group = leader[ours + a]
        group_ends[group] -= 2 * lanes
        return
    if a >= 0:
        group = leader[ours + a]
        group_ends[group] -= lanes
    if b >= 0:
        group = leader[theirs + b]
        group_ends[group] -= lanes


def matching(a: int, b: int) -> bool:
    """Return whether two laid segments are joined if they lie against each other."""
    return group_kind[a] == group_kind[b] and (joints[0] == 0 or joint(a, b) != UNLINKED)


def joins(a: int, b: int) -> bool:
    """Return whether two laid segments are joined if they lie against each other, on any grids."""
    one = spot[segment_piece[a]] >> 24 + TURN_BITS[0]
    layers = max(grid_below[one], grid_below[spot[segment_piece[b]] >> 24 + TURN_BITS[0]])
    return matching(a, b) and (layers < 0 or part_fill[part_of(a)] == 0)


# --- making anew ---------------------------------------------------------------------------------


def rebuild_group(segment: int) -> None:
    """Split the feature that holds a laid segment into the features its members form now."""
    top = mark()
    members = begin()
    push(members, segment)
    member = member_next[segment]
    while member != segment:
        push(members, member)
        member = member_next[member]
    standers = begin()
    stander = group_stander[leader[segment]]
    while stander >= 0:
        push(standers, stander)
        after = stander_next[stander]
        stander = after if after != heap[standers + 1] else -1
    for at in range(members + 1, members + 1 + heap[members]):
        _start_group(heap[at], part_of(heap[at]))
    for at in range(members + 1, members + 1 + heap[members]):
        _join_around(heap[at])
    _join_links()
    for at in range(standers + 1, standers + 1 + heap[standers]):
        add_stander(place[heap[at]] - ZONES[0] - SPACES[0], heap[at])
    release(top)


def _join_around(segment: int) -> None:
    """Join a segment with the segments it touches, and close its ports there."""
    part = part_of(segment)
    piece = segment_piece[segment]
    for port in range(part_port[part], part_port[part + 1]):
        if not open_port(piece, spot[piece] >> TURN_BITS[0], port):
            group_ends[leader[segment]] -= 1
        for grid in range(GRIDS[0]):
            other = against(piece, spot[piece] >> TURN_BITS[0], port, grid)
            if other >= 0 and joins(segment, other):
                merge(segment, other)


def _join_links() -> None:
    """Join all segments that rules linked."""
    for row in range(joints[0]):
        if joint_kind[row] == LINKED:
            merge(joint_a[row], joint_b[row])


def rebuild() -> None:
    """Recompute all tables that derive from `place`, `spot`, `face` and the joints.

    These are the slots, the frontier, the number of pieces on each grid, the lists of `crowd`, the
    features and the pieces that stand on them.
    """
    clear_slots()
    for at in range(64):
        crowd[at] = -1
    for segment in range(SEGMENTS[0]):
        leader[segment] = -1
    for piece in range(PIECES[0]):
        stander_next[piece] = -1
        stander_before[piece] = -1
        crowd_next[piece] = -1
        if place[piece] == LAID:
            lay(piece)
        elif place[piece] == ON_CELL:
            join_crowd(piece, spot[piece])
    _join_links()
    for piece in range(PIECES[0]):
        segment = place[piece] - ZONES[0] - SPACES[0]
        if segment >= 0:
            add_stander(segment, piece)


# --- joints that rules made ----------------------------------------------------------------------


def joint(a: int, b: int) -> int:
    """Return LINKED or UNLINKED if a rule did that to two segments, else 0."""
    row = _joint_row(min(a, b), max(a, b))
    if row < joints[0] and joint_a[row] == min(a, b) and joint_b[row] == max(a, b):
        return joint_kind[row]
    return 0


def add_joint(a: int, b: int, kind: int) -> None:
    """Record that a rule linked or unlinked two segments; neither must be recorded yet.

    Faults: NO_SPACE.
    """
    last = joints[0]
    if last >= JOINTS[0]:
        fault(NO_SPACE)
    row = _joint_row(min(a, b), max(a, b))
    while last > row:
        _copy_joint(last, last - 1)
        last -= 1
    joint_a[row] = min(a, b)
    joint_b[row] = max(a, b)
    joint_kind[row] = kind
    joints[0] += 1


def drop_joint(a: int, b: int) -> None:
    """Forget what a rule did to two segments."""
    joints[0] -= 1
    for row in range(_joint_row(min(a, b), max(a, b)), joints[0]):
        _copy_joint(row, row + 1)


def forget_joints(piece: int) -> None:
    """Forget all joints of the segments of a piece."""
    kept = 0
    for row in range(joints[0]):
        if segment_piece[joint_a[row]] != piece and segment_piece[joint_b[row]] != piece:
            _copy_joint(kept, row)
            kept += 1
    joints[0] = kept


def _copy_joint(row: int, other: int) -> None:
    """Make a row the same as another one."""
    joint_a[row] = joint_a[other]
    joint_b[row] = joint_b[other]
    joint_kind[row] = joint_kind[other]


def _joint_row(a: int, b: int) -> int:
    """Return the first row that is not below a pair."""
    low = 0
    high = joints[0]
    while low < high:
        middle = (low + high) // 2
        if joint_a[middle] < a or (joint_a[middle] == a and joint_b[middle] < b):
            low = middle + 1
        else:
            high = middle
    return low
