"""The components on the table, read from the tables of a position, and their texts."""

from __future__ import annotations

from collections.abc import Mapping

from rulesdsl.engine.lower.tables.encoding import Encoding
from rulesdsl.engine.run import samples
from rulesdsl.engine.run.words.box import GameBox, TurnedOutline
from rulesdsl.engine.runtime.tables import LAID, NOWHERE, ON_CELL
from rulesdsl.language.model import types
from rulesdsl.language.model.tables import Entries
from rulesdsl.language.model.values import (
    Cell,
    Piece,
    Placement,
    Segment,
    Space,
    Zone,
)

Place = Zone | Segment | Space | Cell | Placement | None
"""The place of a component.

It is a Placement if it is laid on a grid, a Segment, Cell or Space if it stands on one, and None if
it has no place (just taken, or not in play).
"""

Joint = tuple[Segment, Segment]
"""Two segments, the smaller first."""


class World:
    """The state of all components, in the tables `state` of a position."""

    def __init__(self, box: GameBox, encoding: Encoding, state: Mapping[str, Entries]) -> None:
        self.box = box
        self.encoding = encoding
        self.state = state

    def tables(self) -> Mapping[str, Entries]:
        """Return the state tables, and the tables that never change."""
        return self.state

    # --- queries ---------------------------------------------------------------------------------

    def place_of(self, piece: Piece) -> Place:
        """Return the place of a piece, None for one that is not in the game."""
        place, spot = (self.state[name][piece.index] for name in ("place", "spot"))
        return self.encoding.place_of(place, spot)  # type: ignore[return-value]

    def members(self, zone: Zone) -> tuple[Piece, ...]:
        """Return the pieces in a zone, in its order."""
        return self.at(self.encoding.encode(zone, types.ZONE))

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
        tables = self.tables()
        on_cell = tables["place"][piece.index] == ON_CELL
        if not on_cell or not tables["grid_ordered"][tables["spot"][piece.index] >> 24]:
            return 0
        return 1 + samples.level(tables, piece.index)

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

    def shows(self, seat: int, piece: Piece) -> bool:
        """Return whether a player knows a piece.

        All players see a piece that was just taken and has no place yet.
        """
        known = self.state["known"][piece.index] >> seat & 1
        return bool(known) or self.state["place"][piece.index] == NOWHERE

    def joints(self, kind: int) -> list[Joint]:
        """Return the pairs of segments that rules joined (LINKED) or separated (UNLINKED)."""
        kinds = self.state["joint_kind"][: self.state["joints"][0]]
        first, second = (
            map(self.encoding.decoder(types.SEGMENT), self.state[f"joint_{s}"]) for s in "ab"
        )
        rows = zip(first, second, kinds, strict=False)
        return [(a, b) for a, b, each in rows if each == kind]  # type: ignore[misc]

    def layout(self, piece: Piece, rotation: int = 0) -> TurnedOutline:
        """Return the layout of a piece (for a die with its current face) after rotation."""
        return self.box.layout(piece, self.face(piece), rotation)

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
