"""The encoding of values of the language as numbers, and its inverse.

`runtime.tables` documents the numbers. They are in canonical order. Bools are 0 and 1 in
tables, IR bools in expressions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from rulesdsl.engine.runtime.tables import LAID, NOWHERE, ON_CELL
from rulesdsl.language.model import types, values
from rulesdsl.language.model.flow import answers, told_keys

if TYPE_CHECKING:
    from rulesdsl.language.model.checked import Checked
    from rulesdsl.language.model.game import KindDef, LinkedGame

NONE = -1
NO_NUMBER = types.INT_MIN - 1
"""The number of `none` in numeric types: it is outside of the integers of the language."""

MEMORY = 4096
"""The number of decoded values of a type that are cached."""

CELL_BITS = 12
CENTRE = 2048


def without_none(type_: types.Type) -> types.Type:
    """Return a type, that of its values other than `none` if it is optional."""
    return type_.item if isinstance(type_, types.OptionalType) else type_


def none_of(type_: types.Type) -> int:
    """Return the number of `none` in an optional type."""
    return NO_NUMBER if isinstance(without_none(type_), types.IntType) else NONE


def set_item(type_: types.Type) -> types.Type | None:
    """Return the member type of a set type; None for other types."""
    inner = without_none(type_)
    return inner.item if isinstance(inner, types.SetType) else None


def is_set(type_: types.Type) -> bool:
    """Return whether a type is a set type."""
    return set_item(type_) is not None


class Encoding:
    """The encoding of one game with its number of players."""

    def __init__(self, checked: Checked, players: int) -> None:
        game = checked.game
        self.game = game
        self.players = players
        self._decoders: dict[types.Type, Callable[[int], values.Value]] = {}
        self.enums = {enum.key: len(enum.members) for enum in game.enums}
        self.enums[types.SIDE.name] = game.sides
        self.turn_bits = (game.sides - 1).bit_length()
        self.piece_segment = _starts(most_segments(game.kinds[p.kind]) for p in game.pieces)
        self.answers = answers(game, told_keys(checked))
        self.kind_face = _starts(len(kind.faces) for kind in game.kinds)
        self.zone_first = _starts(zone.instances(players) for zone in game.zones)
        self.grid_first = _starts(grid.instances(players) for grid in game.grids)
        self.track_first = _starts(track.length for track in game.tracks)

    @property
    def first_segment(self) -> int:
        """The number of the first segment among places: after all zones and spaces."""
        return self.zone_first[-1] + self.track_first[-1]

    def encode(self, value: values.Value, type_: types.Type) -> int:
        """Return the number of a value that is not a set."""
        match value:
            case None:
                return none_of(type_)
            case int():
                return int(value)
            case values.Player(seat):
                return seat
            case values.EnumMember(_, index) | values.Kind(index) | values.Piece(index):
                return index
            case values.Face(kind, index):
                return self.kind_face[kind] + index
            case values.Segment(piece, index) | values.Feature(values.Segment(piece, index)):
                return self.piece_segment[piece] + index
            case values.Cell():
                return self.cell(value)
            case values.Placement(cell, rotation):
                return (self.cell(cell) << self.turn_bits) + rotation
            case values.Zone(zone, index):
                return self.zone_first[zone] + index
            case values.Grid(grid, index):
                return self.grid_first[grid] + index
            case values.Space(track, index):
                return self.track_first[track] + index
            case tuple():
                raise TypeError("a set has no number")

    def cell(self, cell: values.Cell) -> int:
        """Return the number of a cell."""
        grid = self.grid_first[cell.grid] + cell.owner
        return (grid << CELL_BITS | cell.y + CENTRE) << CELL_BITS | cell.x + CENTRE

    def decoder(self, type_: types.Type) -> Callable[[int], values.Value]:
        """Return a cached decoder of numbers of a type, since moves often name the same things."""
        if type_ not in self._decoders:
            self._decoders[type_] = lru_cache(MEMORY)(partial(self.decode, type_=type_))
        return self._decoders[type_]

    def __getstate__(self) -> dict[str, object]:
        """Return the state for pickling, without the caches."""
        return {**vars(self), "_decoders": {}}

    def decode(self, number: int, type_: types.Type) -> values.Value:
        """Return the value of that type that has the number."""
        if isinstance(type_, types.OptionalType):
            return None if number == none_of(type_) else self.decode(number, type_.item)
        match type_:
            case types.IntType():
                return number
            case types.EnumType(name):
                return values.EnumMember(name, number)
            case types.SetType():
                raise TypeError("a set has no number")
        if type_ == types.BOOL:
            return bool(number)
        if type_ == types.PLAYER:
            return values.Player(number)
        if type_ == types.KIND:
            return values.Kind(number)
        if type_ == types.FACE:
            return values.Face(*_row(self.kind_face, number))
        if type_ == types.SEGMENT:
            return values.Segment(*_row(self.piece_segment, number))
        if type_ == types.FEATURE:
            return values.Feature(values.Segment(*_row(self.piece_segment, number)))
        if type_ == types.CELL:
            return self.cell_of(number)
        if type_ == types.PLACEMENT:
            return self.placement_of(number)
        if type_ == types.ZONE:
            return values.Zone(*_row(self.zone_first, number))
        if type_ == types.GRID:
            return values.Grid(*_row(self.grid_first, number))
        if type_ == types.SPACE:
            return values.Space(*_row(self.track_first, number))
        return values.Piece(number)

    def place_of(self, number: int, spot: int) -> values.Value:
        """Return the place of a piece by its entries in `place` and `spot`, None for no place.

        It is a placement for a piece that is laid on a grid.
        """
        if number == NOWHERE:
            return None
        if number == LAID:
            return self.placement_of(spot)
        if number == ON_CELL:
            return self.cell_of(spot)
        if number < self.zone_first[-1]:
            return self.decoder(types.ZONE)(number)
        if number < self.first_segment:
            return self.decoder(types.SPACE)(number - self.zone_first[-1])
        return self.decoder(types.SEGMENT)(number - self.first_segment)

    def placement_of(self, number: int) -> values.Placement:
        """Return the placement that has the number."""
        turns = (1 << self.turn_bits) - 1
        return values.Placement(self.cell_of(number >> self.turn_bits), number & turns)

    def cell_of(self, number: int) -> values.Cell:
        """Return the cell that has the number."""
        mask = (1 << CELL_BITS) - 1
        grid, owner = _row(self.grid_first, number >> 2 * CELL_BITS)
        y, x = number >> CELL_BITS & mask, number & mask
        return values.Cell(grid, owner, y - CENTRE, x - CENTRE)


def most_segments(kind: KindDef) -> int:
    """Return the number of segments on the face with most of them."""
    outlines = [face.outline for face in kind.faces] or [kind.outline]
    return max(len(outline.segments) if outline else 0 for outline in outlines)


def feature_kinds(game: LinkedGame) -> dict[str, int]:
    """Return the number of every feature kind by full name."""
    return {kind.key: number for number, kind in enumerate(game.feature_kinds)}


def _starts(sizes: Iterable[int]) -> tuple[int, ...]:
    found = [0]
    for size in sizes:
        found.append(found[-1] + size)
    return tuple(found)


def _row(starts: tuple[int, ...], number: int) -> tuple[int, int]:
    """Return the block that holds a number, and the number's index in it."""
    block = bisect_right(starts, number) - 1
    return block, number - starts[block]
