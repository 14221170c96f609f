"""A world as plain data (lists, mappings by string, integers) and back, checked on the way in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rulesdsl.model.game import Game
from rulesdsl.model.values import Cell, Grid, Piece, Placement, Segment, Space, Zone
from rulesdsl.run.reference import board
from rulesdsl.run.reference.effects import refusal
from rulesdsl.run.reference.fault import Fault
from rulesdsl.run.reference.world import Joint, Place, World

Data = dict[str, Any]


def dump(world: World) -> Data:
    """All of a world that is not in its game; JSON can hold it.

    `zones` has the pieces of every zone, `elsewhere` rows of a piece and its place; pieces in
    neither are nowhere. `faces`, `known`, `pools` have an entry for every die or piece, in order.
    """
    return {
        "zones": [[piece.index for piece in inside] for inside in world.zones.values()],
        "elsewhere": [
            [piece.index, *_place_data(where)]
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


def load(game: Game, players: int, data: object) -> World:
    """The world that `dump` gave `data` for; raises Fault for data that it cannot have given."""
    try:
        world = _load(World(game, players), data)
        if dump(world) != data:
            raise Fault("it is not written as it should be")
    except (Fault, TypeError, ValueError, LookupError, AttributeError) as error:
        raise Fault(f"this is not a position of this game: {error}") from None
    return world


def _place_data(place: Place) -> list[str | int]:
    match place:
        case Segment(piece, index):
            return ["segment", piece, index]
        case Space(track, index):
            return ["space", track, index]
        case Cell(grid, owner, y, x):
            return ["cell", grid, owner, y, x]
        case Placement(Cell(grid, owner, y, x), rotation):
            return ["laid", grid, owner, y, x, rotation]
        case Zone() | None:
            raise AssertionError("zones list their pieces, and nowhere is not written")


def _joint_data(joints: Iterable[Joint]) -> list[list[int]]:
    return [[a.piece, a.index, b.piece, b.index] for a, b in sorted(joints)]


def _load(world: World, data: Any) -> World:
    """Fill a new world; whatever is not there, or of another type, raises some error."""
    box = world.box
    world.zones = dict.fromkeys(box.zones, ())
    world.places = dict.fromkeys(box.pieces)
    world.face_down = frozenset(_piece(world, i) for i in data["face_down"])
    world.shuffled = frozenset(_piece(world, i) for i in data["shuffled"])
    faces = [_index(face) for face in data["faces"]]
    for die, face in zip(world.faces, faces, strict=True):
        if face >= len(box.kind(die).faces):
            raise Fault(f"{box.piece_text(die)} has no face {face}")
        world.faces[die] = face
    for zone, inside in zip(box.zones, data["zones"], strict=True):
        for number in inside:
            _put(world, _piece(world, number), zone)
        world.arrange(zone, [_piece(world, number) for number in inside])
    rows = sorted(data["elsewhere"], key=lambda row: row[1] != "laid")
    for number, form, *numbers in rows:
        _put(world, _piece(world, number), _place(form, [_integer(n) for n in numbers]))
    for piece, seats in zip(box.pieces, data["known"], strict=True):
        world.known[piece] = box.seats.intersection(seats)
    world.pools = dict(zip(box.pieces, (_index(p) for p in data["pools"]), strict=True))
    joints = [[_joint(world, row) for row in data[key]] for key in ("links", "unlinks")]
    world.join(*joints)
    return world


def _integer(number: object) -> int:
    if type(number) is not int:
        raise Fault("a number is missing")
    return number


def _index(number: object) -> int:
    if _integer(number) < 0:
        raise Fault("a number is less than 0")
    return _integer(number)


def _piece(world: World, number: object) -> Piece:
    piece = Piece(_index(number))
    if piece not in world.box:
        raise Fault(f"there is no component {number}")
    return piece


def _place(form: object, numbers: list[int]) -> Segment | Space | Cell | Placement:
    match form, numbers:
        case "segment", [piece, index]:
            return Segment(piece, index)
        case "space", [track, index]:
            return Space(track, index)
        case "cell", [grid, owner, y, x]:
            return Cell(grid, owner, y, x)
        case "laid", [grid, owner, y, x, rotation] if rotation in range(4):
            return Placement(Cell(grid, owner, y, x), rotation)
        case _:
            raise Fault(f"there is no place `{form}` {numbers}")


def _put(world: World, piece: Piece, place: Zone | Segment | Space | Cell | Placement) -> None:
    """Bring a piece to its place if the place takes it."""
    if world.places[piece] is not None:
        raise Fault(f"{world.box.piece_text(piece)} is at two places")
    if isinstance(place, Placement):
        _check_laid(world, piece, place)
    elif isinstance(place, Space) and place not in world.box:
        raise Fault("there is no such space")
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


def _joint(world: World, row: list[object]) -> Joint:
    """The two segments of a row, on grids and of one kind."""
    piece, index, other, other_index = (_index(number) for number in row)
    a, b = Segment(piece, index), Segment(other, other_index)
    for segment in (a, b):
        board.lies(world, board.owner(world, segment))
    if not a < b or board.kind(world, a) != board.kind(world, b):
        raise Fault("two segments are joined that cannot be")
    return a, b
