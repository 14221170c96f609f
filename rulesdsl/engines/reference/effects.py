"""The built-in effects on the world, after chance is resolved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulesdsl.engines.reference.explain import explain
from rulesdsl.engines.reference.world import World
from rulesdsl.model.values import Cell, Segment, Space
from rulesdsl.runtime.faults import Fault
from rulesdsl.runtime.tables import ON_CELL


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


def _reveal(world: World, piece: Any, *to: Any) -> None:
    if to:
        world.call("reveal_to", piece.index, to[0].seat)
    else:
        world.call("reveal", piece.index)


def _direct(function: str) -> Callable[..., None]:
    """Return the effect that is one call of a function of the runtime."""

    def run(world: World, *given: Any) -> None:
        world.call(function, *map(world.number, given))

    return run


EFFECTS: dict[str, Callable[..., None]] = {
    "place": _direct("place_piece"),
    "move": _move,
    "shuffle": _direct("shuffle_zone"),
    "reveal": _reveal,
    "conceal": _direct("conceal"),
    "turn_to": _direct("turn_to"),
    "link": _direct("link"),
    "unlink": _direct("unlink"),
}
"""The effects by name, each called with the world and its arguments.

`take` and `roll` are in `chance`; `end_game` does not change the world.
"""


def perform(world: World, name: str, arguments: tuple[Any, ...]) -> None:
    """Run effect `name` of `EFFECTS`; raises BuiltinFault, and changes nothing then."""
    try:
        EFFECTS[name](world, *arguments)
    except Fault as fault:
        raise explain(world, name, arguments, fault) from None
