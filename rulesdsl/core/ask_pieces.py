"""Sets of pieces, new ones on the heap; `cls` is a class of pieces."""

from __future__ import annotations

from rulesdsl.core.ask_places import check_open, grid_under
from rulesdsl.core.cells import lying, moved_cell, shape_now
from rulesdsl.core.faults import ABSENT, fault
from rulesdsl.core.groups import find
from rulesdsl.core.heap import begin, insert, keep, mark, push, put_sorted
from rulesdsl.core.tables import (
    LAID,
    ON_CELL,
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


def pieces_of_class(cls: int) -> int:
    """All pieces of a class."""
    made = begin()
    for piece in range(class_first[cls], class_end[cls]):
        if piece_class[piece] == cls and piece_in[piece] == 1:
            push(made, piece)
    return made


def zone_pieces(zone: int) -> int:
    """What is in a zone. Fault HIDDEN."""
    made = begin()
    check_open(zone)
    piece = head[zone]
    while piece >= 0:
        insert(made, piece)
        piece = piece_next[piece]
    return made


def zone_class(zone: int, cls: int) -> int:
    """The pieces of a class in a zone. Fault HIDDEN."""
    made = begin()
    check_open(zone)
    _add_listed(made, zone, cls)
    return made


def on_segment(segment: int, cls: int) -> int:
    """What stands on a segment."""
    made = begin()
    _add_listed(made, ZONES[0] + SPACES[0] + segment, cls)
    return made


def on_space(space: int, cls: int) -> int:
    """What stands on a space."""
    made = begin()
    _add_listed(made, ZONES[0] + space, cls)
    return made


def on_feature(segment: int, cls: int) -> int:
    """What stands on the segments of a feature; its tiles are `feature_tiles`. Fault as `find`."""
    made = begin()
    _add_feature(made, segment, cls)
    return made


def on_cell(cell: int, cls: int) -> int:
    """What lies on a cell, and what stands on it or on a segment there."""
    made = begin()
    _add_cell(made, cell, cls)
    return made


def on_piece(piece: int, cls: int) -> int:
    """What is on the cells of a laid piece beside itself; nothing if it is not laid. Fault
    ABSENT."""
    made = begin()
    _add_piece(made, piece, cls)
    return made


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
    made = begin()
    for index in range(things + 1, things + 1 + heap[things]):
        thing = heap[index]
        if what == 0:
            _add_feature(made, thing, cls)
        elif what == 1:
            _add_listed(made, ZONES[0] + SPACES[0] + thing, cls)
        elif what == 2:
            _add_piece(made, thing, cls)
        elif what == 3:
            _add_cell(made, thing, cls)
        else:
            _add_listed(made, ZONES[0] + thing, cls)
    return made


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


def _add_listed(made: int, at: int, cls: int) -> None:
    """Put the pieces of a class at a place into the topmost set."""
    piece = head[at]
    while piece >= 0:
        if piece_class[piece] == cls:
            insert(made, piece)
        piece = piece_next[piece]


def _add_feature(made: int, segment: int, cls: int) -> None:
    end = group_stander[find(segment)]
    piece = end
    while piece >= 0:
        if piece_class[piece] == cls:
            insert(made, piece)
        piece = stander_next[piece]
        if piece == end:
            break


def _add_cell(made: int, cell: int, cls: int) -> None:
    below = lying(cell)
    if below >= 0 and piece_class[below] == cls:
        insert(made, below)
    if cls >= FIRST_STANDING:
        _add_standing(made, cell, below, cls)


def _add_standing(made: int, cell: int, below: int, cls: int) -> None:
    """Put what stands on a cell, or on the segments there of the piece `below` that lies on it (-1
    for none), into the topmost set."""
    for piece in range(class_first[cls], class_end[cls]):
        if place[piece] == ON_CELL and spot[piece] == cell and piece_class[piece] == cls:
            insert(made, piece)
    if below >= 0:
        _add_segments(made, below, cell, cls)


def _add_segments(made: int, below: int, cell: int, cls: int) -> None:
    """Put what stands on the segments of a laid piece that cover a cell into the topmost set."""
    shape = shape_now(below)
    at = ZONES[0] + SPACES[0] + piece_segment[below]
    first = spot[below] >> 2
    for part in range(shape_part[shape], shape_part[shape] + shape_parts[shape]):
        if amount[at] > 0:
            for area in range(part_cell[part], part_cell[part + 1]):
                if moved_cell(first, area_x[area], area_y[area]) == cell:
                    _add_listed(made, at, cls)
        at += 1


def _add_piece(made: int, piece: int, cls: int) -> None:
    if piece_in[piece] == 0:
        fault(ABSENT)
    if place[piece] != LAID or cls < FIRST_STANDING:
        return
    shape = shape_now(piece)
    for y in range(shape_height[shape]):
        for x in range(shape_width[shape]):
            _add_standing(made, moved_cell(spot[piece] >> 2, x, y), piece, cls)
