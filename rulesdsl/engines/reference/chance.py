"""What may come out of a zone, and what a player who does not see everything may believe."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rulesdsl.engines.reference.fault import Fault
from rulesdsl.engines.reference.world import Place, World
from rulesdsl.engines.rng import Rng
from rulesdsl.model.values import Cell, Piece, Placement, Segment, Space, Zone

Key = Callable[[Piece], object]
"""What else makes a piece differ from its copies: its home, its state, and whether anything refers
to it."""


def hides(world: World, zone: Zone) -> bool:
    """Is it open which of its pieces lies where, so that rules may only count them?"""
    inside = world.members(zone)
    return world.box.game.zones[zone.zone].visible == "none" or any(
        piece in world.shuffled for piece in inside
    )


def take_groups(world: World, zone: Zone, key: Key) -> list[tuple[Piece, ...]]:
    """The pieces that may come next out of a zone, equally likely, interchangeable ones together,
    in canonical order.

    From a zone that is `visible: none`, or without order: all its pieces. From an ordered one: its
    last, or if that was shuffled any shuffled one. Raises Fault if the zone is empty.
    """
    inside = world.members(zone)
    if not inside:
        raise Fault(f"{world.box.zone_text(zone)} is empty")
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
    """Return the pieces that may come next out of a zone with their weights.

    The lowest of several interchangeable ones stands for them. Raises Fault if the zone is empty.
    """
    return [(group[0], len(group)) for group in take_groups(world, zone, key)]


def take(world: World, zone: Zone, piece: Piece, key: Key) -> None:
    """Take one of the `take_outcomes` out of its zone; it is nowhere until it is moved.

    Nobody can tell which of the interchangeable ones it was: each is known afterwards to those who
    knew them all. Where order matters it is the last place that becomes free.
    """
    group = next((g for g in take_groups(world, zone, key) if g[0] == piece), None)
    if group is None:
        text = world.box.piece_text(piece)
        raise Fault(f"{text} cannot be taken from {world.box.zone_text(zone)} now")
    if len(group) > 1:
        known = frozenset.intersection(*(world.known[p] for p in group))
        world.mix(group, known)
    if world.box.keeps_order(zone):
        *others, last = world.members(zone)
        world.arrange(zone, [*(last if p == piece else p for p in others), piece])
    world.put(piece, None)


def sample(world: World, seat: int, rng: Rng) -> tuple[World, dict[Piece, Piece]]:
    """Return a world that looks the same to `seat`, with what it cannot know drawn at random.

    And the piece that stands now for each exchanged one. Worlds that look the same give the same.

    Hidden pieces of one class and owner that were mixed with each other change places: with the
    place go who knows it and how it lies. Pieces with segments on a grid lie open and stay.
    """
    copy = world.clone()
    becomes: dict[Piece, Piece] = {}
    spots = _spots(world)
    for group in _hidden(world, seat):
        # By place, so that what lies where has no part in it.
        by_place = sorted(group, key=spots)
        becomes.update(zip(by_place, rng.shuffled(group), strict=True))
    copy.exchange(becomes)
    return copy, becomes


def differs(world: World, seat: int) -> bool:
    """Can samples for a player differ from each other?"""
    spots = _spots(world)
    return any(len(set(map(spots, group))) > 1 for group in _hidden(world, seat))


def _hidden(world: World, seat: int) -> Iterable[list[Piece]]:
    """Return the pieces that may change places, for all that a player knows."""
    groups: dict[object, list[Piece]] = {}
    for piece in world.box.pieces:
        if not shows(world, seat, piece) and not isinstance(world.places[piece], Placement):
            alike = (world.pools[piece], world.box.cls(piece), world.box.piece(piece).seat)
            groups.setdefault(alike, []).append(piece)
    return groups.values()


def _spots(world: World) -> Callable[[Piece], tuple[int, ...]]:
    """Tells where a piece lies, and what goes with the place, but not which piece it is: the same
    order as that of numbers in the tables of compiled engines."""
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
    """Return the numbers of a place, in the order of places."""
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
    """Does a player know what a piece is?

    All see what was just taken and lies nowhere yet.
    """
    return seat in world.known[piece] or world.places[piece] is None
