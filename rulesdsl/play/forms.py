"""How people and programs write what is the same all through a game.

Every handle has a plain form (a string, or a tuple for places) that is the same on every engine:
`red`, `corner`, `lane@E.W`, `Spot(x=0, y=-1, rotation=90, grid='board')`. Coordinates: x east,
y south, rotation in degrees clockwise.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import NamedTuple, assert_never

from rulesdsl.geometry.ring import port_text, rotate, turned
from rulesdsl.model.game import Game
from rulesdsl.model.geometry import Outline
from rulesdsl.model.names import short_name
from rulesdsl.model.types import SIDE, SIDE_NAMES
from rulesdsl.model.values import (
    Cell,
    EnumMember,
    Face,
    Grid,
    Kind,
    Placement,
    Player,
    Space,
    Zone,
)

MEMORY = 4096
"""So many forms of values, and of segments, are remembered: moves name the same things often."""


class Place(NamedTuple):
    """A cell: x east, y south of the centre of the grid named `grid`."""

    x: int
    y: int
    grid: str

    def __str__(self) -> str:
        return f"({self.x},{self.y})"


class Spot(NamedTuple):
    """A placement: the cell of the piece's north-west corner as placed, degrees clockwise."""

    x: int
    y: int
    rotation: int
    grid: str

    def __str__(self) -> str:
        return f"({self.x},{self.y},{self.rotation})"


Plain = int | bool | str | None | Place | Spot | tuple["Plain", ...]

Lasting = Player | EnumMember | Kind | Face | Cell | Placement | Zone | Grid | Space
"""Values whose form no move changes."""


class Forms:
    """The plain forms of a game.

    `lasting` gives that of a `Lasting` value. `segment` gives `kind@ports` of the segment `index`
    that a kind of component shows with the face `face` up (None unless it is a die), `rotation`
    quarter turns clockwise, its ports from NL on.
    """

    def __init__(self, game: Game) -> None:
        # What remembers does not refer to this, so that games go as soon as nobody has them.
        self.lasting = lru_cache(MEMORY)(partial(_lasting, game))
        self.segment = lru_cache(MEMORY)(partial(_segment, game))


def outline_of(game: Game, kind: int, face: int | None) -> Outline | None:
    """What lies on a component of a kind, a die with that face up."""
    declared = game.kinds[kind]
    return declared.outline if face is None else declared.faces[face].outline


def grid_name(game: Game, grid: int, index: int) -> str:
    """The name of a grid instance: `board`, `pad[red]`."""
    declared = game.grids[grid]
    return declared.name + _instance(game, declared.per, index)


def _lasting(game: Game, value: Lasting) -> Plain:
    match value:
        case Player(seat):
            return game.roles.colours[seat]
        case EnumMember():
            return _member(game, value)
        case Kind(index):
            return game.kinds[index].text
        case Face(kind, index):
            return game.kinds[kind].faces[index].name
        case Cell():
            return Place(value.x, value.y, grid_name(game, value.grid, value.owner))
        case Placement(cell, rotation):
            return Spot(cell.x, cell.y, 90 * rotation, grid_name(game, cell.grid, cell.owner))
        case Zone(zone, index):
            declared = game.zones[zone]
            return declared.name + _instance(game, declared.per, index)
        case Grid(grid, index):
            return grid_name(game, grid, index)
        case Space(track, index):
            return f"{game.tracks[track].name}[{index}]"
        case _:
            assert_never(value)


def _segment(game: Game, kind: int, face: int | None, index: int, rotation: int) -> str:
    outline = outline_of(game, kind, face)
    assert outline is not None, "a segment belongs to an outline"
    found = outline.segments[index]
    shape = next(k.shape.shape for k in game.feature_kinds if k.shape.name == found.kind)
    ports = [rotate(port, rotation, outline.size) for port in found.ports]
    where = port_text(ports, shape, turned(outline.size, rotation))
    return f"{short_name(found.kind)}@{where}{_twin(outline, index)}"


def _twin(outline: Outline, index: int) -> str:
    """Tells apart segments of one piece that hold no ports."""
    own = outline.segments[index]
    twins = [i for i, s in enumerate(outline.segments) if s.kind == own.kind and not s.ports]
    if own.ports or len(twins) < 2:
        return ""
    return str(twins.index(index) + 1)


def _member(game: Game, member: EnumMember) -> str:
    if member.enum == SIDE.name:
        return SIDE_NAMES[member.index]
    return next(e for e in game.enums if e.key == member.enum).members[member.index]


def _instance(game: Game, per: str | None, index: int) -> str:
    if per is None:
        return ""
    if per == "player":
        return f"[{game.roles.colours[index]}]"
    return f"[{_member(game, EnumMember(per, index))}]"
