"""The table: the named things of a game, segments in words, and rows about what lies where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, product
from math import atan2, cos, hypot, pi, sin

from rulesdsl.base.records import dataclass
from rulesdsl.base.texts import section
from rulesdsl.engine.run.interface import Laid, Seen
from rulesdsl.language.model import checked, types, values
from rulesdsl.language.model.game import ZoneDef
from rulesdsl.language.model.geometry import (
    HEXAGON,
    OneCell,
    Outline,
    Port,
    Shape,
    Size,
    rotate,
    turned,
)
from rulesdsl.play.game import Game, State
from rulesdsl.play.moves import SPOT, means
from rulesdsl.play.names import Plain, SegmentName, outline_of


def members(state: State, index: types.Type) -> dict[str, values.Player | values.EnumMember]:
    """Return the members of an index by name: the players who take part, or those of its enum."""
    if index == types.PLAYER:
        return {colour: values.Player(seat) for seat, colour in enumerate(state.players)}
    assert isinstance(index, types.EnumType), "an index is an enum or a player"
    game = state.game.checked.game
    enums = {types.SIDE.name: game.side_names, **{enum.key: enum.members for enum in game.enums}}
    names = enums[index.name]
    return {name: values.EnumMember(index.name, number) for number, name in enumerate(names)}


def things(type_: types.Type, state: State) -> Iterator[values.Value]:
    """Yield the things of a type that take part in a game, in canonical order.

    There are none for numbers, cells, placements and sets. Segments and features are those on
    grids.
    """
    game = state.game.checked.game
    match type_:
        case types.OptionalType(item):
            yield from things(item, state)
        case types.EnumType():
            yield from members(state, type_).values()
        case _ if type_ == types.PIECE or str(type_) in types.PIECE_CLASSES:
            yield from pieces(state, None if type_ == types.PIECE else str(type_))
        case _ if type_ == types.SEGMENT:
            yield from laid_segments(state)
        case _ if type_ == types.FEATURE:
            yield from (feature for feature, _ in state.position.features())
        case _ if type_ == types.KIND:
            yield from map(values.Kind, range(len(game.kinds)))
        case _ if type_ == types.PLAYER:
            yield from members(state, type_).values()
        case _ if type_ == types.FACE:
            for number, kind in enumerate(game.kinds):
                yield from (values.Face(number, index) for index in range(len(kind.faces)))
        case _ if type_ == types.ZONE:
            yield from zones(state)
        case _ if type_ == types.SPACE:
            yield from spaces(state)
        case _ if type_ == types.GRID:
            yield from grids(state)


def pieces(state: State, cls: str | None = None) -> Iterator[values.Piece]:
    """Yield the components of a class (None: all) that take part."""
    game = state.game.checked.game
    for index, piece in enumerate(game.pieces):
        if piece.takes_part(len(state.players)) and cls in (None, game.kinds[piece.kind].cls):
            yield values.Piece(index)


def zones(state: State) -> Iterator[values.Zone]:
    """Yield every zone: one for each player that plays and each member of an enum."""
    for number, zone in enumerate(state.game.checked.game.zones):
        for index in range(zone.instances(len(state.players))):
            yield values.Zone(number, index)


def grids(state: State) -> Iterator[values.Grid]:
    """Yield every grid: one for each player that plays, or for each member of an enum."""
    for number, grid in enumerate(state.game.checked.game.grids):
        for index in range(grid.instances(len(state.players))):
            yield values.Grid(number, index)


def unnamed_grids(state: State) -> list[values.Grid]:
    """List the grids that may be meant where none is named: those of the game without expansions.

    If that has none, all. An expansion may add grids of which the author of a scenario knows
    nothing.
    """
    game, every = state.game.checked.game, list(grids(state))
    reach = game.reach[game.roles.ruleset]
    return [each for each in every if game.grids[each.grid].ruleset in reach] or every


def segments_of(state: State, piece: values.Piece) -> list[values.Segment]:
    """Return the segments of a piece, as it is now."""
    outline = state.names.outline(piece)
    return [
        values.Segment(piece.index, index)
        for index in range(len(outline.segments if outline else ()))
    ]


def spaces(state: State) -> Iterator[values.Space]:
    """Yield the spaces of all tracks."""
    for number, track in enumerate(state.game.checked.game.tracks):
        yield from (values.Space(number, index) for index in range(track.length))


def cells_called(text: str, state: State) -> Iterator[values.Cell]:
    """Yield the cells that a text may mean, on the grid that it names or on each unnamed one."""
    spot = SPOT.fullmatch(text)
    if spot is not None and spot[4] is None:
        for grid in grids(state) if spot[1] else unnamed_grids(state):
            cell = values.Cell(grid.grid, grid.index, int(spot[3]), int(spot[2]))
            if means(text, cell, state.names):
                yield cell


def laid_segments(state: State) -> Iterator[values.Segment]:
    """Yield the segments of the pieces on grids, feature by feature."""
    for _, segments in state.position.features():
        yield from segments


_COMPASS = (
    "east",
    "south-east",
    "south",
    "south-west",
    "west",
    "north-west",
    "north",
    "north-east",
)
_MIDDLE = 0.12
"""A segment whose middle is at most this part of a cell from that of its piece has no direction."""


class SegmentTexts:
    """Segments of pieces in the words of one language, in those of English if it has none."""

    def __init__(self, game: Game, language: str) -> None:
        self._game, self._language = game, language
        self._texts = section("segments", language)
        kinds = game.checked.game.feature_kinds
        self._shapes = {kind.shape.name: kind.shape.shape for kind in kinds}

    def name(self, name: SegmentName) -> str:
        """Return words for a segment with its cell: `village in the north (0,0)`."""
        return at_cell(self.text(name.kind, name.face, name.segment, name.rotation), name.cell)

    def text(self, kind: int, face: int | None, index: int, rotation: int) -> str:
        """Return words that tell a segment from the others of its kind on the same piece.

        The piece is of this kind, and a die shows this face.
        """
        outline = outline_of(self._game.checked.game, kind, face)
        assert outline is not None, "a segment belongs to an outline"
        own = outline.segments[index].kind
        alike = [i for i, other in enumerate(outline.segments) if other.kind == own]
        label = self._label(own)
        if len(alike) == 1:
            return label
        directions = {each: _direction(outline, each, rotation) for each in alike}
        if len(set(directions.values())) < len(alike):
            exact = self._game.forms.segment(kind, face, index, rotation).partition("@")[2]
            return f"{label} {exact}"
        direction = directions[index]
        if direction is None:
            return self._texts["in-the-middle"].format(kind=label)
        side = self._texts[direction]
        line = self._line_between(outline, index, alike)
        if line is not None:
            name = self._label(line)
            key = "beside-name" if name[:1].isupper() else "beside"
            return self._texts[key].format(kind=label, side=side, line=name)
        return self._texts["in-the"].format(kind=label, side=side)

    def _label(self, name: str) -> str:
        return self._game.labels(name, self._language)

    def _line_between(self, outline: Outline, index: int, alike: Sequence[int]) -> str | None:
        """Return the kind of the one line that parts two segments of a piece, None otherwise."""
        lines = [
            segment.kind
            for segment in outline.segments
            if self._shapes[segment.kind] is Shape.LINE and len(segment.ports) > 1
        ]
        fills = self._shapes[outline.segments[index].kind] is Shape.FILL
        return lines[0] if fills and len(alike) == 2 and len(lines) == 1 else None


def at_cell(text: str, cell: tuple[int, int] | None) -> str:
    """Return the words of a segment with its cell, without one those alone."""
    return text if cell is None else f"{text} ({cell[0]},{cell[1]})"


def _direction(outline: Outline, index: int, rotation: int) -> str | None:
    """Return the direction in which a segment lies on a turned piece, None in the middle.

    It is one of eight: `north`, `north-east` and so on, clockwise.
    """
    size = turned(outline.size, rotation)
    ports = outline.segments[index].ports
    points = [_point(rotate(port, rotation, outline.size), size) for port in ports]
    if not points:
        return None
    east = sum(x for x, _ in points) / len(points) - size[0] / 2
    south = sum(y for _, y in points) / len(points) - size[1] / 2
    if hypot(east, south) <= _MIDDLE:
        return None
    return _COMPASS[round(atan2(south, east) / (pi / 4)) % len(_COMPASS)]


def _point(port: Port, size: Size) -> tuple[float, float]:
    """Return the middle of a lane in cells, from the north-west corner of the piece."""
    if isinstance(size, OneCell):
        # A side of a hexagon in which a circle of diameter 1 fits is a third of one of a triangle.
        first, long = (0.5, 3**-1.5) if size == HEXAGON else (0.0, 3**-0.5)
        angle, aside = (port.side + first) * pi / 3, (port.lane - 1) * long
        return (
            (1 + sin(angle)) / 2 + aside * cos(angle),
            (1 - cos(angle)) / 2 + aside * sin(angle),
        )
    along = (1 + 2 * port.lane) / 6
    x, y = ((along, 0.0), (1.0, along), (1 - along, 1.0), (0.0, 1 - along))[port.side]
    return port.x + x, port.y + y


# --- rows ----------------------------------------------------------------------------------------


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


@dataclass(frozen=True)
class Lying:
    """The places of pieces, and the pieces at places, by their names in full."""

    places: Mapping[str, Plain]
    there: Mapping[str, tuple[str, ...]]


def lying(state: State) -> Lying:
    """Return where the pieces are, as the mover knows them.

    Those on a cell are listed from the lowest one up, those in a zone in its order if it keeps one.
    A large piece is on all its cells.
    """
    position, decision, names = state.position, state.position.decision, state.mover_names
    seat = (decision.seat if decision else None) or 0
    found: dict[values.Value, list[values.Piece]] = defaultdict(list)
    called = {piece: str(names.full(piece)) for piece in pieces(state)}
    for piece in called:
        for place in _covered(state, piece):
            found[place].append(piece)
    there: dict[str, tuple[str, ...]] = {}
    only = len(list(grids(state))) == 1
    for place, here in found.items():
        if isinstance(place, values.Zone):
            seen = position.seen(place, seat)
            depths = {each: position.unknown_at(each, seat) or 0 for each in here}
            unseen = iter(sorted({*here} - {*seen}, key=lambda each: (depths[each], called[each])))
            here[:] = [each if isinstance(each, values.Piece) else next(unseen) for each in seen]
        else:
            here.sort(key=position.level_of)
        row = there[str(names.full(place))] = tuple(called[piece] for piece in here)
        if only and isinstance(place, values.Cell):
            there[str(names.short(place))] = row
    places = {name: names.full(position.place_of(piece)) for piece, name in called.items()}
    return Lying(places, there)


def _covered(state: State, piece: values.Piece) -> Iterator[values.Value]:
    """Yield the place of a piece, of a large one on a grid all its cells."""
    place, laid = state.position.place_of(piece), state.position.placement_of(piece)
    outline = state.names.outline(piece)
    if laid is None or outline is None or not isinstance(place, values.Cell):
        yield place
        return
    width, height = turned(outline.size, laid.rotation)
    for x, y in product(range(width), range(height)):
        yield replace(place, x=place.x + x, y=place.y + y)


def is_place(state: State, name: str) -> bool:
    """Return whether this is the name in full of a place, or the short one of a cell."""
    others: Iterator[values.Value] = chain(zones(state), spaces(state), laid_segments(state))
    return any(cells_called(name, state)) or any(
        str(state.names.full(each)) == name for each in others
    )


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
