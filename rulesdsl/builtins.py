"""Builtins of the language: every function, property and effect, declared once."""

from __future__ import annotations

from rulesdsl.model.types import (
    ANY,
    BOOL,
    CARD,
    CELL,
    DIE,
    FACE,
    FEATURE,
    FIGURE,
    GRID,
    INT,
    KIND,
    PIECE,
    PIECE_CLASSES,
    PLACEMENT,
    PLAYER,
    SEGMENT,
    SIDE,
    SPACE,
    TILE,
    TOKEN,
    UNIT,
    ZONE,
    IntType,
    NamedType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.records import dataclass

__all__ = [
    "BOARD",
    "EFFECTS",
    "FACES",
    "FORMS",
    "FUNCTIONS",
    "PROPERTIES",
    "READS",
    "Builtin",
    "BuiltinSignature",
]


@dataclass(frozen=True)
class BuiltinSignature:
    """Parameter types and the type of the result."""

    params: tuple[Type, ...]
    result: Type


@dataclass(frozen=True)
class Builtin:
    """A builtin; `asks` is set for a chance move.

    `doc` describes the result and the failures while playing.
    """

    name: str
    signatures: tuple[BuiltinSignature, ...]
    doc: str
    asks: bool = False


def _table(*rows: Builtin) -> dict[str, Builtin]:
    return {row.name: row for row in rows}


def _row(
    name: str, doc: str, *signatures: tuple[tuple[Type, ...], Type], asks: bool = False
) -> Builtin:
    return Builtin(name, tuple(BuiltinSignature(p, r) for p, r in signatures), doc, asks)


def _many(params: tuple[Type, ...], result: Type) -> tuple[tuple[tuple[Type, ...], Type], ...]:
    """Return one signature for each type in `params`."""
    return tuple(((p,), result) for p in params)


_PLACES = (FEATURE, SEGMENT, TILE, CELL, SPACE, ZONE, GRID)
_GROUPS = tuple(SetType(place) for place in (FEATURE, SEGMENT, TILE, CELL, SPACE))

FUNCTIONS = _table(
    _row("players", "all players, by seat", ((), SetType(PLAYER))),
    _row(
        "tiles",
        "all tiles of the game; those of a feature, cells or zone, or on a grid",
        ((), SetType(TILE)),
        *_many((FEATURE, ZONE, GRID, SetType(CELL)), SetType(TILE)),
    ),
    _row(
        "cards",
        "all cards of the game; those in a zone",
        ((), SetType(CARD)),
        ((ZONE,), SetType(CARD)),
    ),
    _row(
        "dice",
        "all dice of the game; those in a zone or on a grid",
        ((), SetType(DIE)),
        *_many((ZONE, GRID), SetType(DIE)),
    ),
    _row(
        "tokens",
        "all tokens of the game; those that lie on something",
        ((), SetType(TOKEN)),
        *_many(_PLACES + _GROUPS, SetType(TOKEN)),
    ),
    _row(
        "figures",
        "all figures of the game; those that stand on something",
        ((), SetType(FIGURE)),
        *_many(_PLACES + _GROUPS, SetType(FIGURE)),
    ),
    _row("next", "the player after p by seat, the first after the last", ((PLAYER,), PLAYER)),
    _row("seat", "the seat of p, from 1", ((PLAYER,), INT)),
    _row(
        "segments",
        "the segments of a tile, of a feature, on a cell, or of all pieces on a grid",
        *_many((TILE, DIE, FEATURE, CELL, GRID), SetType(SEGMENT)),
    ),
    _row(
        "features",
        "the features on a tile, on cells, or of a whole grid",
        *_many((TILE, DIE, CELL, GRID, SetType(CELL)), SetType(FEATURE)),
    ),
    _row(
        "cells",
        "the cells a feature or piece covers, or would cover if laid there; the occupied cells of "
        "a grid",
        *_many((FEATURE, TILE, DIE, CARD, GRID), SetType(CELL)),
        ((PIECE, PLACEMENT), SetType(CELL)),
    ),
    _row(
        "borders",
        "the features that f borders, as its kind declares",
        ((FEATURE,), SetType(FEATURE)),
    ),
    _row(
        "ring",
        "the occupied cells around: the eight around a cell, all around a piece",
        *_many((CELL, TILE, DIE, CARD), SetType(CELL)),
    ),
    _row(
        "beside",
        "the occupied cells that share a side with a cell or piece",
        *_many((CELL, TILE, DIE, CARD), SetType(CELL)),
    ),
    _row(
        "occupied",
        "whether a piece has been laid on the cell; what was moved there does not count",
        ((CELL,), BOOL),
    ),
    _row(
        "all_cells",
        "all cells of a grid, occupied or not; fails for a grid without a size",
        ((GRID,), SetType(CELL)),
    ),
    _row(
        "between",
        "the cells between two of one row, column or diagonal, without them; otherwise none",
        ((CELL, CELL), SetType(CELL)),
    ),
    _row(
        "ray",
        "the cells reached from c by steps of x east and y south, up to the edge, without c",
        ((CELL, INT, INT), SetType(CELL)),
    ),
    _row(
        "rectangle",
        "all cells, occupied or not, of the smallest rectangle around some cells of a grid",
        ((SetType(CELL),), SetType(CELL)),
    ),
    _row(
        "cell_at",
        "the cell x east, y south of the centre of a grid, or of a cell; fails outside of the grid",
        *(((start, INT, INT), CELL) for start in (GRID, CELL)),
    ),
    _row("closed", "whether the feature has no open end", ((FEATURE,), BOOL)),
    _row(
        "placements",
        "all cells and rotations in which the piece fits the grid",
        ((GRID, PIECE), SetType(PLACEMENT)),
    ),
    _row("centre", "the placement at cell (0, 0), not rotated", ((GRID,), PLACEMENT)),
    _row(
        "placement_at",
        "the placement of a piece at (x, y), rotated by n quarter turns",
        ((GRID, INT, INT, INT), PLACEMENT),
    ),
    _row(
        "joined",
        "the segments on the grid that s would join if its piece were laid there",
        ((SEGMENT, PLACEMENT), SetType(SEGMENT)),
        ((SEGMENT,), SetType(SEGMENT)),
    ),
    _row(
        "ahead",
        "the empty cells that s faces, as laid or if its piece were laid there",
        ((SEGMENT, PLACEMENT), SetType(CELL)),
        ((SEGMENT,), SetType(CELL)),
    ),
    _row(
        "sides",
        "the sides that s touches, as laid or if its piece were laid there",
        ((SEGMENT, PLACEMENT), SetType(SIDE)),
        ((SEGMENT,), SetType(SIDE)),
    ),
    _row(
        "lane_at",
        "the segment that holds the left (1), centre (2) or right (3) lane of a side of the cell, "
        "as seen from its middle; or none",
        ((CELL, SIDE, IntType(1, 3)), OptionalType(SEGMENT)),
    ),
    _row(
        "corner_at",
        "the segment that holds the corner between two sides of the cell: the lane before it and "
        "the lane after it; or none",
        ((CELL, SIDE, SIDE), OptionalType(SEGMENT)),
    ),
    _row(
        "touching",
        "the segments of its piece that s touches, of any kind; a line touches what it ends at",
        ((SEGMENT,), SetType(SEGMENT)),
    ),
    _row("kinds", "the kinds of the components in a zone", ((ZONE,), SetType(KIND))),
    _row(
        "one",
        "a component of kind k in the zone, or on something; fails if there is none",
        *(((place, KIND), PIECE) for place in (ZONE, FEATURE, SEGMENT, TILE, CELL, SPACE)),
    ),
    _row("home", "the zone in which a component began", ((PIECE,), ZONE)),
    _row(
        "on_board", "whether the piece, or the one it stands on, lies on a grid", ((PIECE,), BOOL)
    ),
    _row("owned", "whether the component has an owner", ((PIECE,), BOOL)),
    _row(
        "room",
        "how many more components a zone can hold; fails for a zone without limit",
        ((ZONE,), INT),
    ),
    _row("position", "the position of a component in its ordered zone, from 1", ((PIECE,), INT)),
    _row(
        "forward",
        "the space, enum member or side n steps on; a loop goes round",
        ((SPACE, INT), SPACE),
        ((ANY, INT), ANY),
    ),
    _row(
        "steps",
        "how many steps forward from a to b, going round",
        ((SPACE, SPACE), INT),
        ((ANY, ANY), INT),
    ),
    _row("half_up", "half of n, rounded up", ((INT,), INT)),
    _row("div_up", "a divided by b, rounded up", ((INT, INT), INT)),
    _row("abs", "n without its sign", ((INT,), INT)),
    _row("max", "the larger of two", ((INT, INT), INT)),
    _row("min", "the smaller of two", ((INT, INT), INT)),
)

FORMS = _table(
    _row(
        "allowed",
        "whether all preconditions of the action hold for these arguments",
        ((NamedType("action(…)"),), BOOL),
    ),
)
"""Forms that are written like functions and take a call that is not run."""

PROPERTIES: dict[str, tuple[tuple[Type, Type, str], ...]] = {
    "kind": ((PIECE, KIND, "its component entry"),),
    "owner": ((PIECE, OptionalType(PLAYER), "the player it belongs to, or none"),),
    "zone": ((PIECE, ZONE, "the zone it is in; fails elsewhere"),),
    "cell": (
        (PIECE, CELL, "the cell it lies or stands on; fails elsewhere"),
        (SEGMENT, CELL, "the cell of the segment, the first of several"),
        (FEATURE, CELL, "the first of its cells"),
        (PLACEMENT, CELL, "the cell of the north-west corner"),
    ),
    "tile": (
        (PIECE, TILE, "the tile it stands on; fails elsewhere"),
        (SEGMENT, TILE, "the tile it is part of"),
        (CELL, TILE, "the tile that lies there; fails if none does"),
    ),
    "segment": ((PIECE, SEGMENT, "the segment it stands on; fails elsewhere"),),
    "feature": (
        (PIECE, FEATURE, "the feature it stands on; fails elsewhere"),
        (SEGMENT, FEATURE, "the feature it is part of"),
    ),
    "space": ((PIECE, SPACE, "the space it stands on; fails elsewhere"),),
    "face": ((DIE, FACE, "the upper face"),),
    "cells": ((FEATURE, INT, "how many different cells it covers"),),
    "ends": ((FEATURE, INT, "how many of its ports face no neighbour"),),
    "rotation": (
        (PLACEMENT, INT, "quarter turns clockwise, 0 to 3"),
        (PIECE, INT, "as laid; fails for one not on a grid"),
    ),
    "x": ((CELL, INT, "east of the grid's centre"),),
    "y": ((CELL, INT, "south of the grid's centre"),),
    "index": ((SPACE, INT, "its number on the track, from 0"),),
}
"""Attributes of the language itself: name -> (type of the object, type of the result, doc)."""

EFFECTS = _table(
    _row(
        "place",
        "lay a piece on a grid; fails if it does not fit there",
        ((PIECE, PLACEMENT), UNIT),
    ),
    _row(
        "move",
        "put a component into a zone, on a segment, space or cell; fails if that cannot hold it; "
        "with a number, at this position of an ordered zone: 1 is the bottom of a stack",
        *(((PIECE, to), UNIT) for to in (ZONE, SEGMENT, SPACE, CELL)),
        ((PIECE, ZONE, INT), UNIT),
    ),
    _row("shuffle", "forget the order and identity of what is in a zone", ((ZONE,), UNIT)),
    _row(
        "take",
        "draw a component from a zone (the last one if the zone is ordered); fails if it is empty",
        ((ZONE,), PIECE),
        asks=True,
    ),
    _row("roll", "throw a die", ((DIE,), FACE), asks=True),
    _row(
        "reveal",
        "let all players see a component, or one player alone",
        ((PIECE,), UNIT),
        ((PIECE, PLAYER), UNIT),
    ),
    _row(
        "conceal",
        "turn a component face down: only players who know it already still know it",
        ((PIECE,), UNIT),
    ),
    _row("turn_to", "lay a die with that face up", ((DIE, FACE), UNIT)),
    _row("link", "join two segments", ((SEGMENT, SEGMENT), UNIT)),
    _row(
        "unlink",
        "separate two segments that `link` or contact has joined",
        ((SEGMENT, SEGMENT), UNIT),
    ),
    _row("end_game", "end the game; these players win", ((SetType(PLAYER),), UNIT)),
)


BOARD = "board"
FACES = "faces"

_FIXED = (
    "abs all_cells between cell_at centre div_up forward half_up home index kind max min next "
    "owned owner placement_at players ray rectangle seat steps x y"
)
_OF_THE_BOARD = (
    "ahead beside borders cell cells closed corner_at ends feature features joined lane_at "
    "occupied placements ring rotation segments sides tile touching"
)
_OF_ALL_PLACES = "kinds on_board one position room zone"

READS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_FIXED.split(), ()),
    **dict.fromkeys(_OF_THE_BOARD.split(), (BOARD,)),
    **dict.fromkeys(_OF_ALL_PLACES.split(), (BOARD, *PIECE_CLASSES)),
    "face": (FACES,),
    "cards": ("card",),
    "dice": (BOARD, "die"),
    "figures": (BOARD, "figure"),
    "segment": ("figure", "token"),
    "space": ("figure", "token"),
    "tiles": (BOARD, "tile"),
    "tokens": (BOARD, "token"),
}
assert READS.keys() == FUNCTIONS.keys() | PROPERTIES.keys(), "every builtin says what it reads"
