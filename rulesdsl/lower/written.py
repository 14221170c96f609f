"""Functions for expressions and single rules, added to a game that has been lowered."""

from __future__ import annotations

from rulesdsl.ir.passes import narrow
from rulesdsl.lower.bodies.statements import Locals, kind_of
from rulesdsl.lower.bodies.values import rule_alone
from rulesdsl.lower.emit import Builder
from rulesdsl.lower.expressions.expressions import ExpressionLowering
from rulesdsl.lower.tracing import TracePoints
from rulesdsl.model import checked, ir

ASKED = "asked"
"""The function that such a program is for."""


def expression_program(points: TracePoints, expression: checked.Expr) -> ir.Program:
    """Return a program with a function that gives the value of a checked expression."""
    assert points.lowering is not None, "the game has been lowered"
    points.know(expression)
    builder = Builder()
    value = ExpressionLowering(points.lowering, builder, Locals(builder)).value(expression)
    builder.emit(ir.Return(value, expression.span))
    return _program(points, builder.function(ASKED, "", (), kind_of(expression.type)))


def rule_program(points: TracePoints, definition: checked.ValueDef, rule: int) -> ir.Program:
    """Return a program with a function of the arguments of a value that gives a rule's result.

    It faults if the rule does not apply.
    """
    assert points.lowering is not None, "the game has been lowered"
    return _program(points, rule_alone(points.lowering, definition, rule, ASKED))


def _program(points: TracePoints, asked: ir.Function) -> ir.Program:
    whole, lowering = points.program, points.lowering
    assert whole is not None, "the game has been lowered"
    assert lowering is not None, "the game has been lowered"
    functions = {**whole.functions, asked.name: asked}
    program = ir.Program({**whole.tables, **lowering.tables}, functions, (asked.name,))
    return narrow(program, (asked.name,))
