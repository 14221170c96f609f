"""The builtins: every row of `FUNCTIONS` and `PROPERTIES`, by the types of its arguments.

Most are one call of a function of the runtime. Reads of a table and a little arithmetic are written
out.
"""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl.lower import runtime
from rulesdsl.lower.emit import ONE, ZERO, plus_folded
from rulesdsl.lower.expressions import facts, operators, readings, sets
from rulesdsl.lower.expressions.operands import Operands
from rulesdsl.lower.tables.box import WHOLE
from rulesdsl.lower.tables.encoding import CELL_BITS, CENTRE
from rulesdsl.model import ir, types
from rulesdsl.model.checked import CallBuiltin, Expr
from rulesdsl.records import dataclass
from rulesdsl.runtime import cells, faults, groups, placements, questions, tables


@dataclass(frozen=True)
class BuiltinCall:
    """A call of a builtin, with its arguments as numbers, none of them `none`."""

    x: Operands
    node: CallBuiltin
    given: tuple[ir.Expr, ...]

    def named(self, number: int, hint: str) -> ir.Expr:
        """Return an argument as an expression that can be used more than once."""
        return self.x.named(hint, self.given[number], self.node.span)

    def argument(self, number: int) -> Expr:
        return self.node.arguments[number]


Lowered = Callable[[BuiltinCall], ir.Expr]

WORDS: dict[types.Type, str] = {
    types.PLAYER: "player",
    types.KIND: "kind",
    types.SEGMENT: "segment",
    types.FEATURE: "feature",
    types.CELL: "cell",
    types.PLACEMENT: "placement",
    types.ZONE: "zone",
    types.SPACE: "space",
    types.GRID: "grid",
}


def call(x: Operands, node: CallBuiltin) -> ir.Expr:
    """Return the result of a builtin, which faults as its `doc` says."""
    if readings.is_call(node):
        return readings.call(x, node)
    over = sets.on_places(x, node)
    if over is not None:
        return sets.filled(x, over, node)
    lowered = lowering_of(node.function, tuple(a.type for a in node.arguments), node.type)
    if lowered is None:
        given = ", ".join(str(argument.type) for argument in node.arguments)
        raise AssertionError(f"no builtin {node.function}({given})")
    return lowered(BuiltinCall(x, node, tuple(x.required(each) for each in node.arguments)))


def lowering_of(name: str, params: tuple[types.Type, ...], result: types.Type) -> Lowered | None:
    """Return the function that lowers a builtin with arguments of these types.

    Return None if there is no such builtin. `cells` of a feature is a set or a number,
    depending on the result type.
    """
    if name == "cells" and isinstance(result, types.IntType):
        name = "cells as number"
    return BUILTINS.get((name, *(_word(type_) for type_ in params)))


def _word(type_: types.Type) -> str:
    """Return the word for a type by which the signatures of a builtin are told apart."""
    match type_:
        case types.OptionalType(item):
            return _word(item)
        case types.SetType(item):
            return f"{_word(item)}s"
        case types.IntType():
            return "int"
        case types.EnumType():
            return "enum"
    return "piece" if facts.is_piece(type_) else WORDS[type_]


def _core(function: runtime.Function) -> Lowered:
    """Return the lowering to a function of the runtime that takes the arguments as they are."""
    return lambda asked: runtime.call(function, *asked.given)


def _pieces(function: runtime.Function) -> Lowered:
    """Return the lowering to a function of the runtime that takes the class of pieces last."""
    return lambda asked: runtime.call(function, *asked.given, _class(asked))


def _pieces_on_each(what: int) -> Lowered:
    return lambda asked: runtime.call(
        questions.on_each, ir.Const(what), *asked.given, _class(asked)
    )


def _one_on(what: int) -> Lowered:
    return lambda asked: runtime.call(questions.one_on, ir.Const(what), *asked.given)


def _lane_at(asked: BuiltinCall) -> ir.Expr:
    cell, side, lane = asked.given
    return runtime.call(cells.lane_at, cell, side, ir.Binary("-", lane, ONE))


def _class(asked: BuiltinCall) -> ir.Expr:
    return ir.Const(asked.x.lowering.classes[facts.CLASS_OF[asked.node.function]])


def _all(asked: BuiltinCall) -> ir.Expr:
    """Return a set that is known before the game begins."""
    return sets.filled(asked.x, sets.domain(asked.x, asked.node), asked.node)


# --- players, tracks, numbers --------------------------------------------------------------------


def _next(asked: BuiltinCall) -> ir.Expr:
    following = ir.Binary("+", asked.given[0], ONE)
    return ir.Binary("%", following, ir.Const(asked.x.lowering.players))


def _steps(asked: BuiltinCall, number: ir.Expr) -> ir.Expr:
    """Return a cyclic number of steps among the members of an enum."""
    type_ = asked.argument(0).type
    assert isinstance(type_, types.EnumType)
    return ir.Binary("%", number, ir.Const(asked.x.lowering.encoding.enums[type_.name]))


def _forward_enum(asked: BuiltinCall) -> ir.Expr:
    return _steps(asked, ir.Binary("+", *asked.given))


def _steps_enum(asked: BuiltinCall) -> ir.Expr:
    start, end = asked.given
    return _steps(asked, ir.Binary("-", end, start))


def _index(asked: BuiltinCall) -> ir.Expr:
    space = asked.named(0, "space")
    if len(asked.x.lowering.game.tracks) == 1:
        return space
    track = runtime.load(tables.space_track, space)
    return ir.Binary("-", space, runtime.load(tables.track_space, track))


def _half_up(asked: BuiltinCall) -> ir.Expr:
    return ir.Binary("//", ir.Binary("+", asked.given[0], ONE), ir.Const(2))


def _div_up(asked: BuiltinCall) -> ir.Expr:
    x, node = asked.x, asked.node
    divisor = asked.given[1]
    low, high = asked.x.range_of(asked.argument(1))
    if low <= 0 <= high:
        divisor = asked.named(1, "divisor")
        x.builder.trap_if(ir.Compare("==", divisor, ZERO), faults.ZERO, node.span)
    value = ir.Unary("-", ir.Binary("//", ir.Unary("-", asked.given[0]), divisor))
    # Only the least number divided by -1 overflows.
    least, _ = asked.x.range_of(asked.argument(0))
    largest = types.INT_MAX + 1 if least == types.INT_MIN and low <= -1 <= high else types.INT_MAX
    return operators.limited(x, value, (types.INT_MIN, largest), WHOLE, faults.OVERFLOW, node.span)


def _abs(asked: BuiltinCall) -> ir.Expr:
    low, high = asked.x.range_of(asked.argument(0))
    if low >= 0:
        return asked.given[0]
    number = asked.named(0, "number")
    value = ir.Binary("max", number, ir.Unary("-", number))
    found = (0, max(-low, high))
    return operators.limited(asked.x, value, found, WHOLE, faults.OVERFLOW, asked.node.span)


def _larger(asked: BuiltinCall) -> ir.Expr:
    return ir.Binary("max", *asked.given)


def _smaller(asked: BuiltinCall) -> ir.Expr:
    return ir.Binary("min", *asked.given)


# --- cells and placements ------------------------------------------------------------------------


def _x(asked: BuiltinCall) -> ir.Expr:
    column = ir.Binary("&", asked.given[0], ir.Const((1 << CELL_BITS) - 1))
    return ir.Binary("-", column, ir.Const(CENTRE))


def _y(asked: BuiltinCall) -> ir.Expr:
    rows = ir.Binary(">>", asked.given[0], ir.Const(CELL_BITS))
    row = ir.Binary("&", rows, ir.Const((1 << CELL_BITS) - 1))
    return ir.Binary("-", row, ir.Const(CENTRE))


def _centre(asked: BuiltinCall) -> ir.Expr:
    return _turned(runtime.call(cells.cell_at, asked.given[0], ZERO, ZERO), ZERO)


def _placement_at(asked: BuiltinCall) -> ir.Expr:
    *place, turns = asked.given
    return _turned(runtime.call(cells.cell_at, *tuple(place)), ir.Binary("&", turns, ir.Const(3)))


def _turned(cell: ir.Expr, rotation: ir.Expr) -> ir.Expr:
    return plus_folded(ir.Binary("*", cell, ir.Const(4)), rotation)


def _cell_of_placement(asked: BuiltinCall) -> ir.Expr:
    return ir.Binary(">>", asked.given[0], ir.Const(2))


def _rotation_of_placement(asked: BuiltinCall) -> ir.Expr:
    return ir.Binary("&", asked.given[0], ir.Const(3))


# --- pieces --------------------------------------------------------------------------------------


def _owned(asked: BuiltinCall) -> ir.Expr:
    return ir.Compare(">=", runtime.load(tables.piece_seat, asked.given[0]), ZERO)


def _owner(asked: BuiltinCall) -> ir.Expr:
    return runtime.load(tables.piece_seat, asked.given[0])


def _face(asked: BuiltinCall) -> ir.Expr:
    die = asked.named(0, "die")
    first = runtime.load(tables.kind_face, runtime.load(tables.piece_kind, die))
    return ir.Binary("+", first, runtime.load(tables.face, die))


BUILTINS: dict[tuple[str, ...], Lowered] = {
    ("players",): _all,
    ("next", "player"): _next,
    ("seat", "player"): lambda asked: ir.Binary("+", asked.given[0], ONE),
    ("tiles", "feature"): _core(questions.feature_tiles),
    ("segments", "piece"): _core(questions.segments_of),
    ("segments", "feature"): _core(questions.feature_segments),
    ("segments", "cell"): _core(questions.cell_segments),
    ("segments", "grid"): _core(questions.grid_segments),
    ("features", "piece"): _core(questions.piece_features),
    ("features", "cell"): _core(questions.cell_features),
    ("features", "grid"): _core(questions.grid_features),
    ("features", "cells"): _core(questions.cells_features),
    ("cells", "feature"): _core(questions.feature_cells),
    ("cells", "piece"): _core(questions.piece_cells),
    ("cells", "grid"): _core(questions.grid_cells),
    ("cells", "piece", "placement"): _core(questions.piece_cells_at),
    ("cells as number", "feature"): _core(questions.count_cells),
    ("borders", "feature"): _core(questions.borders),
    ("ring", "cell"): _core(questions.ring_cell),
    ("ring", "piece"): _core(questions.ring_piece),
    ("beside", "cell"): _core(questions.beside_cell),
    ("beside", "piece"): _core(questions.beside_piece),
    ("occupied", "cell"): _core(cells.occupied),
    ("all_cells", "grid"): _core(questions.all_cells),
    ("between", "cell", "cell"): _core(questions.between),
    ("ray", "cell", "int", "int"): _core(questions.ray),
    ("rectangle", "cells"): _core(questions.rectangle),
    ("cell_at", "grid", "int", "int"): _core(cells.cell_at),
    ("cell_at", "cell", "int", "int"): _core(cells.cell_from),
    ("closed", "feature"): _core(questions.closed),
    ("placements", "grid", "piece"): _core(placements.placements),
    ("centre", "grid"): _centre,
    ("placement_at", "grid", "int", "int", "int"): _placement_at,
    ("joined", "segment"): _core(questions.joined),
    ("joined", "segment", "placement"): _core(questions.joined_at),
    ("ahead", "segment"): _core(questions.ahead),
    ("ahead", "segment", "placement"): _core(questions.ahead_at),
    ("sides", "segment"): _core(questions.sides),
    ("sides", "segment", "placement"): _core(questions.sides_at),
    ("lane_at", "cell", "enum", "int"): _lane_at,
    ("corner_at", "cell", "enum", "enum"): _core(questions.corner_at),
    ("touching", "segment"): _core(questions.touching),
    ("kinds", "zone"): _core(questions.kinds_in),
    ("one", "zone", "kind"): _core(questions.one),
    ("one", "feature", "kind"): _one_on(0),
    ("one", "segment", "kind"): _one_on(1),
    ("one", "piece", "kind"): _one_on(2),
    ("one", "cell", "kind"): _one_on(3),
    ("one", "space", "kind"): _one_on(4),
    ("home", "piece"): _core(questions.home_of),
    ("on_board", "piece"): _core(questions.on_board),
    ("owned", "piece"): _owned,
    ("room", "zone"): _core(questions.room),
    ("position", "piece"): _core(questions.position),
    ("forward", "space", "int"): _core(questions.forward_space),
    ("forward", "enum", "int"): _forward_enum,
    ("steps", "space", "space"): _core(questions.steps_space),
    ("steps", "enum", "enum"): _steps_enum,
    ("half_up", "int"): _half_up,
    ("div_up", "int", "int"): _div_up,
    ("abs", "int"): _abs,
    ("max", "int", "int"): _larger,
    ("min", "int", "int"): _smaller,
    ("kind", "piece"): lambda asked: runtime.load(tables.piece_kind, asked.given[0]),
    ("owner", "piece"): _owner,
    ("zone", "piece"): _core(questions.zone_of),
    ("cell", "piece"): _core(questions.cell_of_piece),
    ("cell", "segment"): _core(questions.cell_of_segment),
    ("cell", "feature"): _core(questions.cell_of_feature),
    ("cell", "placement"): _cell_of_placement,
    ("tile", "piece"): _core(questions.tile_of_piece),
    ("tile", "segment"): _core(questions.tile_of_segment),
    ("tile", "cell"): _core(questions.tile_of_cell),
    ("segment", "piece"): _core(questions.segment_of),
    ("feature", "piece"): _core(questions.feature_of_piece),
    ("feature", "segment"): _core(groups.first_of),
    ("space", "piece"): _core(questions.space_of),
    ("face", "piece"): _face,
    ("ends", "feature"): _core(questions.ends),
    ("rotation", "placement"): _rotation_of_placement,
    ("rotation", "piece"): _core(questions.rotation_of),
    ("x", "cell"): _x,
    ("y", "cell"): _y,
    ("index", "space"): _index,
}
"""The lowering of each builtin, by its name and the types of its arguments."""

_ON: dict[str, Lowered] = {
    "feature": _pieces(questions.on_feature),
    "segment": _pieces(questions.on_segment),
    "piece": _pieces(questions.on_piece),
    "cell": _pieces(questions.on_cell),
    "space": _pieces(questions.on_space),
    "zone": _pieces(questions.zone_class),
    "grid": _pieces(questions.on_grid),
    "features": _pieces_on_each(0),
    "segments": _pieces_on_each(1),
    "pieces": _pieces_on_each(2),
    "cells": _pieces_on_each(3),
    "spaces": _pieces_on_each(4),
}
"""The lowering of builtins for the pieces of a class, by the type of their argument."""

for _name in facts.CLASS_OF:
    BUILTINS[_name,] = _all
    for _where, _lowered in _ON.items():
        BUILTINS.setdefault((_name, _where), _lowered)
