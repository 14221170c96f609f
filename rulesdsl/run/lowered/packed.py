"""Values and worlds as bytes and back, see `pack`."""

from __future__ import annotations

from rulesdsl.core.tables import LAID, ON_CELL
from rulesdsl.lower.tables.encoding import Encoding, set_item
from rulesdsl.lower.tables.state_tables import bounds
from rulesdsl.model.types import CELL, PLACEMENT, SEGMENT, IntType, OptionalType, Type
from rulesdsl.model.values import Cell, Piece, Placement, Segment, Value, Zone
from rulesdsl.run.lowered.bits import Reader, Writer
from rulesdsl.run.lowered.worlds import Worlds
from rulesdsl.run.reference.plaindata import DataError
from rulesdsl.run.reference.world import Joint, Place, World

MOST = (1 << 16) - 1
"""How many members a set can have, and rounds a loop."""


class Values:
    """How values are written: as the numbers they have in tables."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding

    def write(self, writer: Writer, value: Value, type_: Type) -> None:
        """A value of that type; a set with how many members it has first, and before that whether
        it is there, if it may be none."""
        item = set_item(type_)
        if item is None:
            writer.number(self._encoding.encode(value, type_), *self._range(type_))
            return
        if isinstance(type_, OptionalType):
            writer.number(int(value is not None), 0, 1)
            if value is None:
                return
        assert isinstance(value, tuple)
        writer.number(len(value), 0, MOST)
        for member in value:
            self.write(writer, member, item)

    def read(self, reader: Reader, type_: Type) -> Value:
        """The value that was written; its members may be in any order."""
        item = set_item(type_)
        if item is None:
            return self._encoding.decode(reader.number(*self._range(type_)), type_)
        if isinstance(type_, OptionalType) and not reader.number(0, 1):
            return None
        return tuple(self.read(reader, item) for _ in range(reader.number(0, MOST)))

    def _range(self, type_: Type) -> tuple[int, int]:
        """What number a value can be. Integers that are on their way are not kept to a range."""
        if isinstance(type_, OptionalType):
            inner: Type = OptionalType(IntType()) if isinstance(type_.item, IntType) else type_
        else:
            inner = IntType() if isinstance(type_, IntType) else type_
        return bounds(inner, self._encoding)


class PackedWorlds:
    """How worlds are written: piece by piece, then the order of the zones that keep one, then what
    rules joined and parted."""

    def __init__(self, worlds: Worlds, encoding: Encoding) -> None:
        self._worlds = worlds
        self._values = Values(encoding)
        self._blank = worlds.blank
        box = self._blank.box
        self._places = (
            encoding.zone_first[-1] + encoding.track_first[-1] + encoding.piece_segment[-1]
        )
        self._everybody = (1 << box.players) - 1
        self._last = len(box.game.pieces) - 1
        self._ordered = [zone for zone in box.zones if box.keeps_order(zone)]

    def write(self, writer: Writer, world: World) -> None:
        """All of a world."""
        for piece, where in world.places.items():
            writer.number(self._worlds.number(where), ON_CELL, self._places - 1)
            if isinstance(where, Placement | Cell):
                self._values.write(writer, where, self._spot(where))
            if piece in world.faces:
                writer.number(world.faces[piece], 0, self._faces(piece))
            writer.number(sum(1 << seat for seat in world.known[piece]), 0, self._everybody)
            writer.number(world.pools[piece], 0, self._last)
            marks = int(piece in world.face_down) + 2 * int(piece in world.shuffled)
            writer.number(marks, 0, 3)
        for zone in self._ordered:
            for piece in world.zones[zone]:
                writer.number(piece.index, 0, self._last)
        for joints in (world.links, world.unlinks):
            writer.number(len(joints), 0, MOST)
            for pair in sorted(joints):
                for segment in pair:
                    self._values.write(writer, segment, SEGMENT)

    def read(self, reader: Reader) -> World:
        """A world that may be any nonsense of pieces and places that there are; raises DataError
        if not even that."""
        world = self._blank.clone()
        down, shuffled = set[Piece](), set[Piece]()
        for piece in world.places:
            number = reader.number(ON_CELL, self._places - 1)
            world.places[piece] = self._read_place(reader, number)
            if piece in world.faces:
                world.faces[piece] = reader.number(0, self._faces(piece))
            mask = reader.number(0, self._everybody)
            world.known[piece] = frozenset(s for s in world.box.seats if mask >> s & 1)
            world.pools[piece] = reader.number(0, self._last)
            marks = reader.number(0, 3)
            down |= {piece} if marks & 1 else set()
            shuffled |= {piece} if marks & 2 else set()
        world.face_down, world.shuffled = frozenset(down), frozenset(shuffled)
        self._read_zones(reader, world)
        world.links, world.unlinks = self._read_joints(reader), self._read_joints(reader)
        return world

    def _read_place(self, reader: Reader, number: int) -> Place:
        if number in (LAID, ON_CELL):
            spot = self._values.read(reader, PLACEMENT if number == LAID else CELL)
            assert isinstance(spot, Placement | Cell)
            return spot
        return self._worlds.standing_place(number)

    def _read_zones(self, reader: Reader, world: World) -> None:
        inside: dict[Zone, list[Piece]] = {zone: [] for zone in world.box.zones}
        for piece, where in world.places.items():
            if isinstance(where, Zone):
                inside[where].append(piece)
        for zone in self._ordered:
            order = [Piece(reader.number(0, self._last)) for _ in inside[zone]]
            if sorted(order) != inside[zone]:
                raise DataError("the order of a zone is not that of its components")
            inside[zone] = order
        world.zones = {zone: tuple(pieces) for zone, pieces in inside.items()}

    def _read_joints(self, reader: Reader) -> frozenset[Joint]:
        return frozenset(self._read_joint(reader) for _ in range(reader.number(0, MOST)))

    def _read_joint(self, reader: Reader) -> Joint:
        a, b = (self._values.read(reader, SEGMENT) for _ in range(2))
        assert isinstance(a, Segment)
        assert isinstance(b, Segment)
        return a, b

    def _faces(self, die: Piece) -> int:
        """The number of the last face of a die."""
        return len(self._blank.box.kind(die).faces) - 1

    def _spot(self, where: Placement | Cell) -> Type:
        return PLACEMENT if isinstance(where, Placement) else CELL
