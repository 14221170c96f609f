"""A world as plain data (lists, mappings by string, integers) and back, checked on the way in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rulesdsl.model.game import Game
from rulesdsl.model.values import Cell, Grid, Piece, Placement, Segment, Space, Zone
from rulesdsl.run.reference import board
from rulesdsl.run.reference.effects import refusal
from rulesdsl.run.reference.fault import Fault
from rulesdsl.run.reference.fitting import exists
from rulesdsl.run.reference.plaindata import DataError, decode, encode, fields, listed, whole
from rulesdsl.run.reference.world import Joint, World


def dump(world: World) -> dict[str, Any]:
    """All of a world that is not in its game; JSON can hold it.

    `zones` has the pieces of every zone, `elsewhere` rows of a piece and its place; pieces in
    neither are nowhere. `faces`, `known`, `pools` have an entry for every die or piece, in order.
    """
    return {
        "zones": [[piece.index for piece in inside] for inside in world.zones.values()],
        "elsewhere": [
            [piece.index, encode(where)]
            for piece, where in world.places.items()
            if not isinstance(where, Zone | None)
        ],
        "faces": list(world.faces.values()),
        "known": [sorted(seats) for seats in world.known.values()],
        "pools": list(world.pools.values()),
        "face_down": [piece.index for piece in sorted(world.face_down)],
        "shuffled": [piece.index for piece in sorted(world.shuffled)],
        "links": _joint_data(world.links),
        "unlinks": _joint_data(world.unlinks),
    }


def _joint_data(joints: Iterable[Joint]) -> list[list[Any]]:
    return [[encode(a), encode(b)] for a, b in sorted(joints)]


def load(game: Game, players: int, data: object) -> World:
    """The world that `dump` gave `data` for; raises DataError for data it cannot have given."""
    try:
        world = _load(World(game, players), data)
    except Fault as fault:
        raise DataError(fault.message) from None
    if dump(world) != data:
        raise DataError("it is not written as it should be")
    return world


def _load(world: World, data: object) -> World:
    """Fill a new world; raises DataError or Fault."""
    saved = fields(data, *dump(world))
    box = world.box
    world.zones = dict.fromkeys(box.zones, ())
    world.places = dict.fromkeys(box.pieces)
    world.face_down = frozenset(_pieces(world, saved["face_down"]))
    world.shuffled = frozenset(_pieces(world, saved["shuffled"]))
    dice = list(world.faces)
    for die, face in zip(dice, _exactly(saved["faces"], len(dice)), strict=True):
        if whole(face) not in range(len(box.kind(die).faces)):
            raise DataError(f"{box.piece_text(die)} has no face {face}")
        world.faces[die] = face
    rows = _exactly(saved["zones"], len(box.zones))
    for zone, inside in zip(box.zones, (_pieces(world, row) for row in rows), strict=True):
        for piece in inside:
            _put(world, piece, zone)
        world.arrange(zone, inside)
    elsewhere = [_standing(world, row) for row in listed(saved["elsewhere"])]
    # What stands on a laid piece comes after it.
    for piece, place in sorted(elsewhere, key=lambda row: not isinstance(row[1], Placement)):
        _put(world, piece, place)
    for piece, seats in zip(box.pieces, _exactly(saved["known"], len(box.pieces)), strict=True):
        world.known[piece] = box.seats.intersection(whole(seat) for seat in listed(seats))
    pools = [_piece(world, pool).index for pool in _exactly(saved["pools"], len(box.pieces))]
    world.pools = dict(zip(box.pieces, pools, strict=True))
    joints = [[_joint(world, row) for row in listed(saved[key])] for key in ("links", "unlinks")]
    world.join(*joints)
    return world


def _exactly(data: object, length: int) -> list[Any]:
    """A list of that length; raises DataError."""
    found = listed(data)
    if len(found) != length:
        raise DataError(f"a list has {len(found)} entries, not {length}")
    return found


def _piece(world: World, number: object) -> Piece:
    piece = Piece(whole(number))
    if piece not in world.box:
        raise DataError(f"there is no component {number}")
    return piece


def _pieces(world: World, data: object) -> list[Piece]:
    return [_piece(world, number) for number in listed(data)]


def _standing(world: World, row: object) -> tuple[Piece, Segment | Space | Cell | Placement]:
    """A piece and its place, which exists."""
    number, data = _exactly(row, 2)
    place = decode(data)
    if not isinstance(place, Segment | Space | Cell | Placement) or not exists(place, world.box):
        raise DataError("a component is at a place that is not there")
    return _piece(world, number), place


def _put(world: World, piece: Piece, place: Zone | Segment | Space | Cell | Placement) -> None:
    """Bring a piece to its place if the place takes it."""
    if world.places[piece] is not None:
        raise Fault(f"{world.box.piece_text(piece)} is at two places")
    if isinstance(place, Placement):
        _check_laid(world, piece, place)
    elif (why := refusal(world, piece, place)) is not None:
        raise Fault(f"{world.box.piece_text(piece)} cannot be there: {why}")
    marks = world.face_down, world.shuffled
    world.put(piece, place)
    world.face_down, world.shuffled = marks


def _check_laid(world: World, piece: Piece, at: Placement) -> None:
    """A grid may since have lost what a piece was laid against, so only its cells are checked."""
    box = world.box
    grid = Grid(at.cell.grid, at.cell.owner)
    cells = board.footprint(world.layout(piece, at.rotation), at)
    if grid not in box or not all(box.inside(cell) for cell in cells):
        raise Fault(f"{box.piece_text(piece)} lies outside of its grid")
    if box.cls(piece) not in box.game.grids[at.cell.grid].holds:
        raise Fault(f"{box.grid_text(grid)} does not hold a {box.cls(piece)}")
    if any(cell in board.occupied(world) for cell in cells):
        raise Fault(f"{box.piece_text(piece)} lies over another piece")


def _joint(world: World, row: object) -> Joint:
    """The two segments of a row, on grids and of one kind."""
    a, b = (_segment(world, end) for end in _exactly(row, 2))
    if not a < b or board.kind(world, a) != board.kind(world, b):
        raise DataError("two segments are joined that cannot be")
    return a, b


def _segment(world: World, data: object) -> Segment:
    """A segment of a piece that is on a grid."""
    segment = decode(data)
    if not isinstance(segment, Segment) or not exists(segment, world.box):
        raise DataError("a segment is joined that is not there")
    board.lies(world, board.owner(world, segment))
    return segment
