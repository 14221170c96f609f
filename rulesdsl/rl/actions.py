"""Actions: moves as numbers that stay the same in all positions of a game.

The options of all choices come one after the other. The number of actions of an option is the
product of the numbers of values of its arguments; the last argument varies fastest. An argument is
the number that the engine has for its value (`rulesdsl.runtime.tables`); an optional argument has
one more value, `none`, which is the first. A cell is its grid, its column and its row, counted from
the farthest that pieces can reach; a placement is a cell and a quarter turn.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulesdsl.lower.plan import Plan
from rulesdsl.lower.tables.encoding import CELL_BITS, CENTRE, Encoding, none_of
from rulesdsl.model import types
from rulesdsl.model.game import KindDef
from rulesdsl.model.geometry import Outline
from rulesdsl.model.types import EnumType, IntType, OptionalType, Type
from rulesdsl.records import dataclass

MOST = 1 << 24
"""The most actions that a game may have."""

REMEMBERED = 1 << 16
"""The number of moves of a choice whose actions are remembered."""

LAID = ("tile", "card", "die")
"""The classes of pieces that can lie side by side on a grid."""

Numbers = NDArray[np.int64]


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

    def digits(self, numbers: Numbers) -> Numbers:
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

    def _cells(self, cells: Numbers) -> Numbers:
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
        self._options = [
            [
                [_argument(plan.encoding, type_, self._reach) for _, type_ in option.arguments]
                for option in choice.options
            ]
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

    def numbers(self, choice: int, rows: Numbers) -> Numbers:
        """Return the action of each row of moves of a choice.

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

    def _of(self, choice: int, option: int, rows: Numbers) -> Numbers:
        """Return the action of each row of moves of an option."""
        number = np.zeros(len(rows), np.int64)
        for column, argument in enumerate(self._options[choice][option], 1):
            number = number * argument.size + argument.digits(rows[:, column])
        return self._starts[choice][option] + number


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
        turns = 4 if type_ == types.PLACEMENT else 1
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
    sizes = [
        max((max(outline.size) for outline in (kind.outline, *_faces(kind)) if outline), default=1)
        for kind in game.kinds
    ]
    lie = [sizes[piece.kind] for piece in game.pieces if game.kinds[piece.kind].cls in LAID]
    return min(1 + sum(lie), CENTRE - 1)


def _faces(kind: KindDef) -> list[Outline | None]:
    return [face.outline for face in kind.faces]
