"""Observations: the view of a player as one array of numbers.

Everything in it is in `State.view` of that player, or is counted there. Pieces that the player does
not know are at `HIDDEN` wherever they are. Numbers are those of the engine (see
`rulesdsl.runtime.tables`), so that they mean the same in all positions of a game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulesdsl.engines.wasm.moves import PLAYER
from rulesdsl.engines.wasm.position import LoweredPosition
from rulesdsl.lower.plan import Plan
from rulesdsl.lower.tables.state_tables import StateTable
from rulesdsl.model import types
from rulesdsl.model.types import PIECE_CLASSES, EnumType, IntType, OptionalType, SetType, Type
from rulesdsl.records import dataclass
from rulesdsl.runtime.rows import UNKNOWN

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
        sizes = {"seat": 1, "mover": 1, "choice": 1, "scores": plan.players}
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
        self._score = plan.states[plan.checked.score]

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

    def of(self, position: LoweredPosition) -> Read:
        """Return a function that reads tables of a position now; not after it has changed."""
        position._machine.enter()
        tables = position._machine.sharing.instance.tables
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
