"""States of the rules as tables: the row and the numbers of each value.

A row is one value of a state: a number, or for a set a mask in words of 32 bits. Rows go by owner,
then by index. States of cells are hashed: a table of keys maps rows to cells, and a cell without a
row has the initial value, which one more row holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower.tables.encoding import CELL_BITS, NONE, Encoding, none_of, without_none
from rulesdsl.engine.runtime.faults import NO_SPACE, Fault
from rulesdsl.language.model import types
from rulesdsl.language.model.tables import Table, Tables
from rulesdsl.language.model.values import Piece, Player, Segment, Value, order_key

if TYPE_CHECKING:
    from rulesdsl.language.model.checked import Checked, StateDef

CELL_ROWS = 1024
"""The number of cells for which a state of cells has room."""
CELL_SHIFT = CELL_BITS - 5
"""The shift of the hash of a cell, chosen so that near cells have different hashes."""
CHUNK = 64
"""The number of entries that are compared at once."""
WORD = 32
"""Bits of one word of a mask."""


Index = tuple[Value, ...]


@dataclass(frozen=True)
class StateTable:
    """The location of a state in the tables.

    `tables` are the data and, for a state of cells, the keys (cell + 1, or 0 for a free row).
    The owner's number minus `first` is its index among `owners`. `members` are the numbers that
    a set can hold, in order; None for a state that is not a set.
    """

    key: str
    definition: StateDef
    tables: tuple[Table, ...]
    encoding: Encoding
    first: int
    owners: int
    sizes: tuple[int, ...]
    members: tuple[int, ...] | None

    @cached_property
    def data(self) -> str:
        """The table of the data."""
        return self.tables[0].name

    @cached_property
    def keys(self) -> str:
        """The table of keys of a state of cells."""
        return self.tables[1].name

    @cached_property
    def hashed(self) -> bool:
        return self.definition.owner == types.CELL.name

    @cached_property
    def per_owner(self) -> int:
        """The number of rows of an owner."""
        return prod(self.sizes)

    @cached_property
    def words(self) -> int:
        """The number of entries of a row."""
        return 1 if self.members is None else max(1, -(-len(self.members) // WORD))

    @property
    def plain(self) -> bool:
        """True if the state is one number for each owner, encoded as itself."""
        is_number = isinstance(self.definition.type, types.IntType)
        return is_number and not self.sizes and not self.hashed

    @property
    def initial_row(self) -> int:
        """A row that has the initial value before anything is written."""
        return CELL_ROWS * self.per_owner if self.hashed else 0

    def rows(self, tables: Tables) -> Iterator[tuple[Value, Index, int]]:
        """Yield the owner, index and row of all values of the state.

        For a state of cells, these are the cells that were ever written.
        """
        for owner, place in self._places(tables):
            for offset, index in enumerate(self._indices):
                yield owner, index, place * self.per_owner + offset

    def changed(self, tables: Tables, before: Tables) -> list[tuple[Value, Index, Value, Value]]:
        """Return the owner, index, old and new value of all values that differ from before."""
        now, was, words = tables[self.data][:], before[self.data][:], self.words
        found = []
        for row in sorted({at // words for at in _differing(now, was)}):
            place, offset = divmod(row, self.per_owner)
            old = row
            if self.hashed and not before[self.keys][place]:
                old = CELL_ROWS * self.per_owner + offset
            values = self.read(before, old), self.read(tables, row)
            if values[0] != values[1]:
                found.append((self._owner(tables, place), self._indices[offset], *values))
        if self.hashed:
            found.sort(key=lambda each: order_key(each[:2]))
        return found

    def row(self, tables: Tables, owner: Value, index: tuple[Value, ...]) -> int:
        """Return the row of a value, for writing; a new cell gets a row."""
        place = self._cell_row(tables, owner) if self.hashed else self._place(owner)
        index_types = self.definition.index
        for value, type_, size in zip(index, index_types, self.sizes, strict=True):
            place = place * size + self.encoding.encode(value, type_)
        return place

    def read(self, tables: Tables, row: int) -> Value:
        """Return the value in a row."""
        entries = tables[self.data][row * self.words : (row + 1) * self.words]
        if self.members is None:
            return self.encoding.decoder(self.definition.type)(entries[0])
        if entries[0] == NONE:
            return None
        return tuple(self.encoding.decode(number, self.item) for number in self.held(entries))

    def held(self, entries: Sequence[int]) -> list[int]:
        """Return the numbers of the members of a set, from the mask in the entries of its row."""
        if entries[0] == NONE:
            return []
        mask = sum(word << WORD * place for place, word in enumerate(entries))
        return [number for bit, number in enumerate(self.members or ()) if mask >> bit & 1]

    def write(self, tables: Tables, row: int, value: Value) -> None:
        """Write a value of the state's type to a row."""
        entries = [0] * self.words
        if self.members is None:
            entries[0] = self.encoding.encode(value, self.definition.type)
        elif not isinstance(value, tuple):
            entries[0] = NONE
        else:
            for member in value:
                bit = self.members.index(self.encoding.encode(member, self.item))
                entries[bit // WORD] |= 1 << bit % WORD
        tables[self.data][row * self.words : (row + 1) * self.words] = entries

    @property
    def item(self) -> types.Type:
        """The member type of a state that is a set."""
        kept = without_none(self.definition.type)
        assert isinstance(kept, types.SetType)
        return kept.item

    @property
    def _owner_type(self) -> types.Type:
        return types.NamedType(self.definition.owner)

    @cached_property
    def _indices(self) -> tuple[Index, ...]:
        decode = self.encoding.decode
        return tuple(
            tuple(decode(i, type_) for i, type_ in zip(index, self.definition.index, strict=True))
            for index in product(*map(range, self.sizes))
        )

    def _place(self, owner: Value) -> int:
        match owner:
            case None:
                return 0
            case Player(seat):
                return seat
            case Piece() | Segment():
                return self.encoding.encode(owner, self._owner_type) - self.first
            case _:
                raise AssertionError(f"{owner} owns no state")

    def _places(self, tables: Tables) -> Iterator[tuple[Value, int]]:
        """Yield the owners that are in the game, each with its index."""
        if self.hashed:
            rows = enumerate(tables[self.keys])
            yield from sorted((self._owner(tables, row), row) for row, key in rows if key)
        else:
            owners = ((self._owner(tables, place), place) for place in range(self.owners))
            yield from ((owner, place) for owner, place in owners if self._played(owner))

    def _owner(self, tables: Tables, place: int) -> Value:
        if self.definition.owner == "game":
            return None
        if self.hashed:
            return self.encoding.cell_of(tables[self.keys][place] - 1)
        return self.encoding.decoder(self._owner_type)(self.first + place)

    def _played(self, owner: Value) -> bool:
        """Return whether an owner is in the game; a piece must be of the owning class."""
        game = self.encoding.game
        if owner is None or isinstance(owner, Player):
            return True
        if isinstance(owner, Segment):
            piece = game.pieces[owner.piece]
        else:
            assert isinstance(owner, Piece)
            piece = game.pieces[owner.index]
            if game.kinds[piece.kind].cls != self.definition.owner:
                return False
        return piece.takes_part(self.encoding.players)

    def _cell_row(self, tables: Tables, owner: Value) -> int:
        cell = self.encoding.encode(owner, types.CELL)
        keys = tables[self.keys]
        for probe in range(CELL_ROWS):
            row = ((cell ^ cell >> CELL_SHIFT) + probe) % CELL_ROWS
            if keys[row] in (0, cell + 1):
                keys[row] = cell + 1
                return row
        raise Fault(NO_SPACE)


def _differing(now: Sequence[int], was: Sequence[int]) -> Iterator[int]:
    """Yield the indices at which two lists of a length differ, which are few."""
    for first in range(0, len(now), CHUNK):
        part, other = now[first : first + CHUNK], was[first : first + CHUNK]
        if part != other:
            yield from (first + at for at in range(len(part)) if part[at] != other[at])


def state_tables(checked: Checked, encoding: Encoding) -> dict[str, StateTable]:
    """Return the tables of all states of a game, by key."""
    found: dict[str, StateTable] = {}
    taken: set[str] = set()
    for key, definition in checked.states.items():
        plain = "state_" + key.rsplit("/", 1)[-1].replace(".", "_")
        name, number = plain, 1
        while name in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name)
        found[key] = _state_table(definition, name, encoding)
    return found


def _state_table(definition: StateDef, name: str, encoding: Encoding) -> StateTable:
    first, owners = _owners(definition.owner, encoding)
    sizes = tuple(_index_size(type_, encoding) for type_ in definition.index)
    kept = without_none(definition.type)
    members = set_members(kept.item, encoding) if isinstance(kept, types.SetType) else None
    low, high = bounds(definition.type, encoding)
    words = 1 if members is None else max(1, -(-len(members) // WORD))
    size = (owners + (definition.owner == types.CELL.name)) * prod(sizes) * words
    begin = () if low <= 0 <= high else (low,) * size
    doc = f"State `{definition.key}`."
    tables = [Table(name, "state", size, low, high, begin, doc)]
    if definition.owner == types.CELL.name:
        keys = f"The cell + 1 of each row of `{name}`."
        tables.append(Table(f"{name}_cell", "state", CELL_ROWS, 0, types.INT_MAX, (), keys))
    return StateTable(
        definition.key, definition, tuple(tables), encoding, first, owners, sizes, members
    )


def _owners(owner: str, encoding: Encoding) -> tuple[int, int]:
    """Return the number of the first possible owner, and the count of numbers from it on."""
    if owner == "game":
        return 0, 1
    if owner == types.PLAYER.name:
        return 0, encoding.players
    if owner == types.SEGMENT.name:
        return 0, encoding.piece_segment[-1]
    if owner == types.CELL.name:
        return 0, CELL_ROWS
    pieces = pieces_of(owner, encoding)
    return (pieces[0], pieces[-1] - pieces[0] + 1) if pieces else (0, 0)


def pieces_of(cls: str, encoding: Encoding) -> tuple[int, ...]:
    """Return all pieces of a class, in order."""
    game = encoding.game
    return tuple(i for i, p in enumerate(game.pieces) if game.kinds[p.kind].cls == cls)


def _index_size(type_: types.Type, encoding: Encoding) -> int:
    if type_ == types.PLAYER:
        return encoding.players
    assert isinstance(type_, types.EnumType), "an index is an enum or a player"
    return encoding.enums[type_.name]


def set_members(item: types.Type, encoding: Encoding) -> tuple[int, ...]:
    """Return the numbers that a set of this type in a state can hold, in order."""
    match item:
        case types.IntType(low, high):
            return tuple(range(low, high + 1))
        case types.NamedType(name) if name in types.PIECE_CLASSES:
            return pieces_of(name, encoding)
    return tuple(range(bounds(item, encoding)[1] + 1))


def bounds(type_: types.Type, encoding: Encoding) -> tuple[int, int]:
    """Return the least and the largest number of an entry for a value of that type."""
    match type_:
        case types.OptionalType(inner):
            low, high = bounds(inner, encoding)
            return min(none_of(type_), low), max(none_of(type_), high)
        case types.SetType():
            return 0, 2**WORD - 1
        case types.IntType(low, high):
            return low, high
        case types.EnumType(name):
            return 0, max(0, encoding.enums[name] - 1)
    game = encoding.game
    cells = encoding.grid_first[-1] << 2 * CELL_BITS
    counts = {
        types.BOOL: 2,
        types.PLAYER: encoding.players,
        types.KIND: len(game.kinds),
        types.FACE: encoding.kind_face[-1],
        types.SEGMENT: encoding.piece_segment[-1],
        types.FEATURE: encoding.piece_segment[-1],
        types.CELL: cells,
        types.PLACEMENT: cells << encoding.turn_bits,
        types.ZONE: encoding.zone_first[-1],
        types.GRID: encoding.grid_first[-1],
        types.SPACE: encoding.track_first[-1],
    }
    return 0, max(0, counts.get(type_, len(game.pieces)) - 1)
