"""The state of all components: their places, the players who know them, and links of segments.

It is kept in the state tables of the runtime, whose functions answer all questions.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from rulesdsl.engines.reference.board import BuiltinFault, board_of
from rulesdsl.engines.reference.box import TurnedOutline
from rulesdsl.model import types
from rulesdsl.model.checked import Checked
from rulesdsl.model.values import (
    Cell,
    Feature,
    Piece,
    Placement,
    Segment,
    Space,
    Value,
    Zone,
)
from rulesdsl.runtime.tables import LAID, ON_CELL

Place = Zone | Segment | Space | Cell | Placement | None
"""The place of a component.

It is a Placement if it is laid on a grid, a Segment, Cell or Space if it stands on one, and None if
it has no place (just taken, or not in play).
"""

Joint = tuple[Segment, Segment]
"""Two segments, the smaller first."""


def _on_heap(names: Mapping[str, Any], items: list[int]) -> int:
    """Put a set or list on the heap of the runtime, and return its offset."""
    heap, top = names["heap"], names["heap_top"]
    made: int = top[0]
    top[0] = end = made + 1 + len(items)
    heap[made:end] = [len(items), *items]
    return made


class World:
    """The state of all components, in the tables `state`."""

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

    # --- the runtime -----------------------------------------------------------------------------

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

    # --- values as numbers -----------------------------------------------------------------------

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

    # --- queries ---------------------------------------------------------------------------------

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

    def place_of(self, piece: Piece) -> Place:
        """Return the place of a piece, None for one that is not in the game."""
        place, spot = (self.state[name][piece.index] for name in ("place", "spot"))
        return self.encoding.place_of(place, spot)  # type: ignore[return-value]

    def members(self, zone: Zone) -> tuple[Piece, ...]:
        """Return the pieces in a zone, in its order; raises BuiltinFault for an unknown zone."""
        return self.at(self.number(zone))

    def at(self, place: int) -> tuple[Piece, ...]:
        """Return the pieces at a place that has a number."""
        found, after = [], self.state["piece_next"]
        piece = self.state["head"][place]
        while piece >= 0:
            found.append(Piece(piece))
            piece = after[piece]
        return tuple(found)

    def laid(self) -> dict[Piece, Placement]:
        """Return all pieces on grids with their placements, in canonical order of the pieces."""
        spots, placement_of = self.state["spot"], self.encoding.placement_of
        return {
            Piece(piece): placement_of(spots[piece])
            for piece, place in enumerate(self.state["place"])
            if place == LAID
        }

    def level(self, piece: Piece) -> int:
        """Return the position of a piece on a cell that keeps order, from 1; else 0."""
        state, grids = self.state, self.board.const["grid_ordered"]
        on_cell = state["place"][piece.index] == ON_CELL
        if not on_cell or not grids[state["spot"][piece.index] >> 24]:
            return 0
        return self.call("level", piece.index)

    def face(self, piece: Piece) -> int:
        """Return the number of the face that a die shows, 0 for any other piece."""
        return self.state["face"][piece.index]

    def knowing(self, piece: Piece) -> frozenset[int]:
        """Return the seats that know the front of a piece."""
        mask = self.state["known"][piece.index]
        return frozenset(seat for seat in self.box.seats if mask >> seat & 1)

    def is_face_down(self, piece: Piece) -> bool:
        """Return whether a piece is not shown where it lies."""
        return self.state["face_down"][piece.index] == 1

    def is_shuffled(self, piece: Piece) -> bool:
        """Return whether it is not decided yet, until it is taken, which piece this is."""
        return self.state["shuffled"][piece.index] == 1

    def joints(self, kind: int) -> list[Joint]:
        """Return the pairs of segments that rules joined (LINKED) or separated (UNLINKED)."""
        kinds = self.state["joint_kind"][: self.state["joints"][0]]
        first, second = (self.values(self.state[f"joint_{s}"], types.SEGMENT) for s in "ab")
        rows = zip(first, second, kinds, strict=False)
        return [(a, b) for a, b, each in rows if each == kind]  # type: ignore[misc]

    def layout(self, piece: Piece, rotation: int = 0) -> TurnedOutline:
        """Return the layout of a piece (for a die with its current face) after rotation."""
        return self.box.layout(piece, self.face(piece), rotation)

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

    # --- texts -----------------------------------------------------------------------------------

    def place_text(self, place: Place) -> str:
        """Return the text of a place."""
        match place:
            case Zone():
                return self.box.zone_text(place)
            case Segment():
                return self.segment_text(place)
            case Space():
                return self.box.space_text(place)
            case Cell():
                return self.box.cell_text(place)
            case Placement(cell, rotation):
                turn = f" turned {self.box.game.degrees * rotation}" if rotation else ""
                return self.box.cell_text(cell) + turn
            case None:
                return "nowhere"

    def segment_text(self, segment: Segment) -> str:
        """Return the text of a segment, with its sides in the current rotation of the piece."""
        piece = Piece(segment.piece)
        where = self.place_of(piece)
        rotation = where.rotation if isinstance(where, Placement) else 0
        return self.box.segment_text(segment, self.layout(piece, rotation))
