"""The box as tables: the data that never changes during a game, and all dimensions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate, chain, pairwise

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower.tables.encoding import (
    CELL_BITS,
    Encoding,
    feature_kinds,
    none_of,
    without_none,
)
from rulesdsl.engine.runtime import tables
from rulesdsl.engine.runtime import tables as core_tables
from rulesdsl.language.model import types
from rulesdsl.language.model.checked import Checked, EffectCall, walk
from rulesdsl.language.model.flow import sources
from rulesdsl.language.model.game import (
    AttributeDef,
    GridDef,
    KindDef,
    LinkedGame,
    PieceDef,
    Plain,
    ZoneDef,
)
from rulesdsl.language.model.geometry import (
    FORMS,
    SQUARES,
    Outline,
    OutlineSegment,
    Shape,
    distinct_rotations,
    rotate,
    rotate_cell,
    steps,
    turned,
    turned_side,
)
from rulesdsl.language.model.values import Space, Zone

# --- attributes in use ---------------------------------------------------------------------------

Range = tuple[int, int]
"""The least and the largest number, both included."""

WHOLE: Range = (types.INT_MIN, types.INT_MAX)


class Carried:
    """The size of a game's box, computed once."""

    def __init__(self, game: LinkedGame) -> None:
        self.game = game
        self._attributes: dict[tuple[str, bool], Range] = {}

    @cached_property
    def _outlines(self) -> list[list[Outline]]:
        """List the outlines that may be drawn on each piece."""
        drawn = [[face.outline for face in k.faces] or [k.outline] for k in self.game.kinds]
        shown = [[outline for outline in found if outline is not None] for found in drawn]
        return [shown[piece.kind] for piece in self.game.pieces]

    @cached_property
    def cells(self) -> int:
        """Count the cells that all pieces cover at most."""
        return sum(
            max((width * height for width, height in (o.size for o in drawn)), default=1)
            for drawn in self._outlines
        )

    @cached_property
    def _segments(self) -> int:
        return sum(max((len(o.segments) for o in drawn), default=0) for drawn in self._outlines)

    def attribute(self, key: str, of_feature: bool) -> Range:
        """Return the range of an attribute, for any one owner or for a feature as a whole."""
        found = self._attributes.get((key, of_feature))
        if found is None:
            found = self._attributes[key, of_feature] = self._attribute(key, of_feature)
        return found

    def _attribute(self, key: str, of_feature: bool) -> Range:
        attribute = next(each for each in self.game.attributes if each.key == key)
        if not isinstance(attribute.type, types.IntType) or attribute.fold == "union":
            return WHOLE
        carried = [attribute.default]
        for kind in self.game.kinds:
            carried += [kind.attributes.get(key), *(f.attributes.get(key) for f in kind.faces)]
        for drawn in self._outlines:
            carried += [s.attributes.get(key) for outline in drawn for s in outline.segments]
        numbers = [int(plain) for plain in carried if isinstance(plain, int)] or [0]
        low, high = min(numbers), max(numbers)
        if not of_feature or attribute.fold != "sum":
            return low, high
        most = max(1, self._segments)
        return min(low, low * most), max(high, high * most)


# --- outlines ------------------------------------------------------------------------------------

"""The outline of a face with nothing drawn on it."""

LANES = range(3)

TURNS = 4
"""The number of rotations of a square."""

IN_WORD = 7
"""The number of outlines that have a bit for each rotation in one word of 28 bits."""

WORD = 31
"""The number of feature kinds that have a bit in a word."""

EVERY = "*"
"""What a side shows that agrees with every side."""

Place = tuple[int, int]


@dataclass(frozen=True)
class TurnedShape:
    """An outline in one rotation.

    `holder` is indexed by x, y, side and lane; `side_kinds` by x, y and side (None if the side
    is empty or inner).
    """

    outline: Outline
    rotation: int

    @property
    def size(self) -> Place:
        return turned(self.outline.size, self.rotation)

    def places(self) -> list[Place]:
        """Return the cells of the outline in rows."""
        width, height = self.size
        return [(x, y) for y in range(height) for x in range(width)]

    def ports(self, segment: OutlineSegment) -> list[tuple[int, int, int, int]]:
        """Return the ports of a segment as x, y, side, lane."""
        ports = (rotate(port, self.rotation, self.outline.size) for port in segment.ports)
        return [(port.x, port.y, port.side, port.lane) for port in ports]

    def cells(self, segment: OutlineSegment) -> list[Place]:
        """Return the cells of a segment in rows."""
        cells = (rotate_cell(cell, self.rotation, self.outline.size) for cell in segment.cells)
        return sorted(cells, key=lambda cell: (cell[1], cell[0]))

    def holder(self) -> dict[tuple[int, int, int, int], int]:
        """Return the index of the segment that holds each port, by x, y, side, lane."""
        segments = enumerate(self.outline.segments)
        return {port: index for index, segment in segments for port in self.ports(segment)}

    def side_kinds(self) -> dict[tuple[int, int, int], str | None]:
        """Return the kind of every outer side by x, y, side; `EVERY` if it agrees with all."""
        outline, found = self.outline, {}
        for side, kind in outline.sides.items():
            place = turned_side(side, self.rotation, outline.size)
            found[place] = EVERY if side in outline.agreeing else kind
        return found


def outlines(game: LinkedGame, kind: KindDef) -> list[Outline]:
    """Return the outline of every face of a kind, or its only one."""
    drawn = [face.outline for face in kind.faces] if kind.faces else [kind.outline]
    return [outline or game.blank for outline in drawn]


def laid(game: LinkedGame) -> list[TurnedShape]:
    """Return all shapes: kind by kind, face by face, each in all its rotations."""
    faces = [outline for kind in game.kinds for outline in outlines(game, kind)]
    return [TurnedShape(outline, rotation) for outline in faces for rotation in range(game.sides)]


def kind_shapes(game: LinkedGame) -> list[int]:
    """Return the first shape of every kind."""
    numbers = (game.sides * len(outlines(game, kind)) for kind in game.kinds)
    return [*accumulate(numbers, initial=0)][:-1]


def part_segments(game: LinkedGame) -> list[OutlineSegment]:
    """Return the segment of every row of the `part_` tables."""
    return [segment for shape in laid(game) for segment in shape.outline.segments]


def side_codes(game: LinkedGame) -> dict[str | None, int]:
    """Return a number for everything that a side can show, 0 for nothing, the last for `EVERY`."""
    numbers = feature_kinds(game) | {EVERY: len(game.feature_kinds)}
    shown = {kind for shape in laid(game) for kind in shape.side_kinds().values() if kind}
    return {None: 0} | {kind: i for i, kind in enumerate(sorted(shown, key=numbers.__getitem__), 1)}


Rows = dict[str, list[int]]


_shaped: tuple[LinkedGame, Rows] | None = None
"""The game whose tables of shapes were made last, for other numbers of players."""


def shape_tables(game: LinkedGame) -> Rows:
    """Return the tables of shapes, which must not be changed.

    These are `FITS`, `EVERY`, `side_fit` and all `shape_`, `corner_`, `part_` (except
    `part_value`), `port_`, `area_`, `border_` and `touch_` tables.
    """
    global _shaped
    known = _shaped
    if known is None or known[0] is not game:
        _shaped = known = game, _shape_tables(game)
    return known[1]


def _shape_tables(game: LinkedGame) -> Rows:
    tables: Rows = {name: [] for name in _NAMES}
    codes, numbers = side_codes(game), feature_kinds(game)
    fills = {kind.key for kind in game.feature_kinds if kind.shape.shape is Shape.FILL}
    is_asked = any(grid.distinct for grid in game.grids)
    offered: Iterable[int] = ()
    for shape in laid(game):
        tables["shape_corner"].append(len(tables["corner_side"]) // game.sides)
        tables["shape_part"].append(len(tables["part_kind"]))
        _add_corners(tables, shape, codes, range(game.sides))
        for segment, twin in zip(shape.outline.segments, _twins(shape.outline), strict=True):
            tables["part_kind"].append(numbers[segment.kind])
            tables["part_twin"].append(twin)
            tables["part_fill"].append(int(segment.kind in fills))
            _add_part(tables, shape, segment)
        width, height = shape.size
        tables["shape_width"].append(width)
        tables["shape_height"].append(height)
        tables["shape_parts"].append(len(shape.outline.segments))
        if shape.rotation == 0:
            offered = distinct_rotations(shape.outline) if is_asked else range(game.sides)
        tables["shape_turns"].append(sum(1 << rotation for rotation in offered))
        drawn = {numbers[segment.kind] for segment in shape.outline.segments}
        tables["shape_kinds"].append(sum(1 << kind for kind in drawn if kind < WORD))
    _end_parts(tables)
    tables["EVERY"].append(codes.get(EVERY, -1))
    _add_fits(tables, len(codes), game.sides)
    return tables


_NAMES = (
    *(
        "FITS",
        "EVERY",
        "side_fit",
        "shape_fit",
        "shape_bit",
        "shape_shift",
        "corner_side",
        "corner_holder",
    ),
    "corner_code",
    *("shape_width", "shape_height", "shape_parts", "shape_part", "shape_corner"),
    *("shape_kinds", "shape_turns"),
    *("part_kind", "part_twin", "part_fill", "part_port", "part_cell", "part_border", "part_touch"),
    *("port_x", "port_y", "port_side", "port_lane", "area_x", "area_y"),
    *("border_part", "touch_part"),
)


def _add_corners(
    tables: Rows, shape: TurnedShape, codes: dict[str | None, int], sides: range
) -> None:
    kinds, holder = shape.side_kinds(), shape.holder()
    for x, y in shape.places():
        shown = [codes[kinds.get((x, y, side))] for side in sides]
        tables["corner_side"] += shown
        tables["corner_code"].append(int.from_bytes(min(code, 255) for code in shown[3::-1]))
        for side in sides:
            tables["corner_holder"] += [holder.get((x, y, side, lane), -1) for lane in LANES]


def _add_part(tables: Rows, shape: TurnedShape, segment: OutlineSegment) -> None:
    _end_parts(tables)
    for x, y, side, lane in shape.ports(segment):
        tables["port_x"].append(x)
        tables["port_y"].append(y)
        tables["port_side"].append(side)
        tables["port_lane"].append(lane)
    for x, y in shape.cells(segment):
        tables["area_x"].append(x)
        tables["area_y"].append(y)
    tables["border_part"] += segment.borders
    tables["touch_part"] += segment.touches


def _end_parts(tables: Rows) -> None:
    """Mark the end of the rows so far as the start of the next part."""
    tables["part_port"].append(len(tables["port_x"]))
    tables["part_cell"].append(len(tables["area_x"]))
    tables["part_border"].append(len(tables["border_part"]))
    tables["part_touch"].append(len(tables["touch_part"]))


def _add_fits(tables: Rows, codes: int, count: int) -> None:
    """Give every shape of one cell a bit, and every side code the bits of its shapes.

    Shapes with six sides have no bits.
    """
    if count != TURNS:
        for name in ("shape_fit", "shape_bit", "shape_shift"):
            tables[name] += [0] * len(tables["shape_width"])
        tables["FITS"].append(1)
        tables["side_fit"] += [0] * (codes * count)
        return
    corners, sides = tables["shape_corner"], tables["corner_side"]
    shown = [tuple(sides[corner * TURNS : corner * TURNS + TURNS]) for corner in corners]
    sizes = list(zip(tables["shape_width"], tables["shape_height"], strict=True))
    numbers: dict[tuple[int, ...], int] = {}
    for shape, size in enumerate(sizes):
        first = shown[shape - shape % TURNS]
        number = numbers.setdefault(first, len(numbers)) if size == (1, 1) else 0
        tables["shape_fit"].append(number // IN_WORD)
        bit = 1 << number % IN_WORD * TURNS + shape % TURNS
        tables["shape_bit"].append(bit if size == (1, 1) else 0)
        tables["shape_shift"].append(number % IN_WORD * TURNS)
    words = len(numbers) // IN_WORD + 1
    tables["FITS"].append(words)
    tables["side_fit"] += [0] * (codes * TURNS * words)
    for shape, fit in enumerate(tables["shape_fit"]):
        bit, every = tables["shape_bit"][shape], tables["EVERY"][0]
        for side, own in enumerate(shown[shape]):
            for code in range(codes):
                if own == code or every in (own, code):
                    tables["side_fit"][(code * TURNS + side) * words + fit] |= bit


def _twins(outline: Outline) -> Iterator[int]:
    for segment in outline.segments:
        yield int(
            any(
                other is not segment
                and other.kind == segment.kind
                and not set(other.cells).isdisjoint(segment.cells)
                for other in outline.segments
            )
        )


# --- pieces, kinds and places --------------------------------------------------------------------

Tables = dict[str, Iterable[int]]

_MATCHES = ("none", "all", "any")
_VISIBLE = ("all", "owner", "none", "others", "top")


def played(game: LinkedGame, players: int) -> list[bool]:
    """Return, for every piece, whether it is in the game with that many players."""
    return [piece.takes_part(players) for piece in game.pieces]


def pieces_tables(game: LinkedGame, players: int, encoding: Encoding) -> Tables:
    """Return the tables of the identity of pieces and the places where they begin.

    What they show is in the tables of shapes.
    """
    pieces, there = game.pieces, played(game, players)
    first: dict[object, int] = {}
    like = [
        first.setdefault((piece.kind, piece.seat, piece.start, piece.inner), number)
        for number, piece in enumerate(pieces)
    ]
    starts = [
        _start(game, piece, encoding) if is_there else None
        for piece, is_there in zip(pieces, there, strict=True)
    ]
    shapes = kind_shapes(game)
    classes = [types.PIECE_CLASSES.index(game.kinds[piece.kind].cls) for piece in pieces]
    members = [
        [i for i, c in enumerate(classes) if c == cls] for cls in range(len(types.PIECE_CLASSES))
    ]
    firsts = encoding.piece_segment
    zones = encoding.zone_first[-1]
    return {
        tables.LIKE_RUNS.name: (_runs([like[i] for i, is_there in enumerate(there) if is_there]),),
        tables.piece_kind.name: [piece.kind for piece in pieces],
        tables.piece_class.name: classes,
        tables.class_first.name: [inside[0] if inside else 0 for inside in members],
        tables.class_end.name: [inside[-1] + 1 if inside else 0 for inside in members],
        tables.piece_seat.name: [-1 if piece.seat is None else piece.seat for piece in pieces],
        tables.piece_in.name: [int(is_there) for is_there in there],
        tables.piece_home.name: [
            _number(s, encoding) if isinstance(s, Zone) else -1 for s in starts
        ],
        tables.piece_start.name: [
            _number(s, encoding) + (zones if isinstance(s, Space) else 0) for s in starts
        ],
        tables.piece_like.name: like,
        tables.piece_answers.name: [
            sum(each.so_of(game.kinds[piece.kind]) for each in encoding.answers.values())
            for piece in pieces
        ],
        tables.piece_segment.name: firsts,
        tables.piece_shape.name: [shapes[piece.kind] for piece in pieces],
        tables.segment_piece.name: [
            number
            for number in range(len(pieces))
            for _ in range(firsts[number], firsts[number + 1])
        ],
    }


def _runs(labels: list[int]) -> int:
    """Return 1 if equal labels are neighbours, else 0."""
    changes = sum(a != b for a, b in pairwise(labels))
    return int(changes + 1 == len(set(labels)) or not labels)


def _start(game: LinkedGame, piece: PieceDef, encoding: Encoding) -> Zone | Space | None:
    for number, zone in enumerate(game.zones):
        if zone.key == piece.start:
            first = (piece.seat or 0) * zone.inner if zone.owned else 0
            return Zone(number, first + piece.inner)
    for number, track in enumerate(game.tracks):
        if track.key == piece.start:
            return Space(number, 0)
    return None


def _number(start: Zone | Space | None, encoding: Encoding) -> int:
    match start:
        case Zone(zone, index):
            return encoding.zone_first[zone] + index
        case Space(track, index):
            return encoding.track_first[track] + index
        case None:
            return -1


def kinds_tables(game: LinkedGame, encoding: Encoding) -> Tables:
    """Return the tables of the faces of kinds."""
    drawings = []
    for kind in game.kinds:
        drawn = [face.outline for face in kind.faces]
        drawings += [drawn.index(outline) for outline in drawn]
    return {
        tables.kind_face.name: [
            first if kind.faces else -1
            for kind, first in zip(game.kinds, encoding.kind_face, strict=False)
        ],
        tables.kind_faces.name: [len(kind.faces) for kind in game.kinds],
        tables.kind_sides.name: [sum(face.count for face in kind.faces) for kind in game.kinds],
        tables.face_count.name: [face.count for kind in game.kinds for face in kind.faces],
        tables.face_drawing.name: drawings,
    }


def _mask(holds: Iterable[str]) -> int:
    return sum(1 << types.PIECE_CLASSES.index(cls) for cls in holds)


def grids_tables(game: LinkedGame, encoding: Encoding) -> Tables:
    """Return the tables of the properties of grids."""
    grids = [grid for grid in game.grids for _ in range(grid.instances(encoding.players))]
    keys = [f"{grid.ruleset}/{grid.name}" for grid in grids]
    below = [
        keys.index(grid.over) + number - keys.index(key) if grid.over else -1
        for number, (grid, key) in enumerate(zip(grids, keys, strict=True))
    ]
    return {
        tables.grid_below.name: below,
        tables.LAYERS.name: (sum(number >= 0 for number in below),),
        tables.grid_holds.name: [_mask(grid.holds) for grid in grids],
        tables.grid_open.name: [_mask(grid.holds) if _is_open(grid) else 0 for grid in grids],
        tables.grid_match.name: [_MATCHES.index(grid.match) for grid in grids],
        tables.grid_touch.name: [int(grid.touch) for grid in grids],
        tables.grid_ordered.name: [int(grid.ordered) for grid in grids],
        tables.grid_turns.name: [0 if grid.distinct else (1 << game.sides) - 1 for grid in grids],
        tables.side_step.name: [
            x + (y << CELL_BITS) for grid in grids for x, y in steps(game.cells, grid.cells)
        ],
        tables.grid_form.name: [FORMS.index(grid.cells) for grid in grids],
        tables.grid_seat.name: [
            number if grid.owned else -1
            for grid in game.grids
            for number in range(grid.instances(encoding.players))
        ],
        tables.grid_width.name: [grid.size[0] if grid.size else 0 for grid in grids],
        tables.grid_height.name: [grid.size[1] if grid.size else 0 for grid in grids],
    }


def _is_open(grid: GridDef) -> bool:
    """Return whether sides and neighbours alone decide which pieces fit on a grid."""
    square = grid.cells == SQUARES
    return grid.match == "all" and grid.touch and grid.size is None and square


def _seat(zone: ZoneDef, index: int) -> int:
    seat = zone.seat(index)
    return -1 if seat is None else seat


def zones_tables(game: LinkedGame, encoding: Encoding) -> Tables:
    """Return the tables of the properties of zones: what they hold and who sees it."""
    zones = [
        (zone, index) for zone in game.zones for index in range(zone.instances(encoding.players))
    ]
    return {
        tables.zone_holds.name: [_mask(zone.holds) for zone, _ in zones],
        tables.zone_ordered.name: [int(zone.ordered) for zone, _ in zones],
        tables.zone_keeps.name: [int(zone.ordered and zone.visible != "none") for zone, _ in zones],
        tables.zone_visible.name: [_VISIBLE.index(zone.visible) for zone, _ in zones],
        tables.zone_seat.name: [_seat(zone, index) for zone, index in zones],
        tables.zone_inner.name: [zone.inner for zone, _ in zones],
        tables.zone_room.name: [
            types.INT_MAX if zone.room is None else zone.room[index] for zone, index in zones
        ],
    }


def tracks_tables(game: LinkedGame, encoding: Encoding) -> Tables:
    """Return the tables of tracks and the order of their spaces."""
    return {
        tables.space_track.name: [
            number for number, track in enumerate(game.tracks) for _ in range(track.length)
        ],
        tables.track_space.name: encoding.track_first,
        tables.track_loop.name: [int(track.loop) for track in game.tracks],
        tables.track_holds.name: [_mask(track.holds) for track in game.tracks],
    }


# --- the box -------------------------------------------------------------------------------------

FOLDS = ("sum", "max", "min", "any", "all")
"""The folds that are kept for every feature; `union` is computed on demand."""

_HEAP = 1 << 20
_MOVES = 1 << 18
_BATCH = 1 << 10
_FEW = 16
_ROOM = 1 << 20
_WINDOW = 19
_NOTED = 1000
_SIZES = (
    *("pieces", "segments", "zones", "grids", "sides", "spaces", "folds", "slots"),
    *("index", "joints", "history"),
    *("heap", "stack", "store", "queue", "moves", "batch", "sources"),
    *("room", "width", "window", "planes", "given", "answers"),
)
"""Dimensions that a const table of one number names as well."""

Values = dict[str, tuple[int, ...]]
Column = tuple[str, tuple[int, ...]]
"""The name of a const table, and its contents."""


_GIVEN = {
    **dict.fromkeys(("points", "lives", "choices", "options", "asks", "given"), 0),
    **dict.fromkeys(("stack", "store", "queue"), 1 << 12),
    "width": 2,
}
"""The dimensions of frames and choices where none are given."""


def measure(
    checked: Checked,
    players: int,
    encoding: Encoding,
    shapes: Rows | None = None,
    **given: int,
) -> dict[str, int]:
    """Return all dimensions of the tables of the runtime.

    Those of frames and choices are given, and the tables of shapes may be.
    """
    game = checked.game
    tables = shapes or shape_tables(game)
    zones, grids = encoding.zone_first[-1], encoding.grid_first[-1]
    spaces, segments = encoding.track_first[-1], encoding.piece_segment[-1]
    slots = _slots(game, players, encoding)
    told = sum(len(each.values) for each in encoding.answers.values())
    effects = _effects(checked)
    return {
        "pieces": len(game.pieces),
        "segments": segments,
        "zones": zones,
        "grids": grids,
        "sides": game.sides,
        "spaces": spaces,
        "tracks": len(game.tracks),
        "places": zones + spaces + segments,
        "kinds": len(game.kinds),
        "faces": encoding.kind_face[-1],
        "most_faces": max((len(kind.faces) for kind in game.kinds if kind.faces), default=1),
        "shapes": len(tables["shape_width"]),
        "corners": len(tables["corner_side"]) // game.sides,
        "parts": len(tables["part_kind"]),
        "ports": len(tables["port_x"]),
        "areas": len(tables["area_x"]),
        "borders": len(tables["border_part"]),
        "touches": len(tables["touch_part"]),
        "folds": len(_folded(game)),
        "answers": told,
        "answers_mask": 2**told - 1,
        "tellings": len(game.pieces) * players if told else 0,
        "seats": players,
        "seats_mask": 2**players - 1,
        "codes": len(side_codes(game)),
        "fits": tables["FITS"][0],
        "slots": slots,
        "index": _index(slots),
        "joints": max(64, 3 * segments) if effects & {"link", "unlink"} else min(2, segments),
        "history": _NOTED if "note_position" in effects else 1,
        "heap": _HEAP,
        "moves": _MOVES,
        "batch": _BATCH,
        "sources": len(sources(checked).names),
        "room": _ROOM // given.get("width", 2) * given.get("width", 2),
        "window": _window(game),
        "planes": 2 if game.sides == TURNS else 3,
        **_GIVEN,
        **given,
    }


def _bits_at(number: int) -> list[int]:
    """Return the four bits of a number below 16: the set ones first, each part ascending."""
    return sorted(range(4), key=lambda bit: (not number >> bit & 1, bit))


def box_tables(
    checked: Checked,
    players: int,
    encoding: Encoding,
    dims: Mapping[str, int],
    shapes: Rows | None = None,
) -> Values:
    """Return the contents of all const tables of the runtime.

    Those of frames are zeros, for `lower` to fill; those of shapes may be given.
    """
    game = checked.game
    found: dict[str, Iterable[int]] = {
        core_tables.PLAYERS.name: (players,),
        core_tables.TURN_ROOM.name: (1 << encoding.turn_bits,),
        core_tables.TURN_BITS.name: (encoding.turn_bits,),
        core_tables.EVERYBODY.name: (dims["seats_mask"],),
        core_tables.bits_in.name: tuple(number.bit_count() for number in range(16)),
        core_tables.bit_at.name: tuple(chain.from_iterable(map(_bits_at, range(16)))),
        core_tables.LIMIT.name: (game.roles.limit,),
        core_tables.live_first.name: (0,) * (dims["points"] + 1),
        core_tables.live_slot.name: (0,) * dims["lives"],
        core_tables.live_what.name: (0,) * dims["lives"],
        core_tables.live_telling.name: (0,) * dims["lives"],
        core_tables.ask_first.name: (0,) * (dims["choices"] + 1),
        core_tables.option_first.name: (0,) * (dims["choices"] + 1),
        core_tables.option_given.name: (0,) * dims["options"],
        core_tables.ask_slot.name: (0,) * dims["asks"],
        core_tables.ask_what.name: (0,) * dims["asks"],
    }
    for name in _SIZES:
        found[name.upper()] = (dims[name],)
    found |= shapes or shape_tables(game)
    found |= pieces_tables(game, players, encoding)
    found |= kinds_tables(game, encoding)
    found |= grids_tables(game, encoding)
    found |= zones_tables(game, encoding)
    found |= tracks_tables(game, encoding)
    folded = _folded(game)
    found[core_tables.fold_of.name] = [FOLDS.index(attribute.fold) for attribute in folded]
    found[core_tables.part_value.name] = [
        _fold_value(game, attribute, segment.kind, segment.attributes)
        for segment in part_segments(game)
        for attribute in folded
    ]
    return {name: tuple(values) for name, values in found.items()}


@dataclass(frozen=True)
class BoxTables:
    """The dimensions, tables and attributes of one game.

    `kind_attribute`, `face_attribute` and `part_attribute` return a const table that holds an
    attribute (by full name) of every kind, face (`kind_face` + index) or row of the `part_`
    tables: its default if the owner cannot have it. For a folded attribute, `fold_index` is its
    index in `part_value` and `group_value`. Segments of kinds that do not own an attribute
    count 0 towards a `sum`: its value for features of these kinds is its default.
    """

    checked: Checked
    players: int
    encoding: Encoding
    dims: Mapping[str, int]
    values: Mapping[str, tuple[int, ...]]

    @cached_property
    def fold_index(self) -> dict[str, int]:
        """The index of every attribute that is folded over features, by full name."""
        return {a.key: number for number, a in enumerate(_folded(self.checked.game))}

    def kind_attribute(self, key: str) -> Column:
        return self._column("kind", key, (each.attributes for each in self.checked.game.kinds))

    def face_attribute(self, key: str) -> Column:
        carriers = (face.attributes for kind in self.checked.game.kinds for face in kind.faces)
        return self._column("face", key, carriers)

    @cached_property
    def _parts(self) -> list[Mapping[str, Plain]]:
        return [segment.attributes for segment in part_segments(self.checked.game)]

    def part_attribute(self, key: str) -> Column:
        return self._column("part", key, self._parts)

    def _column(self, what: str, key: str, carriers: Iterable[Mapping[str, Plain]]) -> Column:
        game = self.checked.game
        numbers = {a.key: number for number, a in enumerate(game.attributes)}
        attribute = game.attributes[numbers[key]]
        name = f"{what}_{re.sub(r'[^A-Za-z0-9]', '_', attribute.name)}_{numbers[key]}"
        return name, tuple(_carried(game, attribute, each) for each in carriers)


def make_box(checked: Checked, players: int, encoding: Encoding, **frames: int) -> BoxTables:
    """Return the box of a game; `frames` as `measure` takes them."""
    shapes = shape_tables(checked.game)
    dims = measure(checked, players, encoding, shapes, **frames)
    tables = box_tables(checked, players, encoding, dims, shapes)
    return BoxTables(checked, players, encoding, dims, tables)


# --- dimensions ----------------------------------------------------------------------------------


def _slots(game: LinkedGame, players: int, encoding: Encoding) -> int:
    """Return how many cells can be occupied or beside an occupied one at a time, over all grids."""
    framed, free, bounded = 0, 0, 0
    open_classes: set[str] = set()
    classes: set[str] = set()
    for grid in game.grids:
        classes |= grid.holds
        if grid.size is None:
            open_classes |= grid.holds
        else:
            width, height = grid.size
            bounded += (width + 2) * (height + 2) * grid.instances(encoding.players)
    for piece, there in zip(game.pieces, played(game, players), strict=True):
        kind = game.kinds[piece.kind]
        sizes = [outline.size for outline in outlines(game, kind)]
        around = max(w * h + 2 * (w + h) for w, h in sizes) + game.sides - 4 if there else 0
        framed += around if kind.cls in classes else 0
        free += around if kind.cls in open_classes else 0
    return max(_FEW, min(framed, free + bounded))


def _window(game: LinkedGame) -> int:
    sides = [max(grid.size) if grid.size else _WINDOW for grid in game.grids]
    return min(_WINDOW, max(sides, default=1))


def _index(slots: int) -> int:
    """Return the size of the hash table of cells: a power of two, at least twice the slots."""
    return 1 << (2 * slots - 1).bit_length()


def _effects(checked: Checked) -> frozenset[str]:
    tables = (tuple(table.values()) for table in (checked.actions, checked.choices))
    nodes = walk((*tables, checked.always))
    return frozenset(node.effect for node in nodes if isinstance(node, EffectCall))


# --- attributes ----------------------------------------------------------------------------------


def _folded(game: LinkedGame) -> list[AttributeDef]:
    return [attribute for attribute in game.attributes if attribute.fold in FOLDS]


def _carried(game: LinkedGame, attribute: AttributeDef, carried: Mapping[str, Plain]) -> int:
    """Return an attribute as a number, from the attributes of one component, face or segment."""
    plain = carried.get(attribute.key, attribute.default)
    kind = without_none(attribute.type)
    if plain is None:
        return none_of(kind)
    if not isinstance(plain, str):
        return int(plain)
    assert isinstance(kind, types.EnumType)
    if kind == types.SIDE:
        return game.side_names.index(plain)
    return next(enum for enum in game.enums if enum.key == kind.name).members.index(plain)


def _fold_value(
    game: LinkedGame, attribute: AttributeDef, kind: str, carried: Mapping[str, Plain]
) -> int:
    """Return the contribution of a segment to the folded attribute of its feature."""
    if kind not in attribute.owners and (attribute.fold == "sum" or attribute.default is None):
        return 0
    return _carried(game, attribute, carried)
