"""Values and positions in words, the same from every engine."""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl.model.types import PIECE
from rulesdsl.model.values import (
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
from rulesdsl.run.reference.chance import shows
from rulesdsl.run.reference.runtime import Runtime
from rulesdsl.run.reference.texts import canonical_lines, view_lines
from rulesdsl.run.reference.world import World

Shown = Callable[[Piece], bool]


def canonical(runtime: Runtime) -> str:
    """All there is to know of a position: what is waited for or who has won, scores, states that
    are not as in the beginning, the world, running actions with their arguments (outermost first),
    calls that wait, the generator's words."""
    words = runtime.generator.state if runtime.generator else ()
    lines = [
        *_scene(runtime, lambda _: True, canonical_lines(runtime.world)),
        f"generator: {' '.join(f'{word:08x}' for word in words) or 'none'}",
    ]
    return "\n".join(lines) + "\n"


def view(runtime: Runtime, seat: int) -> str:
    """The same as one player sees it: without the generator, and with pieces it does not know
    called hidden."""
    world = runtime.world

    def shown(piece: Piece) -> bool:
        return shows(world, seat, piece)

    return "\n".join(_scene(runtime, shown, view_lines(world, seat))) + "\n"


def _scene(runtime: Runtime, shown: Shown, world_lines: list[str]) -> list[str]:
    world = runtime.world
    lines = [_waiting(runtime, shown)]
    lines.append("scores: " + " ".join(str(score) for score in runtime.scores))
    for (state, owner, index), value in runtime.sorted_states():
        of = "" if owner is None else f" of {text(world, owner, shown)}"
        at = f"[{_list(world, index, shown)}]" if index else ""
        lines.append(f"state {state}{at}{of}: {text(world, value, shown)}")
    lines += world_lines
    for key, arguments in reversed(runtime.running()):
        lines.append(f"running {key}({_list(world, arguments, shown)})")
    for queued in runtime.queue:
        lines.append(f"later {queued.action}({_list(world, queued.arguments, shown)})")
    return lines


def _waiting(runtime: Runtime, shown: Shown) -> str:
    world = runtime.world
    if runtime.waiting is None:
        winners = " ".join(world.box.player_text(seat) for seat in runtime.winners)
        return f"over: {winners or 'nobody'} won"
    decision = runtime.waiting.decision
    who = "chance" if decision.seat is None else world.box.player_text(decision.seat)
    given = _list(world, tuple(value for _, value in decision.arguments), shown)
    return f"{who}: {decision.choice}({given})"


def text(world: World, value: Value, shown: Shown) -> str:
    """A value in words."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case None:
            return "none"
        case tuple():
            return f"{{{_list(world, value, shown)}}}"
        case Piece():
            hidden = f"hidden {world.box.cls(value)}"
            return world.box.piece_text(value) if shown(value) else hidden
        case Segment():
            piece = Piece(value.piece)
            return world.segment_text(value) if shown(piece) else f"hidden {PIECE}"
        case Feature():
            return f"feature of {text(world, value.segment, shown)}"
        case _:
            return _handle(world, value)


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


def _list(world: World, values: tuple[Value, ...], shown: Shown) -> str:
    return ", ".join(text(world, value, shown) for value in values)
