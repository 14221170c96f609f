"""Copies of blocks and expressions with other locals in them."""

from __future__ import annotations

from collections.abc import Mapping

from rulesdsl.diagnostics import Span
from rulesdsl.ir.passes import trees
from rulesdsl.model import ir


def renamed(block: ir.Block, values: Mapping[str, ir.Expr], span: Span | None) -> ir.Block:
    """A body with its locals replaced, and with this span wherever it has none."""

    def expression(expr: ir.Expr) -> ir.Expr:
        return substituted(expr, values)

    def name_of(name: str) -> str:
        new = values.get(name, ir.Local(name))
        assert isinstance(new, ir.Local)
        return new.name

    def statement(node: ir.Stmt) -> ir.Stmt:
        own = node.span or span
        match node:
            case ir.Assign(name, value):
                return ir.Assign(name_of(name), expression(value), own)
            case ir.Store(table, index, value):
                return ir.Store(table, expression(index), expression(value), own)
            case ir.Do(ir.Call(function, arguments)):
                return ir.Do(ir.Call(function, tuple(map(expression, arguments))), own)
            case ir.If(condition, then, otherwise):
                return ir.If(expression(condition), inner(then), inner(otherwise), own)
            case ir.While(condition, body):
                return ir.While(expression(condition), inner(body), own)
            case ir.For(name, low, high, body):
                return ir.For(name_of(name), expression(low), expression(high), inner(body), own)
            case ir.Return(value):
                return ir.Return(None if value is None else expression(value), own)
            case ir.Spend(amount):
                return ir.Spend(expression(amount), own)
            case ir.Trap(code):
                return ir.Trap(code, own)
            case ir.Break():
                return ir.Break(own)
            case ir.Continue():
                return ir.Continue(own)

    def inner(nodes: ir.Block) -> ir.Block:
        return tuple(map(statement, nodes))

    return inner(block)


def substituted(expr: ir.Expr, values: Mapping[str, ir.Expr]) -> ir.Expr:
    """An expression with locals replaced."""
    if isinstance(expr, ir.Local):
        return values.get(expr.name, expr)
    return trees.map_parts(expr, lambda part: substituted(part, values))
