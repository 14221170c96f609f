"""A world in words: all of it, or as one player sees it. Lines in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from rulesdsl.model.values import Face, Piece, Placement, Zone
from rulesdsl.run.reference.chance import shows
from rulesdsl.run.reference.world import Joint, World

Shown = Callable[[Piece], bool]


def canonical_lines(world: World) -> list[str]:
    """Everything there is to know: grids, what stands on something, zones, what is nowhere, faces
    of dice, joints made and parted by rules, and who knows what.

    Two worlds of one game have the same lines exactly if they are the same, but for which hidden
    pieces `sample` would exchange.
    """
    return [*_scene(world, lambda _: True), *_knowledge(world)]


def view_lines(world: World, seat: int) -> list[str]:
    """The same as a player sees it: pieces it does not know are only counted, or `hidden` at their
    place, and nothing is said about what others know."""
    return list(_scene(world, lambda piece: shows(world, seat, piece)))


def _scene(world: World, shown: Shown) -> Iterator[str]:
    box = world.box
    laid = [(at, p) for p, at in world.laid().items()]
    for at, piece in sorted(laid):
        yield f"{world.place_text(at)}: {_text(world, piece, shown)}"
    for piece, where in world.places.items():
        if not isinstance(where, Zone | Placement | None):
            yield f"{world.place_text(where)}: {_text(world, piece, shown)}"
    for zone, inside in world.zones.items():
        if inside:
            yield f"{box.zone_text(zone)}: {', '.join(_contents(world, zone, shown))}"
    nowhere = world.standing(None)
    if nowhere:
        yield f"nowhere: {_list(world, nowhere)}"
    for die, face in world.faces.items():
        if shown(die):
            text = box.face_text(Face(box.piece(die).kind, face))
            yield f"face: {box.piece_text(die)} {text}"
    yield from _joints(world, "linked", world.links)
    yield from _joints(world, "parted", world.unlinks)


def _text(world: World, piece: Piece, shown: Shown) -> str:
    return world.box.piece_text(piece) if shown(piece) else f"hidden {world.box.cls(piece)}"


def _contents(world: World, zone: Zone, shown: Shown) -> list[str]:
    """What is in a zone; hidden pieces in their places where it keeps order, else counted."""
    inside = world.members(zone)
    if world.box.keeps_order(zone):
        return [_text(world, piece, shown) for piece in inside]
    hidden = Counter(world.box.cls(piece) for piece in inside if not shown(piece))
    seen = [world.box.piece_text(piece) for piece in inside if shown(piece)]
    return seen + [f"{count} hidden {cls}" for cls, count in sorted(hidden.items())]


def _joints(world: World, word: str, joints: Iterable[Joint]) -> Iterator[str]:
    for a, b in sorted(joints):
        yield f"{word}: {world.segment_text(a)} and {world.segment_text(b)}"


def _knowledge(world: World) -> Iterator[str]:
    """Who knows which pieces that not all know; which lie face down; which are shuffled."""
    groups: dict[tuple[int, ...], list[Piece]] = {}
    for piece, knowing in world.known.items():
        if knowing != world.box.seats:
            groups.setdefault(tuple(sorted(knowing)), []).append(piece)
    for seats, pieces in sorted(groups.items()):
        who = " and ".join(world.box.player_text(seat) for seat in seats) or "nobody"
        yield f"known to {who}: {_list(world, pieces)}"
    for word, marked in (("face down", world.face_down), ("shuffled", world.shuffled)):
        if marked:
            yield f"{word}: {_list(world, sorted(marked))}"


def _list(world: World, pieces: Sequence[Piece]) -> str:
    return ", ".join(world.box.piece_text(piece) for piece in pieces)
