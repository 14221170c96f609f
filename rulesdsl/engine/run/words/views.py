"""Positions and worlds as text: complete, or as one player sees them.

Lines are in a fixed order, the same from every engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from rulesdsl.engine.run import samples
from rulesdsl.engine.run.words.world import Joint, World
from rulesdsl.engine.runtime.tables import LINKED, UNLINKED
from rulesdsl.language.model.types import PIECE
from rulesdsl.language.model.values import (
    Cell,
    EnumMember,
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

if TYPE_CHECKING:
    from rulesdsl.engine.run.position import LoweredPosition

Shown = Callable[[Piece], str | None]
"""A function that gives the text of a piece that may not be named, None for any other piece."""


def everything(piece: Piece) -> None:
    """Return None, for readers who may know every piece."""


def text(world: World, value: Value, shown: Shown) -> str:
    """Return a value as text."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case None:
            return "none"
        case tuple():
            known = sorted(value, key=lambda item: hidden_text(item, shown) or "")
            return f"{{{texts(world, known, shown)}}}"
        case Piece():
            return shown(value) or world.box.piece_text(value)
        case Segment():
            hidden = shown(Piece(value.piece)) is not None
            return f"hidden {PIECE}" if hidden else world.segment_text(value)
        case Feature():
            return f"feature of {text(world, value.segment, shown)}"
        case _:
            return _handle(world, value)


def hidden_text(value: Value, shown: Shown) -> str | None:
    """Return the text of a piece that may not be named, or part of one; None for anything else."""
    match value:
        case Piece():
            return shown(value)
        case Segment(piece, _) | Feature(Segment(piece, _)):
            return shown(Piece(piece))
        case _:
            return None


def _handle(
    world: World, value: Player | EnumMember | Kind | Face | Cell | Placement | Zone | Grid | Space
) -> str:
    match value:
        case Player():
            return world.box.player_text(value.seat)
        case EnumMember():
            return world.box.member_text(value)
        case Kind():
            return world.box.kind_text(value)
        case Face():
            return world.box.face_text(value)
        case Grid():
            return world.box.grid_text(value)
        case Cell() | Placement() | Zone() | Space():
            return world.place_text(value)


def texts(world: World, values: Iterable[Value], shown: Shown) -> str:
    """Return the values as text, separated by commas."""
    return ", ".join(text(world, value, shown) for value in values)


def canonical(position: LoweredPosition) -> str:
    """Return the complete position as text.

    It has the decision or the winners, the scores, the states that differ from their initial
    values, the world, the running actions with their arguments (outermost first), the queued calls
    and the state of the generator.
    """
    words = position.tables["rng"] if position.tables["resolves"][0] else ()
    lines = [
        *_position(position, everything, canonical_lines(position.world)),
        f"generator: {' '.join(f'{word:08x}' for word in words) or 'none'}",
    ]
    return "\n".join(lines) + "\n"


def view(position: LoweredPosition, seat: int) -> str:
    """Return the position as one player sees it.

    It lacks the generator, and pieces that the player does not know are called hidden, with what
    the player was told of them; their states are left out.
    """
    world = position.world
    shown = _seen_by(world, seat)
    return "\n".join(_position(position, shown, view_lines(world, seat))) + "\n"


def _seen_by(world: World, seat: int) -> Shown:
    def shown(piece: Piece) -> str | None:
        if world.shows(seat, piece):
            return None
        return f"hidden {world.box.cls(piece)}{_told(world, piece, seat)}"

    return shown


def _told(world: World, piece: Piece, seat: int) -> str:
    """Return what a player was told of a piece that is hidden from this player, as text."""
    found = samples.told(world.tables(), world.encoding.answers, piece.index, seat)
    return "".join(map(str, found))


def _position(position: LoweredPosition, shown: Shown, world_lines: list[str]) -> list[str]:
    world = position.world
    lines = [_waiting(position, world, shown)]
    lines.append("scores: " + " ".join(map(str, position.scores())))
    for (state, owner, index), value in position.changed_states():
        if hidden_text(owner, shown) is not None:
            continue
        of = "" if owner is None else f" of {text(world, owner, shown)}"
        at = f"[{texts(world, index, shown)}]" if index else ""
        lines.append(f"state {state}{at}{of}: {text(world, value, shown)}")
    lines += world_lines
    for frame in reversed(position.frames()):
        if frame.routine.kind == "action" and not frame.routine.inner:
            given = (value for _, value in frame.arguments)
            lines.append(f"running {frame.routine.key}({texts(world, given, shown)})")
    for key, arguments in position.queued():
        lines.append(f"later {key}({texts(world, arguments, shown)})")
    return lines


def _waiting(position: LoweredPosition, world: World, shown: Shown) -> str:
    decision = position.decision
    if decision is None:
        winners = " ".join(map(world.box.player_text, position.winners))
        return f"over: {winners or 'nobody'} won"
    who = "chance" if decision.seat is None else world.box.player_text(decision.seat)
    given = texts(world, tuple(value for _, value in decision.arguments), shown)
    return f"{who}: {decision.choice}({given})"


# --- the world -----------------------------------------------------------------------------------


def canonical_lines(world: World) -> list[str]:
    """Return the complete world as lines.

    They show grids, pieces that stand on something, zones, pieces without a place, faces of dice,
    links and unlinks made by rules, and the players who know each piece.

    Two worlds of one game have the same lines exactly if they are the same, except for hidden
    pieces that `sample` would exchange.
    """
    return [*_world(world, everything), *_knowledge(world)]


def view_lines(world: World, seat: int) -> list[str]:
    """Return the world as a player sees it, as lines.

    Pieces that the player does not know are only counted, or `hidden` at their place, and the
    knowledge of other players is not shown.
    """
    return list(_world(world, _seen_by(world, seat)))


def _world(world: World, shown: Shown) -> Iterator[str]:
    box = world.box
    for piece, at in sorted(world.laid().items(), key=_row):
        yield f"{world.place_text(at)}: {text(world, piece, shown)}"
    for piece in sorted(box.pieces, key=lambda piece: _hidden_place(world, piece, shown)):
        where = world.place_of(piece)
        if not isinstance(where, Zone | Placement | None):
            level = f" {found}" if (found := world.level(piece)) else ""
            yield f"{world.place_text(where)}{level}: {text(world, piece, shown)}"
    for zone in box.zones:
        if world.members(zone):
            yield f"{box.zone_text(zone)}: {', '.join(_contents(world, zone, shown))}"
    nowhere = [piece for piece in box.pieces if world.place_of(piece) is None]
    if nowhere:
        yield f"nowhere: {texts(world, nowhere, everything)}"
    for die in box.pieces:
        if box.kind(die).faces and shown(die) is None:
            up = box.face_text(Face(box.piece(die).kind, world.face(die)))
            yield f"face: {box.piece_text(die)} {up}"
    yield from _joints(world, "linked", world.joints(LINKED))
    yield from _joints(world, "parted", world.joints(UNLINKED))


def _hidden_place(world: World, piece: Piece, shown: Shown) -> tuple[object, ...]:
    """Return the sort key that puts hidden pieces after the others, by their places."""
    hidden, at, tables = shown(piece), piece.index, world.state
    if hidden is None:
        return ()
    return tables["place"][at], tables["spot"][at], world.level(piece), hidden


def _row(laid: tuple[Piece, Placement]) -> tuple[int, ...]:
    """Return the sort key of a laid piece: its placement as numbers."""
    cell, rotation = laid[1].cell, laid[1].rotation
    return cell.grid, cell.owner, cell.y, cell.x, rotation


def _contents(world: World, zone: Zone, shown: Shown) -> list[str]:
    """Return the texts of the pieces in a zone.

    Hidden pieces are listed in place if the zone keeps order, else counted.
    """
    inside = world.members(zone)
    if world.box.keeps_order(zone):
        return [text(world, piece, shown) for piece in inside]
    texts = [(shown(piece), piece) for piece in inside]
    seen = [world.box.piece_text(piece) for hidden, piece in texts if hidden is None]
    hidden = Counter(hidden for hidden, _ in texts if hidden is not None)
    return seen + [f"{count} {text}" for text, count in sorted(hidden.items())]


def _joints(world: World, word: str, joints: Iterable[Joint]) -> Iterator[str]:
    for a, b in joints:
        yield f"{word}: {world.segment_text(a)} and {world.segment_text(b)}"


def _knowledge(world: World) -> Iterator[str]:
    """Yield lines for the pieces that not all players know, and for face-down and shuffled ones."""
    groups: dict[tuple[int, ...], list[Piece]] = {}
    for piece in world.box.pieces:
        knowing = world.knowing(piece)
        if knowing != world.box.seats:
            groups.setdefault(tuple(sorted(knowing)), []).append(piece)
    for seats, pieces in sorted(groups.items()):
        who = " and ".join(world.box.player_text(seat) for seat in seats) or "nobody"
        yield f"known to {who}: {texts(world, pieces, everything)}"
    for seat in sorted(world.box.seats):
        told = ((_told(world, piece, seat), piece) for piece in world.box.pieces)
        found = [f"{world.box.piece_text(piece)}{each}" for each, piece in told if each]
        if found:
            yield f"told to {world.box.player_text(seat)}: {', '.join(found)}"
    for word, is_marked in (("face down", world.is_face_down), ("shuffled", world.is_shuffled)):
        marked = tuple(filter(is_marked, world.box.pieces))
        if marked:
            yield f"{word}: {texts(world, marked, everything)}"
