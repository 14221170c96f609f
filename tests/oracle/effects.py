"""The built-in effects on the world, after chance is resolved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulesdsl.engine.run.words.box import Absent as BuiltinFault
from rulesdsl.language.model.types import INT_MAX
from rulesdsl.language.model.values import (
    Cell,
    Face,
    Grid,
    Piece,
    Placement,
    Player,
    Segment,
    Space,
    Zone,
)
from tests.oracle import board
from tests.oracle.board import check_placement
from tests.oracle.world import World, joint

STANDING = frozenset({"figure", "token"})
"""The classes that stand on segments and cells; pieces of other classes are laid with `place`."""


def place(world: World, piece: Piece, at: Placement) -> None:
    """Lay a piece on a grid; a piece with segments always lies face up."""
    check_placement(world, piece, at)
    _lift(world, piece)
    if world.layout(piece).ports:
        world.turn_face_up(piece)
    old = world.place(piece)
    world.put(piece, at)
    world.uncover(old)


def move(
    world: World, piece: Piece, to: Zone | Segment | Space | Cell, position: int | None = None
) -> None:
    """Move a component to a zone, a segment of a laid piece, a space or a cell.

    In an ordered zone it comes last, or to a position from 1.
    """
    world.check(piece)
    why = refusal(world, piece, to)
    if why is not None:
        raise BuiltinFault(f"{world.box.piece_text(piece)} cannot go there: {why}")
    inside = world.zones.get(to, ()) if isinstance(to, Zone) else ()
    others = [each for each in inside if each != piece]
    if position is not None and isinstance(to, Zone):
        if not world.box.keeps_order(to):
            raise BuiltinFault(f"{world.box.zone_text(to)} keeps no order")
        if not 1 <= position <= len(others) + 1:
            last = len(others) + 1
            raise BuiltinFault(f"{world.box.zone_text(to)} has no position {position}: 1..{last}")
    _lift(world, piece)
    old = world.place(piece)
    world.put(piece, to)
    if position is not None and isinstance(to, Zone):
        world.arrange(to, [*others[: position - 1], piece, *others[position - 1 :]])
    world.uncover(old)
    world.uncover(to)


def move_all(world: World, zone: Zone, to: Zone) -> None:
    """Move all components of a zone to another one, in their order.

    An order that was unknown stays unknown where somebody could read something from it.
    """
    pieces, room = world.members(zone), limit(world, to)
    if zone == to:
        return
    if room is not None and len(pieces) + len(world.members(to)) > room:
        raise BuiltinFault(f"{world.box.zone_text(to)} is full")
    for piece in pieces:
        why = refusal(world, piece, to)
        if why is not None:
            raise BuiltinFault(f"{world.box.piece_text(piece)} cannot go there: {why}")
    everybody = frozenset(world.box.seats)
    loose = not world.box.keeps_order(zone)
    if loose and world.box.keeps_order(to):
        rest = [piece for piece in pieces if world.known[piece] != everybody]
        pieces = (*(piece for piece in pieces if piece not in rest), *rest)
        if rest:
            world.mix(rest, frozenset.intersection(*(world.known[piece] for piece in rest)))
    for piece in pieces:
        mixed = loose or piece in world.shuffled
        world.put(piece, to)
        if mixed and world.box.keeps_order(to) and world.known[piece] != everybody:
            world.shuffled |= {piece}
    world.arrange(to, world.members(to))
    world.uncover(to)


def refusal(world: World, piece: Piece, to: Zone | Segment | Space | Cell) -> str | None:
    """Return the reason why a piece cannot move to a place, None if it can."""
    box, cls = world.box, world.box.cls(piece)
    match to:
        case Zone():
            inside = [p for p in world.members(to) if p != piece]
            room = limit(world, to)
            if cls not in box.game.zones[to.zone].holds:
                return f"{box.zone_text(to)} does not hold a {cls}"
            if room is not None and len(inside) >= room:
                return f"{box.zone_text(to)} is full"
        case Space():
            if cls not in box.game.tracks[to.track].holds:
                return f"{box.space_text(to)} does not hold a {cls}"
        case Segment():
            board.lies(world, board.owner(world, to))
            if cls not in STANDING:
                return f"a {cls} cannot stand on a segment"
        case Cell():
            if Grid(to.grid, to.owner) not in box or not box.inside(to):
                return f"{box.cell_text(to)} is outside of the grid"
            if cls not in STANDING:
                return f"a {cls} cannot stand on a cell; use `place` to lay it"
    return None


def limit(world: World, zone: Zone) -> int | None:
    """Return the capacity of a zone, None if it is unlimited."""
    room = world.box.game.zones[zone.zone].room
    return None if room is None or room[zone.index] == INT_MAX else room[zone.index]


def _lift(world: World, piece: Piece) -> None:
    """Prepare to remove a piece: nothing may stand on it, and its links are dropped."""
    if not isinstance(world.places[piece], Placement):
        return
    for segment in board.segments(world, piece):
        for standing in world.standing(segment):
            above, below = world.box.piece_text(standing), world.box.piece_text(piece)
            raise BuiltinFault(f"{below} cannot be taken from its grid: {above} stands on it")
    kept = [
        {pair for pair in pairs if piece.index not in (pair[0].piece, pair[1].piece)}
        for pairs in (world.links, world.unlinks)
    ]
    world.join(*kept)


def shuffle(world: World, zone: Zone) -> None:
    """Shuffle a zone: the order and identity of its pieces become unknown."""
    world.shuffle(zone)


def reveal(world: World, piece: Piece, to: Player | None = None) -> None:
    """Show a component to all players or to one, from now on and wherever it lies."""
    world.check(piece)
    if to is None:
        world.turn_face_up(piece)
    elif to.seat not in world.box.seats:
        raise BuiltinFault(f"{world.box.player_text(to.seat)} does not play")
    else:
        world.show(piece, to.seat)


def conceal(world: World, piece: Piece) -> None:
    """Turn a component face down: only players who know it already still do."""
    world.check(piece)
    if isinstance(world.places[piece], Placement) and world.layout(piece).ports:
        raise BuiltinFault(f"{world.box.piece_text(piece)} lies on a grid with its segments up")
    world.turn_face_down(piece)


def turn_to(world: World, die: Piece, face: Face) -> None:
    """Turn a die to this face; on a grid only if both faces have the same outline."""
    world.check(die)
    definition = world.box.piece(die)
    if face.kind != definition.kind:
        text = world.box.face_text(face)
        raise BuiltinFault(f"{world.box.piece_text(die)} has no face {text}")
    faces = world.box.kind(die).faces
    same = faces[face.index].outline == faces[world.faces[die]].outline
    if isinstance(world.places[die], Placement) and not same:
        raise BuiltinFault(f"{world.box.piece_text(die)} lies on a grid, where its segments stay")
    world.turn(die, face.index)


def link(world: World, a: Segment, b: Segment) -> None:
    """Join two segments of one kind until they are unlinked or taken from their grid."""
    pair = _joint(world, a, b)
    if pair in world.unlinks:
        world.join(world.links, world.unlinks - {pair})
    elif b not in board.joined(world, a):
        world.join(world.links | {pair}, world.unlinks)


def unlink(world: World, a: Segment, b: Segment) -> None:
    """Separate two segments that are joined directly."""
    pair = _joint(world, a, b)
    if b not in board.joined(world, a):
        raise BuiltinFault(
            f"{world.segment_text(a)} and {world.segment_text(b)} are not joined directly"
        )
    touching = b in board.contacts(world, a, board.lies(world, Piece(a.piece)))
    world.join(world.links - {pair}, world.unlinks | ({pair} if touching else set()))


def _joint(world: World, a: Segment, b: Segment) -> tuple[Segment, Segment]:
    """Return the pair of two segments that may be joined; raises Fault for others."""
    for segment in (a, b):
        board.lies(world, board.owner(world, segment))
    if a == b:
        raise BuiltinFault(f"{world.segment_text(a)} is one segment, not two")
    if board.kind(world, a) != board.kind(world, b):
        raise BuiltinFault(
            f"{world.segment_text(a)} and {world.segment_text(b)} are of different kinds"
        )
    return joint(a, b)


EFFECTS: dict[str, Callable[..., None]] = {
    "place": place,
    "move": move,
    "move_all": move_all,
    "shuffle": shuffle,
    "reveal": reveal,
    "conceal": conceal,
    "turn_to": turn_to,
    "link": link,
    "unlink": unlink,
}
"""The effects by name, each called with the world and its arguments.

`take` and `roll` are in `chance`; `end_game` does not change the world.
"""


def perform(world: World, name: str, arguments: tuple[Any, ...]) -> None:
    """Run effect `name` of `EFFECTS`; raises Fault, and changes nothing then."""
    EFFECTS[name](world, *arguments)
