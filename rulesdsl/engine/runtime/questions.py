"""The builtin functions of rules that query zones, tracks, pieces and the board.

Every set is new, on the heap. A feature is given as any of its segments, `cls` is a class of
pieces.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.cells import (
    REACH,
    beside,
    cell_at,
    ground,
    inside,
    is_near,
    laid_at,
    lane_at,
    lying,
    mixed,
    moved_cell,
    near_width,
    points_up,
    shape_at,
    shape_now,
)
from rulesdsl.engine.runtime.faults import (
    ABSENT,
    ELSEWHERE,
    HIDDEN,
    NO_HOME,
    NO_LIMIT,
    NO_ORDER,
    NO_SPACE,
    NOT_HELD,
    OTHER_TRACK,
    OUTSIDE,
    TRACK_END,
    fault,
)
from rulesdsl.engine.runtime.groups import feature_kind, find, first_of, joint, part_of
from rulesdsl.engine.runtime.heap import (
    added,
    begin,
    copy,
    finished,
    insert,
    keep,
    mark,
    push,
    put_sorted,
    release,
    space_for,
)
from rulesdsl.engine.runtime.knowledge import hides
from rulesdsl.engine.runtime.placements import against, facing, open_port
from rulesdsl.engine.runtime.tables import *

UNLIMITED = 2**31 - 1
MOST_CELLS = 200_000
"""The most cells of a rectangle."""


# --- zones ---------------------------------------------------------------------------------------


def kinds_in(zone: int) -> int:
    """Return the kinds of the pieces in a zone.

    Faults: HIDDEN.
    """
    check_open(zone)
    made = space_for(amount[zone])
    end = made + 1
    last = -1
    piece = head[zone]
    while piece >= 0:
        if piece_kind[piece] != last:
            last = piece_kind[piece]
            end = added(made + 1, end, last)
        piece = piece_next[piece]
    return finished(made, end)


def one(zone: int, kind: int) -> int:
    """Return the lowest piece of a kind in a zone.

    Faults: HIDDEN, NOT_HELD.
    """
    check_open(zone)
    found = -1
    piece = head[zone]
    while piece >= 0:
        if piece_kind[piece] == kind and (found < 0 or piece < found):
            found = piece
        piece = piece_next[piece]
    if found < 0:
        fault(NOT_HELD)
    return found


def one_on(thing: int, kind: int, what: int) -> int:
    """Return the lowest piece of a kind on a thing; `what` says what that is, as in `on_thing`.

    Faults: NOT_HELD, and as for the thing.
    """
    cls = -1
    for piece in range(PIECES[0]):
        if piece_kind[piece] == kind:
            cls = piece_class[piece]
            break
    top = mark()
    # A kind without pieces has no class, but the thing is looked at all the same.
    found = on_thing(thing, max(cls, 0), what)
    chosen = -1
    for at in range(found + 1, found + 1 + heap[found]):
        if chosen < 0 and piece_kind[heap[at]] == kind:
            chosen = heap[at]
    release(top)
    if chosen < 0:
        fault(NOT_HELD)
    return chosen


def room(zone: int) -> int:
    """Return how many more pieces a zone takes.

    Faults: NO_LIMIT.
    """
    if zone_room[zone] == UNLIMITED:
        fault(NO_LIMIT)
    return max(0, zone_room[zone] - amount[zone])


def position(piece: int) -> int:
    """Return the position of a piece in its zone or on its cell, counted from 1.

    Faults: ABSENT, ELSEWHERE, NO_ORDER, HIDDEN.
    """
    if place[piece] == ON_CELL:
        if grid_ordered[spot[piece] >> 24] == 0:
            fault(NO_ORDER)
        return level(piece)
    zone = zone_of(piece)
    if zone_keeps[zone] == 0:
        fault(NO_ORDER)
    check_open(zone)
    found = 1
    other = head[zone]
    while other != piece:
        found += 1
        other = piece_next[other]
    return found


def level(piece: int) -> int:
    """Return the position of a piece on a cell that keeps order, counted from 1."""
    found = 1
    below = piece_before[piece]
    while below >= 0:
        found += 1
        below = piece_before[below]
    return found


def top_of(cell: int) -> int:
    """Return the uppermost piece that stands on a cell, -1 if none does.

    Faults: NO_ORDER.
    """
    if grid_ordered[cell >> 24] == 0:
        fault(NO_ORDER)
    piece = crowd[mixed(cell)]
    while piece >= 0 and (spot[piece] != cell or piece_next[piece] >= 0):
        piece = crowd_next[piece]
    return piece


def height_of(cell: int) -> int:
    """Return how many pieces stand on a cell."""
    found = 0
    piece = crowd[mixed(cell)]
    while piece >= 0:
        if spot[piece] == cell:
            found += 1
        piece = crowd_next[piece]
    return found


def check_open(zone: int) -> None:
    """Fault with HIDDEN if rules may only count the pieces in a zone."""
    if hides(zone):
        fault(HIDDEN)


# --- single pieces -------------------------------------------------------------------------------


def home_of(piece: int) -> int:
    """Return the zone where a piece began.

    Faults: ABSENT, NO_HOME.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    if piece_home[piece] < 0:
        fault(NO_HOME)
    return piece_home[piece]


def zone_of(piece: int) -> int:
    """Return the zone a piece is in.

    Faults: ABSENT, ELSEWHERE.
    """
    return _within(piece, 0, ZONES[0])


def space_of(piece: int) -> int:
    """Return the space a piece stands on.

    Faults: ABSENT, ELSEWHERE.
    """
    return _within(piece, ZONES[0], ZONES[0] + SPACES[0])


def segment_of(piece: int) -> int:
    """Return the segment a piece stands on.

    Faults: ABSENT, ELSEWHERE.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    segment = place[piece] - ZONES[0] - SPACES[0]
    if segment < 0:
        fault(ELSEWHERE)
    return segment


def _within(piece: int, low: int, high: int) -> int:
    """Return the place of a piece relative to `low`, if it is from `low` to before `high`.

    Faults: ABSENT, ELSEWHERE.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    at = place[piece]
    if at < low or at >= high:
        fault(ELSEWHERE)
    return at - low


def on_board(piece: int) -> bool:
    """Return whether a piece lies on a grid or stands on something that lies there.

    Faults: ABSENT.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    return grid_under(piece) >= 0


def grid_under(piece: int) -> int:
    """Return the grid on which a piece lies or stands, -1 for none."""
    below = piece
    at = place[piece]
    if at >= ZONES[0] + SPACES[0]:
        below = segment_piece[at - ZONES[0] - SPACES[0]]
        at = place[below]
    if at >= NOWHERE:
        return -1
    return spot[below] >> 24 + TURN_BITS[0] if at == LAID else spot[below] >> 24


# --- tracks --------------------------------------------------------------------------------------


def forward_space(space: int, steps: int) -> int:
    """Return the space that many steps on.

    Faults: TRACK_END.
    """
    track = space_track[space]
    first = track_space[track]
    length = track_space[track + 1] - first
    index = space - first + steps
    if track_loop[track] == 1:
        return first + index % length
    if index < 0 or index >= length:
        fault(TRACK_END)
    return first + index


def steps_space(start: int, end: int) -> int:
    """Return the number of steps from one space to another.

    It is negative if a track that is not a loop would have to be walked backwards.

    Faults: OTHER_TRACK.
    """
    track = space_track[start]
    if space_track[end] != track:
        fault(OTHER_TRACK)
    if track_loop[track] == 1:
        return (end - start) % (track_space[track + 1] - track_space[track])
    return end - start


# --- pieces by place -----------------------------------------------------------------------------


TILE = 0
FIRST_STANDING = 3
"""Tokens and figures, the last classes, are those that stand on segments and cells."""


def zone_pieces(zone: int) -> int:
    """Return the pieces in a zone.

    Faults: HIDDEN.
    """
    check_open(zone)
    return all_pieces(zone)


def all_pieces(zone: int) -> int:
    """Return the pieces in a zone, whoever may know which they are."""
    made = space_for(amount[zone])
    end = made + 1
    piece = head[zone]
    while piece >= 0:
        end = added(made + 1, end, piece)
        piece = piece_next[piece]
    return finished(made, end)


def zone_class(zone: int, cls: int) -> int:
    """Return the pieces of a class in a zone.

    Faults: HIDDEN.
    """
    check_open(zone)
    made = space_for(PIECES[0])
    return finished(made, _with_listed(made + 1, made + 1, zone, cls))


def on_thing(thing: int, cls: int, what: int) -> int:
    """Return the pieces of a class that lie or stand on a thing.

    `what` says what the thing is: 0 a feature, 1 a segment, 2 a piece, 3 a cell, 4 a space. What
    stands on the segments of a feature or of a cell is on it, too; tiles on a feature are given by
    `feature_tiles`. On a piece is what stands on its cells, nothing if it is not laid.

    Faults: as `find` for a feature, ABSENT for a piece.
    """
    made = space_for(PIECES[0])
    return finished(made, _with_thing(made + 1, made + 1, thing, cls, what))


def on_grid(grid: int, cls: int) -> int:
    """Return the pieces of a class that lie on a grid or stand on something that lies there.

    What stands on a layer over the grid belongs to them.
    """
    made = begin()
    for piece in range(class_first[cls], class_end[cls]):
        under = grid_under(piece) if piece_class[piece] == cls else -1
        stands = LAYERS[0] > 0 and under >= 0 and place[piece] != LAID
        if under == grid or (stands and grid_below[max(under, 0)] == grid):
            push(made, piece)
    return made


def on_each(things: int, cls: int, what: int) -> int:
    """Return the pieces of a class on any of the things in a set.

    `what` says what the things are, as in `on_thing`.

    Faults: as for each of them.
    """
    made = space_for(PIECES[0])
    end = made + 1
    for index in range(things + 1, things + 1 + heap[things]):
        end = _with_thing(made + 1, end, heap[index], cls, what)
    return finished(made, end)


def feature_tiles(segment: int) -> int:
    """Return the tiles whose segments belong to a feature.

    Faults: as `find`.
    """
    top = mark()
    made = begin()
    end = find(segment)
    member = member_next[end]
    while True:
        if piece_class[segment_piece[member]] == TILE:
            push(made, segment_piece[member])
        if member == end:
            break
        member = member_next[member]
    return keep(top, put_sorted(made))


# Each of these adds to a set being built (see `added`) and returns the new end of its members.


def _with_thing(first: int, end: int, thing: int, cls: int, what: int) -> int:
    if what == 0:
        return _with_feature(first, end, thing, cls)
    if what == 1:
        return _with_listed(first, end, ZONES[0] + SPACES[0] + thing, cls)
    if what == 2:
        return _with_piece(first, end, thing, cls)
    if what == 3:
        return _with_cell(first, end, thing, cls)
    return _with_listed(first, end, ZONES[0] + thing, cls)


def _with_listed(first: int, end: int, at: int, cls: int) -> int:
    """Add the pieces of a class at a place."""
    piece = head[at]
    while piece >= 0:
        if piece_class[piece] == cls:
            end = added(first, end, piece)
        piece = piece_next[piece]
    return end


def _with_feature(first: int, end: int, segment: int, cls: int) -> int:
    last = group_stander[find(segment)]
    piece = last
    while piece >= 0:
        if piece_class[piece] == cls:
            end = added(first, end, piece)
        piece = stander_next[piece]
        if piece == last:
            break
    return end


def _with_cell(first: int, end: int, cell: int, cls: int) -> int:
    below = lying(cell)
    if below >= 0 and piece_class[below] == cls:
        end = added(first, end, below)
    if cls >= FIRST_STANDING:
        end = _with_standing(first, end, cell, below, cls)
    return end


def _with_standing(first: int, end: int, cell: int, below: int, cls: int) -> int:
    """Add the pieces of a class that stand on a cell or on segments there.

    The segments are those of the piece `below` that lies on the cell, -1 for none.
    """
    piece = crowd[mixed(cell)]
    while piece >= 0:
        if spot[piece] == cell and piece_class[piece] == cls:
            end = added(first, end, piece)
        piece = crowd_next[piece]
    if below >= 0:
        end = _with_segments(first, end, below, cell, cls)
    return end


def _with_segments(first: int, end: int, below: int, cell: int, cls: int) -> int:
    """Add the pieces that stand on the segments of a laid piece that cover a cell."""
    shape = shape_now(below)
    at = ZONES[0] + SPACES[0] + piece_segment[below]
    corner = spot[below] >> TURN_BITS[0]
    for part in range(shape_part[shape], shape_part[shape] + shape_parts[shape]):
        if amount[at] > 0:
            for area in range(part_cell[part], part_cell[part + 1]):
                if moved_cell(corner, area_x[area], area_y[area]) == cell:
                    end = _with_listed(first, end, at, cls)
        at += 1
    return end


def _with_piece(first: int, end: int, piece: int, cls: int) -> int:
    if piece_in[piece] == 0:
        fault(ABSENT)
    if place[piece] != LAID or cls < FIRST_STANDING:
        return end
    shape = shape_now(piece)
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            cell = moved_cell(spot[piece] >> TURN_BITS[0], x, y)
            end = _with_standing(first, end, cell, piece, cls)
    return end


# --- segments ------------------------------------------------------------------------------------


def segments_of(piece: int) -> int:
    """Return all segments of a piece, laid or not.

    Faults: ABSENT.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    made = begin()
    first = piece_segment[piece]
    for segment in range(first, first + shape_parts[shape_now(piece)]):
        push(made, segment)
    return made


def feature_segments(segment: int) -> int:
    """Return the segments of the feature that holds a segment.

    Faults: as `find`.
    """
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
    """Return the segments that lie on a cell; none if it is empty."""
    made = begin()
    piece = lying(cell)
    if piece >= 0:
        first = piece_segment[piece]
        for segment in range(first, first + shape_parts[shape_now(piece)]):
            if lies_on(segment, cell):
                push(made, segment)
    return made


def grid_segments(grid: int) -> int:
    """Return the segments of all pieces on a grid."""
    made = begin()
    for piece in range(PIECES[0]):
        if place[piece] == LAID and spot[piece] >> 24 + TURN_BITS[0] == grid:
            first = piece_segment[piece]
            for segment in range(first, first + shape_parts[shape_at(piece, spot[piece])]):
                push(made, segment)
    return made


def corner_at(cell: int, one_side: int, other_side: int) -> int:
    """Return the segment that holds both lanes at the corner between two sides of a cell.

    Return -1 for none, and for sides that have no corner in common.
    """
    turn = 2 if grid_form[cell >> 24] == TRIANGLES else 1
    before = one_side if (one_side + turn) % SIDES[0] == other_side else other_side
    after = (before + turn) % SIDES[0]
    if after != one_side and after != other_side:
        return -1
    held = lane_at(cell, before, 3)
    return held if held == lane_at(cell, after, 1) else -1


def touching(segment: int) -> int:
    """Return the segments of its piece that a segment touches.

    Faults: ABSENT, NOT_SHOWN.
    """
    part = part_of(segment)
    made = begin()
    for row in range(part_touch[part], part_touch[part + 1]):
        push(made, piece_segment[segment_piece[segment]] + touch_part[row])
    return made


def lies_on(segment: int, cell: int) -> bool:
    """Return whether a laid segment covers a cell."""
    part = part_of(segment)
    first = spot[segment_piece[segment]] >> TURN_BITS[0]
    for area in range(part_cell[part], part_cell[part + 1]):
        if moved_cell(first, area_x[area], area_y[area]) == cell:
            return True
    return False


# --- features ------------------------------------------------------------------------------------


def piece_features(piece: int) -> int:
    """Return the features on a piece.

    Faults: ABSENT, NOT_LAID for a piece that has segments.
    """
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
    """Return the features on a cell."""
    top = mark()
    return keep(top, refresh(cell_segments(cell)))


def cells_features(cells: int) -> int:
    """Return the features on some cells."""
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
    """Return the features on a grid."""
    made = begin()
    for piece in range(PIECES[0]):
        if place[piece] == LAID and spot[piece] >> 24 + TURN_BITS[0] == grid:
            begins = piece_segment[piece]
            for segment in range(begins, begins + shape_parts[shape_at(piece, spot[piece])]):
                first = group_first[leader[segment]]
                if first == segment:
                    push(made, first)
                elif (
                    joints[0] + LAYERS[0] > 0
                    and spot[segment_piece[first]] >> 24 + TURN_BITS[0] != grid
                ):
                    insert(made, first)
    return made


def borders(segment: int) -> int:
    """Return the features of the segments that the segments of a feature border.

    Faults: as `find`.
    """
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
    """Return the current features for a set of features, named by their first segments.

    Faults: as `find`.
    """
    made = space_for(heap[features])
    end = made + 1
    for at in range(features + 1, features + 1 + heap[features]):
        end = added(made + 1, end, first_of(heap[at]))
    return finished(made, end)


def count_cells(segment: int) -> int:
    """Return the number of cells a feature covers.

    Faults: as `find`.
    """
    return group_cells[find(segment)]


def ends(segment: int) -> int:
    """Return the number of ports of a feature that face an empty cell or the edge of the grid.

    Faults: as `find`.
    """
    return group_ends[find(segment)]


def closed(segment: int) -> bool:
    """Return whether no port of a feature faces an empty cell or the edge of the grid.

    Faults: as `find`.
    """
    return group_ends[find(segment)] == 0


def value_of_group(segment: int, fold: int) -> int:
    """Return a folded attribute of a feature; `fold` is its number, as in `part_value`.

    Faults: as `find`.
    """
    return group_value[find(segment) * FOLDS[0] + fold]


# --- cells ---------------------------------------------------------------------------------------


def feature_cells(segment: int) -> int:
    """Return the cells a feature covers.

    Faults: as `find`.
    """
    top = mark()
    found = begin()
    member = find(segment)
    more = True
    while more:
        part = part_of(member)
        first = spot[segment_piece[member]] >> TURN_BITS[0]
        for area in range(part_cell[part], part_cell[part + 1]):
            push(found, moved_cell(first, area_x[area], area_y[area]))
        member = member_next[member]
        more = member != leader[segment]
    return keep(top, put_sorted(found))


def piece_cells(piece: int) -> int:
    """Return the cells a piece covers.

    Faults: ABSENT, NOT_LAID.
    """
    first = laid_at(piece) >> TURN_BITS[0]
    made = begin()
    shape = shape_now(piece)
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            push(made, moved_cell(first, x, y))
    return made


def piece_cells_at(piece: int, at: int) -> int:
    """Return the cells inside the grid that a piece covers with a placement.

    Faults: ABSENT.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    made = begin()
    shape = shape_at(piece, at)
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            cell = moved_cell(at >> TURN_BITS[0], x, y)
            if inside(cell):
                push(made, cell)
    return made


def rectangle(cells: int) -> int:
    """Return the cells of the smallest rectangle around the cells of a set, on each grid.

    Faults: NO_SPACE.
    """
    made = begin()
    at = cells + 1
    end = cells + 1 + heap[cells]
    while at < end:
        north = heap[at]
        west = north & 4095
        east = west
        south = north
        while at < end and heap[at] >> 24 == north >> 24:
            south = heap[at]
            west = min(west, south & 4095)
            east = max(east, south & 4095)
            at += 1
        if (east - west + 1) * ((south >> 12) - (north >> 12) + 1) > MOST_CELLS:
            fault(NO_SPACE)
        for row in range(north >> 12, (south >> 12) + 1):
            for column in range(west, east + 1):
                push(made, row << 12 | column)
    return made


def grid_cells(grid: int) -> int:
    """Return the occupied cells of a grid."""
    top = mark()
    found = begin()
    for slot in range(cell_slots[0]):
        if slot_piece[slot] >= 0 and slot_cell[slot] >> 24 == grid:
            push(found, slot_cell[slot])
    return keep(top, put_sorted(found))


def all_cells(grid: int) -> int:
    """Return the cells of a grid with a size.

    Faults: NO_LIMIT.
    """
    if grid_width[grid] == 0:
        fault(NO_LIMIT)
    made = begin()
    first = cell_at(grid, 0, 0)
    for y in range(grid_height[grid]):
        for x in range(grid_width[grid]):
            push(made, moved_cell(first, x, y))
    return made


def between(a: int, b: int) -> int:
    """Return the cells between two cells of one row, column or diagonal, otherwise none.

    Of hexagons these are the three directions in which they have neighbours, of triangles the three
    between parallel lines.
    """
    made = begin()
    first = min(a, b)
    end = max(a, b)
    x = (end & 4095) - (first & 4095)
    y = (end >> 12) - (first >> 12)
    if grid_form[a >> 24] == TRIANGLES and a >> 24 == b >> 24:
        return _strip(made, first, x, y)
    length = max(max(x, -x), y)
    if a >> 24 != b >> 24 or (x != 0 and y != 0 and max(x, -x) != y) or a == b:
        return made
    if is_near(first, x // length, y // length):
        for step in range(1, length):
            push(made, moved_cell(first, step * x // length, step * y // length))
    return made


def _strip(made: int, first: int, x: int, y: int) -> int:
    """Add the triangles between one and that x east and y south, if they are in one strip."""
    up = points_up(first)
    length = max(x, -x) + y
    if y != 0 and y != (length + up) // 2:
        return made
    for step in range(1, length):
        south = 0 if y == 0 else (step + up) // 2
        east = step - south if x > 0 else south - step
        insert(made, moved_cell(first, east, south))
    return made


def distance(a: int, b: int) -> int:
    """Return the fewest steps from neighbour to neighbour between two cells of one grid.

    Faults: OUTSIDE.
    """
    if a >> 24 != b >> 24:
        fault(OUTSIDE)
    x = (b & 4095) - (a & 4095)
    y = (b >> 12 & 4095) - (a >> 12 & 4095)
    steps = max(max(x, -x), max(y, -y))
    if grid_form[a >> 24] == HEXAGONS:
        return max(steps, max(x + y, -x - y))
    if grid_form[a >> 24] == TRIANGLES:
        # The strips between parallel lines that rise to the west, and to the east.
        west = ((b & 4095) - (b >> 12 & 4095) + 1 >> 1) - ((a & 4095) - (a >> 12 & 4095) + 1 >> 1)
        east = ((b & 4095) + (b >> 12 & 4095) >> 1) - ((a & 4095) + (a >> 12 & 4095) >> 1)
        return max(max(y, -y), max(max(west, -west), max(east, -east)))
    return steps


def neighbours(cell: int) -> int:
    """Return the cells of its grid that share a side or a corner with a cell."""
    made = space_for(12)
    end = made + 1
    width = near_width(cell >> 24)
    for y in range(-1, 2):
        for x in range(-width, width + 1):
            near = moved_cell(cell, x, y)
            if is_near(cell, x, y) and inside(near):
                heap[end] = near
                end += 1
    return finished(made, end)


def neighbours_side(cell: int, side: int) -> int:
    """Return the cell over a side of a cell if it is in the grid, else nothing."""
    made = begin()
    if inside(beside(cell, side)):
        push(made, beside(cell, side))
    return made


def ray(cell: int, x: int, y: int) -> int:
    """Return the cells that steps of x east and y south reach from a cell, up to the edge."""
    made = space_for(2 * REACH)
    end = made + 1
    if (x == 0 and y == 0) or max(x, y) > 2 * REACH or min(x, y) < -2 * REACH:
        return finished(made, end)
    at = moved_cell(cell, x, y)
    while inside(at):
        heap[end] = at
        end += 1
        at = moved_cell(at, x, y)
    if y < 0 or (y == 0 and x < 0):
        # The cells are descending.
        for index in range((end - made - 1) // 2):
            carried = heap[made + 1 + index]
            heap[made + 1 + index] = heap[end - 1 - index]
            heap[end - 1 - index] = carried
    return finished(made, end)


def ring_cell(cell: int) -> int:
    """Return the occupied cells among the neighbours of a cell."""
    made = space_for(12)
    end = made + 1
    width = near_width(cell >> 24)
    for y in range(-1, 2):
        for x in range(-width, width + 1):
            around = moved_cell(cell, x, y)
            if is_near(cell, x, y) and lying(around) >= 0:
                heap[end] = around
                end += 1
    return finished(made, end)


def ring_piece(piece: int) -> int:
    """Return the occupied cells among those around a piece.

    Faults: ABSENT, NOT_LAID.
    """
    first = laid_at(piece) >> TURN_BITS[0]
    if grid_form[first >> 24] > 0:
        return ring_cell(first)
    made = begin()
    shape = shape_now(piece)
    for y in range(-1, shape_height[shape] + 1):
        for x in range(-1, shape_width[shape] + 1):
            other = lying(moved_cell(first, x, y))
            if other >= 0 and other != piece:
                push(made, moved_cell(first, x, y))
    return made


def beside_cell(cell: int) -> int:
    """Return the occupied cells among those that share a side with a cell."""
    if grid_form[cell >> 24] == HEXAGONS:
        return ring_cell(cell)
    made = begin()
    for side in range(SIDES[0]):
        if lying(beside(cell, side)) >= 0:
            insert(made, beside(cell, side))
    return made


def beside_side(cell: int, side: int) -> int:
    """Return the cell over a side of a cell if it is occupied, else nothing."""
    made = begin()
    if lying(beside(cell, side)) >= 0:
        push(made, beside(cell, side))
    return made


def beside_piece(piece: int) -> int:
    """Return the occupied cells among those that share a side with a piece.

    Faults: ABSENT, NOT_LAID.
    """
    first = laid_at(piece) >> TURN_BITS[0]
    if grid_form[first >> 24] == HEXAGONS:
        return ring_cell(first)
    made = begin()
    shape = shape_now(piece)
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            for side in range(SIDES[0]):
                cell = beside(moved_cell(first, x, y), side)
                other = lying(cell)
                if other >= 0 and other != piece:
                    insert(made, cell)
    return made


# --- neighbours of a segment ---------------------------------------------------------------------


def joined(segment: int, at: int) -> int:
    """Return the segments that a segment is joined with directly.

    With `at` -1 they are those of a laid segment, else those on the grid that it would touch and
    join if its piece were laid at `at`.

    Faults: ABSENT, NOT_SHOWN, and NOT_LAID for -1.
    """
    part = _part_at(segment, at)
    first = _first_at(segment, at)
    made = begin()
    for port in range(part_port[part], part_port[part + 1]):
        for grid in range(GRIDS[0]):
            other = against(segment_piece[segment], first, port, grid)
            layers = max(grid_below[grid], grid_below[first >> 24])
            alike = other >= 0 and feature_kind(other) == feature_kind(segment)
            kept = at >= 0 or (alike and joint(segment, other) != UNLINKED)
            if alike and kept and (layers < 0 or part_fill[part] == 0):
                insert(made, other)
    if at < 0:
        for row in range(joints[0]):
            if joint_kind[row] == LINKED:
                if joint_a[row] == segment:
                    insert(made, joint_b[row])
                elif joint_b[row] == segment:
                    insert(made, joint_a[row])
    return made


def ahead(segment: int, at: int) -> int:
    """Return the empty cells that the ports of a segment face.

    They are those they would face if its piece were laid at `at`, unless that is -1.

    Faults: ABSENT, NOT_SHOWN, and NOT_LAID for -1.
    """
    part = _part_at(segment, at)
    first = _first_at(segment, at)
    made = begin()
    for port in range(part_port[part], part_port[part + 1]):
        cell = ground(facing(first, port))
        if open_port(segment_piece[segment], first, port) and inside(cell):
            insert(made, cell)
    return made


def sides(segment: int, at: int) -> int:
    """Return the sides a segment reaches, as laid or, unless `at` is -1, if it were laid there.

    Faults: ABSENT, NOT_SHOWN, and NOT_LAID for -1.
    """
    part = _part_at(segment, at)
    made = begin()
    for port in range(part_port[part], part_port[part + 1]):
        insert(made, port_side[port])
    return made


def _part_at(segment: int, at: int) -> int:
    """Return the row of a segment in the `part_` tables, turned as in a placement or, -1, as laid.

    Faults: ABSENT, NOT_SHOWN, and NOT_LAID for -1.
    """
    piece = segment_piece[segment]
    part = part_of(segment) - shape_part[shape_now(piece)]
    return part + shape_part[shape_at(piece, at if at >= 0 else laid_at(piece))]


def _first_at(segment: int, at: int) -> int:
    """Return the first cell of the piece of a segment with a placement or, -1, where it lies."""
    return (at if at >= 0 else spot[segment_piece[segment]]) >> TURN_BITS[0]


# --- conversions ---------------------------------------------------------------------------------


def cell_of_segment(segment: int) -> int:
    """Return the first cell of a segment.

    Faults: ABSENT, NOT_SHOWN, NOT_LAID.
    """
    area = part_cell[part_of(segment)]
    return moved_cell(laid_at(segment_piece[segment]) >> TURN_BITS[0], area_x[area], area_y[area])


def cell_of_feature(segment: int) -> int:
    """Return the first of the cells of a feature.

    Faults: as `find`.
    """
    last = find(segment)
    lowest = cell_of_segment(last)
    member = member_next[last]
    while member != last:
        lowest = min(lowest, cell_of_segment(member))
        member = member_next[member]
    return lowest


def _first_in_place(segment: int) -> int:
    """Return the segment of a feature that is first by its cell, then on its piece.

    Faults: as `find`.
    """
    last = find(segment)
    member = member_next[last]
    # Most features have one segment, and looking up its cell takes longer than everything else.
    if member == last:
        return last
    best = last
    lowest = cell_of_segment(last)
    while member != last:
        cell = cell_of_segment(member)
        if cell < lowest or (cell == lowest and member < best):
            best = member
            lowest = cell
        member = member_next[member]
    return best


def in_place_order(items: int, features: int) -> int:
    """Return the segments of a list by their cells, those on one piece as it lists them.

    With `features` 1 they stand for features, which are ordered by their first segments. Segments
    that are not laid come first. A list of at most one item is returned itself.

    Faults: as `find`.
    """
    count = heap[items]
    if count < 2:
        return items
    made = copy(items)
    top = mark()
    cells = begin()
    for at in range(made + 1, made + 1 + count):
        segment = heap[at]
        first = _first_in_place(segment) if features == 1 else segment
        push(cells, cell_of_segment(first) if leader[first] >= 0 else -1)
        push(cells, first)
    for number in range(1, count):
        item = heap[made + 1 + number]
        cell = heap[cells + 1 + 2 * number]
        first = heap[cells + 2 + 2 * number]
        at = number
        while at > 0 and _later(cells, at - 1, cell, first):
            heap[made + 1 + at] = heap[made + at]
            heap[cells + 1 + 2 * at] = heap[cells - 1 + 2 * at]
            heap[cells + 2 + 2 * at] = heap[cells + 2 * at]
            at -= 1
        heap[made + 1 + at] = item
        heap[cells + 1 + 2 * at] = cell
        heap[cells + 2 + 2 * at] = first
    release(top)
    return made


def _later(cells: int, number: int, cell: int, first: int) -> bool:
    """Return whether an entry of a list of cells and segments comes after a cell and a segment."""
    other = heap[cells + 1 + 2 * number]
    return other > cell or (other == cell and heap[cells + 2 + 2 * number] > first)


def cell_of_piece(piece: int) -> int:
    """Return the cell a piece lies on, stands on or stands over.

    Faults: ABSENT, ELSEWHERE.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    where = place[piece]
    if where == ON_CELL:
        return spot[piece]
    if where == LAID:
        return spot[piece] >> TURN_BITS[0]
    return cell_of_segment(_segment_under(piece))


def tile_of_segment(segment: int) -> int:
    """Return the tile that a segment is part of.

    Faults: ABSENT, NOT_SHOWN, ELSEWHERE.
    """
    part_of(segment)
    return _tile(segment_piece[segment])


def tile_of_cell(cell: int) -> int:
    """Return the tile that lies on a cell.

    Faults: ELSEWHERE.
    """
    piece = lying(cell)
    if piece < 0:
        fault(ELSEWHERE)
    return _tile(piece)


def tile_of_piece(piece: int) -> int:
    """Return the tile that a piece stands on.

    Faults: ABSENT, ELSEWHERE.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    if place[piece] == ON_CELL:
        return tile_of_cell(spot[piece])
    return tile_of_segment(_segment_under(piece))


def rotation_of(piece: int) -> int:
    """Return the rotation of a laid piece, in turns by one side.

    Faults: ABSENT, NOT_LAID.
    """
    return laid_at(piece) & TURN_ROOM[0] - 1


def feature_of_piece(piece: int) -> int:
    """Return the feature a piece stands on.

    Faults: ABSENT, ELSEWHERE.
    """
    if piece_in[piece] == 0:
        fault(ABSENT)
    return first_of(_segment_under(piece))


def _tile(piece: int) -> int:
    if piece_class[piece] != 0:
        fault(ELSEWHERE)
    return piece


def _segment_under(piece: int) -> int:
    """Return the segment a piece stands on.

    Faults: ELSEWHERE.
    """
    segment = place[piece] - ZONES[0] - SPACES[0]
    if segment < 0:
        fault(ELSEWHERE)
    return segment


# --- surroundings --------------------------------------------------------------------------------


KINDS = 31
"""So many kinds have a bit in `shape_kinds`."""


def features_of_kind(cells: int, kind: int) -> int:
    """Return the features of a kind on some cells."""
    made = begin()
    seen_now[0] += 1
    for at in range(cells + 1, cells + 1 + heap[cells]):
        piece = lying(heap[at])
        if piece >= 0:
            _look_at(made, piece, heap[at], kind)
    return made


def features_around(piece: int, kind: int) -> int:
    """Return the features of a kind on the occupied cells around a piece.

    Faults: ABSENT, NOT_LAID.
    """
    at = laid_at(piece)
    made = begin()
    seen_now[0] += 1
    shape = shape_at(piece, at)
    first = at >> TURN_BITS[0]
    width = near_width(first >> 24)
    for y in range(-1, shape_height[shape] + 1):
        row = moved_cell(first, 0, y)
        for cell in range(row - width, row + shape_width[shape] + width):
            other = lying(cell)
            near = SIDES[0] == 4 or is_near(first, cell - row, y)
            if other >= 0 and other != piece and near:
                _look_at(made, other, cell, kind)
    return made


def _look_at(made: int, piece: int, cell: int, kind: int) -> None:
    """Add the features of a kind that cover a cell of a piece."""
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
