"""Values as text, the same from every engine; pieces that may not be known are hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rulesdsl.engines.reference.world import World
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

Shown = Callable[[Piece], bool]
"""A function that says whether a piece may be named."""


def everything(piece: Piece) -> bool:
    """Return True, for readers who may know every piece."""
    return True


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
            return f"{{{texts(world, value, shown)}}}"
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


def texts(world: World, values: Iterable[Value], shown: Shown) -> str:
    """Return the values as text, separated by commas."""
    return ", ".join(text(world, value, shown) for value in values)
