"""The things of a game that have names, by type."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.model.types import (
    FACE,
    FEATURE,
    GRID,
    KIND,
    PIECE,
    PIECE_CLASSES,
    PLAYER,
    SEGMENT,
    SIDE,
    SIDE_NAMES,
    SPACE,
    ZONE,
    EnumType,
    OptionalType,
    Type,
)
from rulesdsl.model.values import (
    Cell,
    EnumMember,
    Face,
    Grid,
    Kind,
    Piece,
    Player,
    Segment,
    Space,
    Value,
    Zone,
)
from rulesdsl.play.boards import instances
from rulesdsl.play.game import State
from rulesdsl.play.written import SPOT, means


def things(type_: Type, state: State) -> Iterator[Value]:
    """Yield the things of a type that take part in a game, in canonical order; nothing for numbers,
    cells, placements and sets. Segments and features are those on grids."""
    game = state.game.checked.game
    match type_:
        case OptionalType(item):
            yield from things(item, state)
        case EnumType(name):
            members = {each.key: each.members for each in game.enums} | {SIDE.name: SIDE_NAMES}
            yield from (EnumMember(name, index) for index in range(len(members[name])))
        case _ if type_ == PIECE or str(type_) in PIECE_CLASSES:
            yield from pieces(state, None if type_ == PIECE else str(type_))
        case _ if type_ == SEGMENT:
            yield from laid_segments(state)
        case _ if type_ == FEATURE:
            yield from (feature for feature, _ in state.position.features())
        case _ if type_ == KIND:
            yield from map(Kind, range(len(game.kinds)))
        case _ if type_ == PLAYER:
            yield from map(Player, range(len(state.players)))
        case _ if type_ == FACE:
            for number, kind in enumerate(game.kinds):
                yield from (Face(number, index) for index in range(len(kind.faces)))
        case _ if type_ == ZONE:
            yield from zones(state)
        case _ if type_ == SPACE:
            yield from spaces(state)
        case _ if type_ == GRID:
            yield from grids(state)


def pieces(state: State, cls: str | None = None) -> Iterator[Piece]:
    """Yield the components of a class (None: all); those of players who do not play do not take
    part."""
    game = state.game.checked.game
    for index, piece in enumerate(game.pieces):
        takes_part = piece.seat is None or piece.seat < len(state.players)
        if takes_part and cls in (None, game.kinds[piece.kind].cls):
            yield Piece(index)


def zones(state: State) -> Iterator[Zone]:
    """Yield every zone: one for each player that plays, or for each member of an enum."""
    for number, zone in enumerate(state.game.checked.game.zones):
        yield from (Zone(number, index) for index in range(instances(state, zone.per)))


def grids(state: State) -> Iterator[Grid]:
    """Yield every grid, as with zones."""
    for number, grid in enumerate(state.game.checked.game.grids):
        yield from (Grid(number, index) for index in range(instances(state, grid.per)))


def spaces(state: State) -> Iterator[Space]:
    """Yield the spaces of all tracks."""
    for number, track in enumerate(state.game.checked.game.tracks):
        yield from (Space(number, index) for index in range(track.length))


def cells_called(text: str, state: State) -> Iterator[Cell]:
    """Yield the cells that a text may mean, on one grid or on each."""
    spot = SPOT.fullmatch(text)
    if spot is not None and spot[4] is None:
        for grid in grids(state):
            cell = Cell(grid.grid, grid.index, int(spot[3]), int(spot[2]))
            if means(text, cell, state.names):
                yield cell


def laid_segments(state: State) -> Iterator[Segment]:
    """Yield the segments of the pieces on grids, feature by feature."""
    for _, segments in state.position.features():
        yield from segments
