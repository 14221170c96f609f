"""Fold: constants are computed, and code without effect is dropped.

Expressions are simplified (`algebra`), branches on constants chosen, loops of no rounds and code
that is never reached dropped. Locals that only ever hold one constant, or the value of a local that
does not change meanwhile, are replaced by it; those never read are not assigned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rulesdsl.ir.passes import trees
from rulesdsl.ir.passes.algebra import negated, simplify
from rulesdsl.ir.passes.trees import leaves, map_parts, map_statement, safe
from rulesdsl.model import ir

ROUNDS = 4
"""The greatest number of rounds per function: each propagates the constants of the one before."""


def fold(program: ir.Program) -> ir.Program:
    """Simplify every function of a program."""
    return trees.map_functions(program, lambda f: fold_function(f, program.tables))


def fold_function(function: ir.Function, tables: Mapping[str, ir.Table]) -> ir.Function:
    """Simplify one function."""
    for _ in range(ROUNDS):
        folder = _Folder(function, tables)
        body = _without_tail(folder.block(function.body))
        if body is function.body:
            break
        function = trees.with_body(function, body, {})
    return function


def _without_tail(body: ir.Block) -> ir.Block:
    """Return a body without a `return` of nothing at its end."""
    match body:
        case (*_, ir.Return(None)):
            return _without_tail(body[:-1])
        case (*_, ir.If(condition, then, otherwise, span)):
            one, other = _without_tail(then), _without_tail(otherwise)
            if one is not then or other is not otherwise:
                return (*body[:-1], ir.If(condition, one, other, span))
    return body


class _Folder:
    """One round of folding over a function.

    `known` maps locals to their replacements.
    """

    def __init__(self, function: ir.Function, tables: Mapping[str, ir.Table]) -> None:
        self.tables = tables
        self.reads = function.nodes.reads()
        self.writes = Counter(name for name, _ in function.params)
        self.writes.update(function.nodes.writes())
        self.known: dict[str, ir.Expr] = {
            node.name: node.value
            for node in function.nodes.of(ir.Assign)
            if isinstance(node.value, ir.Const | ir.Truth) and self.writes[node.name] == 1
        }

    # --- expressions -----------------------------------------------------------------------------

    def expression(self, expr: ir.Expr) -> ir.Expr:
        kind = type(expr)
        if kind is ir.Const or kind is ir.Truth:
            return expr
        if kind is ir.Local:
            assert isinstance(expr, ir.Local)
            return self.known.get(expr.name, expr)
        return simplify(map_parts(expr, self.expression), self.tables)

    # --- statements ------------------------------------------------------------------------------

    def block(self, block: ir.Block) -> ir.Block:
        found: list[ir.Stmt] = []
        same = True
        for number, statement in enumerate(block):
            inner = map_statement(statement, self.expression, self.block)
            if isinstance(inner, ir.Assign):
                new = self.assign(inner, block[number + 1 :])
            else:
                new = self.simpler(inner)
            same = same and new is statement
            found.extend(new if isinstance(new, tuple) else (new,))
            if leaves(tuple(found[-1:])):
                same = same and number == len(block) - 1
                break
        merged = _merge_returns(found, self.tables)
        return block if same and len(merged) == len(block) else tuple(merged)

    def assign(self, new: ir.Assign, rest: ir.Block) -> ir.Stmt | ir.Block:
        name, value = new.name, new.value
        if name in self.known:
            return ()
        if type(value) is ir.Local:
            if value.name == name:
                return ()
            if self.writes[name] == 1 and self.copies(name, value.name, rest):
                self.known[name] = value
                return ()
        if not self.reads[name]:
            if safe(value, self.tables):
                return ()
            if isinstance(value, ir.Call):
                return ir.Do(value, new.span)
        return new

    def copies(self, name: str, source: str, rest: ir.Block) -> bool:
        """Say whether a local is read only while the local that it copies keeps its value."""
        reads = 0
        for node in ir.nodes(rest):
            if isinstance(node, ir.Local):
                reads += node.name == name
            elif isinstance(node, ir.Assign | ir.For) and node.name == source:
                return False
        return reads == self.reads[name]

    def simpler(self, statement: ir.Stmt) -> ir.Stmt | ir.Block:
        match statement:
            case ir.If(ir.Truth(value), then, otherwise):
                return then if value else otherwise
            case ir.If(condition, (), ()):
                return () if safe(condition, self.tables) else statement
            case ir.If(condition, (), otherwise):
                return ir.If(negated(condition), otherwise, (), statement.span)
            case ir.While(ir.Truth(False)):
                return ()
            case ir.While(_, body) | ir.For(_, _, _, body) if (
                body and type(body[-1]) is ir.Continue
            ):
                return self.simpler(_with_loop_body(statement, body[:-1]))
            case ir.For():
                return self.loop(statement)
        return statement

    def loop(self, statement: ir.For) -> ir.Stmt | ir.Block:
        low, high = statement.low, statement.high
        match low, high, statement.body:
            case ir.Const(first), ir.Const(end), _ if first >= end:
                return ()
            case _, _, () if safe(low, self.tables) and safe(high, self.tables):
                return ()
        return statement


def _with_loop_body(loop: ir.While | ir.For, body: ir.Block) -> ir.Stmt:
    if isinstance(loop, ir.While):
        return ir.While(loop.condition, body, loop.span)
    return ir.For(loop.name, loop.low, loop.high, body, loop.span)


def _merge_returns(block: list[ir.Stmt], tables: Mapping[str, ir.Table]) -> list[ir.Stmt]:
    """Merge `if c: return true` and the `return x` after it to `return c or x`, and the like."""
    while len(block) >= 2:
        match block[-2], block[-1]:
            case (
                ir.If(condition, (ir.Return(one) as inner,), ()) as test,
                ir.Return(other) as last,
            ) if (
                (isinstance(one, ir.Truth) or isinstance(other, ir.Truth))
                and one is not None
                and other is not None
                and test.span == inner.span == last.span
            ):
                value = simplify(ir.Select(condition, one, other), tables)
                block = [*block[:-2], ir.Return(value, last.span)]
            case _:
                break
    return block
