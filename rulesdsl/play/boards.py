"""What lies on the grids of a game, and what stands on that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rulesdsl.model.values import Cell, Grid, Piece, Segment, Zone
from rulesdsl.play.game import State
from rulesdsl.run.engine import Laid

Standing = Mapping[Segment | Cell, Sequence[Piece]]
"""What stands on segments, and on cells without lying there, each in canonical order."""


@dataclass(frozen=True)
class Board:
    """A grid instance with its name (`board`, `pad[red]`): the pieces that lie on it in canonical
    order, and the cells on which something else stands."""

    grid: Grid
    name: str
    laid: tuple[Laid, ...]
    cells: tuple[Cell, ...]


def standing(state: State) -> Standing:
    """All that stands somewhere on a grid; pieces of seats that do not play are left out."""
    position, pieces = state.position, state.game.checked.game.pieces
    on_grid = {item.piece for item in position.laid()}
    found: dict[Segment | Cell, list[Piece]] = defaultdict(list)
    for index, piece in enumerate(pieces):
        if piece.seat is not None and piece.seat >= len(state.players):
            continue
        place = None if Piece(index) in on_grid else position.place_of(Piece(index))
        if isinstance(place, (Segment, Cell)):
            found[place].append(Piece(index))
    return found


def boards(state: State, stands: Standing, chosen: Collection[str] = ()) -> list[Board]:
    """The grids on which something lies or stands, and those whose names are `chosen`."""
    laid: dict[Grid, list[Laid]] = defaultdict(list)
    for item in state.position.laid():
        laid[Grid(item.cell.grid, item.cell.owner)].append(item)
    cells: dict[Grid, list[Cell]] = defaultdict(list)
    for place in stands:
        if isinstance(place, Cell):
            cells[Grid(place.grid, place.owner)].append(place)
    found = []
    for number, declared in enumerate(state.game.checked.game.grids):
        for owner in range(instances(state, declared.per)):
            grid, name = Grid(number, owner), state.names.grid(number, owner)
            if grid in laid or grid in cells or name in chosen:
                lies = tuple(laid.get(grid, ()))
                found.append(Board(grid, name, lies, tuple(sorted(cells.get(grid, ())))))
    return found


def seen_by_all(state: State, zone: Zone) -> tuple[Piece | None, ...]:
    """List what every player sees in a zone, in its order if it keeps one: None for a piece that
    somebody does not know."""
    first, *others = (state.position.seen(zone, seat) for seat in range(len(state.players)))
    known = set(first).intersection(*others)
    return tuple(piece if piece in known else None for piece in first)


def instances(state: State, per: str | None) -> int:
    """How many grids or zones a declaration with this `per` makes in a game."""
    if per is None:
        return 1
    if per == "player":
        return len(state.players)
    enums = state.game.checked.game.enums
    return next(len(enum.members) for enum in enums if enum.key == per)
