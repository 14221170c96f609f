"""Plain worlds in the tables of the runtime, and back: the two are compared."""

from __future__ import annotations

from copy import copy
from itertools import pairwise

from rulesdsl.engine.lower.tables.encoding import Encoding
from rulesdsl.engine.run.words.world import Joint, Place
from rulesdsl.engine.runtime.tables import LAID, LINKED, NOWHERE, ON_CELL, UNLINKED
from rulesdsl.language.model.ir import Tables
from rulesdsl.language.model.types import CELL, PLACEMENT, SEGMENT
from rulesdsl.language.model.values import Cell, Piece, Placement, Segment, Space, Zone
from tests.oracle.world import Answers, BoardAnswers, World

NOBODY: frozenset[int] = frozenset()


class Worlds:
    """Turns tables into worlds and back, for one game with its number of players."""

    def __init__(self, encoding: Encoding, blank: World) -> None:
        """`blank` is any world of the game."""
        self._encoding = encoding
        self.blank = blank
        box = blank.box
        self._places: tuple[Zone | Space | Segment, ...] = (
            *box.zones,
            *box.spaces,
            *(self._segment(number) for number in range(encoding.piece_segment[-1])),
        )
        self._numbers: dict[Place, int] = {None: NOWHERE}
        self._numbers.update((place, number) for number, place in enumerate(self._places))
        self._ordered = [
            (number, zone) for number, zone in enumerate(box.zones) if box.keeps_order(zone)
        ]
        self._seats = [
            frozenset(seat for seat in box.seats if mask >> seat & 1)
            for mask in range(1 << box.players)
        ]
        self._masks = {seats: mask for mask, seats in enumerate(self._seats)}

    def check(self, piece: Piece) -> None:
        """Raise `Absent` unless the piece is in the game as it is played."""
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
        world.arrived = {
            piece: len(_below(tables, piece.index))
            for piece, where in world.places.items()
            if isinstance(where, Cell)
        }
        world.faces = {die: face[die.index] for die in self.blank.faces}
        world.known = {piece: self._seats[known[piece.index]] for piece in pieces}
        world.pools = {piece: pool[piece.index] for piece in pieces}
        world.face_down = frozenset(piece for piece in pieces if down[piece.index])
        world.shuffled = frozenset(piece for piece in pieces if shuffled[piece.index])
        world.links = self._read_joints(tables, LINKED)
        world.unlinks = self._read_joints(tables, UNLINKED)
        world.answers, world.board_answers = Answers(), BoardAnswers()
        return world

    def place(self, tables: Tables, piece: int, number: int) -> Place:
        """The place of a piece, whose number in `place` is given."""
        if number not in (LAID, ON_CELL):
            return self.standing_place(number)
        spot = tables["spot"][piece]
        if number == ON_CELL:
            return self._encoding.cell_of(spot)
        return self._encoding.placement_of(spot)

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

    def _read_joints(self, tables: Tables, kind: int) -> frozenset[Joint]:
        first, second = tables["joint_a"], tables["joint_b"]
        return frozenset(
            (self._segment(first[row]), self._segment(second[row]))
            for row in range(tables["joints"][0])
            if tables["joint_kind"][row] == kind
        )

    def _segment(self, number: int) -> Segment:
        segment = self._encoding.decode(number, SEGMENT)
        assert isinstance(segment, Segment)
        return segment

    # --- writing -------------------------------------------------------------------------------

    def write(self, tables: Tables, world: World) -> None:
        """Let the tables hold the world. What follows from it is for the program's `rebuild`."""
        pieces = [Piece(index) for index in range(len(tables["place"]))]
        places = [world.places.get(piece) for piece in pieces]
        tables["place"][:] = [self.number(place) for place in places]
        tables["spot"][:] = [self.spot(place) for place in places]
        tables["face"][:] = [world.faces.get(piece, 0) for piece in pieces]
        tables["known"][:] = [self._masks[world.known.get(piece, NOBODY)] for piece in pieces]
        tables["pool"][:] = [world.pools.get(piece, piece.index) for piece in pieces]
        tables["face_down"][:] = [int(piece in world.face_down) for piece in pieces]
        tables["shuffled"][:] = [int(piece in world.shuffled) for piece in pieces]
        for name in ("head", "tail", "piece_next", "piece_before"):
            tables[name][:] = [-1] * len(tables[name])
        tables["amount"][:] = [0] * len(tables["amount"])
        at: dict[int, list[int]] = {}
        for piece, where in world.places.items():
            if isinstance(where, Zone | Space | Segment):
                at.setdefault(self.number(where), []).append(piece.index)
        for number, zone in self._ordered:
            if world.zones[zone]:
                at[number] = [piece.index for piece in world.zones[zone]]
        for number, order in at.items():
            tables["head"][number], tables["tail"][number] = order[0], order[-1]
            tables["amount"][number] = len(order)
            _link_up(tables, order)
        for order in _stacks(world):
            _link_up(tables, order)
        kinds = dict.fromkeys(world.links, LINKED) | dict.fromkeys(world.unlinks, UNLINKED)
        tables["joints"][0] = len(kinds)
        for row, (a, b) in enumerate(sorted(kinds)):
            tables["joint_a"][row] = self._encoding.encode(a, SEGMENT)
            tables["joint_b"][row] = self._encoding.encode(b, SEGMENT)
            tables["joint_kind"][row] = kinds[a, b]

    def number(self, place: Place) -> int:
        """What `place` says of a piece that is there."""
        found = self._numbers.get(place)
        if found is None:
            found = LAID if isinstance(place, Placement) else ON_CELL
        return found

    def spot(self, place: Place) -> int:
        """What `spot` says of a piece that is there."""
        match place:
            case Placement():
                return self._encoding.encode(place, PLACEMENT)
            case Cell():
                return self._encoding.encode(place, CELL)
            case _:
                return -1


def listed(tables: Tables, place: int) -> list[int]:
    """The pieces at a place, in the order of its list."""
    found, after = [], tables["piece_next"]
    piece = tables["head"][place]
    while piece >= 0:
        found.append(piece)
        piece = after[piece]
    return found


def _below(tables: Tables, piece: int) -> list[int]:
    """The pieces before one in its list."""
    found = []
    while (piece := tables["piece_before"][piece]) >= 0:
        found.append(piece)
    return found


def _stacks(world: World) -> list[list[int]]:
    """The pieces on each cell that keeps order, the lowest first."""
    found: dict[Cell, list[int]] = {}
    for piece in sorted(world.arrived, key=world.arrived.__getitem__):
        where = world.places[piece]
        if isinstance(where, Cell) and world.box.game.grids[where.grid].ordered:
            found.setdefault(where, []).append(piece.index)
    return list(found.values())


def _link_up(tables: Tables, pieces: list[int]) -> None:
    """Let pieces follow each other in this order."""
    for before, after in pairwise(pieces):
        tables["piece_next"][before] = after
        tables["piece_before"][after] = before
