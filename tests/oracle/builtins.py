"""The builtins over the plain world, computed from scratch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rulesdsl.engine.run.words.box import Absent as BuiltinFault
from rulesdsl.language.builtins import FUNCTIONS, PROPERTIES
from rulesdsl.language.model import types
from rulesdsl.language.model.game import AttributeDef, Plain
from rulesdsl.language.model.geometry import HEXAGONS, TRIANGLES, Port
from rulesdsl.language.model.values import (
    Cell,
    EnumMember,
    Face,
    Feature,
    Grid,
    Kind,
    Piece,
    Placement,
    Player,
    Segment,
    Space,
    Value,
    Zone,
    as_set,
)
from tests.oracle import board
from tests.oracle.board import placements
from tests.oracle.chance import hides
from tests.oracle.effects import limit
from tests.oracle.world import World

FOLDS: dict[str, Callable[[list[Value]], Value]] = {
    "sum": lambda values: sum(v for v in values if isinstance(v, int)),
    "max": lambda values: max(v for v in values if isinstance(v, int)),
    "min": lambda values: min(v for v in values if isinstance(v, int)),
    "any": lambda values: any(v is True for v in values),
    "all": lambda values: all(v is True for v in values),
    "union": lambda values: as_set(v for v in values if v is not None),
}
"""The functions that combine the values of the segments of a feature (at least one)."""


# --- attributes ----------------------------------------------------------------------------------


def attribute(world: World, definition: AttributeDef, owner: Value) -> Value:
    """Return the attribute of its owner, or the default if the owner does not set it.

    Raises Fault if the owner is none.
    """
    match owner:
        case Feature():
            return _folded(world, definition, owner)
        case Segment():
            return _segment_value(world, definition, owner)
        case Piece():
            world.check(owner)
            return _value(world, definition, world.box.kind(owner).attributes)
        case Kind():
            return _value(world, definition, world.box.game.kinds[owner.index].attributes)
        case Face():
            face = world.box.game.kinds[owner.kind].faces[owner.index]
            return _value(world, definition, face.attributes)
        case _:
            raise BuiltinFault(f"none has no `{definition.name}`")


def _segment_value(world: World, definition: AttributeDef, segment: Segment) -> Value:
    piece = board.owner(world, segment)
    kind = world.box.kind(piece)
    outline = kind.faces[world.faces[piece]].outline if kind.faces else kind.outline
    assert outline is not None, "it has a segment"
    return _value(world, definition, outline.segments[segment.index].attributes)


def _folded(world: World, definition: AttributeDef, feature: Feature) -> Value:
    segments = board.feature_segments(world, feature)
    values = [_segment_value(world, definition, segment) for segment in segments]
    if board.kind(world, feature.segment) not in definition.owners:
        values = values[:1]
    return FOLDS[definition.fold](values)


def _value(world: World, definition: AttributeDef, attributes: Mapping[str, Plain]) -> Value:
    """Return the attribute among those of one component, face or segment.

    Enum members are returned as handles.
    """
    plain = attributes.get(definition.key, definition.default)
    kind: types.Type = definition.type
    if isinstance(kind, types.OptionalType):
        kind = kind.item
    if isinstance(kind, types.EnumType) and isinstance(plain, str):
        return EnumMember(kind.name, world.box.enums[kind.name].index(plain))
    assert not isinstance(plain, str)
    return plain


Thing = Feature | Segment | Piece | Cell | Space | Zone | Grid
Things = Thing | tuple[Thing, ...]


def call(world: World, name: str, arguments: tuple[Any, ...], result: types.Type) -> Value:
    """Return the result of builtin `name`; raises Fault in the cases that its `doc` gives.

    `cells` is both a function with a set as result and a property with a number: `result`, the type
    of the call, decides which one is meant.
    """
    is_property = name in PROPERTIES and not (
        name in FUNCTIONS and isinstance(result, types.SetType)
    )
    table: dict[str, Callable[..., Value]] = READS if is_property else CALLS
    return table[name](world, *arguments)


def pieces_in(world: World, zone: Zone) -> tuple[Piece, ...]:
    """Return the pieces in a zone, in its order.

    Raises Fault if they are hidden and may only be counted.
    """
    inside = world.members(zone)
    if hides(world, zone):
        text = world.box.zone_text(zone)
        raise BuiltinFault(f"what lies in {text} is hidden: it can only be counted and taken")
    return inside


def whole(number: int) -> int:
    """Return the number; raises Fault if it does not fit 32 bits."""
    if not types.INT_MIN <= number <= types.INT_MAX:
        raise BuiltinFault(f"{number} is too large: integers have 32 bits")
    return number


def _sorted(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(set(values)))


def _each(things: Things) -> tuple[Thing, ...]:
    return things if isinstance(things, tuple) else (things,)


# --- sets of pieces ------------------------------------------------------------------------------


def _pieces_on(world: World, thing: Thing) -> Iterator[Piece]:
    """Yield all pieces that stand or lie on a thing, or are in a zone."""
    match thing:
        case Zone():
            yield from pieces_in(world, thing)
        case Space() | Segment():
            yield from world.standing(thing)
        case Feature():
            for segment in board.feature_segments(world, thing):
                yield from world.standing(segment)
        case Cell():
            yield from world.standing(thing)
            if thing in board.occupied(world):
                yield board.occupied(world)[thing]
            for segment in board.segments_on(world, thing):
                yield from world.standing(segment)
        case Piece():
            on_grid = isinstance(world.place(thing), Placement)
            for cell in board.covered(world, thing) if on_grid else ():
                yield from (p for p in _pieces_on(world, cell) if p != thing)
        case Grid():
            for piece, where in world.places.items():
                if _grid(world, where) == thing:
                    yield piece


def _grid(world: World, where: object) -> Grid | None:
    """Return the grid that a piece with this place lies or stands on, None if there is none."""
    match where:
        case Placement(cell, _) | (Cell() as cell):
            return Grid(cell.grid, cell.owner)
        case Segment():
            return _grid(world, world.place(Piece(where.piece)))
        case _:
            return None


def _pieces(cls: str) -> Callable[..., tuple[Piece, ...]]:
    """Return the builtin of a class: it returns all its pieces, or those on things."""

    def pieces(world: World, things: Things | None = None) -> tuple[Piece, ...]:
        if things is None:
            found: Iterable[Piece] = world.box.pieces
        else:
            found = (p for thing in _each(things) for p in _pieces_on(world, thing))
        return _sorted(p for p in found if world.box.cls(p) == cls)

    return pieces


def _tiles(world: World, things: Things | None = None) -> tuple[Piece, ...]:
    if not isinstance(things, Feature):
        return _pieces("tile")(world, things)
    parts = board.feature_segments(world, things)
    return _sorted(Piece(s.piece) for s in parts if world.box.cls(Piece(s.piece)) == "tile")


def _kinds(world: World, zone: Zone) -> tuple[Kind, ...]:
    return _sorted(Kind(world.box.piece(p).kind) for p in pieces_in(world, zone))


def _one(world: World, place: Thing, kind: Kind) -> Piece:
    for piece in sorted(set(_pieces_on(world, place))):
        if world.box.piece(piece).kind == kind.index:
            return piece
    match place:
        case Piece():
            where = world.box.piece_text(place)
        case Feature():
            where = world.segment_text(place.segment)
        case Grid():
            where = world.box.grid_text(place)
        case _:
            where = world.place_text(place)
    raise BuiltinFault(f"{where} has no {world.box.kind_text(kind)}")


def _home(world: World, piece: Piece) -> Zone:
    world.check(piece)
    start = world.box.start(piece)
    if not isinstance(start, Zone):
        raise BuiltinFault(f"{world.box.piece_text(piece)} did not begin in a zone")
    return start


def _room(world: World, zone: Zone) -> int:
    inside, room = world.members(zone), limit(world, zone)
    if room is None:
        raise BuiltinFault(f"{world.box.zone_text(zone)} has no limit")
    return max(0, room - len(inside))


def _position(world: World, piece: Piece) -> int:
    if isinstance(cell := world.place(piece), Cell):
        return _stack(world, cell).index(piece) + 1
    zone = _zone(world, piece)
    if not world.box.keeps_order(zone):
        raise BuiltinFault(f"{world.box.zone_text(zone)} keeps no order")
    return pieces_in(world, zone).index(piece) + 1


def _stack(world: World, cell: Cell) -> list[Piece]:
    """Return what was moved to a cell, the lowest first."""
    if not world.box.game.grids[cell.grid].ordered:
        grid = world.box.grid_text(Grid(cell.grid, cell.owner))
        raise BuiltinFault(f"cells of {grid} keep no order")
    return sorted(world.standing(cell), key=world.arrived.__getitem__)


# --- sets of things on grids ---------------------------------------------------------------------


def _segments(world: World, thing: Piece | Feature | Cell | Grid) -> tuple[Segment, ...]:
    match thing:
        case Grid():
            return _sorted(board.segments_of_grid(world, thing))
        case Feature():
            return board.feature_segments(world, thing)
        case Cell():
            return tuple(board.segments_on(world, thing))
        case Piece():
            return tuple(board.segments(world, thing))


def _features(world: World, things: Piece | Cell | Grid | tuple[Cell, ...]) -> tuple[Feature, ...]:
    match things:
        case Grid():
            return board.features_of(world, board.segments_of_grid(world, things))
        case Piece():
            return board.features_of(world, board.segments(world, things))
        case Cell():
            return board.features_of(world, board.segments_on(world, things))
        case tuple():
            on = [s for cell in things for s in board.segments_on(world, cell)]
            return board.features_of(world, on)


def _cells(
    world: World, thing: Feature | Piece | Grid, at: Placement | None = None
) -> tuple[Cell, ...]:
    if at is not None:
        assert isinstance(thing, Piece)
        world.check(thing)
        covered = board.footprint(world.layout(thing, at.rotation), at)
        return tuple(filter(world.box.inside, covered))
    match thing:
        case Feature():
            return tuple(board.feature_cells(world, thing))
        case Piece():
            return tuple(board.covered(world, thing))
        case Grid():
            cells = board.occupied(world)
            return _sorted(c for c in cells if Grid(c.grid, c.owner) == thing)


def _around(corners: bool) -> Callable[..., tuple[Cell, ...]]:
    """Return the builtin for the occupied cells around a cell or piece."""

    def around(
        world: World, thing: Cell | Piece, side: EnumMember | None = None
    ) -> tuple[Cell, ...]:
        if side is not None and isinstance(thing, Cell):
            over = board.beside(world, thing).get(side.index)
            return (over,) if over is not None and over in board.occupied(world) else ()
        own = [thing] if isinstance(thing, Cell) else board.covered(world, thing)
        return tuple(board.around(world, own, corners))

    return around


def _cell_at(world: World, start: Grid | Cell, x: int, y: int) -> Cell:
    if isinstance(start, Cell):
        grid, cell = Grid(start.grid, start.owner), board.shift(start, x, y)
    else:
        grid, cell = start, Cell(start.grid, start.index, y, x)
    if grid not in world.box or not world.box.inside(cell):
        raise BuiltinFault(f"{world.box.cell_text(cell)} is outside of the grid")
    return cell


def _all_cells(world: World, grid: Grid) -> tuple[Cell, ...]:
    size = world.box.game.grids[grid.grid].size
    if size is None:
        raise BuiltinFault(f"{world.box.grid_text(grid)} has no size")
    width, height = size
    return tuple(_cell_at(world, grid, x, y) for y in range(height) for x in range(width))


def _lanes(cell: Cell) -> tuple[int, int, int]:
    """Return the strips between parallel lines in which a triangle lies, in three directions."""
    return cell.y, (cell.x + cell.y) // 2, (cell.x - cell.y + 1) // 2


def _strip(world: World, a: Cell, b: Cell) -> tuple[Cell, ...]:
    """Return the triangles between two of one strip."""
    shared = [n for n in range(3) if _lanes(a)[n] == _lanes(b)[n]]
    xs, ys = sorted((a.x, b.x)), sorted((a.y, b.y))
    return tuple(
        cell
        for y in range(ys[0], ys[1] + 1)
        for x in range(xs[0], xs[1] + 1)
        if (cell := Cell(a.grid, a.owner, y, x)) not in (a, b)
        and any(_lanes(cell)[n] == _lanes(a)[n] for n in shared)
    )


def _between(world: World, a: Cell, b: Cell) -> tuple[Cell, ...]:
    if world.box.game.grids[a.grid].cells == TRIANGLES:
        return _strip(world, a, b) if (a.grid, a.owner) == (b.grid, b.owner) else ()
    x, y = b.x - a.x, b.y - a.y
    distance = max(abs(x), abs(y))
    one_grid = (a.grid, a.owner) == (b.grid, b.owner)
    if not one_grid or abs(x) not in (0, distance) or abs(y) not in (0, distance):
        return ()
    if world.box.game.grids[a.grid].cells == HEXAGONS and x * y > 0:
        return ()
    steps = range(1, distance)
    return _sorted(board.shift(a, n * x // distance, n * y // distance) for n in steps)


def _neighbours(world: World, cell: Cell, side: EnumMember | None = None) -> tuple[Cell, ...]:
    if side is not None:
        over = board.beside(world, cell).get(side.index)
        return (over,) if over is not None and world.box.inside(over) else ()
    return _sorted(near for near in board.near(world, cell) if world.box.inside(near))


def _distance(world: World, a: Cell, b: Cell) -> int:
    """Count the steps that approach a cell as fast as possible."""
    if (a.grid, a.owner) != (b.grid, b.owner):
        raise BuiltinFault(f"{world.box.cell_text(b)} is outside of the grid")

    if world.box.game.grids[a.grid].cells == TRIANGLES:
        return max(abs(one - other) for one, other in zip(_lanes(a), _lanes(b), strict=True))

    def apart(cell: Cell) -> int:
        x, y = b.x - cell.x, b.y - cell.y
        return x * x + y * y + (x + y) ** 2 * (world.box.game.grids[a.grid].cells == HEXAGONS)

    steps = 0
    while a != b:
        a = min(board.near(world, a), key=apart)
        steps += 1
    return steps


def _ray(world: World, cell: Cell, x: int, y: int) -> tuple[Cell, ...]:
    found: set[Cell] = set()
    while (x, y) != (0, 0) and world.box.inside(cell := board.shift(cell, x, y)):
        found.add(cell)
    return _sorted(found)


_MOST_CELLS = 200_000
"""The most cells of a rectangle."""


def _rectangle(world: World, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    found: list[Cell] = []
    for grid, owner in sorted({(cell.grid, cell.owner) for cell in cells}):
        columns = [cell.x for cell in cells if (cell.grid, cell.owner) == (grid, owner)]
        rows = [cell.y for cell in cells if (cell.grid, cell.owner) == (grid, owner)]
        size = (max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1)
        if size > _MOST_CELLS:
            raise BuiltinFault(f"a rectangle of {size} cells is too large")
        found += [
            Cell(grid, owner, y, x)
            for y in range(min(rows), max(rows) + 1)
            for x in range(min(columns), max(columns) + 1)
        ]
    return tuple(found)


def _lane_at(world: World, *given: Any) -> Segment | None:
    if len(given) == 3:
        cell, side, lane = given
        return board.lane_at(world, cell, side.index, lane - 1)
    piece, at, cell, side, lane = given
    world.check(piece)
    port = Port(cell.x - at.cell.x, cell.y - at.cell.y, side.index, lane - 1)
    index = world.layout(piece, at.rotation).holder.get(port)
    same = (cell.grid, cell.owner) == (at.cell.grid, at.cell.owner)
    return Segment(piece.index, index) if same and index is not None else None


def _agrees(world: World, piece: Piece, *given: Any) -> bool:
    *at, side = given
    spot = at[0] if at else board.lies(world, piece)
    touches = board.touching_sides(world, world.layout(piece, spot.rotation), spot, piece)
    return all(touch.agrees for touch in touches if touch.side == side.index)


def _corner_at(world: World, cell: Cell, one: EnumMember, other: EnumMember) -> Segment | None:
    before, after, sides = one.index, other.index, world.box.game.sides
    turn = 2 if world.box.game.grids[cell.grid].cells == TRIANGLES else 1
    if (before + turn) % sides != after:
        before, after = after, before
    if (before + turn) % sides != after:
        return None
    held = board.lane_at(world, cell, before, 2)
    return held if held == board.lane_at(world, cell, after, 0) else None


def _placement_at(world: World, grid: Grid, x: int, y: int, turns: int) -> Placement:
    return Placement(_cell_at(world, grid, x, y), turns % world.box.game.sides)


def _at(world: World, segment: Segment, at: Placement | None) -> Placement:
    """Return the given placement, or else the placement of the piece of the segment."""
    return at if at is not None else board.lies(world, board.owner(world, segment))


def _joined(world: World, segment: Segment, at: Placement | None = None) -> tuple[Segment, ...]:
    if at is None:
        return tuple(board.joined(world, segment))
    return _sorted(board.contacts(world, segment, at))


def _ahead(world: World, segment: Segment, at: Placement | None = None) -> tuple[Cell, ...]:
    cells = board.empty_ahead(world, segment, _at(world, segment, at))
    return _sorted(cell for cell in cells if world.box.inside(cell))


def _sides(world: World, segment: Segment, at: Placement | None = None) -> tuple[EnumMember, ...]:
    layout = world.layout(board.owner(world, segment), _at(world, segment, at).rotation)
    return _sorted(EnumMember(types.SIDE.name, port.side) for port in layout.ports[segment.index])


# --- players, tracks, numbers --------------------------------------------------------------------


def _forward(world: World, start: Space | EnumMember, steps: int) -> Space | EnumMember:
    if isinstance(start, EnumMember):
        size = len(world.box.enums[start.enum])
        return EnumMember(start.enum, (start.index + steps) % size)
    track = world.box.game.tracks[start.track]
    if track.loop:
        return Space(start.track, (start.index + steps) % track.length)
    if not 0 <= start.index + steps < track.length:
        text = world.box.space_text(start)
        raise BuiltinFault(f"{steps} steps forward from {text} lead past the end of the track")
    return Space(start.track, start.index + steps)


def _steps(world: World, start: Space | EnumMember, end: Space | EnumMember) -> int:
    """Return the number of steps for which `forward` leads to the end.

    It is negative if the end is behind the start on a track that is not a loop.
    """
    if isinstance(start, EnumMember):
        return (end.index - start.index) % len(world.box.enums[start.enum])
    track = world.box.game.tracks[start.track]
    if not isinstance(end, Space) or end.track != start.track:
        raise BuiltinFault(f"{world.box.space_text(start)} is on another track")
    return (end.index - start.index) % track.length if track.loop else end.index - start.index


def _div_up(world: World, a: int, b: int) -> int:
    if b == 0:
        raise BuiltinFault(f"{a} is divided by 0")
    return whole(-(-a // b))


CALLS: dict[str, Callable[..., Value]] = {
    "players": lambda world: tuple(Player(seat) for seat in range(world.box.players)),
    "tiles": _tiles,
    "cards": _pieces("card"),
    "dice": _pieces("die"),
    "tokens": _pieces("token"),
    "figures": _pieces("figure"),
    "next": lambda world, player: Player((player.seat + 1) % world.box.players),
    "seat": lambda world, player: player.seat + 1,
    "segments": _segments,
    "features": _features,
    "cells": _cells,
    "borders": board.borders,
    "ring": _around(True),
    "beside": _around(False),
    "occupied": lambda world, cell: cell in board.occupied(world),
    "all_cells": _all_cells,
    "between": _between,
    "neighbours": _neighbours,
    "distance": _distance,
    "ray": _ray,
    "rectangle": _rectangle,
    "cell_at": _cell_at,
    "closed": lambda world, feature: board.ends(world, feature) == 0,
    "placements": placements,
    "centre": lambda world, grid: _placement_at(world, grid, 0, 0, 0),
    "placement_at": _placement_at,
    "joined": _joined,
    "ahead": _ahead,
    "sides": _sides,
    "agrees": _agrees,
    "lane_at": _lane_at,
    "corner_at": _corner_at,
    "touching": board.touching,
    "kinds": _kinds,
    "one": _one,
    "home": _home,
    "on_board": lambda world, piece: _grid(world, world.place(piece)) is not None,
    "owned": lambda world, piece: world.box.piece(piece).seat is not None,
    "room": _room,
    "position": _position,
    "top": lambda world, cell: next(reversed(_stack(world, cell)), None),
    "height": lambda world, cell: len(world.standing(cell)),
    "forward": _forward,
    "steps": _steps,
    "opposite": lambda world, side: _forward(world, side, world.box.game.sides // 2),
    "half_up": lambda world, n: (n + 1) // 2,
    "div_up": _div_up,
    "abs": lambda world, n: whole(abs(n)),
    "max": lambda world, a, b: max(a, b),
    "min": lambda world, a, b: min(a, b),
}


# --- properties ----------------------------------------------------------------------------------


def _owner(world: World, piece: Piece) -> Player | None:
    seat = world.box.piece(piece).seat
    return None if seat is None else Player(seat)


def _elsewhere(world: World, piece: Piece, wanted: str) -> BuiltinFault:
    place = world.place_text(world.place(piece))
    return BuiltinFault(f"{world.box.piece_text(piece)} is not {wanted}; it is here: {place}")


def _zone(world: World, piece: Piece) -> Zone:
    where = world.place(piece)
    if not isinstance(where, Zone):
        raise _elsewhere(world, piece, "in a zone")
    return where


def _segment(world: World, piece: Piece) -> Segment:
    where = world.place(piece)
    if not isinstance(where, Segment):
        raise _elsewhere(world, piece, "on a segment")
    return where


def _space(world: World, piece: Piece) -> Space:
    where = world.place(piece)
    if not isinstance(where, Space):
        raise _elsewhere(world, piece, "on a space")
    return where


def _cell(world: World, thing: Piece | Segment | Feature | Placement) -> Cell:
    match thing:
        case Placement():
            return thing.cell
        case Segment():
            return board.segment_cells(world, thing)[0]
        case Feature():
            return board.feature_cells(world, thing)[0]
        case Piece():
            match where := world.place(thing):
                case Cell():
                    return where
                case Placement() | Segment():
                    return _cell(world, where)
                case _:
                    raise _elsewhere(world, thing, "on a grid")


def _tile(world: World, thing: Piece | Segment | Cell) -> Piece:
    match thing:
        case Segment():
            tile = board.owner(world, thing)
            if world.box.cls(tile) != "tile":
                raise BuiltinFault(f"{world.box.piece_text(tile)} is not a tile")
            return tile
        case Cell():
            lying = board.occupied(world).get(thing)
            if lying is None or world.box.cls(lying) != "tile":
                raise BuiltinFault(f"no tile lies at {world.box.cell_text(thing)}")
            return lying
        case Piece():
            match where := world.place(thing):
                case Segment() | Cell():
                    return _tile(world, where)
                case _:
                    raise _elsewhere(world, thing, "on a tile")


def _feature(world: World, thing: Piece | Segment) -> Feature:
    segment = thing if isinstance(thing, Segment) else _segment(world, thing)
    return board.feature_of(world, segment)


def _face(world: World, die: Piece) -> Face:
    world.check(die)
    return Face(world.box.piece(die).kind, world.faces[die])


def _rotation(world: World, thing: Piece | Placement) -> int:
    at = thing if isinstance(thing, Placement) else board.lies(world, thing)
    return at.rotation


READS: dict[str, Callable[..., Value]] = {
    "kind": lambda world, piece: Kind(world.box.piece(piece).kind),
    "owner": _owner,
    "zone": _zone,
    "cell": _cell,
    "tile": _tile,
    "segment": _segment,
    "feature": _feature,
    "space": _space,
    "face": _face,
    "cells": lambda world, feature: len(board.feature_cells(world, feature)),
    "ends": board.ends,
    "rotation": _rotation,
    "x": lambda world, cell: cell.x,
    "y": lambda world, cell: cell.y,
    "index": lambda world, space: space.index,
}
