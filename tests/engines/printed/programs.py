"""Random well-formed programs that come to an end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import get_args

from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ir
from tests.engines.printed.placed import LINES, at, rules

FILES = (rules("one.rules"), rules("two.rules"))
TABLES = (
    ir.Table("fuel", "state", 1, -100, 100, (25,)),
    ir.Table("pair", "state", 2, -9, 9, (1, -1)),
    ir.Table("few", "state", 4, -2, 9, (3, -1, 0, 9)),
    ir.Table("wide", "scratch", 3, -1000, 1000),
    ir.Table("given", "const", 5, -1, 4, (4, 3, -1, 0, 2)),
)
INTS, BOOLS, COUNTERS = ("a", "x", "y"), ("c", "q"), ("i", "j")
PARAMS: tuple[tuple[str, ir.Kind], ...] = (("a", "int"), ("c", "bool"))
LOCALS: tuple[tuple[str, ir.Kind], ...] = (
    *((name, "int") for name in (*INTS[1:], *COUNTERS)),
    ("q", "bool"),
)
BEGIN = (
    ir.Assign("x", ir.Const(1)),
    ir.Assign("y", ir.Load("few", ir.Const(0))),
    ir.Assign("q", ir.Truth(False)),
)


def random_program(seed: int) -> ir.Program:
    """Functions `f0` to `f2` of an int and a bool; each calls only those before it."""
    functions: dict[str, ir.Function] = {}
    for number in range(3):
        name = f"f{number}"
        functions[name] = _Writer(Random(seed * 3 + number), tuple(functions)).function(name)
    tables = {table.name: table for table in TABLES}
    return ir.Program(tables, functions, tuple(functions))


class _Writer:
    """Makes one function, which calls others of these."""

    def __init__(self, random: Random, calls: tuple[str, ...]) -> None:
        self.random = random
        self.calls = calls
        self.counters: tuple[str, ...] = ()
        self.loops = 0

    def function(self, name: str) -> ir.Function:
        span = self.span()
        end = ir.Return(self.number(2), self.span())
        # What has no place of its own has that of its rule.
        body = tuple(replace(s, span=s.span or span) for s in (*BEGIN, *self.block(3), end))
        return ir.Function(name, PARAMS, "int", body, LOCALS, span=span)

    def span(self) -> Span | None:
        file, line = self.random.choice((*FILES, None)), self.random.randint(1, LINES)
        return at(file, line) if file else None

    # --- statements ------------------------------------------------------------------------------

    def block(self, depth: int) -> ir.Block:
        return tuple(self.statement(depth) for _ in range(self.random.randint(0, 3)))

    def statement(self, depth: int) -> ir.Stmt:
        span = self.span()
        kinds = ["assign", "assign", "store", "store", "spend"]
        kinds += ["if", "if", "leave", "while", "for"] if depth else []
        match self.random.choice(kinds):
            case "assign":
                if self.random.random() < 0.3:
                    return ir.Assign(self.random.choice(BOOLS), self.truth(2), span)
                return ir.Assign(self.random.choice(INTS), self.number(3), span)
            case "store":
                table, index = self.random.choice(("few", "wide", "pair")), self.number(2)
                index = ir.Const(self.random.randrange(2)) if table == "pair" else index
                return ir.Store(table, index, self.number(2), span)
            case "spend":
                return ir.Spend(ir.Const(self.random.randint(0, 3)), span)
            case "if":
                return ir.If(self.truth(2), self.block(depth - 1), self.block(depth - 1), span)
            case "leave":
                return ir.If(self.truth(2), (self.leaving(),), (), span)
            case "for" if len(self.counters) < len(COUNTERS):
                return self.counting(depth, span)
        return ir.While(self.truth(2), self.round(depth), span)

    def counting(self, depth: int, span: Span | None) -> ir.Stmt:
        low, high = self.number(1), self.number(1)
        counters, self.counters = self.counters, COUNTERS[: len(self.counters) + 1]
        body = self.round(depth)
        self.counters = counters
        return ir.For(COUNTERS[len(counters)], low, high, body, span)

    def round(self, depth: int) -> ir.Block:
        """The body of a loop that comes to an end."""
        self.loops += 1
        body = (ir.Spend(ir.Const(1)), *self.block(depth - 1))
        self.loops -= 1
        return body

    def leaving(self) -> ir.Stmt:
        kinds: list[Callable[[], ir.Stmt]] = [
            lambda: ir.Return(self.number(2), self.span()),
            lambda: ir.Trap(self.random.randint(6, 20), self.span()),
        ]
        if self.loops:
            kinds += [lambda: ir.Break(self.span()), lambda: ir.Continue(self.span())]
        return self.random.choice(kinds)()

    # --- expressions -----------------------------------------------------------------------------

    def number(self, depth: int) -> ir.Expr:
        kind = self.random.randrange(10 if depth else 2)
        if kind == 0:
            return ir.Const(self.random.randint(-2, 8))
        if kind == 1:
            return ir.Local(self.random.choice(INTS + self.counters))
        depth -= 1
        if kind in (2, 3):
            return self.load(depth)
        if kind == 4:
            return ir.Unary("-", self.number(depth))
        if kind == 5:
            return ir.Unary("int", self.truth(depth))
        if kind == 6:
            return ir.Select(self.truth(depth), self.number(depth), self.number(depth))
        if kind == 7 and self.calls:
            return ir.Call(self.random.choice(self.calls), (self.number(depth), self.truth(depth)))
        operator: ir.BinaryOp = self.random.choice(get_args(ir.BinaryOp))
        shift = operator in ("<<", ">>")
        right = ir.Const(self.random.randint(0, 5)) if shift else self.number(depth)
        return ir.Binary(operator, self.number(depth), right)

    def load(self, depth: int) -> ir.Expr:
        match self.random.choice([table.name for table in TABLES]):
            case "fuel":
                return ir.Load("fuel", ir.Const(0))
            case "pair":
                return ir.Load("pair", ir.Const(self.random.randrange(2)))
            case table if self.random.random() < 0.7:
                return ir.Load(table, ir.Binary("&", self.number(depth), ir.Const(3)))
            case table:
                return ir.Load(table, self.number(depth))
        raise AssertionError("every table is one of these")

    def truth(self, depth: int) -> ir.Expr:
        kind = self.random.randrange(8 if depth else 2)
        if kind == 0:
            return ir.Truth(self.random.random() < 0.5)
        if kind == 1:
            return ir.Local(self.random.choice(BOOLS))
        depth -= 1
        if kind == 2:
            return ir.Unary("not", self.truth(depth))
        if kind == 3:
            left, right = self.truth(depth), self.truth(depth)
            both = self.random.random() < 0.5
            return ir.Logic("and", left, right) if both else ir.Logic("or", left, right)
        if kind == 4:
            return ir.Select(self.truth(depth), self.truth(depth), self.truth(depth))
        operator: ir.CompareOp = self.random.choice(get_args(ir.CompareOp))
        return ir.Compare(operator, self.number(depth), self.number(depth))
