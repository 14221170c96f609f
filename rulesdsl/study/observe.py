"""Spaces of an environment: views of players as arrays, and moves as numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower.plan import Plan
from rulesdsl.engine.lower.tables.encoding import CELL_BITS, CENTRE, Encoding, none_of
from rulesdsl.engine.lower.tables.state_tables import StateTable
from rulesdsl.engine.run.moves import PLAYER
from rulesdsl.engine.runtime.rows import UNKNOWN
from rulesdsl.engine.runtime.tables import NOWHERE
from rulesdsl.language.model import types
from rulesdsl.language.model.checked import EffectCall, Nodes
from rulesdsl.language.model.types import (
    PIECE_CLASSES,
    EnumType,
    IntType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.play.game import State

HIDDEN = UNKNOWN
"""The place of a piece that the player does not know."""

Observed = NDArray[np.int32]
Numbers = NDArray[np.integer[Any]]
Read = Callable[[str], Numbers]
"""A function that returns a table by name, with a row for each game."""

OPEN = (types.BOOL, types.PLAYER, types.KIND, types.ZONE, types.GRID, types.SPACE)
"""Types of states whose values name no piece."""


@dataclass(frozen=True)
class Field:
    """A field of an observation: its name, and where its numbers begin and end."""

    name: str
    begin: int
    end: int


class Observer:
    """Makes observations of a game with its number of players.

    An observation has `size` numbers in these `fields`: `seat` (the observer), `mover` (-1: chance
    or nobody), `choice` (-1: no player is asked), and `scores` by seat. For each piece it has its
    `place` (`HIDDEN` if the player does not know it), the column `x`, the row `y` and the
    `rotation` if it is on a cell (otherwise 0), and its `face`. It has the `amount` for each zone,
    and then each state that names no piece, by its full name (0 for hidden pieces).
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        pieces = len(plan.encoding.game.pieces)
        self._zones = plan.encoding.zone_first[-1]
        self._states = [each for each in plan.states.values() if _open(each)]
        sizes = {
            "seat": 1,
            "mover": 1,
            "choice": 1,
            "scores": plan.players * bool(plan.checked.score),
        }
        sizes |= dict.fromkeys(("place", "x", "y", "rotation", "face"), pieces)
        sizes["amount"] = self._zones
        for state in self._states:
            sizes[state.key] = state.owners * state.per_owner * state.words
        self.fields: list[Field] = []
        self.size = 0
        for name, size in sizes.items():
            self.fields.append(Field(name, self.size, self.size + size))
            self.size += size
        self._parts = {field.name: slice(field.begin, field.end) for field in self.fields}
        self._pieces = slice(self._parts["place"].start, self._parts["face"].stop)
        self._score = plan.states.get(plan.checked.score)

    def observe(self, read: Read, seats: NDArray[np.integer[Any]]) -> Observed:
        """Return the observations of games by the players of these seats, a row for each.

        `looked` has what these players know of the pieces.
        """
        found = np.empty((len(seats), self.size), np.int32)
        found[:, 0] = seats
        found[:, 1] = read("asked_seat")[:, 0]
        found[:, 2] = read("asked")[:, 0]
        idle = (read("waiting")[:, 0] != PLAYER).nonzero()[0]
        if len(idle):
            found[idle, 1:3] = -1
        if self._score is not None:
            found[:, self._parts["scores"]] = read(self._score.data)[:, : self._plan.players]
        pieces = found[:, self._pieces] = read("looked")
        found[:, self._parts["amount"]] = read("amount")[:, : self._zones]
        for state in self._states:
            part = self._parts[state.key]
            values = found[:, part]
            values[:] = read(state.data)[:, : part.stop - part.start]
            if state.definition.owner in PIECE_CLASSES or state.definition.owner == "piece":
                hidden = pieces[:, state.first : state.first + state.owners] == UNKNOWN
                values.reshape(len(seats), state.owners, -1)[hidden] = 0
        return found


class Arrays:
    """The tables of positions as arrays with one row, as for `Observer.observe`.

    Those that are views of a memory are made once.
    """

    def __init__(self) -> None:
        self._tables: object = None
        self._known: dict[str, Numbers] = {}

    def of(self, state: State) -> Read:
        """Return a function that reads tables of a state now; not after it has changed."""
        tables = state.position.machine.now
        if tables is not self._tables:
            self._tables = tables
            self._known = {name: np.asarray(table)[None] for name, table in tables.items()}
        return self._known.__getitem__


def _open(state: StateTable) -> bool:
    """Return whether a state names no piece and its owners always exist."""
    owner = state.definition.owner
    keeps = owner in (None, "game", "player", "zone", "space", "grid", "kind", "piece")
    keeps = keeps or owner in PIECE_CLASSES
    return keeps and not state.hashed and _names_no_piece(state.definition.type)


def _names_no_piece(type_: Type) -> bool:
    if isinstance(type_, OptionalType | SetType):
        return _names_no_piece(type_.item)
    return isinstance(type_, IntType | EnumType) or type_ in OPEN


MOST = 1 << 24
"""The most actions that a game may have."""

REMEMBERED = 1 << 16
"""The number of moves of a choice whose actions are remembered."""


MoveNumbers = NDArray[np.int64]


@dataclass(frozen=True)
class Argument:
    """The numbering of an argument: `size` values from `least` on.

    Cells reach `reach` to each side; `turns` is the number of rotations of a placement (1 for a
    cell).
    """

    size: int
    least: int = 0
    reach: int = 0
    turns: int = 1
    none: int | None = None

    def digits(self, numbers: MoveNumbers) -> MoveNumbers:
        """Return a digit from 0 to `size` - 1 for each number.

        Raises ValueError for a cell that is out of reach.
        """
        if not self.reach:
            found = numbers - self.least
        else:
            found = self._cells(numbers // self.turns) * self.turns + numbers % self.turns
        if self.none is not None:
            found = np.where(numbers == self.none, 0, found + 1)
        if len(found) and not (found.min() >= 0 and found.max() < self.size):
            raise ValueError("a move has no number among the actions")
        return found

    def _cells(self, cells: MoveNumbers) -> MoveNumbers:
        side, low = 2 * self.reach + 1, (1 << CELL_BITS) - 1
        x = (cells & low) - CENTRE + self.reach
        y = (cells >> CELL_BITS & low) - CENTRE + self.reach
        inside = (x >= 0) & (x < side) & (y >= 0) & (y < side)
        found = ((cells >> 2 * CELL_BITS) * side + y) * side + x
        return np.where(inside | (cells < 0), found, self.size)


class Actions:
    """The actions of a game with its number of players; there are `count` of them.

    Raises ValueError for a game with more than `MOST`.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._reach = _reach(plan)
        self._slots = _Slots(plan)
        self._options = [
            [[self._argument(type_) for _, type_ in option.arguments] for option in choice.options]
            for choice in plan.choices
        ]
        self._known: dict[int, dict[bytes, int]] = {}
        self._starts: list[list[int]] = []
        self.count = 0
        for options in self._options:
            starts = []
            for arguments in options:
                starts.append(self.count)
                self.count += prod(argument.size for argument in arguments)
            self._starts.append(starts)
        if self.count > MOST:
            raise ValueError(f"the game has {self.count} actions, which are too many")

    def _argument(self, type_: Type) -> Argument:
        """Return the numbering of an argument; places of unknown pieces follow the pieces."""
        found = _argument(self._plan.encoding, type_, self._reach)
        return replace(found, size=found.size + self._slots.size) if _is_piece(type_) else found

    def by_place(
        self, choice: int, rows: MoveNumbers, read: Read, games: NDArray[np.integer[Any]]
    ) -> MoveNumbers:
        """Return rows of moves of a choice with the places of unknown pieces in their place.

        `games` has the game of each row. Raises ValueError for an unknown piece outside of zones.
        """
        options = self._plan.choices[choice].options
        columns = [
            [at for at, (_, type_) in enumerate(option.arguments, 1) if _is_piece(type_)]
            for option in options
        ]
        if not self._slots.size or not any(columns):
            return rows
        place, known, before = read("place"), read("known"), read("piece_before")
        seats, found = read("asked_seat")[:, 0], rows.copy()
        for row, game in enumerate(games.tolist()):
            for column in columns[int(rows[row, 0])]:
                piece = int(rows[row, column])
                hidden = piece >= 0 and not known[game, piece] >> seats[game] & 1
                if hidden and place[game, piece] != NOWHERE:
                    slot = self._slots.of(piece, place[game], before[game])
                    found[row, column] = len(self._plan.encoding.game.pieces) + slot
        return found

    def numbers(self, choice: int, rows: MoveNumbers) -> MoveNumbers:
        """Return the action of each row of moves of a choice, see `by_place`.

        A row is the number of the option, then its arguments.
        """
        if len(self._options[choice]) == 1:
            return self._of(choice, 0, rows)
        found = np.zeros(len(rows), np.int64)
        for option in range(len(self._options[choice])):
            own = rows[:, 0] == option
            if own.any():
                found[own] = self._of(choice, option, rows[own])
        return found

    def known(self, choice: int, rows: NDArray[np.integer[Any]]) -> list[int]:
        """Return what `numbers` does, for few rows: it remembers the actions of moves."""
        known = self._known.setdefault(choice, {})
        # Bytes are the quickest keys that NumPy makes of rows.
        moves = rows.view(f"V{rows.itemsize * rows.shape[1]}")[:, 0].tolist()
        try:
            return [known[move] for move in moves]
        except KeyError:
            if len(known) > REMEMBERED:
                known.clear()
            found: list[int] = self.numbers(choice, rows.astype(np.int64)).tolist()
            known.update(zip(moves, found, strict=True))
            return found

    def _of(self, choice: int, option: int, rows: MoveNumbers) -> MoveNumbers:
        number = np.zeros(len(rows), np.int64)
        for column, argument in enumerate(self._options[choice][option], 1):
            number = number * argument.size + argument.digits(rows[:, column])
        return self._starts[choice][option] + number


class _Slots:
    """Numbers for the places of pieces that a player may choose without knowing them.

    They are the positions of ordered zones, and one for each class of pieces in other zones, of
    those zones that may hold such pieces. There are `size` of them.
    """

    def __init__(self, plan: Plan) -> None:
        self._game, self.size = plan.encoding.game, 0
        self._first: dict[int, tuple[int, bool]] = {}
        rules = plan.checked
        calls = Nodes((*rules.actions.values(), *rules.choices.values(), *rules.always))
        conceals = any(call.effect == "conceal" for call in calls.of(EffectCall))
        hides = ("owner", "others", "top", *(("all",) if conceals else ()))
        for zone, start in zip(self._game.zones, plan.encoding.zone_first, strict=False):
            for index in range(zone.instances(plan.players)) if zone.visible in hides else ():
                self._first[start + index] = self.size, zone.ordered
                room = zone.room[index] if zone.room else len(self._game.pieces)
                most = min(room, len(self._game.pieces))
                self.size += most if zone.ordered else len(PIECE_CLASSES)

    def of(self, piece: int, place: Numbers, before: Numbers) -> int:
        """Return the number of the place of a piece; raises ValueError outside of such zones."""
        first, ordered = self._first.get(int(place[piece]), (-1, False))
        if first < 0:
            raise ValueError("a move has no number among the actions")
        if not ordered:
            return first + PIECE_CLASSES.index(self._game.kinds[self._game.pieces[piece].kind].cls)
        while (piece := int(before[piece])) >= 0:
            first += 1
        return first


def _is_piece(type_: Type) -> bool:
    item = type_.item if isinstance(type_, OptionalType) else type_
    return item == types.PIECE or str(item) in PIECE_CLASSES


def _argument(encoding: Encoding, type_: Type, reach: int) -> Argument:
    """Return the numbering of an argument of a type."""
    if isinstance(type_, OptionalType):
        inner = _argument(encoding, type_.item, reach)
        return Argument(inner.size + 1, inner.least, inner.reach, inner.turns, none_of(type_))
    if isinstance(type_, IntType):
        return Argument(type_.high - type_.low + 1, type_.low)
    if isinstance(type_, EnumType):
        return Argument(encoding.enums[type_.name])
    if type_ in (types.CELL, types.PLACEMENT):
        turns = 1 << encoding.turn_bits if type_ == types.PLACEMENT else 1
        cells = encoding.grid_first[-1] * (2 * reach + 1) ** 2
        return Argument(cells * turns, reach=reach, turns=turns)
    sizes: dict[Type, int] = {
        types.BOOL: 2,
        types.PLAYER: encoding.players,
        types.KIND: len(encoding.game.kinds),
        types.FACE: encoding.kind_face[-1],
        types.SEGMENT: encoding.piece_segment[-1],
        types.FEATURE: encoding.piece_segment[-1],
        types.ZONE: encoding.zone_first[-1],
        types.GRID: encoding.grid_first[-1],
        types.SPACE: encoding.track_first[-1],
    }
    return Argument(sizes.get(type_, len(encoding.game.pieces)))


def _reach(plan: Plan) -> int:
    """Return the greatest distance of a cell from the middle of a grid.

    It is that of all pieces that can be laid in a row.
    """
    game = plan.encoding.game
    outlines = [(kind.outline, *(face.outline for face in kind.faces)) for kind in game.kinds]
    sizes = [max((max(each.size) for each in own if each), default=1) for own in outlines]
    lie = [
        sizes[piece.kind]
        for piece in game.pieces
        if game.kinds[piece.kind].cls in types.LAID_CLASSES
    ]
    return min(1 + sum(lie), CENTRE - 1)
