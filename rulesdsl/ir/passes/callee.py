"""Functions that can be inlined, and their bodies made to fit into another function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rulesdsl.diagnostics import Span
from rulesdsl.ir.passes import trees
from rulesdsl.model import ir

Give = Callable[[ir.Expr | None, Span | None], ir.Block]
"""What becomes of a `Return` of that value."""


@dataclass(frozen=True)
class Callee:
    """A function that can be inlined. `value` is all it does, if that is one expression without a
    call. `first` are the parameters read there before anything else is, in order and
    unconditionally; `certain` those that are read whatever happens. `assigned` are the parameters
    that it assigns; `pure`: it changes nothing."""

    function: ir.Function
    value: ir.Expr | None
    uses: Mapping[str, int]
    first: tuple[str, ...]
    certain: frozenset[str]
    assigned: frozenset[str]
    pure: bool

    @staticmethod
    def of(function: ir.Function, bound: int) -> Callee | None:
        """A function of at most `bound` nodes as what can be inlined; None if it cannot be."""
        body, nodes = function.body, function.nodes
        if len(nodes) > bound or without_returns(body, lambda *_: ()) is None:
            return None
        value = None if nodes.of(ir.Call) else _as_expression(body)
        order = _Order()
        if value is not None:
            order.visit(value)
        return Callee(
            function,
            value,
            (nodes if value is None else ir.Nodes((value,))).reads(),
            tuple(order.first),
            frozenset(order.certain),
            frozenset(nodes.writes()) & {name for name, _ in function.params},
            not any(nodes.of(kind) for kind in (ir.Call, ir.Store, ir.Spend)),
        )


def _as_expression(body: ir.Block) -> ir.Expr | None:
    """What a body returns, if it does nothing else and tests only before."""
    match body:
        case (ir.Return(value),):
            return value
        case (ir.If(condition, then, otherwise), *rest):
            if trees.leaves(then):
                otherwise = (*otherwise, *rest)
            elif trees.leaves(otherwise):
                then = (*then, *rest)
            elif rest:
                return None
            one, other = _as_expression(then), _as_expression(otherwise)
            if one is not None and other is not None:
                return ir.Select(condition, one, other)
    return None


class _Order:
    """In which order an expression reads locals."""

    def __init__(self) -> None:
        self.first: list[str] = []
        self.certain: set[str] = set()
        self.begun = True

    def visit(self, expr: ir.Expr) -> None:
        match expr:
            case ir.Local(name):
                self.certain.add(name)
                if self.begun:
                    self.first.append(name)
            case ir.Load(_, index):
                self.visit(index)
                self.begun = False
            case ir.Unary(_, operand):
                self.visit(operand)
            case ir.Binary(_, left, right) | ir.Compare(_, left, right):
                self.visit(left)
                self.visit(right)
            case ir.Logic(_, condition) | ir.Select(condition):
                self.visit(condition)
                self.begun = False


def without_returns(block: ir.Block, give: Give) -> ir.Block | None:
    """A body in which what a `Return` gives is given otherwise, and what would not run after it
    does not; None if that needs more than moving what follows an `If` into it."""
    found: list[ir.Stmt] = []
    for number, statement in enumerate(block):
        match statement:
            case ir.Return(value, span):
                return (*found, *give(value, span))
            case ir.If(condition, then, otherwise, span) if trees.returns((statement,)):
                rest = block[number + 1 :]
                if trees.leaves(then):
                    otherwise = (*otherwise, *rest)
                elif trees.leaves(otherwise):
                    then = (*then, *rest)
                elif rest:
                    return None
                one, other = without_returns(then, give), without_returns(otherwise, give)
                if one is None or other is None:
                    return None
                return (*found, ir.If(condition, one, other, span))
            case ir.For() | ir.While() if trees.returns((statement,)):
                return None
        found.append(statement)
    return tuple(found)
