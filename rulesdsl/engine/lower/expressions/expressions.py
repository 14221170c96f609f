"""Expressions of the rules as expressions of the IR.

Code that is needed beside an IR expression (loops, checks) is emitted before it. This order cannot
be observed: expressions change nothing but the heap, and any fault restores the state from before.
Only subexpressions that the rules may not evaluate at all stay inside an `If`.

The heap: an expression that is not a set leaves it as it was. One that is a set may leave more
below the set; a caller that wants the heap restored saves its top before.
"""

from __future__ import annotations

from typing import assert_never

from rulesdsl.engine.lower.emit import FALSE, TRUE, as_number, both, either, kind_of, negation
from rulesdsl.engine.lower.expressions import builtins, loops, operators, readings, reads, sets
from rulesdsl.engine.lower.expressions.operands import Operands
from rulesdsl.engine.lower.tables.encoding import is_set
from rulesdsl.engine.lower.terms import numbers_among
from rulesdsl.language.model import checked, ir
from rulesdsl.language.model.types import BOOL, IntType, SetType


class ExpressionLowering(Operands):
    """The dispatcher of expressions by their type."""

    def value(self, expression: checked.Expr) -> ir.Expr:
        """Return the value: a bool as an IR bool, a set as an offset into `heap`, else a number."""
        if readings.is_gathered(self, expression):
            return readings.gathered(self, expression, lambda: self._traced(expression))
        return self._traced(expression)

    def _traced(self, expression: checked.Expr) -> ir.Expr:
        tracing = self.lowering.tracing
        if tracing is None or not tracing.knows(expression):
            return self._value(expression)
        self.lowering.trace(self.builder, "begin", expression)
        return tracing.value(self.builder, expression, self._value(expression))

    def _value(self, expression: checked.Expr) -> ir.Expr:
        match expression:
            case checked.Local():
                return self.local(expression)
            case checked.Const():
                return self._const(expression)
            case checked.CallBuiltin():
                return builtins.call(self, expression)
            case checked.ReadState():
                return reads.read_state(self, expression)
            case checked.ReadAttribute() | checked.AttributeAt():
                return reads.read_attribute(self, expression)
            case checked.Compare():
                return operators.compare(self, expression)
            case checked.Binary():
                return self._binary(expression)
            case checked.CallValue():
                return self._call(expression)
            case checked.IsKind():
                return operators.is_kind(self, expression)
            case checked.Aggregate():
                return loops.aggregate(self, expression)
            case checked.Not():
                return negation(self.condition(expression.operand))
            case checked.IfElse():
                return self._if_else(expression)
            case checked.Member():
                return operators.member(self, expression)
            case checked.EntryAt():
                return reads.entry(self, expression)
            case checked.Ranged():
                return operators.ranged(self, expression)
            case checked.Negate():
                return operators.negate(self, expression)
            case checked.Previous():
                assert self.previous is not None, "check keeps `previous` to refinements"
                return self._in_order(self.previous(expression), expression)
            case checked.RangeSet() | checked.EnumSet() | checked.SetLiteral():
                return sets.made(self, expression)
            case checked.Comprehension():
                return loops.comprehension(self, expression)
            case checked.Reach():
                return loops.reach(self, expression)
            case checked.SubsetRange():
                raise AssertionError("subsets are only ranged over")
        assert_never(expression)

    def _const(self, node: checked.Const) -> ir.Expr:
        if isinstance(node.value, tuple):
            return sets.known(self, node)
        number = self.lowering.encoding.encode(node.value, node.type)
        return ir.Truth(bool(number)) if node.type == BOOL else ir.Const(number)

    def _call(self, node: checked.CallValue) -> ir.Expr:
        params = self.lowering.checked.values[node.value].params
        name, recorded = self.lowering.values[node.value], None
        if readings.is_gathered(self, node) and isinstance(node.type, IntType):
            name, recorded = self.lowering.gathered_value(node.value), numbers_among(params)
        with_sets = any(isinstance(argument.type, SetType) for argument in node.arguments)
        gives_set = is_set(node.type)
        with self.clean(with_sets and not gives_set):
            types = [param.type for param in params]
            found, records = readings.arguments(self, node.arguments, types, recorded)
            given = (as_number(each, to) for each, to in zip(found, types, strict=True))
            call: ir.Expr = ir.Call(name, (*given, *records))
            if with_sets and not gives_set:
                call = self.builder.let("given", call, node.span, kind_of(node.type))
        return self._in_order(call, node)

    def _in_order(self, call: ir.Expr, node: checked.Typed) -> ir.Expr:
        """Return the result of a call that may gather readings, which are in the order of calls."""
        if isinstance(node.type, IntType):
            return self.builder.let("given", call, node.span)
        return call

    def _binary(self, node: checked.Binary) -> ir.Expr:
        match node.operator:
            case "and" | "or":
                return self._logic(node)
            case "union" | "difference":
                return sets.combined(self, node)
        return operators.arithmetic(self, node)

    def _logic(self, node: checked.Binary) -> ir.Expr:
        is_and = node.operator == "and"
        left = self.condition(node.left)
        if left == (FALSE if is_and else TRUE):
            return left
        with self.builder.block() as emitted:
            right = self.condition(node.right)
            if emitted:
                holds = self.builder.fresh("holds", "bool")
                self.builder.emit(ir.Assign(holds, right, node.span))
        if not emitted:
            return both(left, right) if is_and else either(left, right)
        self.builder.emit(ir.Assign(holds, left, node.span))
        matters = ir.Local(holds) if is_and else negation(ir.Local(holds))
        self.builder.emit(ir.If(matters, tuple(emitted), (), node.span))
        return ir.Local(holds)

    def _if_else(self, node: checked.IfElse) -> ir.Expr:
        condition = self.condition(node.condition)
        if isinstance(condition, ir.Truth):
            return self.fitted(node.then if condition.value else node.otherwise, node.type)
        return self.choose(
            condition,
            lambda: self.fitted(node.then, node.type),
            lambda: self.fitted(node.otherwise, node.type),
            node,
        )
