"""The table as plain rows: what lies on grids, tracks and in zones, and the labelled states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.interface import Laid, Seen
from rulesdsl.language.model import checked, types, values
from rulesdsl.language.model.game import ZoneDef
from rulesdsl.play.game import State
from rulesdsl.play.things import grids, pieces, zones

Occupants = Mapping[values.Segment | values.Cell | values.Space, Sequence[values.Piece]]
"""The occupants of segments, of spaces, and of cells without being laid there."""


@dataclass(frozen=True)
class Board:
    """A grid instance.

    `name` is `board` or `pad[red]`, `laid` the pieces on it in canonical order, and `cells` the
    cells with other occupants.
    """

    grid: values.Grid
    name: str
    laid: tuple[Laid, ...]
    cells: tuple[values.Cell, ...]


@dataclass(frozen=True)
class ZoneRow:
    """A zone that is not empty, with its `pieces` as somebody sees them."""

    zone: values.Zone
    declared: ZoneDef
    pieces: tuple[Seen, ...]


def occupants(state: State) -> Occupants:
    """Return the occupants of places in canonical order, those of a cell from the lowest one up."""
    position = state.position
    on_grid = {item.piece for item in position.laid()}
    found: dict[values.Segment | values.Cell | values.Space, list[values.Piece]] = defaultdict(list)
    for piece in pieces(state):
        place = None if piece in on_grid else position.place_of(piece)
        if isinstance(place, (values.Segment, values.Cell, values.Space)):
            found[place].append(piece)
    for here in found.values():
        here.sort(key=position.level_of)
    return found


def boards(state: State, stands: Occupants, chosen: Collection[str] = ()) -> list[Board]:
    """Return the grids that are not empty, and those whose names are in `chosen`."""
    laid: dict[values.Grid, list[Laid]] = defaultdict(list)
    for item in state.position.laid():
        laid[values.Grid(item.cell.grid, item.cell.owner)].append(item)
    cells: dict[values.Grid, list[values.Cell]] = defaultdict(list)
    for place in stands:
        if isinstance(place, values.Cell):
            cells[values.Grid(place.grid, place.owner)].append(place)
    found = []
    for grid in grids(state):
        name = state.names.grid(grid.grid, grid.index)
        if grid in laid or grid in cells or name in chosen:
            lies = tuple(laid.get(grid, ()))
            found.append(Board(grid, name, lies, tuple(sorted(cells.get(grid, ())))))
    return found


def seen_by_all(state: State, zone: values.Zone) -> tuple[Seen, ...]:
    """Return what every player sees in a zone, in order if it keeps one.

    None stands for a piece that somebody does not know or was not told of.
    """
    first, *others = (state.position.seen(zone, seat) for seat in range(len(state.players)))
    known = set(first).intersection(*others)
    return tuple(piece if piece in known else None for piece in first)


def filled(state: State, seat: int | None = None) -> Iterator[ZoneRow]:
    """Yield the zones that are not empty, as a player sees them, or as all do."""
    declared = state.game.checked.game.zones
    for zone in zones(state):
        seen = seen_by_all(state, zone) if seat is None else state.position.seen(zone, seat)
        if seen:
            yield ZoneRow(zone, declared[zone.zone], seen)


def has_secrets(state: State) -> bool:
    """Return whether a player sees a component that another player does not see."""
    seats = range(len(state.players))
    for row in filled(state):
        common = {*row.pieces, None}
        if any(set(state.position.seen(row.zone, seat)) - common for seat in seats):
            return True
    return False


def alike(state: State, row: ZoneRow) -> list[tuple[Seen, int]]:
    """Group pieces of a zone that look the same and count them; neighbours if it keeps an order.

    A group is given as its first piece, None for those that lie face down.
    """

    def look(piece: Seen) -> tuple[int, int, int, str]:
        if not isinstance(piece, values.Piece):
            return -1, -1, 0, ""
        own = state.game.checked.game.pieces[piece.index]
        face = state.position.face_of(piece).index if state.names.kind(piece).faces else 0
        said = str([*said_of(state, piece)])
        return own.kind, -1 if own.seat is None else own.seat, face, said

    found: Sequence[Seen] = row.pieces
    if not row.declared.ordered:
        found = sorted(
            found,
            key=lambda each: (
                look(each),
                each if isinstance(each, values.Piece) else values.Piece(-1),
            ),
        )
    groups = (list(group) for _, group in groupby(found, look))
    return [(group[0], len(group)) for group in groups]


def labelled(game: checked.Checked, *owners: str) -> list[checked.StateDef]:
    """Return the states of these owners that have a label in some language."""
    texts = game.game.labels.values()
    return [
        state
        for key, state in game.states.items()
        if state.owner in owners and any(key in labels for labels in texts)
    ]


def value_of(
    state: State,
    declared: checked.StateDef,
    owner: values.Value = None,
    index: Sequence[values.Value] = (),
) -> values.Value:
    """Return the value of a state for an owner, None for the game, at an index."""
    span = declared.span
    by = None if owner is None else checked.Const(span, types.NAMED[declared.owner], owner)
    at = [checked.Const(span, *each) for each in zip(declared.index, index, strict=True)]
    read = checked.ReadState(span, declared.type, declared.key, by, tuple(at))
    return state.position.evaluate(read, {})


def said_of(state: State, piece: values.Piece) -> Iterator[tuple[str, values.Value]]:
    """Yield the labelled states of a piece that are not empty, 0 or false, by key."""
    for declared in labelled(state.game.checked, state.names.kind(piece).cls):
        if not declared.index and (value := value_of(state, declared, piece)):
            yield declared.key, value


def marks(state: State, per: Sequence[str]) -> dict[str, int]:
    """Return the labelled states of the game that hold a member of an enum, with its number.

    `per` is that of a zone: there are none if it does not consist of one enum.
    """
    found = dict[str, int]()
    for declared in labelled(state.game.checked, "game"):
        if [declared.type] == [*map(types.EnumType, per)] and not declared.index:
            value = value_of(state, declared)
            assert isinstance(value, values.EnumMember), "the state holds a member"
            found[declared.key] = value.index
    return found
