"""The builtins: every row of `FUNCTIONS` and `PROPERTIES`, by the types of its arguments.

Most are one call of a function of the runtime, which their rows name. Reads of a table and a little
arithmetic are written out.
"""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.emit import ONE, ZERO, plus_folded
from rulesdsl.engine.lower.expressions import facts, operators, sets
from rulesdsl.engine.lower.expressions.operands import Operands
from rulesdsl.engine.lower.tables.box import WHOLE
from rulesdsl.engine.lower.tables.encoding import CELL_BITS, CENTRE
from rulesdsl.engine.runtime import cells, faults, tables
from rulesdsl.language.builtins import runtime_call, word
from rulesdsl.language.model import ir, types
from rulesdsl.language.model.checked import CallBuiltin, Expr


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


def call(x: Operands, node: CallBuiltin) -> ir.Expr:
    """Return the result of a builtin, which faults as its `doc` says."""
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

    Return None if there is no such builtin.
    """
    inline = INLINE.get((name, *map(word, params)))
    found = runtime_call(name, params, result)
    if inline is not None or found is None:
        return inline
    function, more = found
    return lambda asked: ir.Call(function, (*asked.given, *map(ir.Const, more)))


def _all(asked: BuiltinCall) -> ir.Expr:
    """Return a set that is known before the game begins."""
    return sets.filled_directly(asked.x, asked.node)


# --- players, tracks, numbers --------------------------------------------------------------------


def _next(asked: BuiltinCall) -> ir.Expr:
    following = ir.Binary("+", asked.given[0], ONE)
    return ir.Binary("%", following, ir.Const(asked.x.lowering.players))


def _steps(asked: BuiltinCall, number: ir.Expr) -> ir.Expr:
    """Return a cyclic number of steps among the members of an enum."""
    type_ = asked.argument(0).type
    assert isinstance(type_, types.EnumType)
    return ir.Binary("%", number, ir.Const(asked.x.lowering.encoding.enums[type_.name]))


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


# --- cells and placements ------------------------------------------------------------------------


def _from_centre(number: ir.Expr) -> ir.Expr:
    """Return the column, or the row, in the lowest bits of a number, counted from the centre."""
    return ir.Binary("-", ir.Binary("&", number, ir.Const((1 << CELL_BITS) - 1)), ir.Const(CENTRE))


def _y(asked: BuiltinCall) -> ir.Expr:
    return _from_centre(ir.Binary(">>", asked.given[0], ir.Const(CELL_BITS)))


def _centre(asked: BuiltinCall) -> ir.Expr:
    return _turned(asked, runtime.call(cells.cell_at, asked.given[0], ZERO, ZERO), ZERO)


def _placement_at(asked: BuiltinCall) -> ir.Expr:
    *place, turns = asked.given
    sides = asked.x.lowering.game.sides
    turn = (
        ir.Binary("&", turns, ir.Const(3)) if sides == 4 else ir.Binary("%", turns, ir.Const(sides))
    )
    return _turned(asked, runtime.call(cells.cell_at, *tuple(place)), turn)


def _turned(asked: BuiltinCall, cell: ir.Expr, rotation: ir.Expr) -> ir.Expr:
    bits = asked.x.lowering.encoding.turn_bits
    return plus_folded(ir.Binary("*", cell, ir.Const(1 << bits)), rotation)


def _cell_of_placement(asked: BuiltinCall) -> ir.Expr:
    return ir.Binary(">>", asked.given[0], ir.Const(asked.x.lowering.encoding.turn_bits))


def _rotation_of_placement(asked: BuiltinCall) -> ir.Expr:
    bits = asked.x.lowering.encoding.turn_bits
    return ir.Binary("&", asked.given[0], ir.Const((1 << bits) - 1))


# --- pieces --------------------------------------------------------------------------------------


def _owner(asked: BuiltinCall) -> ir.Expr:
    return runtime.load(tables.piece_seat, asked.given[0])


def _face(asked: BuiltinCall) -> ir.Expr:
    die = asked.named(0, "die")
    first = runtime.load(tables.kind_face, runtime.load(tables.piece_kind, die))
    return ir.Binary("+", first, runtime.load(tables.face, die))


INLINE: dict[tuple[str, ...], Lowered] = {
    ("players",): _all,
    ("next", "player"): _next,
    ("seat", "player"): lambda asked: ir.Binary("+", asked.given[0], ONE),
    ("centre", "grid"): _centre,
    ("placement_at", "grid", "int", "int", "int"): _placement_at,
    ("owned", "piece"): lambda asked: ir.Compare(">=", _owner(asked), ZERO),
    ("forward", "enum", "int"): lambda asked: _steps(asked, ir.Binary("+", *asked.given)),
    ("steps", "enum", "enum"): _steps_enum,
    ("half_up", "int"): _half_up,
    ("div_up", "int", "int"): _div_up,
    ("abs", "int"): _abs,
    ("max", "int", "int"): lambda asked: ir.Binary("max", *asked.given),
    ("min", "int", "int"): lambda asked: ir.Binary("min", *asked.given),
    ("kind", "piece"): lambda asked: runtime.load(tables.piece_kind, asked.given[0]),
    ("owner", "piece"): _owner,
    ("cell", "placement"): _cell_of_placement,
    ("face", "piece"): _face,
    ("rotation", "placement"): _rotation_of_placement,
    ("x", "cell"): lambda asked: _from_centre(asked.given[0]),
    ("y", "cell"): _y,
    ("index", "space"): _index,
}
"""The lowering of the builtins that are written out, by name and words of the arguments' types."""

for _name in facts.CLASS_OF:
    INLINE[_name,] = _all
