"""What lies where in a position, named as scenarios name it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rulesdsl.geometry.ring import turned
from rulesdsl.model.values import Cell, Piece, Segment, Value, Zone
from rulesdsl.play.game import State
from rulesdsl.play.things import pieces, zones
from rulesdsl.run.engine import Laid
from rulesdsl.run.reference.position import ReferencePosition


def zone_contents(state: State) -> dict[str, list[str]]:
    """The names of what is in each zone, by the name of the zone; in order if it keeps one."""
    names, position = state.names, readable(state)
    return {
        str(names.short(zone)): [str(names.short(piece)) for piece in inside(position, zone)]
        for zone in zones(state)
    }


def inside(position: ReferencePosition, zone: Zone) -> tuple[Piece, ...]:
    """What is in a zone, in its order if it keeps one."""
    return position.runtime.world.zones[zone]


def readable(state: State) -> ReferencePosition:
    """The position for the reference engine, to be looked at only."""
    position = state.position
    found = position if isinstance(position, ReferencePosition) else position.readable()
    assert isinstance(found, ReferencePosition), "the reference engine plays it"
    return found


def board_entries(state: State) -> dict[Laid, dict[str, object]]:
    """What lies on the grids and stands there, as scenes say it: from the middle outwards, each
    piece beside one before it where that can be."""
    names = state.names
    grids = {names.grid(item.cell.grid, item.cell.owner) for item in state.position.laid()}
    several = len(grids) > 1 or len(state.game.checked.game.grids) > 1
    places = places_of(state)
    entries = dict[Laid, dict[str, object]]()
    for item in _touching(state):
        entry: dict[str, object] = {"piece": str(names.short(item.piece))}
        entry["at"] = [item.cell.x, item.cell.y]
        if item.rotation:
            entry["rotation"] = 90 * item.rotation
        if several or any(grid.per for grid in state.game.checked.game.grids):
            entry["grid"] = names.grid(item.cell.grid, item.cell.owner)
        stands: dict[str, list[str]] = {}
        for piece, place in places.items():
            if isinstance(place, Segment) and place.piece == item.piece.index:
                stands.setdefault(names.segment(place), []).append(str(names.short(piece)))
        if stands:
            entry["stands"] = {k: v[0] if len(v) == 1 else v for k, v in stands.items()}
        entries[item] = entry
    return entries


def places_of(state: State) -> dict[Piece, Value]:
    """Where every component in play is."""
    return {piece: state.position.place_of(piece) for piece in pieces(state)}


def _touching(state: State) -> Iterator[Laid]:
    laid = sorted(state.position.laid(), key=lambda item: abs(item.cell.x) + abs(item.cell.y))
    left = {item: _cells(state, item) for item in laid}
    around: set[Cell] = set()
    while left:
        item = next((each for each, cells in left.items() if cells & around), next(iter(left)))
        for cell in left.pop(item):
            around.update(_beside(cell))
        yield item


def _cells(state: State, item: Laid) -> set[Cell]:
    """The cells that a piece takes."""
    outline = state.names.outline(item.piece)
    width, height = turned(outline.size, item.rotation) if outline else (1, 1)
    corner = item.cell
    return {
        replace(corner, x=corner.x + x, y=corner.y + y) for x in range(width) for y in range(height)
    }


def _beside(cell: Cell) -> Iterator[Cell]:
    for x, y in ((0, -1), (1, 0), (0, 1), (-1, 0)):
        yield replace(cell, x=cell.x + x, y=cell.y + y)
