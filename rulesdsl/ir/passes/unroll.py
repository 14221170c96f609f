"""Unroll: short loops between constants are replaced by copies of their bodies.

A loop with a `Break` or `Continue` of its own stays. Locals that only the loop mentions get a new
name in each round, so that values that are constant in a round can be folded.
"""

from __future__ import annotations

from collections import Counter

from rulesdsl.ir.passes import trees
from rulesdsl.model import ir

ROUNDS = 4
"""The greatest number of rounds of a loop that is unrolled in any case."""
NODES = 48
"""The greatest number of nodes, over all rounds, of a longer loop that is unrolled."""
LARGEST = 400
"""The greatest number of nodes, over all rounds, of any loop that is unrolled."""


def unroll(program: ir.Program) -> ir.Program:
    """Unroll the short loops of a program."""
    return trees.map_functions(program, unroll_function)


def unroll_function(function: ir.Function) -> ir.Function:
    """Unroll the short loops of a function."""
    if not function.nodes.of(ir.For):
        return function
    unroller = _Unroller(function)
    body = unroller.block(function.body)
    return trees.with_body(function, body, unroller.names.added)


class _Unroller:
    def __init__(self, function: ir.Function) -> None:
        self.names = trees.Names(function)
        self.kinds = dict(function.locals)
        self.mentions = function.nodes.mentions()

    def block(self, block: ir.Block) -> ir.Block:
        return trees.map_block(block, self.statement)

    def statement(self, statement: ir.Stmt) -> ir.Stmt | ir.Block:
        inner = trees.map_statement(statement, lambda expr: expr, self.block)
        match inner:
            case ir.For(_, ir.Const(low), ir.Const(high)) if self.wanted(inner, high - low):
                return self.unrolled(inner, low, high)
        return inner

    def wanted(self, loop: ir.For, rounds: int) -> bool:
        if rounds <= 0 or trees.jumps(loop.body, also_continues=True):
            return False
        nodes = rounds * trees.size(loop.body)
        return nodes <= LARGEST and (rounds <= ROUNDS or nodes <= NODES)

    def unrolled(self, loop: ir.For, low: int, high: int) -> ir.Block:
        inside = ir.Nodes(loop.body).mentions()
        own = [name for name in self.private(loop.body, inside) if name in self.kinds]
        found: list[ir.Stmt] = []
        for number in range(low, high):
            values: dict[str, ir.Expr] = {loop.name: ir.Const(number)}
            if number > low:
                values |= {name: self.another(name) for name in own}
            copy = trees.renamed(loop.body, values, None)
            self.mentions.update(ir.Nodes(copy).mentions())
            found += copy
        self.mentions.subtract(inside)
        return tuple(found)

    def private(self, body: ir.Block, inside: Counter[str]) -> list[str]:
        """Return the locals that only a body mentions.

        A round assigns each of them before it reads them.
        """
        return [name for name in inside if inside[name] == self.mentions[name]]

    def another(self, name: str) -> ir.Local:
        """Return a new local of the same kind."""
        new = self.names.fresh(name, self.kinds[name])
        self.kinds[new] = self.kinds[name]
        return ir.Local(new)
