"""Shared by the tests of worlds: a box, and everything in it by the name texts give it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from rulesdsl.engines.reference.builtins import function_of
from rulesdsl.engines.reference.effects import EFFECTS, perform, take
from rulesdsl.engines.reference.world import World

from rulesdsl.builtins import FUNCTIONS, PROPERTIES, word
from rulesdsl.model import types
from rulesdsl.model.checked import Checked
from rulesdsl.model.game import LinkedGame
from rulesdsl.model.types import ANY, SetType, Type
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
    Zone,
)
from tests.small_games import box_of

BOX = Path(__file__).parent / "boxes" / "plain.yaml"
PLACEMENT = re.compile(r"(\S+) (-?\d+) (-?\d+) turned ([0-3])")
CELL = re.compile(r"(\S+) \((-?\d+), (-?\d+)\)")


def plain() -> LinkedGame:
    """The game of boxes/plain.yaml."""
    return box_of(BOX)


TYPES: dict[type, Type] = {
    bool: types.BOOL,
    int: types.INT,
    Player: types.PLAYER,
    EnumMember: types.SIDE,
    Kind: types.KIND,
    Face: types.FACE,
    Piece: types.PIECE,
    Segment: types.SEGMENT,
    Feature: types.FEATURE,
    Cell: types.CELL,
    Placement: types.PLACEMENT,
    Zone: types.ZONE,
    Grid: types.GRID,
    Space: types.SPACE,
}


def type_of(value: Any) -> Type:
    """A type that a value has."""
    if isinstance(value, tuple):
        return SetType(type_of(value[0]) if value else types.CELL)
    return TYPES[type(value)]


def ask(world: World, name: str, *given: Any) -> Any:
    """The result of a builtin; with a dot before, of a property."""
    params = tuple(map(type_of, given))
    rows = [(s.params, s.result) for s in FUNCTIONS[name].signatures] if name[0] != "." else []
    name = name.removeprefix(".")
    rows = rows or [((row.owner,), row.result) for row in PROPERTIES[name]]

    def fits(wanted: tuple[Type, ...]) -> bool:
        pairs = zip(wanted, params, strict=False)
        return len(wanted) == len(params) and all(
            word(a) == word(b) if a != ANY else b == types.SIDE for a, b in pairs
        )

    result = next(result for wanted, result in rows if fits(wanted))
    return function_of(world.board, name, params, result)(world, *given)


class Table:
    """A world and its names. An expression is the name of something, an integer, a placement
    (`board 0 1 turned 3`), or `builtin(expression; ...)`; with a dot before, `.cells` is the
    property. `take(zone; piece)` and the effects change the world."""

    def __init__(self, world: Any) -> None:
        self.world = world
        box = world.box
        self.names: dict[str, Any] = {box.piece_text(p): p for p in box.pieces}
        self.names |= {box.zone_text(z): z for z in box.zones}
        self.names |= {box.grid_text(g): g for g in box.grids}
        self.names |= {box.space_text(s): s for s in box.spaces}
        self.names |= {box.player_text(seat): Player(seat) for seat in box.seats}
        self.names |= {box.kind_text(Kind(i)): Kind(i) for i in range(len(box.game.kinds))}
        for enum, members in box.enums.items():
            self.names |= {name: EnumMember(enum, i) for i, name in enumerate(members)}
        for i, kind in enumerate(box.game.kinds):
            self.names |= {face.name: Face(i, j) for j, face in enumerate(kind.faces)}

    def read(self, text: str) -> Any:
        """The value of an expression."""
        name, bracket, rest = text.partition("(")
        if bracket and re.fullmatch(r"\.?\w+", name):
            return self._call(name, [self.read(part) for part in _split(rest[:-1])])
        if text in self.names:
            return self.names[text]
        if found := PLACEMENT.fullmatch(text):
            grid, (x, y, turns) = self.names[found[1]], map(int, found.groups()[1:])
            return Placement(Cell(grid.grid, grid.index, y, x), turns)
        if found := CELL.fullmatch(text):
            grid = self.names[found[1]]
            return Cell(grid.grid, grid.index, int(found[3]), int(found[2]))
        return int(text) if re.fullmatch(r"-?\d+", text) else self._segment(text)

    def _segment(self, text: str) -> Segment:
        piece = self.names[text.rpartition("#")[0] + "#" + text.rpartition("#")[2].split(" ")[0]]
        parts = [Segment(piece.index, i) for i in range(len(self.world.layout(piece).kinds))]
        (found,) = [s for s in parts if self.world.segment_text(s) == text]
        return found

    def _call(self, name: str, arguments: list[Any]) -> Any:
        if name == "set":
            return tuple(sorted(arguments))
        if name == "take":
            zone, piece = arguments
            return self._take(zone, piece)
        if name in EFFECTS:
            return self._perform(name, tuple(arguments))
        return self._ask(name, *arguments)

    def _take(self, zone: Zone, piece: Piece) -> None:
        take(self.world, zone, piece, lambda other: None)

    def _perform(self, name: str, arguments: tuple[Any, ...]) -> None:
        perform(self.world, name, arguments)

    def _ask(self, name: str, *arguments: Any) -> Any:
        return ask(self.world, name, *arguments)

    def show(self, value: Any) -> Any:
        """A value as data: integers and booleans as they are, the rest as texts."""
        box = self.world.box
        match value:
            case tuple():
                return [self.show(item) for item in value]
            case Player():
                return box.player_text(value.seat)
            case Piece():
                return box.piece_text(value)
            case Kind():
                return box.kind_text(value)
            case Face():
                return box.face_text(value)
            case EnumMember():
                return box.member_text(value)
            case Grid():
                return box.grid_text(value)
            case Feature():
                return self.world.segment_text(value.segment)
            case Placement(cell, rotation):
                return f"{cell.x} {cell.y} turned {rotation}"
            case Cell(_, _, y, x):
                return f"{x} {y}"
            case Segment() | Zone() | Space():
                return self.world.place_text(value)
            case _:
                return value


def _split(text: str) -> list[str]:
    """The parts between the semicolons outside of brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == ";" and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def bare(game: LinkedGame) -> Checked:
    """A game without rules."""
    return Checked(game, {}, {}, {}, {}, (), "", "", "")


def table(players: int = 2) -> Table:
    """The plain box with everything where it begins."""
    return Table(world_of_plain(players))


@cache
def _plain() -> Checked:
    return bare(plain())


def world_of_plain(players: int) -> World:
    """The plain box with everything where it begins."""
    return World(_plain(), players)


def held(world: World) -> dict[str, list[int]]:
    """Everything of a world that is not in its game, copied."""
    scratch = ("fuel",)
    return {name: table[:] for name, table in world.state.items() if name not in scratch}
