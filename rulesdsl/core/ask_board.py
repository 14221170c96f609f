"""The builtins about what lies on grids: segments, features, cells, and what is next to what.

Every set is new, on the heap. A feature is given as any of its segments.
"""

from __future__ import annotations

from rulesdsl.core.cells import beside, inside, laid_at, lying, moved_cell, shape_at, shape_now
from rulesdsl.core.contacts import against, facing, open_port
from rulesdsl.core.faults import ABSENT, ELSEWHERE, fault
from rulesdsl.core.groups import feature_kind, find, first_of, matching, part_of
from rulesdsl.core.heap import (
    added,
    begin,
    finished,
    insert,
    keep,
    mark,
    push,
    put_sorted,
    space_for,
)
from rulesdsl.core.tables import (
    FOLDS,
    LAID,
    ON_CELL,
    PIECES,
    SPACES,
    ZONES,
    area_x,
    area_y,
    border_part,
    cell_slots,
    group_cells,
    group_ends,
    group_first,
    group_value,
    heap,
    leader,
    link_a,
    link_b,
    links,
    member_next,
    part_border,
    part_cell,
    part_port,
    piece_class,
    piece_in,
    piece_segment,
    place,
    port_side,
    seen,
    seen_now,
    segment_piece,
    shape_height,
    shape_part,
    shape_parts,
    shape_width,
    slot_cell,
    slot_piece,
    spot,
)

# --- segments ------------------------------------------------------------------------------------


def segments_of(piece: int) -> int:
    """All segments of a piece, laid or not. Fault ABSENT."""
    if piece_in[piece] == 0:
        fault(ABSENT)
    made = begin()
    first = piece_segment[piece]
    for segment in range(first, first + shape_parts[shape_now(piece)]):
        push(made, segment)
    return made


def feature_segments(segment: int) -> int:
    """The segments of the feature that holds a segment. Fault as `find`."""
    top = mark()
    found = begin()
    member = find(segment)
    push(found, member)
    member = member_next[member]
    while member != leader[segment]:
        push(found, member)
        member = member_next[member]
    return keep(top, put_sorted(found))


def cell_segments(cell: int) -> int:
    """The segments that lie on a cell; none if it is empty."""
    made = begin()
    piece = lying(cell)
    if piece >= 0:
        first = piece_segment[piece]
        for segment in range(first, first + shape_parts[shape_now(piece)]):
            if lies_on(segment, cell):
                push(made, segment)
    return made


def lies_on(segment: int, cell: int) -> bool:
    """Does a laid segment lie on a cell?"""
    part = part_of(segment)
    first = spot[segment_piece[segment]] >> 2
    for area in range(part_cell[part], part_cell[part + 1]):
        if moved_cell(first, area_x[area], area_y[area]) == cell:
            return True
    return False


# --- features ------------------------------------------------------------------------------------


def piece_features(piece: int) -> int:
    """The features on a piece. Fault ABSENT, NOT_LAID for one that has segments."""
    if piece_in[piece] == 0:
        fault(ABSENT)
    first = piece_segment[piece]
    count = shape_parts[shape_now(piece)]
    made = space_for(count)
    end = made + 1
    for segment in range(first, first + count):
        end = added(made + 1, end, first_of(segment))
    return finished(made, end)


def cell_features(cell: int) -> int:
    """The features on a cell."""
    top = mark()
    return keep(top, refresh(cell_segments(cell)))


def cells_features(cells: int) -> int:
    """The features on some cells."""
    made = begin()
    for at in range(cells + 1, cells + 1 + heap[cells]):
        piece = lying(heap[at])
        if piece >= 0:
            first = piece_segment[piece]
            for segment in range(first, first + shape_parts[shape_now(piece)]):
                if lies_on(segment, heap[at]):
                    insert(made, first_of(segment))
    return made


def grid_features(grid: int) -> int:
    """The features on a grid."""
    made = begin()
    for piece in range(PIECES[0]):
        if place[piece] == LAID and spot[piece] >> 26 == grid:
            begins = piece_segment[piece]
            for segment in range(begins, begins + shape_parts[shape_at(piece, spot[piece])]):
                first = group_first[leader[segment]]
                if first == segment:
                    push(made, first)
                elif links[0] > 0 and spot[segment_piece[first]] >> 26 != grid:
                    insert(made, first)
    return made


def borders(segment: int) -> int:
    """The features of the segments that the segments of a feature border. Fault as `find`."""
    made = begin()
    seen_now[0] += 1
    member = find(segment)
    more = True
    while more:
        part = part_of(member)
        for row in range(part_border[part], part_border[part + 1]):
            group = leader[piece_segment[segment_piece[member]] + border_part[row]]
            if seen[group] != seen_now[0]:
                seen[group] = seen_now[0]
                insert(made, group_first[group])
        member = member_next[member]
        more = member != leader[segment]
    return made


def refresh(features: int) -> int:
    """A set of features as they are now, by their first segments. Fault as `find`."""
    made = space_for(heap[features])
    end = made + 1
    for at in range(features + 1, features + 1 + heap[features]):
        end = added(made + 1, end, first_of(heap[at]))
    return finished(made, end)


def count_cells(segment: int) -> int:
    """How many cells a feature covers. Fault as `find`."""
    return group_cells[find(segment)]


def ends(segment: int) -> int:
    """How many ports of a feature face an empty cell or the edge of the grid. Fault as `find`."""
    return group_ends[find(segment)]


def closed(segment: int) -> bool:
    """Has the feature no such port? Fault as `find`."""
    return group_ends[find(segment)] == 0


def value_of_group(segment: int, fold: int) -> int:
    """A folded attribute of a feature, as `part_value` counts it. Fault as `find`."""
    return group_value[find(segment) * FOLDS[0] + fold]


# --- cells ---------------------------------------------------------------------------------------


def feature_cells(segment: int) -> int:
    """The different cells a feature lies on. Fault as `find`."""
    top = mark()
    found = begin()
    member = find(segment)
    more = True
    while more:
        part = part_of(member)
        first = spot[segment_piece[member]] >> 2
        for area in range(part_cell[part], part_cell[part + 1]):
            push(found, moved_cell(first, area_x[area], area_y[area]))
        member = member_next[member]
        more = member != leader[segment]
    return keep(top, put_sorted(found))


def piece_cells(piece: int) -> int:
    """The cells a piece covers. Fault ABSENT, NOT_LAID."""
    first = laid_at(piece) >> 2
    made = begin()
    shape = shape_now(piece)
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            push(made, moved_cell(first, x, y))
    return made


def grid_cells(grid: int) -> int:
    """The occupied cells of a grid."""
    top = mark()
    found = begin()
    for slot in range(cell_slots[0]):
        if slot_piece[slot] >= 0 and slot_cell[slot] >> 24 == grid:
            push(found, slot_cell[slot])
    return keep(top, put_sorted(found))


def ring_cell(cell: int) -> int:
    """The occupied cells among the eight around a cell."""
    made = begin()
    for y in range(-1, 2):
        for x in range(-1, 2):
            around = moved_cell(cell, x, y)
            if around != cell and lying(around) >= 0:
                push(made, around)
    return made


def ring_piece(piece: int) -> int:
    """The occupied cells among those around a piece. Fault ABSENT, NOT_LAID."""
    first = laid_at(piece) >> 2
    made = begin()
    shape = shape_now(piece)
    for y in range(-1, shape_height[shape] + 1):
        for x in range(-1, shape_width[shape] + 1):
            other = lying(moved_cell(first, x, y))
            if other >= 0 and other != piece:
                push(made, moved_cell(first, x, y))
    return made


def beside_cell(cell: int) -> int:
    """The occupied cells among the four that share a side with a cell."""
    made = begin()
    for side in range(4):
        if lying(beside(cell, side)) >= 0:
            insert(made, beside(cell, side))
    return made


def beside_piece(piece: int) -> int:
    """The occupied cells among those that share a side with a piece. Fault ABSENT, NOT_LAID."""
    first = laid_at(piece) >> 2
    made = begin()
    shape = shape_now(piece)
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            for side in range(4):
                cell = beside(moved_cell(first, x, y), side)
                other = lying(cell)
                if other >= 0 and other != piece:
                    insert(made, cell)
    return made


# --- what a segment touches ----------------------------------------------------------------------


def joined(segment: int) -> int:
    """The segments that are joined with one directly. Fault ABSENT, NOT_SHOWN, NOT_LAID."""
    part = part_of(segment)
    piece = segment_piece[segment]
    first = laid_at(piece) >> 2
    made = begin()
    for port in range(part_port[part], part_port[part + 1]):
        other = against(piece, first, port)
        if other >= 0 and matching(segment, other):
            insert(made, other)
    for row in range(links[0]):
        if link_a[row] == segment:
            insert(made, link_b[row])
        elif link_b[row] == segment:
            insert(made, link_a[row])
    return made


def joined_at(segment: int, at: int) -> int:
    """The segments that one would touch and join if its piece lay like that. Fault ABSENT,
    NOT_SHOWN."""
    part = _part_at(segment, at)
    made = begin()
    for port in range(part_port[part], part_port[part + 1]):
        other = against(segment_piece[segment], at >> 2, port)
        if other >= 0 and feature_kind(other) == feature_kind(segment):
            insert(made, other)
    return made


def ahead(segment: int) -> int:
    """The empty cells that the ports of a laid segment face. Fault ABSENT, NOT_SHOWN, NOT_LAID."""
    part_of(segment)
    return ahead_at(segment, laid_at(segment_piece[segment]))


def ahead_at(segment: int, at: int) -> int:
    """The empty cells that its ports would face if its piece lay like that. Fault ABSENT,
    NOT_SHOWN."""
    part = _part_at(segment, at)
    made = begin()
    for port in range(part_port[part], part_port[part + 1]):
        cell = facing(at >> 2, port)
        if open_port(segment_piece[segment], at >> 2, port) and inside(cell):
            insert(made, cell)
    return made


def sides(segment: int) -> int:
    """The sides a laid segment reaches. Fault ABSENT, NOT_SHOWN, NOT_LAID."""
    part_of(segment)
    return sides_at(segment, laid_at(segment_piece[segment]))


def sides_at(segment: int, at: int) -> int:
    """The sides it would reach if its piece lay like that. Fault ABSENT, NOT_SHOWN."""
    part = _part_at(segment, at)
    made = begin()
    for port in range(part_port[part], part_port[part + 1]):
        insert(made, port_side[port])
    return made


def _part_at(segment: int, at: int) -> int:
    """The row of a segment in the `part_` tables, turned as in a placement."""
    piece = segment_piece[segment]
    return part_of(segment) - shape_part[shape_now(piece)] + shape_part[shape_at(piece, at)]


# --- from one to another -------------------------------------------------------------------------


def cell_of_segment(segment: int) -> int:
    """The first cell of a segment. Fault ABSENT, NOT_SHOWN, NOT_LAID."""
    area = part_cell[part_of(segment)]
    return moved_cell(laid_at(segment_piece[segment]) >> 2, area_x[area], area_y[area])


def cell_of_feature(segment: int) -> int:
    """The first cell of the first segment of a feature. Fault as `find`."""
    return cell_of_segment(first_of(segment))


def cell_of_piece(piece: int) -> int:
    """The cell a piece lies on, or stands on or over. Fault ABSENT, ELSEWHERE."""
    if piece_in[piece] == 0:
        fault(ABSENT)
    where = place[piece]
    if where == ON_CELL:
        return spot[piece]
    if where == LAID:
        return spot[piece] >> 2
    return cell_of_segment(_segment_under(piece))


def tile_of_segment(segment: int) -> int:
    """The piece that a segment is part of, of class tile. Fault ABSENT, NOT_SHOWN, ELSEWHERE."""
    part_of(segment)
    return _tile(segment_piece[segment])


def tile_of_cell(cell: int) -> int:
    """The piece of class tile that lies on a cell. Fault ELSEWHERE."""
    piece = lying(cell)
    if piece < 0:
        fault(ELSEWHERE)
    return _tile(piece)


def tile_of_piece(piece: int) -> int:
    """The piece of class tile that another one stands on. Fault ABSENT, ELSEWHERE."""
    if piece_in[piece] == 0:
        fault(ABSENT)
    if place[piece] == ON_CELL:
        return tile_of_cell(spot[piece])
    return tile_of_segment(_segment_under(piece))


def rotation_of(piece: int) -> int:
    """How a laid piece is turned. Fault ABSENT, NOT_LAID."""
    return laid_at(piece) & 3


def feature_of_piece(piece: int) -> int:
    """The feature a piece stands on. Fault ABSENT, ELSEWHERE."""
    if piece_in[piece] == 0:
        fault(ABSENT)
    return first_of(_segment_under(piece))


def _tile(piece: int) -> int:
    if piece_class[piece] != 0:
        fault(ELSEWHERE)
    return piece


def _segment_under(piece: int) -> int:
    """The segment a piece stands on. Fault ELSEWHERE."""
    segment = place[piece] - ZONES[0] - SPACES[0]
    if segment < 0:
        fault(ELSEWHERE)
    return segment
