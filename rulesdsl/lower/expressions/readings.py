"""Calls that gather the terms of points, of the functions in `rulesdsl.lower.terms`.

Their order can be observed, so they are emitted as statements, and their results kept in locals.
"""

from __future__ import annotations

from rulesdsl.diagnostics import Span
from rulesdsl.lower import runtime
from rulesdsl.lower import terms as names
from rulesdsl.lower.emit import plus
from rulesdsl.lower.expressions.operands import Operands
from rulesdsl.lower.tables.encoding import none_of
from rulesdsl.model import checked, ir, types
from rulesdsl.model.types import OptionalType
from rulesdsl.runtime import terms

PIECE, SEGMENT, FEATURE = 0, 1, 2
"""The sorts of subjects: a subject is `1 + 4 * number + sort`."""


def is_call(node: checked.CallBuiltin) -> bool:
    """Return whether a call gathers readings."""
    return node.function.startswith("$")


def call(x: Operands, node: checked.CallBuiltin) -> ir.Expr:
    """Return the result of a call, and emit what it does."""
    given, span = node.arguments, node.span
    match node.function:
        case names.CLOSED:
            return x.builder.let("terms", runtime.call(terms.close_terms), span)
        case names.SUBJECT:
            return _subject(x, given, span)
        case names.RECALLED:
            x.builder.do(terms.recall_terms, x.number(given[1]), span=span)
            return x.number(given[0])
        case names.OPENED:
            x.builder.do(terms.open_terms, span=span)
            for record in given[1:]:
                x.builder.do(terms.recall_terms, x.number(record), span=span)
            return _value(x, given[0])
        case names.GIVEN:
            x.builder.do(terms.open_terms, span=span)
            value = _value(x, given[0])
            x.builder.do(terms.give_terms, x.number(given[1]), span=span)
            return value
        case names.SUM:
            x.builder.do(terms.open_sum, span=span)
            value = _value(x, given[0])
            x.builder.do(terms.close_sum, x.number(given[1]), value, span=span)
            return value
        case names.BEST:
            x.builder.do(terms.open_best, span=span)
            value = _value(x, given[0])
            x.builder.do(terms.close_best, span=span)
            return value
        case names.COMPARED:
            value = _value(x, given[0])
            sign = given[1]
            assert isinstance(sign, checked.Const), "it is written into the game"
            number = value if sign.value == 1 else ir.Unary("-", value)
            x.builder.do(terms.compare_best, number, span=span)
            return value
    assert node.function == names.NOTED, node.function
    value = _value(x, given[0])
    quantity: ir.Expr = value
    if isinstance(given[0].type, OptionalType):
        there = ir.Compare("!=", value, ir.Const(none_of(given[0].type)))
        quantity = ir.Select(there, value, ir.Const(0))
    x.builder.do(terms.read_term, x.number(given[1]), quantity, span=span)
    return value


def _value(x: Operands, node: checked.Expr) -> ir.Expr:
    """Return a number, computed before what is emitted next."""
    return x.named("number", x.number(node), node.span)


def _subject(x: Operands, given: tuple[checked.Expr, ...], span: Span) -> ir.Expr:
    *things, outer = given
    rest = x.number(outer)
    for thing in reversed(things):
        value = x.number(thing)
        code = plus(ir.Binary("*", value, ir.Const(4)), ir.Const(1 + _sort(thing.type)))
        if isinstance(thing.type, OptionalType):
            there = ir.Compare("!=", value, ir.Const(none_of(thing.type)))
            rest = ir.Select(there, code, rest)
        else:
            rest = code
    return rest


def _sort(type_: types.Type) -> int:
    item = type_.item if isinstance(type_, OptionalType) else type_
    if item == types.FEATURE:
        return FEATURE
    return SEGMENT if item == types.SEGMENT else PIECE
