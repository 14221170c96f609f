"""The outcomes of draws from zones, and samples of hidden information."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rulesdsl.engines.reference.world import BuiltinFault, Place, World
from rulesdsl.engines.rng import Rng
from rulesdsl.model.values import Cell, Piece, Placement, Segment, Space, Zone

Key = Callable[[Piece], object]
"""A function that distinguishes copies of a piece by home, state and references to them."""


def hides(world: World, zone: Zone) -> bool:
    """Return whether the order of a zone is hidden, so that its pieces may only be counted."""
    inside = world.members(zone)
    return world.box.game.zones[zone.zone].visible == "none" or any(
        piece in world.shuffled for piece in inside
    )


def take_groups(world: World, zone: Zone, key: Key) -> list[tuple[Piece, ...]]:
    """Return the groups of interchangeable pieces that can be taken from a zone.

    They are in canonical order, and all pieces are equally likely. From a zone that is `visible:
    none` or has no order, any piece can be taken; from an ordered one the last, or any shuffled one
    if the last was shuffled. Raises Fault if the zone is empty.
    """
    inside = world.members(zone)
    if not inside:
        raise BuiltinFault(f"{world.box.zone_text(zone)} is empty")
    pool = inside
    if world.box.keeps_order(zone):
        shuffled = tuple(p for p in inside if p in world.shuffled)
        pool = shuffled if inside[-1] in shuffled else inside[-1:]
    groups: dict[object, list[Piece]] = {}
    for piece in sorted(pool):
        definition = world.box.piece(piece)
        alike = (definition.kind, definition.seat, world.faces.get(piece), key(piece))
        groups.setdefault(alike, []).append(piece)
    return [tuple(group) for group in groups.values()]


def take_outcomes(world: World, zone: Zone, key: Key) -> list[tuple[Piece, int]]:
    """Return the pieces that can be taken from a zone, with their weights.

    The lowest of several interchangeable pieces represents them. Raises Fault if the zone is empty.
    """
    return [(group[0], len(group)) for group in take_groups(world, zone, key)]


def take(world: World, zone: Zone, piece: Piece, key: Key) -> None:
    """Take one of the `take_outcomes` out of its zone; it has no place until it is moved.

    Nobody can tell which of the interchangeable pieces it was: afterwards each is known to those
    who knew them all. In an ordered zone the last place becomes free.
    """
    group = next((g for g in take_groups(world, zone, key) if g[0] == piece), None)
    if group is None:
        text = world.box.piece_text(piece)
        raise BuiltinFault(f"{text} cannot be taken from {world.box.zone_text(zone)} now")
    if len(group) > 1:
        known = frozenset.intersection(*(world.known[p] for p in group))
        world.mix(group, known)
    if world.box.keeps_order(zone):
        *others, last = world.members(zone)
        world.arrange(zone, [*(last if p == piece else p for p in others), piece])
    world.put(piece, None)


def sample(world: World, seat: int, rng: Rng) -> tuple[World, dict[Piece, Piece]]:
    """Return a world that looks the same to `seat`, and the mapping of exchanged pieces.

    Information hidden from `seat` is drawn at random. Worlds that look the same give the same
    samples. The mapping gives the piece that replaces each exchanged one.

    Hidden pieces of one class and owner that were mixed with each other exchange places.
    Orientation and the players who know a piece go with the place. Pieces with segments on a grid
    are visible and stay.
    """
    copy = world.clone()
    becomes: dict[Piece, Piece] = {}
    spots = _spots(world)
    for group in _hidden(world, seat):
        # Sorted by place, so that the hidden arrangement does not influence the result.
        by_place = sorted(group, key=spots)
        becomes.update(zip(by_place, rng.shuffled(group), strict=True))
    copy.exchange(becomes)
    return copy, becomes


def differs(world: World, seat: int) -> bool:
    """Return whether samples for a player can differ from each other."""
    spots = _spots(world)
    return any(len(set(map(spots, group))) > 1 for group in _hidden(world, seat))


def _hidden(world: World, seat: int) -> Iterable[list[Piece]]:
    """Return groups of pieces that a player cannot tell apart."""
    groups: dict[object, list[Piece]] = {}
    for piece in world.box.pieces:
        if not shows(world, seat, piece) and not isinstance(world.places[piece], Placement):
            alike = (world.pools[piece], world.box.cls(piece), world.box.piece(piece).seat)
            groups.setdefault(alike, []).append(piece)
    return groups.values()


def _spots(world: World) -> Callable[[Piece], tuple[int, ...]]:
    """Return a function that gives the spot of a piece.

    A spot is the place of a piece and everything that depends on it, without the identity of the
    piece. Spots have the same order as their numbers in the tables of compiled engines.
    """
    order = {
        piece: at
        for zone in world.zones
        if world.box.keeps_order(zone)
        for at, piece in enumerate(world.members(zone))
        if piece not in world.shuffled
    }

    def spot(piece: Piece) -> tuple[int, ...]:
        knowing = sum(1 << seat for seat in world.known[piece])
        lies = (piece in world.face_down, piece in world.shuffled)
        return (*_number(world.places[piece]), order.get(piece, 0), knowing, *map(int, lies))

    return spot


def _number(place: Place) -> tuple[int, int, int, int, int]:
    """Return a place as numbers that sort in canonical order."""
    match place:
        case Cell(grid, owner, y, x):
            return 0, grid, owner, y, x
        case Zone(zone, index):
            return 1, zone, index, 0, 0
        case Space(track, index):
            return 2, track, index, 0, 0
        case Segment(piece, index):
            return 3, piece, index, 0, 0
        case _:
            raise AssertionError("what is nowhere, or laid, is not exchanged")


def shows(world: World, seat: int, piece: Piece) -> bool:
    """Return whether a player knows a piece.

    All players see a piece that was just taken and has no place yet.
    """
    return seat in world.known[piece] or world.places[piece] is None
