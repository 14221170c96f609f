"""Functions for expressions and single rules, added to a traced game."""

from __future__ import annotations

from rulesdsl.lower.bodies.statements import Locals, kind_of
from rulesdsl.lower.bodies.values import rule_alone
from rulesdsl.lower.emit import Builder
from rulesdsl.lower.expressions.expressions import ExpressionLowering
from rulesdsl.lower.tracing import TracePoints
from rulesdsl.model import checked, ir

ASKED = "asked_expression"
"""The name of such a function."""


def expression_function(points: TracePoints, expression: checked.Expr) -> ir.Function:
    """Return a function that gives the value of a checked expression."""
    assert points.lowering is not None, "the game has been lowered"
    points.know(expression)
    builder = Builder()
    value = ExpressionLowering(points.lowering, builder, Locals(builder)).value(expression)
    builder.emit(ir.Return(value, expression.span))
    return builder.function(ASKED, "", (), kind_of(expression.type))


def rule_function(points: TracePoints, definition: checked.ValueDef, rule: int) -> ir.Function:
    """Return a function of the arguments of a value that gives a rule's result.

    It faults if the rule does not apply.
    """
    assert points.lowering is not None, "the game has been lowered"
    return rule_alone(points.lowering, definition, rule, ASKED)
