"""The box as tables: the data that never changes during a game, and all dimensions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from rulesdsl.lower.tables.components import (
    grids_tables,
    kinds_tables,
    pieces_tables,
    played,
    tracks_tables,
    zones_tables,
)
from rulesdsl.lower.tables.encoding import Encoding, none_of
from rulesdsl.lower.tables.shapes import Rows, outlines, part_segments, shape_tables, side_codes
from rulesdsl.model.checked import Checked, EffectCall, walk
from rulesdsl.model.game import AttributeDef, Game, Plain
from rulesdsl.model.sources import sources
from rulesdsl.model.types import SIDE, SIDE_NAMES, EnumType, OptionalType
from rulesdsl.runtime import tables as core_tables

FOLDS = ("sum", "max", "min", "any", "all")
"""The folds that are kept for every feature; `union` is computed on demand."""

_HEAP = 1 << 20
_MOVES = 1 << 18
_BATCH = 1 << 10
_FEW = 16
_SIZES = (
    *("pieces", "segments", "zones", "grids", "spaces", "folds", "slots", "index", "joints"),
    *("heap", "stack", "store", "queue", "moves", "batch", "sources"),
)
"""Dimensions that a const table of one number names as well."""

Values = dict[str, tuple[int, ...]]
Column = tuple[str, tuple[int, ...]]
"""The name of a const table, and its contents."""


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
    shapes: Rows | None = None,
) -> dict[str, int]:
    """Return all dimensions of the tables of the runtime.

    Those of frames are given, and the tables of shapes may be.
    """
    game = checked.game
    tables = shapes or shape_tables(game)
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
        "codes": len(side_codes(game)),
        "fits": tables["FITS"][0],
        "slots": slots,
        "index": _index(slots),
        "joints": max(64, 2 * segments) if _joins(checked) else min(1, segments),
        "heap": _HEAP,
        "moves": _MOVES,
        "batch": _BATCH,
        "sources": len(sources(checked).names),
        "points": points,
        "lives": lives,
        "stack": stack,
        "store": store,
        "queue": queue,
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
        core_tables.EVERYBODY.name: (dims["seats_mask"],),
        core_tables.bits_in.name: tuple(number.bit_count() for number in range(16)),
        core_tables.bit_at.name: tuple(chain.from_iterable(map(_bits_at, range(16)))),
        core_tables.LIMIT.name: (game.roles.limit,),
        core_tables.live_first.name: (0,) * (dims["points"] + 1),
        core_tables.live_slot.name: (0,) * dims["lives"],
        core_tables.live_what.name: (0,) * dims["lives"],
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
class Box:
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
    """Return the box of a game; `frames` as `measure` takes them."""
    shapes = shape_tables(checked.game)
    dims = measure(checked, players, encoding, **frames, shapes=shapes)
    tables = box_tables(checked, players, encoding, dims, shapes)
    return Box(checked, players, encoding, dims, tables)


# --- dimensions ----------------------------------------------------------------------------------


def _slots(game: Game, players: int, encoding: Encoding) -> int:
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
            bounded += (width + 2) * (height + 2) * encoding.instances(grid.per)
    for piece, there in zip(game.pieces, played(game, players), strict=True):
        kind = game.kinds[piece.kind]
        sizes = [outline.size for outline in outlines(kind)]
        around = max(w * h + 2 * (w + h) for w, h in sizes) if there else 0
        framed += around if kind.cls in classes else 0
        free += around if kind.cls in open_classes else 0
    return max(_FEW, min(framed, free + bounded))


def _index(slots: int) -> int:
    """Return the size of the hash table of cells: a power of two, at least twice the slots."""
    return 1 << (2 * slots - 1).bit_length()


def _joins(checked: Checked) -> bool:
    """Say whether a rule uses `link` or `unlink`."""
    callables = (checked.values, checked.actions, checked.choices)
    trees = (*(tuple(table.values()) for table in callables), checked.always)
    return any(
        isinstance(node, EffectCall) and node.effect in ("link", "unlink") for node in walk(trees)
    )


# --- attributes ----------------------------------------------------------------------------------


def _folded(game: Game) -> list[AttributeDef]:
    return [attribute for attribute in game.attributes if attribute.fold in FOLDS]


def _carried(game: Game, attribute: AttributeDef, carried: Mapping[str, Plain]) -> int:
    """Return an attribute as a number, from the attributes of one component, face or segment."""
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
    """Return the contribution of a segment to the folded attribute of its feature."""
    if kind not in attribute.owners and (attribute.fold == "sum" or attribute.default is None):
        return 0
    return _carried(game, attribute, carried)
