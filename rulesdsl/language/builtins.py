"""Builtins of the language: every function, property and effect, declared once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Report, Span
from rulesdsl.language.model.types import (
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
    NAMED,
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
    EnumType,
    IntType,
    NamedType,
    OptionalType,
    SetType,
    Type,
)

__all__ = [
    "CALLED",
    "DOMAINS",
    "EFFECTS",
    "FORMS",
    "FUNCTIONS",
    "PROPERTIES",
    "RESERVED",
    "TOLD",
    "UNRESERVED",
    "Builtin",
    "BuiltinSignature",
    "effect_on",
    "report_taken",
    "runtime_call",
    "why_taken",
    "word",
]


@dataclass(frozen=True)
class BuiltinSignature:
    """Parameter types, the type of the result, and the function of the runtime, if it is one call.

    The function is called with the arguments as numbers, followed by `more`.
    """

    params: tuple[Type, ...]
    result: Type
    function: str = ""
    more: tuple[int, ...] = ()


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


_Signature = tuple[tuple[Type, ...], Type] | tuple[tuple[Type, ...], Type, str]


def _row(
    name: str,
    doc: str,
    *signatures: _Signature | BuiltinSignature,
    asks: bool = False,
) -> Builtin:
    rows = (s if isinstance(s, BuiltinSignature) else BuiltinSignature(*s) for s in signatures)
    return Builtin(name, tuple(rows), doc, asks)


def _many(result: Type, *params: tuple[Type, str]) -> tuple[_Signature, ...]:
    """Return one signature for each type of a parameter, with its function."""
    return tuple(((param,), result, function) for param, function in params)


_BODIES = (FEATURE, SEGMENT, TILE, CELL, SPACE)
"""The places on which things stand; `on_thing` and `one_on` of the runtime know them by number."""

_ON: dict[Type, tuple[str, tuple[int, ...]]] = {
    **{body: ("on_thing", (number,)) for number, body in enumerate(_BODIES)},
    ZONE: ("zone_class", ()),
    GRID: ("on_grid", ()),
    **{SetType(body): ("on_each", (number,)) for number, body in enumerate(_BODIES)},
}
"""The function for the pieces of a class on something, called with the class and these numbers."""


def _pieces(cls: NamedType, *places: Type) -> tuple[BuiltinSignature, ...]:
    """Return the signatures for the pieces of a class on each of the places."""
    number = PIECE_CLASSES.index(cls.name)
    return tuple(
        BuiltinSignature((place,), SetType(cls), function, (number, *more))
        for place in places
        for function, more in (_ON[place],)
    )


FUNCTIONS = _table(
    _row("players", "all players, by seat", ((), SetType(PLAYER))),
    _row(
        "tiles",
        "all tiles of the game; those of a feature, cells or zone, or on a grid",
        ((), SetType(TILE)),
        ((FEATURE,), SetType(TILE), "feature_tiles"),
        *_pieces(TILE, ZONE, GRID, SetType(CELL)),
    ),
    _row(
        "cards",
        "all cards of the game; those in a zone",
        ((), SetType(CARD)),
        *_pieces(CARD, ZONE),
    ),
    _row(
        "dice",
        "all dice of the game; those in a zone or on a grid",
        ((), SetType(DIE)),
        *_pieces(DIE, ZONE, GRID),
    ),
    _row(
        "tokens",
        "all tokens of the game; those that lie on something",
        ((), SetType(TOKEN)),
        *_pieces(TOKEN, *_ON),
    ),
    _row(
        "figures",
        "all figures of the game; those that stand on something",
        ((), SetType(FIGURE)),
        *_pieces(FIGURE, *_ON),
    ),
    _row("next", "the player after p by seat, the first after the last", ((PLAYER,), PLAYER)),
    _row("seat", "the seat of p, from 1", ((PLAYER,), INT)),
    _row(
        "segments",
        "the segments of a tile, of a feature, on a cell, or of all pieces on a grid",
        *_many(
            SetType(SEGMENT),
            *((TILE, "segments_of"), (DIE, "segments_of"), (FEATURE, "feature_segments")),
            *((CELL, "cell_segments"), (GRID, "grid_segments")),
        ),
    ),
    _row(
        "features",
        "the features on a tile, on cells, or of a whole grid",
        *_many(
            SetType(FEATURE),
            *((TILE, "piece_features"), (DIE, "piece_features"), (CELL, "cell_features")),
            *((GRID, "grid_features"), (SetType(CELL), "cells_features")),
        ),
    ),
    _row(
        "cells",
        "the cells a feature or piece covers, or would cover if laid there; the occupied cells of "
        "a grid",
        *_many(
            SetType(CELL),
            *((FEATURE, "feature_cells"), (TILE, "piece_cells"), (DIE, "piece_cells")),
            *((CARD, "piece_cells"), (GRID, "grid_cells")),
        ),
        ((PIECE, PLACEMENT), SetType(CELL), "piece_cells_at"),
    ),
    _row(
        "borders",
        "the features that f borders, as its kind declares",
        ((FEATURE,), SetType(FEATURE), "borders"),
    ),
    _row(
        "ring",
        "the occupied cells around: the eight around a cell, all around a piece",
        *_many(
            SetType(CELL),
            *((CELL, "ring_cell"), (TILE, "ring_piece"), (DIE, "ring_piece"), (CARD, "ring_piece")),
        ),
    ),
    _row(
        "beside",
        "the occupied cells that share a side with a cell or piece, or lie over one side of a cell",
        ((CELL, SIDE), SetType(CELL), "beside_side"),
        *_many(
            SetType(CELL),
            *(
                (CELL, "beside_cell"),
                (TILE, "beside_piece"),
                (DIE, "beside_piece"),
                (CARD, "beside_piece"),
            ),
        ),
    ),
    _row(
        "occupied",
        "whether a piece has been laid on the cell; what was moved there does not count",
        ((CELL,), BOOL, "occupied"),
    ),
    _row(
        "all_cells",
        "all cells of a grid, occupied or not; fails for a grid without a size",
        ((GRID,), SetType(CELL), "all_cells"),
    ),
    _row(
        "between",
        "the cells between two of one row, column or diagonal, without them; otherwise none",
        ((CELL, CELL), SetType(CELL), "between"),
    ),
    _row(
        "distance",
        "the fewest steps from neighbour to neighbour between two cells; fails for two grids",
        ((CELL, CELL), INT, "distance"),
    ),
    _row(
        "ray",
        "the cells reached from c by steps of x east and y south, up to the edge, without c",
        ((CELL, INT, INT), SetType(CELL), "ray"),
    ),
    _row(
        "neighbours",
        "the cells around a cell, occupied or not: eight, six around a hexagon, twelve around a "
        "triangle, fewer at an edge; "
        "or only the one over a side",
        ((CELL, SIDE), SetType(CELL), "neighbours_side"),
        ((CELL,), SetType(CELL), "neighbours"),
    ),
    _row("opposite", "the side that lies across", ((SIDE,), SIDE, "opposite")),
    _row(
        "rectangle",
        "all cells, occupied or not, of the smallest rectangle around some cells of a grid",
        ((SetType(CELL),), SetType(CELL), "rectangle"),
    ),
    _row(
        "cell_at",
        "the cell x east, y south of the centre of a grid, or of a cell; fails outside of the grid",
        ((GRID, INT, INT), CELL, "cell_at"),
        ((CELL, INT, INT), CELL, "cell_from"),
    ),
    _row("closed", "whether the feature has no open end", ((FEATURE,), BOOL, "closed")),
    _row(
        "placements",
        "all cells and rotations in which the piece fits the grid",
        ((GRID, PIECE), SetType(PLACEMENT), "placements"),
    ),
    _row("centre", "the placement at cell (0, 0), not rotated", ((GRID,), PLACEMENT)),
    _row(
        "placement_at",
        "the placement of a piece at (x, y), rotated by n turns of one side",
        ((GRID, INT, INT, INT), PLACEMENT),
    ),
    _row(
        "joined",
        "the segments on the grid that s would join if its piece were laid there",
        ((SEGMENT, PLACEMENT), SetType(SEGMENT), "joined"),
        BuiltinSignature((SEGMENT,), SetType(SEGMENT), "joined", (-1,)),
    ),
    _row(
        "ahead",
        "the empty cells that s faces, as laid or if its piece were laid there",
        ((SEGMENT, PLACEMENT), SetType(CELL), "ahead"),
        BuiltinSignature((SEGMENT,), SetType(CELL), "ahead", (-1,)),
    ),
    _row(
        "sides",
        "the sides that s touches, as laid or if its piece were laid there",
        ((SEGMENT, PLACEMENT), SetType(SIDE), "sides"),
        BuiltinSignature((SEGMENT,), SetType(SIDE), "sides", (-1,)),
    ),
    _row(
        "agrees",
        "whether a side of the piece agrees with what lies over it, if anything does, as laid or "
        "if laid there",
        ((PIECE, PLACEMENT, SIDE), BOOL, "agrees_at"),
        ((PIECE, SIDE), BOOL, "agrees"),
    ),
    _row(
        "lane_at",
        "the segment that holds the left (1), centre (2) or right (3) lane of a side of the cell, "
        "as seen from its middle, or would hold it if the piece were laid there; or none",
        ((CELL, SIDE, IntType(1, 3)), OptionalType(SEGMENT), "lane_at"),
        ((PIECE, PLACEMENT, CELL, SIDE, IntType(1, 3)), OptionalType(SEGMENT), "lane_of"),
    ),
    _row(
        "corner_at",
        "the segment that holds the corner between two sides of the cell: the lane before it and "
        "the lane after it; or none",
        ((CELL, SIDE, SIDE), OptionalType(SEGMENT), "corner_at"),
    ),
    _row(
        "touching",
        "the segments of its piece that s touches, of any kind; a line touches what it ends at",
        ((SEGMENT,), SetType(SEGMENT), "touching"),
    ),
    _row(
        "kinds",
        "the kinds of the components in a zone",
        ((ZONE,), SetType(KIND), "kinds_in"),
    ),
    _row(
        "one",
        "a component of kind k in the zone, or on something; fails if there is none",
        ((ZONE, KIND), PIECE, "one"),
        *(BuiltinSignature((b, KIND), PIECE, "one_on", (n,)) for n, b in enumerate(_BODIES)),
    ),
    _row("home", "the zone in which a component began", ((PIECE,), ZONE, "home_of")),
    _row(
        "on_board",
        "whether the piece, or the one it stands on, lies on a grid",
        ((PIECE,), BOOL, "on_board"),
    ),
    _row("owned", "whether the component has an owner", ((PIECE,), BOOL)),
    _row(
        "room",
        "how many more components a zone can hold; fails for a zone without limit",
        ((ZONE,), INT, "room"),
    ),
    _row(
        "position",
        "the position of a component in its ordered zone, or on a cell that keeps order, from 1",
        ((PIECE,), INT, "position"),
    ),
    _row(
        "top",
        "the uppermost of what was moved to a cell that keeps order, or none",
        ((CELL,), OptionalType(PIECE), "top_of"),
    ),
    _row(
        "height",
        "how many components were moved to the cell and are there",
        ((CELL,), INT, "height_of"),
    ),
    _row(
        "forward",
        "the space, enum member or side n steps on; a loop goes round",
        ((SPACE, INT), SPACE, "forward_space"),
        ((ANY, INT), ANY),
    ),
    _row(
        "steps",
        "how many steps forward from a to b, going round",
        ((SPACE, SPACE), INT, "steps_space"),
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
    _row(
        "subsets",
        "the sets that S contains, with at least a and at most b members; only to range over",
        ((NamedType("set of T"),), NamedType("sets of T")),
        ((NamedType("set of T"), INT, INT), NamedType("sets of T")),
    ),
)
"""Forms that are written like functions: for a call that is not run, for sets of sets."""


class Property(NamedTuple):
    """The type of the object and of the result, and the function of the runtime, if it is one."""

    owner: Type
    result: Type
    doc: str
    function: str = ""

    def signature(self) -> BuiltinSignature:
        """Return the property as a function of its object."""
        return BuiltinSignature((self.owner,), self.result, self.function)


PROPERTIES: dict[str, tuple[Property, ...]] = {
    "kind": (Property(PIECE, KIND, "its component entry"),),
    "owner": (Property(PIECE, OptionalType(PLAYER), "the player it belongs to, or none"),),
    "zone": (Property(PIECE, ZONE, "the zone it is in; fails elsewhere", "zone_of"),),
    "cell": (
        Property(
            PIECE,
            CELL,
            "the cell it lies or stands on; fails elsewhere",
            "cell_of_piece",
        ),
        Property(
            SEGMENT,
            CELL,
            "the cell of the segment, the first of several",
            "cell_of_segment",
        ),
        Property(FEATURE, CELL, "the first of its cells", "cell_of_feature"),
        Property(PLACEMENT, CELL, "the cell of the north-west corner"),
    ),
    "tile": (
        Property(PIECE, TILE, "the tile it stands on; fails elsewhere", "tile_of_piece"),
        Property(SEGMENT, TILE, "the tile it is part of", "tile_of_segment"),
        Property(CELL, TILE, "the tile that lies there; fails if none does", "tile_of_cell"),
    ),
    "segment": (
        Property(
            PIECE,
            SEGMENT,
            "the segment it stands on; fails elsewhere",
            "segment_of",
        ),
    ),
    "feature": (
        Property(
            PIECE,
            FEATURE,
            "the feature it stands on; fails elsewhere",
            "feature_of_piece",
        ),
        Property(SEGMENT, FEATURE, "the feature it is part of", "first_of"),
    ),
    "space": (
        Property(
            PIECE,
            SPACE,
            "the space it stands on; fails elsewhere",
            "space_of",
        ),
    ),
    "face": (Property(DIE, FACE, "the upper face"),),
    "cells": (Property(FEATURE, INT, "how many different cells it covers", "count_cells"),),
    "ends": (Property(FEATURE, INT, "how many of its ports face no neighbour", "ends"),),
    "rotation": (
        Property(
            PLACEMENT,
            INT,
            "turns by one side clockwise, 0 to 3, or to 5 with six sides",
        ),
        Property(PIECE, INT, "as laid; fails for one not on a grid", "rotation_of"),
    ),
    "x": (Property(CELL, INT, "east of the grid's centre"),),
    "y": (Property(CELL, INT, "south of the grid's centre"),),
    "index": (Property(SPACE, INT, "its number on the track, from 0"),),
}
"""Attributes of the language itself by name, one for each type of its object."""

TOLD = (BOOL, INT, ANY)
"""The types of what `reveal` tells of a hidden component: an attribute or a comparison."""

EFFECTS = _table(
    _row(
        "place",
        "lay a piece on a grid; fails if it does not fit there",
        ((PIECE, PLACEMENT), UNIT, "place_piece"),
    ),
    _row(
        "move",
        "put a component into a zone, on a segment, space or cell; fails if that cannot hold it; "
        "with a number, at this position of an ordered zone: 1 is the bottom of a stack",
        *(((PIECE, to), UNIT, f"move_to_{to}") for to in (ZONE, SEGMENT, SPACE, CELL)),
        ((PIECE, ZONE, INT), UNIT, "move_into"),
    ),
    _row(
        "move_all",
        "put all that lies in a zone into another one, in its order and without a draw; fails if "
        "that cannot hold it",
        ((ZONE, ZONE), UNIT, "move_all"),
    ),
    _row(
        "shuffle",
        "forget the order and identity of what is in a zone",
        ((ZONE,), UNIT, "shuffle_zone"),
    ),
    _row(
        "take",
        "draw a component from a zone (the last one if the zone is ordered); fails if it is empty",
        ((ZONE,), PIECE),
        asks=True,
    ),
    _row("roll", "throw a die", ((DIE,), FACE), asks=True),
    _row(
        "reveal",
        "let all players see a component, or one player alone; or tell them an attribute of it, or "
        "whether this is equal to a value",
        ((PIECE,), UNIT, "reveal"),
        ((PIECE, PLAYER), UNIT, "reveal_to"),
        *(((told,), UNIT) for told in TOLD),
        *(((told, PLAYER), UNIT) for told in TOLD),
    ),
    _row(
        "conceal",
        "turn a component face down: only players who know it already still know it",
        ((PIECE,), UNIT, "conceal"),
    ),
    _row(
        "turn_to",
        "lay a die with that face up",
        ((DIE, FACE), UNIT, "turn_to"),
    ),
    _row(
        "link",
        "join two segments",
        ((SEGMENT, SEGMENT), UNIT, "link"),
    ),
    _row(
        "unlink",
        "separate two segments that `link` or contact has joined",
        ((SEGMENT, SEGMENT), UNIT, "unlink"),
    ),
    _row(
        "note_position",
        "note how components lie, and what else belongs to the position; the result is how often "
        "this position has been noted, now included",
        *(((SetType(PIECE), *more), INT) for more in ((), (PLAYER,), (INT,))),
    ),
    _row("end_game", "end the game; these players win", ((SetType(PLAYER),), UNIT)),
)


_WORDS: dict[Type, str] = {
    type_: str(type_)
    for type_ in (PLAYER, KIND, FACE, SEGMENT, FEATURE, CELL, PLACEMENT, ZONE, SPACE, GRID, BOOL)
}


def word(type_: Type) -> str:
    """Return the word for a type that distinguishes the signatures of a builtin."""
    match type_:
        case OptionalType(item):
            return word(item)
        case SetType(item):
            return f"{word(item)}s"
        case IntType():
            return "int"
    return _WORDS.get(type_) or ("enum" if isinstance(type_, EnumType) else "piece")


RUNTIME: dict[tuple[str, ...], tuple[str, tuple[int, ...]]] = {
    (name, *map(word, row.params), word(row.result)): (row.function, row.more)
    for name, rows in (
        *((name, builtin.signatures) for name, builtin in (EFFECTS | FUNCTIONS).items()),
        *((name, tuple(map(Property.signature, rows))) for name, rows in PROPERTIES.items()),
    )
    for row in rows
    if row.function
}
"""The function of the runtime for each builtin that is one call, and the numbers after its
arguments, by the name and the words of the types of its arguments and its result."""


def runtime_call(
    name: str, params: Iterable[Type], result: Type
) -> tuple[str, tuple[int, ...]] | None:
    """Return the function of the runtime for a builtin, and the numbers after its arguments.

    It is None if the builtin is not one call.
    """
    return RUNTIME.get((name, *map(word, params), word(result)))


def effect_on(effect: str, values: Iterable[object]) -> str:
    """Return the function of the runtime for an effect on these values."""
    words = (type(each).__name__.lower() for each in values)
    return RUNTIME[effect, *words, word(UNIT)][0]


# --- names ---------------------------------------------------------------------------------------

RESERVED = frozenset(
    [
        "and",
        "break",
        "div",
        "else",
        "false",
        "for",
        "if",
        "in",
        "is",
        "later",
        "leave",
        "let",
        "mod",
        "none",
        "not",
        "nothing",
        "or",
        "otherwise",
        "previous",
        "proceed",
        "return",
        "true",
        "var",
        "when",
        "where",
        "while",
    ]
)
"""Words that are never names. All other keywords are recognised only where they fit."""

UNRESERVED = frozenset(["height", "top"])
"""Functions that authors may also name a value, state or attribute after: theirs goes before."""

CALLED = FORMS.keys()
"""The names of calls that are builtins wherever they are written.

A value, action or choice hides a function or effect of its name in its ruleset and in those that
require it.
"""

DOMAINS = tuple(
    name for name, row in FUNCTIONS.items() if any(not s.params for s in row.signatures)
)
"""The names of builtin sets that need no arguments, such as `players`."""

_SETS = dict.fromkeys(DOMAINS, "is a builtin set")
_TYPES = dict.fromkeys(("int", "set", *NAMED), "is a builtin type")
_TAKEN: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("grid", "zone", "track", "table", "state", "local"), _SETS),
    "enum": {
        **_SETS,
        **_TYPES,
        "side": "is a builtin enum",
        "game": "is the owner of states",
        "settings": "is the owner of settings",
    },
}


def why_taken(name: str, what: str) -> str | None:
    """Return why rules could not mean a thing of this sort by a name; None if they can.

    `what` is the sort as in `model.uses`: a zone, a state of the game, a member of an enum.
    """
    if name in RESERVED:
        return f"`{name}` is a keyword of the language and cannot be a name"
    reason = _TAKEN.get(what, {}).get(name)
    return None if reason is None else f"`{name}` {reason}: no {what} can have this name"


def report_taken(name: str, what: str, span: Span, report: Report) -> None:
    """Report a name that rules could not use for a thing of this sort."""
    if reason := why_taken(name, what):
        report.error("reserved-word", reason, span, help=("choose another name",))
