"""The reasons of faults of the runtime, in terms of the language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from rulesdsl.engines.reference.board import BuiltinFault
from rulesdsl.engines.reference.world import World
from rulesdsl.engines.words.box import TurnedOutline
from rulesdsl.model.geometry import has_side, points_there, points_up, steps
from rulesdsl.model.values import (
    Cell,
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
)
from rulesdsl.runtime import faults
from rulesdsl.runtime.questions import MOST_CELLS

_WANTED = {
    **dict.fromkeys(("zone", "position"), "in a zone"),
    **dict.fromkeys(("segment", "feature"), "on a segment"),
    "space": "on a space",
    "cell": "on a grid",
    "tile": "on a tile",
}
"""The place that a builtin needs a piece to have."""


def explain(world: World, name: str, given: tuple[Any, ...], fault: faults.Fault) -> BuiltinFault:
    """Return the reason why a builtin or an effect failed that was given these arguments."""
    reason = _REASONS.get(fault.code)
    text = reason(world, name, given) if reason is not None else ""
    return BuiltinFault(text or faults.MESSAGES[fault.code])


def _segments(given: tuple[Any, ...]) -> Iterator[Segment]:
    """Yield the segments among arguments."""
    for value in given:
        match value:
            case Segment():
                yield value
            case Feature(segment):
                yield segment
            case tuple():
                yield from _segments(value)


def _pieces(given: tuple[Any, ...]) -> Iterator[Piece]:
    """Yield the pieces among arguments, and those of segments."""
    for value in given:
        match value:
            case Piece():
                yield value
            case tuple():
                yield from _pieces(value)
            case _:
                yield from (Piece(segment.piece) for segment in _segments((value,)))


# --- things that are not there -------------------------------------------------------------------


def _absent(world: World, name: str, given: tuple[Any, ...]) -> str:
    for piece in _pieces(given):
        try:
            world.check(piece)
        except BuiltinFault as fault:
            return fault.message
    players = (each for each in given if isinstance(each, Player))
    return next((f"{world.box.player_text(each.seat)} does not play" for each in players), "")


def _not_laid(world: World, name: str, given: tuple[Any, ...]) -> str:
    loose = (p for p in _pieces(given) if not isinstance(world.place_of(p), Placement))
    return next((f"{world.box.piece_text(piece)} does not lie on a grid" for piece in loose), "")


def _not_shown(world: World, name: str, given: tuple[Any, ...]) -> str:
    for segment in _segments(given):
        piece = Piece(segment.piece)
        if segment.index >= len(world.layout(piece).kinds):
            text = world.box.piece_text(piece)
            return f"{text} does not show segment {segment.index + 1} on its upper face"
    return ""


def _hidden(world: World, name: str, given: tuple[Any, ...]) -> str:
    zone = given[0] if isinstance(given[0], Zone) else world.place_of(given[0])
    if not isinstance(zone, Zone):
        return ""
    text = world.box.zone_text(zone)
    return f"what lies in {text} is hidden: it can only be counted and taken"


def _elsewhere(world: World, name: str, given: tuple[Any, ...]) -> str:
    thing = given[0]
    if name == "tile":
        where = world.place_of(thing) if isinstance(thing, Piece) else thing
        if isinstance(where, Segment):
            return f"{world.box.piece_text(Piece(where.piece))} is not a tile"
        if isinstance(where, Cell):
            return f"no tile lies at {world.box.cell_text(where)}"
    text = world.box.piece_text(thing)
    if name == "conceal":
        return f"{text} lies on a grid with its segments up"
    wanted, place = _WANTED.get(name, "in such a place"), world.place_text(world.place_of(thing))
    return f"{text} is not {wanted}; it is here: {place}"


# --- places that do not take a piece -------------------------------------------------------------


def _full(world: World, name: str, given: tuple[Any, ...]) -> str:
    piece, zone, *_ = given
    if isinstance(piece, Zone):
        source, target = world.box.zone_text(piece), world.box.zone_text(zone)
        return f"what lies in {source} does not fit into {target}"
    return f"{world.box.piece_text(piece)} cannot go there: {world.box.zone_text(zone)} is full"


def _not_held(world: World, name: str, given: tuple[Any, ...]) -> str:
    match given:
        case place, Kind() as kind:
            return f"{_text(world, place)} has no {world.box.kind_text(kind)}"
        case (Grid() as grid, Piece() as piece) | (Piece() as piece, Placement(Cell() as grid)):
            grid = grid if isinstance(grid, Grid) else Grid(grid.grid, grid.owner)
            return f"{world.box.grid_text(grid)} does not hold a {world.box.cls(piece)}"
        case Zone() as zone, Zone() as to:
            held = world.box.game.zones[to.zone].holds
            cls = next(c for c in map(world.box.cls, world.members(zone)) if c not in held)
            return f"{world.box.zone_text(to)} does not hold a {cls}"
        case piece, to, *_:
            cls = world.box.cls(piece)
            match to:
                case Segment():
                    why = f"a {cls} cannot stand on a segment"
                case Cell():
                    why = f"a {cls} cannot stand on a cell; use `place` to lay it"
                case _:
                    why = f"{world.place_text(to)} does not hold a {cls}"
            return f"{world.box.piece_text(piece)} cannot go there: {why}"
    return ""


def _text(world: World, thing: Value) -> str:
    match thing:
        case Piece():
            return world.box.piece_text(thing)
        case Feature():
            return world.segment_text(thing.segment)
    assert isinstance(thing, Zone | Segment | Space | Cell)
    return world.place_text(thing)


def _no_place(world: World, name: str, given: tuple[Any, ...]) -> str:
    piece, at = given
    why, _ = refusal(world, piece, at) or ("", ())
    return f"{world.box.piece_text(piece)} cannot lie at {world.place_text(at)}: {why}"


def _outside(world: World, name: str, given: tuple[Any, ...]) -> str:
    match given:
        case Piece() as piece, Cell() as cell:
            text = world.box.piece_text(piece)
            return f"{text} cannot go there: {world.box.cell_text(cell)} is outside of the grid"
        case Grid() as grid, x, y:
            cell = Cell(grid.grid, grid.index, y, x)
        case Cell() as start, x, y:
            cell = Cell(start.grid, start.owner, start.y + y, start.x + x)
        case _:
            return ""
    return f"{world.box.cell_text(cell)} is outside of the grid"


def _stood_on(world: World, name: str, given: tuple[Any, ...]) -> str:
    piece = given[0]
    below, first = world.box.piece_text(piece), world.encoding.first_segment
    for index in range(len(world.layout(piece).kinds)):
        for standing in world.at(first + world.number(Segment(piece.index, index))):
            above = world.box.piece_text(standing)
            return f"{below} cannot be taken from its grid: {above} stands on it"
    return f"{below} cannot be taken from its grid: a piece lies over it"


def _no_order(world: World, name: str, given: tuple[Any, ...]) -> str:
    (thing, *rest) = given
    zone = rest[0] if rest else thing if isinstance(thing, Cell) else world.place_of(thing)
    if isinstance(zone, Cell):
        return f"cells of {world.box.grid_text(Grid(zone.grid, zone.owner))} keep no order"
    if not isinstance(zone, Zone):
        return ""
    text = world.box.zone_text(zone)
    if not world.box.keeps_order(zone):
        return f"{text} keeps no order"
    last = sum(piece != given[0] for piece in world.members(zone)) + 1
    return f"{text} has no position {given[2]}: 1..{last}"


# --- others --------------------------------------------------------------------------------------


def _no_limit(world: World, name: str, given: tuple[Any, ...]) -> str:
    match given[0]:
        case Zone() as zone:
            return f"{world.box.zone_text(zone)} has no limit"
        case grid:
            return f"{world.box.grid_text(grid)} has no size"


def _no_home(world: World, name: str, given: tuple[Any, ...]) -> str:
    return f"{world.box.piece_text(given[0])} did not begin in a zone"


def _track_end(world: World, name: str, given: tuple[Any, ...]) -> str:
    start, steps = given
    text = world.box.space_text(start)
    return f"{steps} steps forward from {text} lead past the end of the track"


def _other_track(world: World, name: str, given: tuple[Any, ...]) -> str:
    return f"{world.box.space_text(given[0])} is on another track"


def _face(world: World, name: str, given: tuple[Any, ...]) -> str:
    die, face = given
    assert isinstance(face, Face)
    text = world.box.piece_text(die)
    if face.kind != world.box.piece(die).kind:
        return f"{text} has no face {world.box.face_text(face)}"
    return f"{text} lies on a grid, where its segments stay"


def _joint(world: World, name: str, given: tuple[Any, ...]) -> str:
    a, b = given
    if a == b:
        return f"{world.segment_text(a)} is one segment, not two"
    one, other = (world.layout(Piece(each.piece)).kinds[each.index] for each in (a, b))
    why = "not joined directly" if one == other else "of different kinds"
    return f"{world.segment_text(a)} and {world.segment_text(b)} are {why}"


def _no_space(world: World, name: str, given: tuple[Any, ...]) -> str:
    if name != "rectangle":
        return ""
    cells: tuple[Cell, ...] = given[0]
    for grid in sorted({(cell.grid, cell.owner) for cell in cells}):
        columns = [cell.x for cell in cells if (cell.grid, cell.owner) == grid]
        rows = [cell.y for cell in cells if (cell.grid, cell.owner) == grid]
        size = (max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1)
        if size > MOST_CELLS:
            return f"a rectangle of {size} cells is too large"
    return ""


_REASONS = {
    faults.ABSENT: _absent,
    faults.NOT_LAID: _not_laid,
    faults.NOT_SHOWN: _not_shown,
    faults.HIDDEN: _hidden,
    faults.ELSEWHERE: _elsewhere,
    faults.FULL: _full,
    faults.NOT_HELD: _not_held,
    faults.MISFIT: _no_place,
    faults.OUTSIDE: _outside,
    faults.STOOD_ON: _stood_on,
    faults.NO_ORDER: _no_order,
    faults.NO_LIMIT: _no_limit,
    faults.NO_HOME: _no_home,
    faults.TRACK_END: _track_end,
    faults.OTHER_TRACK: _other_track,
    faults.FACE: _face,
    faults.JOINT: _joint,
    faults.NO_SPACE: _no_space,
}
"""The functions that find the reason of a fault; an empty text stands for the general message."""


# --- placements ----------------------------------------------------------------------------------


class Touch(NamedTuple):
    """A side of a piece that touches another piece.

    `side` counts clockwise from 0 for the first one. `mine` and `theirs` are the full feature kinds
    on the two sides, None for a blank side. `other` is the other piece. With `always`, one of the
    sides agrees with every side.
    """

    side: int
    mine: str | None
    theirs: str | None
    other: Piece
    always: bool

    @property
    def agrees(self) -> bool:
        """True if both sides have the same kind, or one of them agrees with every side."""
        return self.always or self.mine == self.theirs


def refusal(world: World, piece: Piece, at: Placement) -> tuple[str, tuple[Touch, ...]] | None:
    """Return why a piece cannot be placed like that and the sides that disagree, None if it can.

    The sides are empty unless they are the reason.
    """
    if world.call("can_place", piece.index, world.number(at)):
        return None
    layout, corner = world.layout(piece, at.rotation), at.cell
    width, height = layout.size
    cells = [
        Cell(corner.grid, corner.owner, corner.y + y, corner.x + x)
        for y in range(height)
        for x in range(width)
    ]
    below = {cell: other for cell in cells if (other := _lying(world, cell, piece)) is not None}
    touching = tuple(_touching(world, layout, at, piece))
    clash = () if below else tuple(touch for touch in touching if not touch.agrees)
    for cell in cells:
        if not world.box.inside(cell):
            return f"({cell.x}, {cell.y}) is outside of the grid", clash
        if not points_there(world.box.game.grids[cell.grid].cells, cell.x, cell.y, at.rotation):
            up = points_up(cell.x, cell.y)
            return (
                f"({cell.x}, {cell.y}) points {'up' if up else 'down'}, and the piece does not",
                (),
            )
        if cell in below:
            return f"{world.box.piece_text(below[cell])} lies there", ()
        if world.box.game.grids[cell.grid].over:
            ground = world.call("ground", world.number(cell))
            if world.call("lying", ground) in (-1, piece.index):
                return f"nothing lies below ({cell.x}, {cell.y})", ()
    if not touching:
        return "it touches nothing", ()
    every = world.box.game.grids[corner.grid].match == "all"
    return f"{'a side does not match' if every else 'no side matches'} its neighbour", clash


def _lying(world: World, cell: Cell, without: Piece) -> Piece | None:
    """Return the piece that lies on a cell, unless it is the one given."""
    found = world.call("lying", world.number(cell))
    return None if found in (-1, without.index) else Piece(found)


def _uppermost(world: World, cell: Cell, without: Piece) -> Piece | None:
    """Return the uppermost piece on a cell, on a layer or below, unless it is the one given."""
    found, grids = _lying(world, cell, without), world.box.game.grids
    for number, grid in enumerate(grids if found is not None else ()):
        if grid.over == grids[cell.grid].key:
            over = _lying(world, Cell(number, cell.owner, cell.y, cell.x), without)
            found = found if over is None else over
    return found


def _touching(world: World, layout: TurnedOutline, at: Placement, piece: Piece) -> Iterator[Touch]:
    """Yield every side of a piece placed like that which touches another piece."""
    game, corner = world.box.game, at.cell
    form = game.grids[corner.grid].cells
    directions = steps(game.cells, form)
    for (x, y, side), mine in layout.sides.items():
        if not has_side(form, corner.x + x, corner.y + y, side):
            continue
        east, south = directions[side]
        cell = Cell(corner.grid, corner.owner, corner.y + y + south, corner.x + x + east)
        other = _uppermost(world, cell, piece)
        there = world.place_of(other) if other is not None else None
        if other is None or not isinstance(there, Placement):
            continue
        shown = world.layout(other, there.rotation)
        theirs = (
            cell.x - there.cell.x,
            cell.y - there.cell.y,
            (side + len(directions) // 2) % len(directions),
        )
        # Where the two overlap, it is a side inside of the other piece.
        if theirs in shown.sides:
            always = (x, y, side) in layout.agreeing or theirs in shown.agreeing
            yield Touch(side, mine, shown.sides[theirs], other, always)
