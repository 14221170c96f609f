"""Positions and worlds in words: all there is to know, or as one player sees it.

Lines in a fixed order, the same from every engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from rulesdsl.engines.reference.chance import shows
from rulesdsl.engines.reference.runtime import Runtime
from rulesdsl.engines.reference.texts import Shown, everything, text, texts
from rulesdsl.engines.reference.world import Joint, World
from rulesdsl.model.values import Face, Piece, Placement, Zone


def canonical(runtime: Runtime) -> str:
    """All there is to know of a position: what is waited for or who has won, scores, states that
    are not as in the beginning, the world, running actions with their arguments (outermost first),
    calls that wait, the generator's words."""
    words = runtime.generator.state if runtime.generator else ()
    lines = [
        *_position(runtime, everything, canonical_lines(runtime.world)),
        f"generator: {' '.join(f'{word:08x}' for word in words) or 'none'}",
    ]
    return "\n".join(lines) + "\n"


def view(runtime: Runtime, seat: int) -> str:
    """The same as one player sees it: without the generator, and with pieces it does not know
    called hidden."""
    world = runtime.world

    def shown(piece: Piece) -> bool:
        return shows(world, seat, piece)

    return "\n".join(_position(runtime, shown, view_lines(world, seat))) + "\n"


def _position(runtime: Runtime, shown: Shown, world_lines: list[str]) -> list[str]:
    world = runtime.world
    lines = [_waiting(runtime, shown)]
    lines.append("scores: " + " ".join(str(score) for score in runtime.scores))
    for (state, owner, index), value in runtime.sorted_states():
        of = "" if owner is None else f" of {text(world, owner, shown)}"
        at = f"[{texts(world, index, shown)}]" if index else ""
        lines.append(f"state {state}{at}{of}: {text(world, value, shown)}")
    lines += world_lines
    for key, arguments in reversed(runtime.running()):
        lines.append(f"running {key}({texts(world, arguments, shown)})")
    for queued in runtime.queue:
        lines.append(f"later {queued.action}({texts(world, queued.arguments, shown)})")
    return lines


def _waiting(runtime: Runtime, shown: Shown) -> str:
    world = runtime.world
    if runtime.waiting is None:
        winners = " ".join(world.box.player_text(seat) for seat in runtime.winners)
        return f"over: {winners or 'nobody'} won"
    decision = runtime.waiting.decision
    who = "chance" if decision.seat is None else world.box.player_text(decision.seat)
    given = texts(world, tuple(value for _, value in decision.arguments), shown)
    return f"{who}: {decision.choice}({given})"


# --- the world -----------------------------------------------------------------------------------


def canonical_lines(world: World) -> list[str]:
    """Everything there is to know: grids, what stands on something, zones, what is nowhere, faces
    of dice, joints made and parted by rules, and who knows what.

    Two worlds of one game have the same lines exactly if they are the same, but for which hidden
    pieces `sample` would exchange.
    """
    return [*_world(world, everything), *_knowledge(world)]


def view_lines(world: World, seat: int) -> list[str]:
    """The same as a player sees it: pieces it does not know are only counted, or `hidden` at their
    place, and nothing is said about what others know."""
    return list(_world(world, lambda piece: shows(world, seat, piece)))


def _world(world: World, shown: Shown) -> Iterator[str]:
    box = world.box
    for piece, at in sorted(world.laid().items(), key=_row):
        yield f"{world.place_text(at)}: {text(world, piece, shown)}"
    for piece, where in world.places.items():
        if not isinstance(where, Zone | Placement | None):
            yield f"{world.place_text(where)}: {text(world, piece, shown)}"
    for zone, inside in world.zones.items():
        if inside:
            yield f"{box.zone_text(zone)}: {', '.join(_contents(world, zone, shown))}"
    nowhere = world.standing(None)
    if nowhere:
        yield f"nowhere: {texts(world, nowhere, everything)}"
    for die, face in world.faces.items():
        if shown(die):
            up = box.face_text(Face(box.piece(die).kind, face))
            yield f"face: {box.piece_text(die)} {up}"
    yield from _joints(world, "linked", world.links)
    yield from _joints(world, "parted", world.unlinks)


def _row(laid: tuple[Piece, Placement]) -> tuple[int, ...]:
    """Where a laid piece comes among others: as placements do, in numbers."""
    cell, rotation = laid[1].cell, laid[1].rotation
    return cell.grid, cell.owner, cell.y, cell.x, rotation


def _contents(world: World, zone: Zone, shown: Shown) -> list[str]:
    """What is in a zone; hidden pieces in their places where it keeps order, else counted."""
    inside = world.members(zone)
    if world.box.keeps_order(zone):
        return [text(world, piece, shown) for piece in inside]
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
        yield f"known to {who}: {texts(world, pieces, everything)}"
    for word, marked in (("face down", world.face_down), ("shuffled", world.shuffled)):
        if marked:
            yield f"{word}: {texts(world, sorted(marked), everything)}"
