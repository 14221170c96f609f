"""The outcomes of draws from zones, and samples of hidden information."""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl.engine.run.words.box import Absent as BuiltinFault
from rulesdsl.language.model.values import Piece, Zone
from tests.oracle.world import World

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
        alike = (
            definition.kind,
            definition.seat,
            definition.start,
            world.faces.get(piece),
            key(piece),
        )
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
    world.uncover(zone)
