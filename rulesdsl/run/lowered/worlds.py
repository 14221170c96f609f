"""The world of a position as tables, and as the readable engine has it."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from itertools import pairwise

from rulesdsl.core.tables import LAID, NOWHERE, ON_CELL
from rulesdsl.lower.encoding import Encoding
from rulesdsl.model.types import CELL, PLACEMENT, SEGMENT
from rulesdsl.model.values import Cell, Piece, Placement, Segment, Space, Zone
from rulesdsl.run.lowered.machine import Tables
from rulesdsl.run.reference.world import Answers, BoardAnswers, Joint, Place, World


class Worlds:
    """Turns tables into worlds and back, for one game with its number of players."""

    def __init__(self, encoding: Encoding, blank: World) -> None:
        """`blank` is any world of the game."""
        self._encoding = encoding
        self.blank = blank
        box = blank.box
        self._spaces = encoding.zone_first[-1]
        self._segments = self._spaces + encoding.track_first[-1]
        self._places: tuple[Zone | Space | Segment, ...] = (
            *box.zones,
            *box.spaces,
            *(self._segment(number) for number in range(encoding.piece_segment[-1])),
        )
        self._ordered = [
            (number, zone) for number, zone in enumerate(box.zones) if box.keeps_order(zone)
        ]
        self._seats = [
            frozenset(seat for seat in box.seats if mask >> seat & 1)
            for mask in range(1 << box.players)
        ]

    def check(self, piece: Piece) -> None:
        """Raise `Fault` of the readable engine unless the piece is in the game as it is played."""
        self.blank.check(piece)

    # --- reading -------------------------------------------------------------------------------

    def read(self, tables: Tables) -> World:
        """The world that the tables hold."""
        pieces = self.blank.box.pieces
        world = copy(self.blank)
        place, known, pool = tables["place"], tables["known"], tables["pool"]
        face, down, shuffled = tables["face"], tables["face_down"], tables["shuffled"]
        world.places = {
            piece: self.place(tables, piece.index, place[piece.index]) for piece in pieces
        }
        world.zones = self._read_zones(tables, world)
        world.faces = {die: face[die.index] for die in self.blank.faces}
        world.known = {piece: self._seats[known[piece.index]] for piece in pieces}
        world.pools = {piece: pool[piece.index] for piece in pieces}
        world.face_down = frozenset(piece for piece in pieces if down[piece.index])
        world.shuffled = frozenset(piece for piece in pieces if shuffled[piece.index])
        world.links = self._read_joints(tables, "link")
        world.unlinks = self._read_joints(tables, "unlink")
        world.answers, world.board_answers = Answers(), BoardAnswers()
        return world

    def place(self, tables: Tables, piece: int, number: int) -> Place:
        """The place of a piece, whose number in `place` is given."""
        if number not in (LAID, ON_CELL):
            return self.standing_place(number)
        spot = tables["spot"][piece]
        if number == ON_CELL:
            return self._encoding.cell_of(spot)
        return Placement(self._encoding.cell_of(spot >> 2), spot & 3)

    def standing_place(self, number: int) -> Zone | Space | Segment | None:
        """The place that has the number, on no grid by itself."""
        return None if number == NOWHERE else self._places[number]

    def _read_zones(self, tables: Tables, world: World) -> dict[Zone, tuple[Piece, ...]]:
        inside: dict[Zone, list[Piece]] = {zone: [] for zone in world.box.zones}
        for piece, where in world.places.items():
            if isinstance(where, Zone):
                inside[where].append(piece)
        for number, zone in self._ordered:
            inside[zone] = [Piece(index) for index in listed(tables, number)]
        return {zone: tuple(pieces) for zone, pieces in inside.items()}

    def _read_joints(self, tables: Tables, word: str) -> frozenset[Joint]:
        first, second = tables[f"{word}_a"], tables[f"{word}_b"]
        return frozenset(
            (self._segment(first[row]), self._segment(second[row]))
            for row in range(tables[f"{word}s"][0])
        )

    def _segment(self, number: int) -> Segment:
        segment = self._encoding.decode(number, SEGMENT)
        assert isinstance(segment, Segment)
        return segment

    # --- writing -------------------------------------------------------------------------------

    def write(self, tables: Tables, world: World) -> None:
        """Let the tables hold the world. What follows from it is for the program's `rebuild`."""
        for index in range(len(tables["place"])):
            self._write_piece(tables, world, Piece(index))
        for name in ("head", "tail"):
            for number in range(len(tables[name])):
                tables[name][number] = -1
        for number in range(len(tables["amount"])):
            tables["amount"][number] = 0
        at: dict[int, list[int]] = {}
        for piece, where in world.places.items():
            if isinstance(where, Zone | Space | Segment):
                at.setdefault(self.number(where), []).append(piece.index)
        for number, zone in self._ordered:
            if world.zones[zone]:
                at[number] = [piece.index for piece in world.zones[zone]]
        for number, pieces in at.items():
            _link_up(tables, number, pieces)
        self._write_joints(tables, "link", world.links)
        self._write_joints(tables, "unlink", world.unlinks)

    def number(self, place: Place) -> int:
        """What `place` says of a piece that is there."""
        match place:
            case None:
                return NOWHERE
            case Placement():
                return LAID
            case Cell():
                return ON_CELL
            case Zone(zone, index):
                return self._encoding.zone_first[zone] + index
            case Space(track, index):
                return self._spaces + self._encoding.track_first[track] + index
            case Segment():
                return self._segments + self._encoding.encode(place, SEGMENT)

    def spot(self, place: Place) -> int:
        """What `spot` says of a piece that is there."""
        match place:
            case Placement():
                return self._encoding.encode(place, PLACEMENT)
            case Cell():
                return self._encoding.encode(place, CELL)
            case _:
                return -1

    def _write_piece(self, tables: Tables, world: World, piece: Piece) -> None:
        where = world.places.get(piece)
        index = piece.index
        tables["place"][index] = self.number(where)
        tables["spot"][index] = self.spot(where)
        tables["face"][index] = world.faces.get(piece, 0)
        tables["known"][index] = sum(1 << seat for seat in world.known.get(piece, ()))
        tables["pool"][index] = world.pools.get(piece, index)
        tables["face_down"][index] = int(piece in world.face_down)
        tables["shuffled"][index] = int(piece in world.shuffled)
        tables["piece_next"][index] = tables["piece_before"][index] = -1

    def _write_joints(self, tables: Tables, word: str, joints: Iterable[Joint]) -> None:
        rows = sorted(joints)
        for row, (a, b) in enumerate(rows):
            tables[f"{word}_a"][row] = self._encoding.encode(a, SEGMENT)
            tables[f"{word}_b"][row] = self._encoding.encode(b, SEGMENT)
        tables[f"{word}s"][0] = len(rows)


def listed(tables: Tables, place: int) -> list[int]:
    """The pieces at a place, in the order of its list."""
    found, after = [], tables["piece_next"]
    piece = tables["head"][place]
    while piece >= 0:
        found.append(piece)
        piece = after[piece]
    return found


def _link_up(tables: Tables, place: int, pieces: list[int]) -> None:
    """Let a place, which is empty, have these pieces in this order."""
    tables["head"][place], tables["tail"][place] = pieces[0], pieces[-1]
    tables["amount"][place] = len(pieces)
    for before, after in pairwise(pieces):
        tables["piece_next"][before] = after
        tables["piece_before"][after] = before
