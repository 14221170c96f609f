"""Shared by the tests of worlds: a box, and everything in it by the name texts give it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path
from typing import Any

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.position import LoweredPosition, unplayed
from rulesdsl.engine.run.words.world import World
from rulesdsl.engine.runtime import draws, tables
from rulesdsl.engine.runtime.declare import DeclaredTable
from rulesdsl.engine.runtime.faults import MESSAGES, Fault
from rulesdsl.language import builtins
from rulesdsl.language.builtins import FUNCTIONS, PROPERTIES, word
from rulesdsl.language.model import types
from rulesdsl.language.model.checked import CallBuiltin, Checked, Local
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.types import ANY, EnumType, SetType, Type
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
    Zone,
)
from tests.small_games import box_of, checked

EFFECTS = builtins.EFFECTS.keys() - {"take", "roll", "end_game", "note_position"}
"""The effects that change nothing but the table, at once."""
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
    return EnumType(value.enum) if isinstance(value, EnumMember) else TYPES[type(value)]


def result_of(name: str, params: tuple[Type, ...]) -> Type:
    """The type of what a builtin gives; with a dot before, a property."""
    rows = [(s.params, s.result) for s in FUNCTIONS[name].signatures] if name[0] != "." else []
    rows = rows or [((row.owner,), row.result) for row in PROPERTIES[name.removeprefix(".")]]

    def fits(wanted: tuple[Type, ...]) -> bool:
        pairs = zip(wanted, params, strict=False)
        return len(wanted) == len(params) and all(
            word(a) == word(b) if a != ANY else isinstance(b, EnumType) for a, b in pairs
        )

    result = next(result for wanted, result in rows if fits(wanted))
    return params[0] if result == ANY else result


NAMES = ("a", "b", "c", "d", "e")
"""The names of what a builtin is given."""


@cache
def call_of(name: str, params: tuple[Type, ...]) -> CallBuiltin:
    """A call of a builtin with locals of these types."""
    span = plain().roles.span
    given = tuple(Local(span, *each) for each in zip(params, NAMES, strict=False))
    return CallBuiltin(span, result_of(name, params), name.removeprefix("."), given)


class Table(ABC):
    """A world and its names. An expression is the name of something, an integer, a placement
    (`board 0 1 turned 3`), or `builtin(expression; ...)`; with a dot before, `.cells` is the
    property. `take(zone; piece)` and the effects change the world."""

    world: Any
    """The components as texts are read, with their box."""

    def __init__(self) -> None:
        box = self.world.box
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
            return self.take(zone, piece)
        if name in EFFECTS:
            return self.perform(name, *arguments)
        return self.ask(name, *arguments)

    @abstractmethod
    def take(self, zone: Zone, piece: Piece) -> None:
        """Take an outcome of a zone."""

    @abstractmethod
    def perform(self, name: str, *arguments: Any) -> None:
        """Do an effect."""

    @abstractmethod
    def ask(self, name: str, *arguments: Any) -> Any:
        """The result of a builtin; with a dot before, of a property."""

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


class PositionTable(Table):
    """A position and its names. What cannot be raises PlayError."""

    def __init__(self, position: LoweredPosition) -> None:
        self.position = position
        super().__init__()

    @property
    def world(self) -> World:
        return self.position.world

    def outcomes(self, zone: Zone) -> list[tuple[Piece, int]]:
        """The pieces that may come out of a zone, with their weights."""
        self._run("offer", draws.TAKE, self._number(zone))
        now = self.position.tables
        flat = now["moves"][: 2 * now["move_count"][0]]
        return [(Piece(piece), weight) for weight, piece in zip(flat[::2], flat[1::2], strict=True)]

    def take(self, zone: Zone, piece: Piece) -> None:
        self._run("resolve", draws.TAKE, self._number(zone), piece.index)

    def perform(self, name: str, *arguments: Any) -> None:
        self.position.apply(name, arguments)

    def ask(self, name: str, *arguments: Any) -> Any:
        node = call_of(name, tuple(map(type_of, arguments)))
        return self.position.evaluate(node, dict(zip(NAMES, arguments, strict=False)))

    def clone(self) -> PositionTable:
        """An independent copy."""
        return PositionTable(self.position.clone())

    def held(self) -> dict[str, list[int]]:
        """Everything of a position that is not in its game, copied."""
        now = self.position.tables
        return {name: list(now[name]) for name in HELD if name in now}

    def _number(self, zone: Zone) -> int:
        return self.position.plan.encoding.encode(zone, types.ZONE)

    def _run(self, function: str, *arguments: int) -> None:
        """Call a function of the runtime; what fails changes nothing."""
        machine = self.position.machine
        kept = machine.keep()
        try:
            machine.runtime(function)(*arguments)
        except Fault as fault:
            machine.restore(kept)
            raise PlayError(MESSAGES[fault.code], None) from None


HELD = [
    name
    for name, each in vars(tables).items()
    if isinstance(each, DeclaredTable) and each.role == "state" and name not in ("fuel", "heap_top")
]
"""The tables of a position, but for what a call leaves behind."""


RULES = """
state player.score: int
action game():
    let times = note_position(tiles())
    end_game(players)
action finish(): end_game(players)
"""
"""Rules of the plain box, which note positions, so that there is room for them."""


@cache
def _plain() -> Checked:
    outcome = checked({"plain": (BOX.read_text(encoding="utf-8"), RULES)})
    assert outcome.checked is not None, [str(found) for found in outcome.report]
    return outcome.checked


def table(players: int = 2, engine: str = "python") -> PositionTable:
    """The plain box with everything where it begins."""
    position = unplayed(_plain(), players)
    return PositionTable(position if engine == "python" else position.compiled())
