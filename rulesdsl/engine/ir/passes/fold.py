"""Fold: constants are computed, and code that is never reached is dropped.

Branches on constants are chosen, and locals that only ever hold one constant are replaced by it. So
are entries of tables that can hold one value only, as a table of grids does in a game with one.
The compiler of the WebAssembly does the rest: with algebra, copies and unused locals here too,
programs are no faster.
"""

from __future__ import annotations

import operator as op
from collections import Counter
from collections.abc import Callable, Collection, Mapping

from rulesdsl.engine.ir.passes import trees
from rulesdsl.engine.ir.passes.trees import Facts, leaves, map_parts, map_statement
from rulesdsl.language.model import ir

_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": op.add, "-": op.sub, "*": op.mul, "//": op.floordiv, "%": op.mod, "&": op.and_,
    "|": op.or_, "^": op.xor, "<<": op.lshift, ">>": op.rshift, "min": min, "max": max,
    "==": op.eq, "!=": op.ne, "<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge,
}  # fmt: skip


def simplify(expr: ir.Expr, facts: Facts) -> ir.Expr:
    """Return the simplest form of an expression whose operands are simplified already."""
    match expr:
        case ir.Load(name, ir.Const(index)):
            entry = facts.ask("entry", name, index)
            return expr if entry is None else ir.Const(entry)
        case ir.Unary("not", ir.Truth(value)):
            return ir.Truth(not value)
        case ir.Unary("int", ir.Truth(value)):
            return ir.Const(int(value))
        case ir.Unary("-", ir.Const(number)) if fits(-number):
            return ir.Const(-number)
        case ir.Binary(operator, ir.Const(left), ir.Const(right)):
            found = evaluated(operator, left, right)
            return expr if found is None else ir.Const(found)
        case ir.Compare(operator, ir.Const(left), ir.Const(right)):
            return ir.Truth(bool(_OPERATIONS[operator](left, right)))
        case ir.Logic(operator, ir.Truth(value), right):
            return right if value == (operator == "and") else ir.Truth(value)
        case ir.Logic(operator, left, ir.Truth(value)) if value == (operator == "and"):
            return left
        case ir.Select(ir.Truth(value), then, otherwise):
            return then if value else otherwise
    return expr


def fits(number: int) -> bool:
    """Return whether a number fits the IR's 64 bits."""
    return -(2**63) <= number < 2**63


def evaluated(operator: ir.BinaryOp, left: int, right: int) -> int | None:
    """Return the result for two numbers, None if it faults or does not fit."""
    if operator in ("//", "%") and right == 0:
        return None
    if operator in ("<<", ">>") and not 0 <= right < 64:
        return None
    number = _OPERATIONS[operator](left, right)
    return number if fits(number) else None


ROUNDS = 4
"""The greatest number of rounds per function: each propagates the constants of the one before."""


def fold(program: ir.Program, sure: Collection[str] = ()) -> ir.Program:
    """Simplify every function of a program; no index of the tables `sure` is ever out of range."""
    facts = Facts(program.tables, sure)
    return trees.map_functions(program, lambda f: facts.once("folded", f, fold_function))


def fold_function(function: ir.Function, facts: Facts) -> ir.Function:
    """Simplify one function."""
    for _ in range(ROUNDS):
        body = _Folder(function, facts).block(function.body)
        if body is function.body:
            break
        function = trees.with_body(function, body, {})
    return function


class _Folder:
    """One round of folding over a function.

    `known` maps locals to their replacements.
    """

    def __init__(self, function: ir.Function, facts: Facts) -> None:
        self.facts = facts
        constants = [
            node
            for node in function.nodes.of(ir.Assign)
            if isinstance(node.value, ir.Const | ir.Truth)
        ]
        writes = Counter(name for name, _ in function.params)
        if constants:
            writes.update(function.nodes.writes())
        self.known: dict[str, ir.Expr] = {
            node.name: node.value for node in constants if writes[node.name] == 1
        }

    def expression(self, expr: ir.Expr) -> ir.Expr:
        kind = type(expr)
        if kind is ir.Const or kind is ir.Truth:
            return expr
        if kind is ir.Local:
            assert isinstance(expr, ir.Local)
            return self.known.get(expr.name, expr)
        if kind is ir.Load:
            assert isinstance(expr, ir.Load)
            only = self.facts.ask("only", expr.table)
            if only is not None and trees.safe(expr, self.facts):
                return ir.Const(only)
        return simplify(map_parts(expr, self.expression), self.facts)

    def block(self, block: ir.Block) -> ir.Block:
        for number, statement in enumerate(block):
            if leaves((statement,)):
                block = block[: number + 1] if number + 1 < len(block) else block
                break
        return trees.map_block(block, self.statement)

    def statement(self, statement: ir.Stmt) -> ir.Stmt | ir.Block:
        match map_statement(statement, self.expression, self.block):
            case ir.Assign(name) if name in self.known:
                return ()
            case ir.If(ir.Truth(value), then, otherwise):
                return then if value else otherwise
            case ir.If(condition, (), ()) if trees.safe(condition, self.facts):
                return ()
            case ir.While(ir.Truth(False)):
                return ()
            case ir.For(_, ir.Const(low), ir.Const(high)) if low >= high:
                return ()
            case new:
                return new
