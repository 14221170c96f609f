"""Sets of pieces, new ones on the heap; `cls` is a class of pieces."""

from __future__ import annotations

from rulesdsl.core.ask_places import check_open, grid_under
from rulesdsl.core.cells import lying, moved_cell, shape_now
from rulesdsl.core.faults import ABSENT, fault
from rulesdsl.core.groups import find
from rulesdsl.core.heap import (
    added,
    begin,
    finished,
    keep,
    mark,
    push,
    put_sorted,
    space_for,
)
from rulesdsl.core.tables import (
    LAID,
    ON_CELL,
    PIECES,
    SPACES,
    ZONES,
    amount,
    area_x,
    area_y,
    class_end,
    class_first,
    group_stander,
    head,
    heap,
    member_next,
    part_cell,
    piece_class,
    piece_in,
    piece_next,
    piece_segment,
    place,
    segment_piece,
    shape_height,
    shape_part,
    shape_parts,
    shape_width,
    spot,
    stander_next,
)

TILE = 0
FIRST_STANDING = 3
"""Tokens and figures, the last classes, are those that stand on segments and cells."""


def zone_pieces(zone: int) -> int:
    """What is in a zone. Fault HIDDEN."""
    check_open(zone)
    made = space_for(amount[zone])
    end = made + 1
    piece = head[zone]
    while piece >= 0:
        end = added(made + 1, end, piece)
        piece = piece_next[piece]
    return finished(made, end)


def zone_class(zone: int, cls: int) -> int:
    """The pieces of a class in a zone. Fault HIDDEN."""
    check_open(zone)
    made = space_for(PIECES[0])
    return finished(made, _with_listed(made + 1, made + 1, zone, cls))


def on_segment(segment: int, cls: int) -> int:
    """What stands on a segment."""
    made = space_for(PIECES[0])
    at = ZONES[0] + SPACES[0] + segment
    return finished(made, _with_listed(made + 1, made + 1, at, cls))


def on_space(space: int, cls: int) -> int:
    """What stands on a space."""
    made = space_for(PIECES[0])
    return finished(made, _with_listed(made + 1, made + 1, ZONES[0] + space, cls))


def on_feature(segment: int, cls: int) -> int:
    """What stands on the segments of a feature; its tiles are `feature_tiles`. Fault as `find`."""
    # Mostly nothing does.
    if group_stander[find(segment)] < 0:
        return begin()
    made = space_for(PIECES[0])
    return finished(made, _with_feature(made + 1, made + 1, segment, cls))


def on_cell(cell: int, cls: int) -> int:
    """What lies on a cell, and what stands on it or on a segment there."""
    made = space_for(PIECES[0])
    return finished(made, _with_cell(made + 1, made + 1, cell, cls))


def on_piece(piece: int, cls: int) -> int:
    """What is on the cells of a laid piece beside itself; nothing if it is not laid. Fault
    ABSENT."""
    made = space_for(PIECES[0])
    return finished(made, _with_piece(made + 1, made + 1, piece, cls))


def on_grid(grid: int, cls: int) -> int:
    """What lies on a grid or stands on what lies there."""
    made = begin()
    for piece in range(class_first[cls], class_end[cls]):
        if piece_class[piece] == cls and grid_under(piece) == grid:
            push(made, piece)
    return made


def on_each(what: int, things: int, cls: int) -> int:
    """What is on any of the things in a set: 0 features, 1 segments, 2 pieces, 3 cells, 4 spaces.
    Fault as for each of them."""
    made = space_for(PIECES[0])
    first = made + 1
    end = first
    for index in range(things + 1, things + 1 + heap[things]):
        thing = heap[index]
        if what == 0:
            end = _with_feature(first, end, thing, cls)
        elif what == 1:
            end = _with_listed(first, end, ZONES[0] + SPACES[0] + thing, cls)
        elif what == 2:
            end = _with_piece(first, end, thing, cls)
        elif what == 3:
            end = _with_cell(first, end, thing, cls)
        else:
            end = _with_listed(first, end, ZONES[0] + thing, cls)
    return finished(made, end)


def feature_tiles(segment: int) -> int:
    """The tiles whose segments a feature has. Fault as `find`."""
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


# Each of these adds to a set being made (see `added`): it gives where the members end now.


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
    """Add what stands on a cell, or on the segments there of the piece `below` that lies on it (-1
    for none)."""
    for piece in range(class_first[cls], class_end[cls]):
        if place[piece] == ON_CELL and spot[piece] == cell and piece_class[piece] == cls:
            end = added(first, end, piece)
    if below >= 0:
        end = _with_segments(first, end, below, cell, cls)
    return end


def _with_segments(first: int, end: int, below: int, cell: int, cls: int) -> int:
    """Add what stands on the segments of a laid piece that cover a cell."""
    shape = shape_now(below)
    at = ZONES[0] + SPACES[0] + piece_segment[below]
    corner = spot[below] >> 2
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
            cell = moved_cell(spot[piece] >> 2, x, y)
            end = _with_standing(first, end, cell, piece, cls)
    return end
