"""The box as tables: what never changes while a game is played, and how large everything is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from rulesdsl.lower.encoding import Encoding, none_of
from rulesdsl.lower.shapes import (
    kind_shapes,
    outlines,
    part_segments,
    shape_tables,
    side_bits,
)
from rulesdsl.model.checked import Checked, EffectCall
from rulesdsl.model.game import AttributeDef, Game, PieceDef, Plain
from rulesdsl.model.types import INT_MAX, PIECE_CLASSES, SIDE, SIDE_NAMES, EnumType, OptionalType
from rulesdsl.model.values import Space, Zone
from rulesdsl.model.walk import walk

FOLDS = ("sum", "max", "min", "any", "all")
"""The folds that are kept for every feature; `union` is worked out when it is asked for."""

_MATCHES = ("none", "all", "any")
_VISIBLE = ("all", "owner", "none")
_HEAP = 1 << 20
_MOVES = 1 << 18
_FEW = 16
_SIZES = (
    *("pieces", "segments", "zones", "grids", "spaces", "folds", "slots", "joints"),
    *("heap", "stack", "store", "queue", "moves"),
)
"""Dimensions that a const table of one number names as well."""

Values = dict[str, tuple[int, ...]]
Column = tuple[str, tuple[int, ...]]
"""The name of a const table, and what is in it."""


def measure(
    checked: Checked,
    players: int,
    encoding: Encoding,
    *,
    points: int = 0,
    lives: int = 0,
    stack: int = 1 << 12,
    store: int = 1 << 12,
    queue: int = 1 << 12,
) -> dict[str, int]:
    """All dimensions that the tables of the core are declared with; those of frames are given."""
    game = checked.game
    tables = shape_tables(game)
    zones, grids = encoding.zone_first[-1], encoding.grid_first[-1]
    spaces, segments = encoding.track_first[-1], encoding.piece_segment[-1]
    slots = _slots(game, players, encoding)
    return {
        "pieces": len(game.pieces),
        "segments": segments,
        "zones": zones,
        "grids": grids,
        "spaces": spaces,
        "tracks": len(game.tracks),
        "places": zones + spaces + segments,
        "kinds": len(game.kinds),
        "faces": encoding.kind_face[-1],
        "shapes": len(tables["shape_width"]),
        "corners": len(tables["corner_side"]) // 4,
        "parts": len(tables["part_kind"]),
        "ports": len(tables["port_x"]),
        "areas": len(tables["area_x"]),
        "borders": len(tables["border_part"]),
        "folds": len(_folded(game)),
        "seats": players,
        "seats_mask": 2**players - 1,
        "word": max(2**32, 16 ** side_bits(game)) - 1,
        "slots": slots,
        "index": 1 << (2 * slots - 1).bit_length(),
        "joints": max(64, 2 * segments) if _joins(checked) else 1,
        "heap": _HEAP,
        "moves": _MOVES,
        "points": points,
        "lives": lives,
        "stack": stack,
        "store": store,
        "queue": queue,
    }


def box_tables(
    checked: Checked, players: int, encoding: Encoding, dims: Mapping[str, int]
) -> Values:
    """What is in all const tables of the core. Those of frames are zeros, for `lower` to fill."""
    game = checked.game
    found: dict[str, Iterable[int]] = {
        "PLAYERS": (players,),
        "EVERYBODY": (dims["seats_mask"],),
        "QUEUE_WIDTH": (0,),
        "live_first": (0,) * (dims["points"] + 1),
        "live_slot": (0,) * dims["lives"],
        "live_what": (0,) * dims["lives"],
    }
    for name in _SIZES:
        found[name.upper()] = (dims[name],)
    found |= shape_tables(game)
    found |= _pieces(game, players, encoding)
    found |= _kinds(game, encoding)
    found |= _grids(game, encoding)
    found |= _zones(game, encoding)
    found |= _tracks(game, encoding)
    folded = _folded(game)
    found["fold_of"] = [FOLDS.index(attribute.fold) for attribute in folded]
    found["part_value"] = [
        _fold_value(game, attribute, segment.kind, segment.attributes)
        for segment in part_segments(game)
        for attribute in folded
    ]
    return {name: tuple(values) for name, values in found.items()}


@dataclass(frozen=True)
class Box:
    """Everything above of one game, and its attributes as tables.

    `kind_attribute`, `face_attribute` and `part_attribute` give a const table that holds an
    attribute (by full name) of every kind, face (`kind_face` + index) or row of the `part_` tables:
    its default where it cannot be carried. For a folded attribute, `fold_index` says which one it
    is in `part_value` and `group_value`. Segments of kinds that do not own an attribute count 0
    towards a `sum`: its value for features of these kinds is its default.
    """

    checked: Checked
    players: int
    encoding: Encoding
    dims: Mapping[str, int]
    values: Mapping[str, tuple[int, ...]]

    @cached_property
    def fold_index(self) -> dict[str, int]:
        """The number of every attribute that is folded over features, by full name."""
        return {a.key: number for number, a in enumerate(_folded(self.checked.game))}

    def kind_attribute(self, key: str) -> Column:
        carriers = (kind.attributes for kind in self.checked.game.kinds)
        return self._column("kind", key, carriers)

    def face_attribute(self, key: str) -> Column:
        kinds = self.checked.game.kinds
        carriers = (face.attributes for kind in kinds for face in kind.faces)
        return self._column("face", key, carriers)

    def part_attribute(self, key: str) -> Column:
        carriers = (segment.attributes for segment in part_segments(self.checked.game))
        return self._column("part", key, carriers)

    def _column(self, what: str, key: str, carriers: Iterable[Mapping[str, Plain]]) -> Column:
        game = self.checked.game
        numbers = {a.key: number for number, a in enumerate(game.attributes)}
        attribute = game.attributes[numbers[key]]
        name = f"{what}_{re.sub(r'[^A-Za-z0-9]', '_', attribute.name)}_{numbers[key]}"
        return name, tuple(_carried(game, attribute, each) for each in carriers)


def make_box(checked: Checked, players: int, encoding: Encoding, **frames: int) -> Box:
    """The box of a game; `frames` as `measure` takes them."""
    dims = measure(checked, players, encoding, **frames)
    return Box(checked, players, encoding, dims, box_tables(checked, players, encoding, dims))


# --- dimensions ----------------------------------------------------------------------------------


def _played(game: Game, players: int) -> list[bool]:
    return [piece.seat is None or piece.seat < players for piece in game.pieces]


def _slots(game: Game, players: int, encoding: Encoding) -> int:
    """How many cells can be occupied or beside an occupied one at a time, over all grids."""
    framed, free, bounded = 0, 0, 0
    open_classes: set[str] = set()
    classes: set[str] = set()
    for grid in game.grids:
        classes |= grid.holds
        if grid.size is None:
            open_classes |= grid.holds
        else:
            width, height = grid.size
            bounded += (width + 2) * (height + 2) * encoding.instances(grid.per)
    for piece, played in zip(game.pieces, _played(game, players), strict=True):
        kind = game.kinds[piece.kind]
        sizes = [outline.size for outline in outlines(kind)]
        around = max(w * h + 2 * (w + h) for w, h in sizes) if played else 0
        framed += around if kind.cls in classes else 0
        free += around if kind.cls in open_classes else 0
    return max(_FEW, min(framed, free + bounded))


def _joins(checked: Checked) -> bool:
    """Does a rule use `link` or `unlink`?"""
    callables = (checked.values, checked.actions, checked.choices)
    trees = (*(tuple(table.values()) for table in callables), checked.always)
    return any(
        isinstance(node, EffectCall) and node.effect in ("link", "unlink") for node in walk(trees)
    )


# --- tables --------------------------------------------------------------------------------------


def _pieces(game: Game, players: int, encoding: Encoding) -> dict[str, Iterable[int]]:
    pieces, played = game.pieces, _played(game, players)
    first: dict[object, int] = {}
    like = [
        first.setdefault((piece.kind, piece.seat, piece.start), number)
        for number, piece in enumerate(pieces)
    ]
    starts = [
        _start(game, piece, encoding) if there else None
        for piece, there in zip(pieces, played, strict=True)
    ]
    shapes = kind_shapes(game)
    firsts = encoding.piece_segment
    zones = encoding.zone_first[-1]
    return {
        "LIKE_RUNS": (_runs([like[i] for i, there in enumerate(played) if there]),),
        "piece_kind": [piece.kind for piece in pieces],
        "piece_class": [PIECE_CLASSES.index(game.kinds[piece.kind].cls) for piece in pieces],
        "piece_seat": [-1 if piece.seat is None else piece.seat for piece in pieces],
        "piece_in": [int(there) for there in played],
        "piece_home": [_number(s, encoding) if isinstance(s, Zone) else -1 for s in starts],
        "piece_start": [
            _number(s, encoding) + (zones if isinstance(s, Space) else 0) for s in starts
        ],
        "piece_like": like,
        "piece_segment": firsts,
        "piece_shape": [shapes[piece.kind] for piece in pieces],
        "segment_piece": [
            number
            for number in range(len(pieces))
            for _ in range(firsts[number], firsts[number + 1])
        ],
    }


def _runs(labels: list[int]) -> int:
    """1 if equal labels stand together."""
    changes = sum(a != b for a, b in pairwise(labels))
    return int(changes + 1 == len(set(labels)) or not labels)


def _start(game: Game, piece: PieceDef, encoding: Encoding) -> Zone | Space | None:
    """Where a piece begins."""
    for number, zone in enumerate(game.zones):
        if zone.key == piece.start:
            return Zone(number, (piece.seat or 0) if zone.per == "player" else 0)
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


def _kinds(game: Game, encoding: Encoding) -> dict[str, Iterable[int]]:
    drawings = []
    for kind in game.kinds:
        drawn = [face.outline for face in kind.faces]
        drawings += [drawn.index(outline) for outline in drawn]
    return {
        "kind_face": [
            first if kind.faces else -1
            for kind, first in zip(game.kinds, encoding.kind_face, strict=False)
        ],
        "kind_faces": [len(kind.faces) for kind in game.kinds],
        "face_drawing": drawings,
    }


def _mask(holds: Iterable[str]) -> int:
    return sum(1 << PIECE_CLASSES.index(cls) for cls in holds)


def _grids(game: Game, encoding: Encoding) -> dict[str, Iterable[int]]:
    grids = [grid for grid in game.grids for _ in range(encoding.instances(grid.per))]
    return {
        "grid_holds": [_mask(grid.holds) for grid in grids],
        "grid_match": [_MATCHES.index(grid.match) for grid in grids],
        "grid_touch": [int(grid.touch) for grid in grids],
        "grid_width": [grid.size[0] if grid.size else 0 for grid in grids],
        "grid_height": [grid.size[1] if grid.size else 0 for grid in grids],
    }


def _zones(game: Game, encoding: Encoding) -> dict[str, Iterable[int]]:
    zones = [(zone, index) for zone in game.zones for index in range(encoding.instances(zone.per))]
    return {
        "zone_holds": [_mask(zone.holds) for zone, _ in zones],
        "zone_ordered": [int(zone.ordered) for zone, _ in zones],
        "zone_keeps": [int(zone.ordered and zone.visible != "none") for zone, _ in zones],
        "zone_visible": [_VISIBLE.index(zone.visible) for zone, _ in zones],
        "zone_seat": [index if zone.per == "player" else -1 for zone, index in zones],
        "zone_room": [INT_MAX if zone.room is None else zone.room[index] for zone, index in zones],
    }


def _tracks(game: Game, encoding: Encoding) -> dict[str, Iterable[int]]:
    return {
        "space_track": [
            number for number, track in enumerate(game.tracks) for _ in range(track.length)
        ],
        "track_space": encoding.track_first,
        "track_loop": [int(track.loop) for track in game.tracks],
        "track_holds": [_mask(track.holds) for track in game.tracks],
    }


# --- attributes ----------------------------------------------------------------------------------


def _folded(game: Game) -> list[AttributeDef]:
    return [attribute for attribute in game.attributes if attribute.fold in FOLDS]


def _carried(game: Game, attribute: AttributeDef, carried: Mapping[str, Plain]) -> int:
    """The number of an attribute among those of one component, face or segment."""
    plain = carried.get(attribute.key, attribute.default)
    kind = attribute.type.item if isinstance(attribute.type, OptionalType) else attribute.type
    if plain is None:
        return none_of(kind)
    if not isinstance(plain, str):
        return int(plain)
    assert isinstance(kind, EnumType)
    if kind == SIDE:
        return SIDE_NAMES.index(plain)
    return next(enum for enum in game.enums if enum.key == kind.name).members.index(plain)


def _fold_value(
    game: Game, attribute: AttributeDef, kind: str, carried: Mapping[str, Plain]
) -> int:
    """What a segment adds to the folded attribute of its feature."""
    if kind not in attribute.owners and (attribute.fold == "sum" or attribute.default is None):
        return 0
    return _carried(game, attribute, carried)
