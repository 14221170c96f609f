"""Observations: the view of a player as one array of numbers.

Everything in it is in `State.view` of that player, or is counted there. Pieces that the player does
not know are at `HIDDEN` wherever they are. Numbers are those of the engine (see
`rulesdsl.runtime.tables`), so that they mean the same in all positions of a game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulesdsl.engines.compiled.moves import PLAYER
from rulesdsl.engines.compiled.position import LoweredPosition
from rulesdsl.lower.plan import Plan
from rulesdsl.lower.tables.encoding import CELL_BITS, CENTRE
from rulesdsl.lower.tables.state_tables import StateTable
from rulesdsl.model import types
from rulesdsl.model.types import PIECE_CLASSES, EnumType, IntType, OptionalType, SetType, Type
from rulesdsl.runtime.tables import LAID, NOWHERE, ON_CELL

HIDDEN = -4
"""The place of a piece that the player does not know."""

Observed = NDArray[np.int32]
Numbers = NDArray[np.integer[Any]]
Read = Callable[[str], Numbers]
"""A function that returns a table by name."""

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
        self._score = plan.states[plan.checked.score]

    def observe(self, read: Read, seat: int) -> Observed:
        """Return the observation of the player of that seat."""
        found = np.zeros(self.size, np.int32)
        parts = {field.name: found[field.begin : field.end] for field in self.fields}
        asked = read("waiting")[0] == PLAYER
        found[:3] = (seat, read("asked_seat")[0], read("asked")[0]) if asked else (seat, -1, -1)
        place = read("place")
        known = (read("known") >> seat & 1 == 1) | (place == NOWHERE)
        parts["scores"][:] = read(self._score.data)[: self._plan.players]
        parts["place"][:] = HIDDEN
        np.copyto(parts["place"], place, where=known, casting="unsafe")
        _cells(parts, read("spot"), place, known)
        np.copyto(parts["face"], read("face"), where=known, casting="unsafe")
        parts["amount"][:] = read("amount")[: self._zones]
        for state in self._states:
            values = parts[state.key]
            values[:] = read(state.data)[: len(values)]
            if state.definition.owner in PIECE_CLASSES or state.definition.owner == "piece":
                hidden = ~known[state.first : state.first + state.owners]
                values.reshape(state.owners, -1)[hidden] = 0
        return found


def _cells(
    parts: dict[str, Observed], spot: Numbers, place: Numbers, known: NDArray[np.bool_]
) -> None:
    """Write the columns, rows and rotations of known pieces on cells."""
    low = (1 << CELL_BITS) - 1
    (lying,) = np.nonzero(known & ((place == LAID) | (place == ON_CELL)))
    at = spot[lying].astype(np.int32)
    laid = place[lying] == LAID
    cell = np.where(laid, at >> 2, at)
    parts["x"][lying] = (cell & low) - CENTRE
    parts["y"][lying] = (cell >> CELL_BITS & low) - CENTRE
    parts["rotation"][lying] = np.where(laid, at & 3, 0)


def tables_of(position: LoweredPosition) -> Read:
    """Return a function that reads tables of a position now; not after it has changed."""
    sharing = getattr(position._machine, "sharing", None)
    if sharing is None:
        return lambda name: np.asarray(position.tables[name][:])
    position._machine.enter()  # type: ignore[attr-defined]
    tables = sharing.instance.tables
    return lambda name: np.asarray(tables[name])


def _open(state: StateTable) -> bool:
    """Say whether a state names no piece and its owners always exist."""
    owner = state.definition.owner
    keeps = owner in (None, "game", "player", "zone", "space", "grid", "kind", "piece")
    keeps = keeps or owner in PIECE_CLASSES
    return keeps and not state.hashed and _names_no_piece(state.definition.type)


def _names_no_piece(type_: Type) -> bool:
    if isinstance(type_, OptionalType | SetType):
        return _names_no_piece(type_.item)
    return isinstance(type_, IntType | EnumType) or type_ in OPEN
