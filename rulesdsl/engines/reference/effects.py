"""Effects on the world: the built-in ones, draws from zones, and samples of hidden information."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from rulesdsl.engines import samples
from rulesdsl.engines.reference.board import BuiltinFault
from rulesdsl.engines.reference.explain import explain
from rulesdsl.engines.reference.world import Place, World
from rulesdsl.engines.rng import Rng
from rulesdsl.model.values import Cell, Piece, Segment, Space, Zone
from rulesdsl.runtime.faults import Fault
from rulesdsl.runtime.tables import NOWHERE, ON_CELL


def _move(world: World, piece: Any, to: Any, position: int | None = None) -> None:
    where = world.number(to)
    match to:
        case Cell():
            world.call("move_to", piece.index, ON_CELL, where)
        case Space():
            world.call("move_to", piece.index, world.encoding.zone_first[-1] + where, -1)
        case Segment():
            world.call("move_to", piece.index, world.encoding.first_segment + where, -1)
        case _ if position is None:
            world.call("move_to", piece.index, where, -1)
        case _:
            world.call("move_into", piece.index, where, position)


def _reveal(world: World, piece: Any, *given: Any) -> None:
    match given:
        case (int(answers), *to):
            world.call("tell_answers", piece.index, answers, to[0].seat if to else -1)
        case (player,):
            world.call("reveal_to", piece.index, player.seat)
        case _:
            world.call("reveal", piece.index)


def _direct(function: str) -> Callable[..., None]:
    """Return the effect that is one call of a function of the runtime."""

    def run(world: World, *given: Any) -> None:
        world.call(function, *map(world.number, given))

    return run


EFFECTS: dict[str, Callable[..., None]] = {
    "place": _direct("place_piece"),
    "move": _move,
    "move_all": _direct("move_all"),
    "shuffle": _direct("shuffle_zone"),
    "reveal": _reveal,
    "conceal": _direct("conceal"),
    "turn_to": _direct("turn_to"),
    "link": _direct("link"),
    "unlink": _direct("unlink"),
}
"""The effects by name, each called with the world and its arguments.

`take` and `roll` are below; `end_game` does not change the world.
"""


def perform(world: World, name: str, arguments: tuple[Any, ...]) -> None:
    """Run effect `name` of `EFFECTS`; raises BuiltinFault, and changes nothing then."""
    try:
        EFFECTS[name](world, *arguments)
    except Fault as fault:
        raise explain(world, name, arguments, fault) from None


# --- draws and samples ---------------------------------------------------------------------------

_INDEX = attrgetter("index")

Key = Callable[[Piece], object]
"""A function that distinguishes pieces of one kind, owner and home by state and references."""


def take_groups(world: World, zone: Zone, key: Key) -> list[tuple[Piece, ...]]:
    """Return the groups of interchangeable pieces that can be taken from a zone.

    They are in canonical order, and all pieces are equally likely. From a zone that is `visible:
    none` or has no order, any piece can be taken; from an ordered one the last, or any shuffled one
    if the last was shuffled. Raises BuiltinFault if the zone is empty.
    """
    inside = world.members(zone)
    if not inside:
        raise BuiltinFault(f"{world.box.zone_text(zone)} is empty")
    pool = inside
    if world.box.keeps_order(zone):
        last_is_shuffled = world.is_shuffled(inside[-1])
        pool = tuple(filter(world.is_shuffled, inside)) if last_is_shuffled else inside[-1:]
    like, faces = world.board.const["piece_like"], world.state["face"]
    groups: dict[object, list[Piece]] = {}
    for piece in sorted(pool, key=_INDEX):
        alike = (like[piece.index], faces[piece.index], key(piece))
        groups.setdefault(alike, []).append(piece)
    return [tuple(group) for group in groups.values()]


def take_outcomes(world: World, zone: Zone, key: Key) -> list[tuple[Piece, int]]:
    """Return the pieces that can be taken from a zone, with their weights.

    The lowest of several interchangeable pieces represents them. Raises BuiltinFault if the zone is
    empty.
    """
    return [(group[0], len(group)) for group in take_groups(world, zone, key)]


def take(world: World, zone: Zone, piece: Piece, key: Key) -> None:
    """Take one of the `take_outcomes` out of its zone; it has no place until it is moved.

    Nobody can tell which of the interchangeable pieces it was: afterwards each is known to those
    who knew them all.
    """
    group = next((g for g in take_groups(world, zone, key) if g[0] == piece), None)
    if group is None:
        text = world.box.piece_text(piece)
        raise BuiltinFault(f"{text} cannot be taken from {world.box.zone_text(zone)} now")
    if len(group) > 1:
        known = -1
        for each in group:
            known &= world.state["known"][each.index]
        world.call("mix", [each.index for each in group], known)
    world.call("put", piece.index, NOWHERE, -1)
    world.call("show_top", world.number(zone))


def uncovered(world: World, was: Sequence[int], *places: Place) -> Iterator[Piece]:
    """Yield the last pieces of zones `visible: top` among places that somebody learned by that.

    `was` is the table `known` from before.
    """
    for at in dict.fromkeys(places):
        if isinstance(at, Zone) and world.box.game.zones[at.zone].visible == "top":
            for top in world.members(at)[-1:]:
                if world.state["known"][top.index] != was[top.index]:
                    yield top


def sample(world: World, seat: int, rng: Rng) -> tuple[World, dict[Piece, Piece]]:
    """Return a world that looks the same to `seat`, and the mapping of exchanged pieces.

    Information hidden from `seat` is drawn at random. Worlds that look the same give the same
    samples. The mapping gives the piece that replaces each exchanged one.
    """
    copy = world.clone()
    becomes = samples.draw(copy.tables(), seat, rng)
    if samples.exchange(copy.tables(), becomes, rng):
        copy.call("rebuild")
    return copy, {Piece(old): Piece(new) for old, new in becomes.items()}


def differs(world: World, seat: int) -> bool:
    """Return whether samples for a player can differ from each other."""
    return samples.differs(world.tables(), seat)


def shows(world: World, seat: int, piece: Piece) -> bool:
    """Return whether a player knows a piece.

    All players see a piece that was just taken and has no place yet.
    """
    tables = world.state
    return bool(tables["known"][piece.index] >> seat & 1) or tables["place"][piece.index] == NOWHERE
