"""What holds in every position of every game: each component is somewhere, and there once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.runtime.tables import LAID, NOWHERE, ON_CELL


def losses(position: LoweredPosition) -> list[str]:
    """What is wrong with where the components are, read from the tables of the game.

    Each that is played lies in one place that lists it; no more lie anywhere than there is room
    for; and only what has been drawn, in a game that goes on, is nowhere."""
    return [*_lists(position), *_pieces(position), *_grids(position), *_rooms(position)]


def _listed(position: LoweredPosition, place: int) -> Iterator[int]:
    """The pieces that a place says it has, at most all there are."""
    tables = position.tables
    piece = tables["head"][place]
    for _ in tables["place"]:
        if piece < 0:
            return
        yield piece
        piece = tables["piece_next"][piece]


def _lists(position: LoweredPosition) -> Iterator[str]:
    """Every place lists what is there, and counts it."""
    tables = position.tables
    there = Counter(place for place in tables["place"] if place >= 0)
    for place, amount in enumerate(tables["amount"]):
        if amount != there[place]:
            yield f"place {place} counts {amount} and has {there[place]}"
        if amount or tables["head"][place] >= 0:
            listed = list(_listed(position, place))
            if len(listed) != amount or any(tables["place"][piece] != place for piece in listed):
                yield f"place {place} of {amount} lists {listed}"


def _pieces(position: LoweredPosition) -> Iterator[str]:
    """What is played is somewhere, what is not is nowhere, and what stands on a segment stands on a
    piece that lies on a grid."""
    tables = position.tables
    segments = tables["ZONES"][0] + tables["SPACES"][0]
    goes_on = tables["waiting"][0] != 0
    for piece, place in enumerate(tables["place"]):
        played = tables["piece_in"][piece] == 1
        if place == NOWHERE and played and not goes_on:
            yield f"piece {piece} is lost"
        if place != NOWHERE and not played:
            yield f"piece {piece} is nobody's"
        if (place in (LAID, ON_CELL)) != (tables["spot"][piece] >= 0):
            yield f"piece {piece} at {place} lies at {tables['spot'][piece]}"
        if place >= segments:
            under = tables["segment_piece"][place - segments]
            if tables["place"][under] != LAID:
                yield f"piece {piece} stands on {under}, which does not lie on a grid"


def _grids(position: LoweredPosition) -> Iterator[str]:
    """What is laid covers as many cells as it is large, and nothing else covers any."""
    tables = position.tables
    slots = tables["slot_piece"][: tables["cell_slots"][0]]
    covered = Counter(piece for piece in slots if piece >= 0)
    for piece, place in enumerate(tables["place"]):
        size = 0
        if place == LAID:
            shape = tables["piece_shape"][piece] + 4 * tables["face"][piece]
            size = tables["shape_width"][shape] * tables["shape_height"][shape]
        if covered[piece] != size:
            yield f"piece {piece} of {size} cells covers {covered[piece]}"
    if sum(tables["grid_pieces"]) != tables["place"][:].count(LAID):
        yield "grids count other pieces than those that are laid"


def _rooms(position: LoweredPosition) -> Iterator[str]:
    """Zones hold no more than they have room for, and only what they may hold."""
    tables = position.tables
    for zone in range(tables["ZONES"][0]):
        if tables["amount"][zone] > tables["zone_room"][zone]:
            yield f"zone {zone} holds {tables['amount'][zone]} of {tables['zone_room'][zone]}"
        for piece in _listed(position, zone):
            if not tables["zone_holds"][zone] >> tables["piece_class"][piece] & 1:
                yield f"zone {zone} holds piece {piece}"
