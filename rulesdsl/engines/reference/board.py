"""The board of a game: the functions of the runtime, bound to tables of the reference engine.

The runtime is plain Python over module-level tables. Here its functions get other globals, in which
the tables are those of one game and, while a world is asked, the state tables of that world.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from operator import attrgetter
from types import FunctionType
from typing import Any

from rulesdsl.engines.words.box import Absent as BuiltinFault
from rulesdsl.engines.words.box import GameBox
from rulesdsl.lower.tables.box import make_box
from rulesdsl.lower.tables.encoding import Encoding
from rulesdsl.model.checked import CallBuiltin, Checked
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
from rulesdsl.runtime import (
    cells,
    effects,
    groups,
    heap,
    knowledge,
    notes,
    placements,
    places,
    questions,
    tables,
)
from rulesdsl.runtime.declare import measure
from rulesdsl.runtime.tables import TABLES

MODULES = (*(cells, effects, groups, heap, knowledge, notes, placements, places, questions),)
"""The modules of the runtime that hold the board; the names of their functions are unique."""

HEAP = 1 << 19
"""The number of entries for sets of one call."""

FRAMES = {tables.stack.name, tables.store.name, tables.store_free.name, tables.notes.name}
"""The tables of frames and notes: the reference engine keeps its own, and never notes here."""

BOARDS = 8
"""The number of boards that are cached."""


FAR = 2040
"""The distance from the centre up to which cells have numbers; cells beyond are outside anyway."""


def _near(distance: int) -> int:
    return max(-FAR, min(FAR, distance))


Function = Callable[..., Any]
State = dict[str, list[int]]
"""The state tables of a world by name."""


def bound(own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the functions of the board by name, whose globals are the result, on these tables."""
    names = {
        name: value
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, int | FunctionType) and not name.startswith("__")
    }
    names |= own
    for name, value in names.items():
        if isinstance(value, FunctionType) and value.__module__ != "rulesdsl.runtime.faults":
            names[name] = FunctionType(value.__code__, names, name)
    return names


class _Heap(threading.local):
    """The heap of all boards of a thread: it is large, and nothing on it outlives a call."""

    def __init__(self) -> None:
        self.entries = [0] * HEAP


_HEAP = _Heap()


class _Bound(threading.local):
    """The functions of the board for one thread; `names` are their globals.

    `state` are the state tables in use.
    """

    def __init__(self, const: Mapping[str, list[int]], scratch: Mapping[str, int]) -> None:
        own = {name: [0] * size for name, size in scratch.items()}
        self.names = bound({**const, **own, tables.heap.name: _HEAP.entries})
        self.state: State | None = None


class BoundBoard:
    """The components, places and constant tables of a game with its number of players.

    `begun` are the state tables of a world in which everything is where it begins.
    """

    def __init__(self, checked: Checked, players: int) -> None:
        self.box = GameBox(checked.game, players)
        self.encoding = Encoding(checked, players)
        segments = self.encoding.piece_segment[-1]
        self.tables = make_box(
            checked, players, self.encoding, joints=max(64, 3 * segments), heap=HEAP
        )
        self.const = {name: list(values) for name, values in self.tables.values.items()}
        used = {name for module in MODULES for name in _used(module)} - FRAMES
        sizes = {
            name: measure(TABLES[name].size, self.tables.dims)
            for name in used
            if TABLES[name].role != "const"
        }
        del sizes[tables.heap.name]
        states = {name: n for name, n in sizes.items() if TABLES[name].role == "state"}
        scratch = {name: n for name, n in sizes.items() if name not in states}
        self._bound = _Bound(self.const, scratch)
        self.begun: State = {name: [0] * size for name, size in states.items()}
        self.begun[tables.fuel.name][0] = 1 << 60
        self.functions(self.begun)["start_all"]()
        self.numbers = self._numbers()
        self.calls: dict[int, tuple[CallBuiltin, Function]] = {}
        """The functions for calls of builtins, by the identity of the node."""

    def _numbers(self) -> Mapping[type[Any], Callable[[Any], int]]:
        """Return the functions that encode values that are not sets, by their class."""
        encoding, box = self.encoding, self.box
        first = encoding.piece_segment

        def cell(value: Cell) -> int:
            if max(abs(value.x), abs(value.y)) > FAR:
                value = Cell(value.grid, value.owner, _near(value.y), _near(value.x))
            return encoding.cell(value)

        def zone(value: Zone) -> int:
            if value not in box:
                raise BuiltinFault(f"there is no {box.zone_text(value)} in this game")
            return encoding.zone_first[value.zone] + value.index

        def grid(value: Grid) -> int:
            if value not in box:
                raise BuiltinFault(f"there is no {box.grid_text(value)} in this game")
            return encoding.grid_first[value.grid] + value.index

        return {
            **dict.fromkeys((int, bool), int),
            **dict.fromkeys((EnumMember, Kind, Piece), attrgetter("index")),
            Player: attrgetter("seat"),
            Face: lambda value: encoding.kind_face[value.kind] + value.index,
            Segment: lambda value: first[value.piece] + value.index,
            Feature: lambda value: first[value.segment.piece] + value.segment.index,
            Cell: cell,
            Placement: lambda value: (cell(value.cell) << encoding.turn_bits) + value.rotation,
            Zone: zone,
            Grid: grid,
            Space: lambda value: encoding.track_first[value.track] + value.index,
        }

    @staticmethod
    def copied(state: State) -> State:
        """Return an independent copy of state tables."""
        return {name: table[:] for name, table in state.items()}

    def functions(self, state: State) -> dict[str, Any]:
        """Return the functions and tables of the board by name, to be used on these state tables.

        They are valid until the board is asked about another state in the same thread.
        """
        bound = self._bound
        names = bound.names
        if bound.state is not state:
            names.update(state)
            bound.state = state
        names["heap_top"][0] = 0
        return names


def _used(module: object) -> set[str]:
    """Return the names of the tables that functions of a module use."""
    functions = [value for value in vars(module).values() if isinstance(value, FunctionType)]
    return {name for function in functions for name in function.__code__.co_names if name in TABLES}


_boards: dict[tuple[int, int], BoundBoard] = {}


def board_of(checked: Checked, players: int) -> BoundBoard:
    """Return the board of a game, made once."""
    # A board keeps its game, so that the identity of a cached game is not that of another one.
    key = id(checked), players
    board = _boards.get(key)
    if board is None:
        if len(_boards) >= BOARDS:
            _boards.clear()
        board = _boards[key] = BoundBoard(checked, players)
    return board
