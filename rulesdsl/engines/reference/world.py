"""The state of all components of a position of the reference engine.

It is kept in the state tables of the runtime, whose functions answer all questions.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from rulesdsl.engines.reference.board import BuiltinFault, board_of
from rulesdsl.engines.words import world
from rulesdsl.engines.words.box import TurnedOutline as TurnedOutline
from rulesdsl.engines.words.world import Joint as Joint
from rulesdsl.engines.words.world import Place as Place
from rulesdsl.model import types
from rulesdsl.model.checked import Checked
from rulesdsl.model.values import (
    Feature,
    Piece,
    Segment,
    Value,
    Zone,
)


def _on_heap(names: Mapping[str, Any], items: list[int]) -> int:
    """Put a set or list on the heap of the runtime, and return its offset."""
    heap, top = names["heap"], names["heap_top"]
    made: int = top[0]
    top[0] = end = made + 1 + len(items)
    heap[made:end] = [len(items), *items]
    return made


class World(world.World):
    """The state of all components, in the tables `state`."""

    state: dict[str, list[int]]

    def __init__(self, checked: Checked, players: int) -> None:
        """Put all components in their initial places, for seats 0 to players - 1."""
        self.board = board_of(checked, players)
        self.box = self.board.box
        self.encoding = self.board.encoding
        self.state = self.board.copied(self.board.begun)

    def clone(self) -> World:
        """Return an independent copy."""
        clone = copy(self)
        clone.state = self.board.copied(self.state)
        return clone

    def call(self, function: str, *given: int | list[int]) -> int:
        """Return the result of a function of the runtime; raises `runtime.faults.Fault`.

        Sets and lists are given as lists. One that is the result is an offset for `listed`, valid
        until the next call.
        """
        names = self.board.functions(self.state)
        found: int = names[function](
            *[each if isinstance(each, int) else _on_heap(names, each) for each in given]
        )
        return found

    def listed(self, offset: int) -> list[int]:
        """Return the items of a set or list that a function of the runtime gave."""
        heap = self.board.functions(self.state)["heap"]
        items: list[int] = heap[offset + 1 : offset + 1 + heap[offset]]
        return items

    def tables(self) -> Mapping[str, list[int]]:
        """Return the state tables, and the tables that never change."""
        return ChainMap(self.state, self.board.const)

    def number(self, value: Value) -> int:
        """Return a value that is not a set as a number.

        Raises BuiltinFault for a zone or grid of a player who does not play.
        """
        return self.board.numbers[type(value)](value)

    def numbers(self, values: Iterable[Value]) -> list[int]:
        """Return the members of a set, or other values, as numbers."""
        return [self.board.numbers[type(value)](value) for value in values]

    def value(self, number: int, type_: types.Type) -> Value:
        """Return a number as a value of a type."""
        return self.encoding.decoder(type_)(number)

    def values(self, numbers: Iterable[int], type_: types.Type) -> tuple[Value, ...]:
        """Return numbers as values of a type."""
        return tuple(map(self.encoding.decoder(type_), numbers))

    def check(self, piece: Piece) -> None:
        """Raise BuiltinFault unless the piece is in the game with its number of players."""
        if piece not in self.box:
            text, seat = self.box.piece_text(piece), self.box.piece(piece).seat
            if seat is None or seat in self.box.seats:
                raise BuiltinFault(f"a game of {self.box.players} players has no {text}")
            raise BuiltinFault(f"nobody plays {text}")

    def place(self, piece: Piece) -> Place:
        """Return the place of a piece; raises BuiltinFault for one that is not in the game."""
        self.check(piece)
        return self.place_of(piece)

    def members(self, zone: Zone) -> tuple[Piece, ...]:
        """Return the pieces in a zone, in its order; raises BuiltinFault for an unknown zone."""
        return self.at(self.number(zone))

    def segments(self, feature: Feature) -> tuple[Segment, ...]:
        """Return the current segments of a feature; raises `runtime.faults.Fault`."""
        number = self.number(feature)
        found = self.values(self.listed(self.call("feature_segments", number)), types.SEGMENT)
        return found  # type: ignore[return-value]

    def features(self) -> tuple[Feature, ...]:
        """Return the features on all grids, in canonical order."""
        grids = range(len(self.box.grids))
        found = {n for grid in grids for n in self.listed(self.call("grid_features", grid))}
        return self.values(sorted(found), types.FEATURE)  # type: ignore[return-value]
