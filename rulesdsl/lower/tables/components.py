"""The tables of pieces, kinds, and the places that take pieces."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from rulesdsl.lower.tables.encoding import Encoding
from rulesdsl.lower.tables.shapes import kind_shapes
from rulesdsl.model.game import Game, GridDef, PieceDef
from rulesdsl.model.types import INT_MAX, PIECE_CLASSES
from rulesdsl.model.values import Space, Zone
from rulesdsl.runtime import tables

Tables = dict[str, Iterable[int]]

_MATCHES = ("none", "all", "any")
_VISIBLE = ("all", "owner", "none")


def played(game: Game, players: int) -> list[bool]:
    """Return, for every piece, whether it is in the game with that many players."""
    return [piece.seat is None or piece.seat < players for piece in game.pieces]


def pieces_tables(game: Game, players: int, encoding: Encoding) -> Tables:
    """Return the tables of the identity of pieces and the places where they begin.

    What they show is in the tables of shapes.
    """
    pieces, there = game.pieces, played(game, players)
    first: dict[object, int] = {}
    like = [
        first.setdefault((piece.kind, piece.seat, piece.start), number)
        for number, piece in enumerate(pieces)
    ]
    starts = [
        _start(game, piece, encoding) if is_there else None
        for piece, is_there in zip(pieces, there, strict=True)
    ]
    shapes = kind_shapes(game)
    classes = [PIECE_CLASSES.index(game.kinds[piece.kind].cls) for piece in pieces]
    members = [[i for i, c in enumerate(classes) if c == cls] for cls in range(len(PIECE_CLASSES))]
    firsts = encoding.piece_segment
    zones = encoding.zone_first[-1]
    return {
        tables.LIKE_RUNS.name: (_runs([like[i] for i, is_there in enumerate(there) if is_there]),),
        tables.piece_kind.name: [piece.kind for piece in pieces],
        tables.piece_class.name: classes,
        tables.class_first.name: [inside[0] if inside else 0 for inside in members],
        tables.class_end.name: [inside[-1] + 1 if inside else 0 for inside in members],
        tables.piece_seat.name: [-1 if piece.seat is None else piece.seat for piece in pieces],
        tables.piece_in.name: [int(is_there) for is_there in there],
        tables.piece_home.name: [
            _number(s, encoding) if isinstance(s, Zone) else -1 for s in starts
        ],
        tables.piece_start.name: [
            _number(s, encoding) + (zones if isinstance(s, Space) else 0) for s in starts
        ],
        tables.piece_like.name: like,
        tables.piece_segment.name: firsts,
        tables.piece_shape.name: [shapes[piece.kind] for piece in pieces],
        tables.segment_piece.name: [
            number
            for number in range(len(pieces))
            for _ in range(firsts[number], firsts[number + 1])
        ],
    }


def _runs(labels: list[int]) -> int:
    """Return 1 if equal labels are neighbours, else 0."""
    changes = sum(a != b for a, b in pairwise(labels))
    return int(changes + 1 == len(set(labels)) or not labels)


def _start(game: Game, piece: PieceDef, encoding: Encoding) -> Zone | Space | None:
    """Return the place where a piece begins."""
    for number, zone in enumerate(game.zones):
        if zone.key == piece.start:
            return Zone(number, (piece.seat or 0) if zone.per == "player" else 0)
    for number, track in enumerate(game.tracks):
        if track.key == piece.start:
            return Space(number, 0)
    return None


def _number(start: Zone | Space | None, encoding: Encoding) -> int:
    match start:
        case Zone(zone, index):
            return encoding.zone_first[zone] + index
        case Space(track, index):
            return encoding.track_first[track] + index
        case None:
            return -1


def kinds_tables(game: Game, encoding: Encoding) -> Tables:
    """Return the tables of the faces of kinds."""
    drawings = []
    for kind in game.kinds:
        drawn = [face.outline for face in kind.faces]
        drawings += [drawn.index(outline) for outline in drawn]
    return {
        tables.kind_face.name: [
            first if kind.faces else -1
            for kind, first in zip(game.kinds, encoding.kind_face, strict=False)
        ],
        tables.kind_faces.name: [len(kind.faces) for kind in game.kinds],
        tables.face_drawing.name: drawings,
    }


def _mask(holds: Iterable[str]) -> int:
    return sum(1 << PIECE_CLASSES.index(cls) for cls in holds)


def grids_tables(game: Game, encoding: Encoding) -> Tables:
    """Return the tables of the properties of grids."""
    grids = [grid for grid in game.grids for _ in range(encoding.instances(grid.per))]
    return {
        tables.grid_holds.name: [_mask(grid.holds) for grid in grids],
        tables.grid_open.name: [_mask(grid.holds) if _is_open(grid) else 0 for grid in grids],
        tables.grid_match.name: [_MATCHES.index(grid.match) for grid in grids],
        tables.grid_touch.name: [int(grid.touch) for grid in grids],
        tables.grid_width.name: [grid.size[0] if grid.size else 0 for grid in grids],
        tables.grid_height.name: [grid.size[1] if grid.size else 0 for grid in grids],
    }


def _is_open(grid: GridDef) -> bool:
    """Say whether sides and neighbours alone decide which pieces fit on a grid."""
    return grid.match == "all" and grid.touch and grid.size is None


def zones_tables(game: Game, encoding: Encoding) -> Tables:
    """Return the tables of the properties of zones: what they hold and who sees it."""
    zones = [(zone, index) for zone in game.zones for index in range(encoding.instances(zone.per))]
    return {
        tables.zone_holds.name: [_mask(zone.holds) for zone, _ in zones],
        tables.zone_ordered.name: [int(zone.ordered) for zone, _ in zones],
        tables.zone_keeps.name: [int(zone.ordered and zone.visible != "none") for zone, _ in zones],
        tables.zone_visible.name: [_VISIBLE.index(zone.visible) for zone, _ in zones],
        tables.zone_seat.name: [index if zone.per == "player" else -1 for zone, index in zones],
        tables.zone_room.name: [
            INT_MAX if zone.room is None else zone.room[index] for zone, index in zones
        ],
    }


def tracks_tables(game: Game, encoding: Encoding) -> Tables:
    """Return the tables of tracks and the order of their spaces."""
    return {
        tables.space_track.name: [
            number for number, track in enumerate(game.tracks) for _ in range(track.length)
        ],
        tables.track_space.name: encoding.track_first,
        tables.track_loop.name: [int(track.loop) for track in game.tracks],
        tables.track_holds.name: [_mask(track.holds) for track in game.tracks],
    }
