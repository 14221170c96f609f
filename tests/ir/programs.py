"""Programs of the IR made at random, all well formed, that end soon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Literal, get_args

from rulesdsl.language.model import ir
from tests.ir.evaluate import Stopped, evaluate

TABLES = {
    table.name: table
    for table in (
        ir.Table("fixed", "const", 4, -1, 9, (3, 9, -1, 0)),
        ir.Table("bits", "const", 2, 4, 255, (4, 255)),
        ir.Table("small", "state", 5, -3, 12),
        ir.Table("tiny", "state", 3, 0, 7),
        ir.Table("wide", "scratch", 6, -100000, 100000),
        ir.Table("fuel", "state", 1, 0, 100000),
    )
}
WRITABLE = ("small", "tiny", "wide")
OPERATORS: tuple[ir.BinaryOp, ...] = get_args(ir.BinaryOp)
COMPARISONS: tuple[ir.CompareOp, ...] = get_args(ir.CompareOp)
JOINS: tuple[Literal["and", "or"], ...] = ("and", "or")

Outcome = tuple[int | None, dict[str, list[int]]] | str
"""Result and tables, or that it stopped; `wild` if it did what no program may do."""


def random_program(seed: int) -> ir.Program:
    """A program of some functions, each of which can call those before it."""
    random = Random(seed)
    functions: dict[str, ir.Function] = {}
    for number in range(random.randint(2, 5)):
        name = f"f{number}"
        functions[name] = _Maker(random, functions).function(name)
    entries = tuple(name for name in functions if random.random() < 0.4) or (name,)
    return ir.Program(TABLES, functions, entries)


def outcome(program: ir.Program, function: str, arguments: list[int], seed: int) -> Outcome:
    """What a function does to tables filled at random."""
    tables = random_tables(program.tables, seed)
    try:
        return evaluate(program, tables, function, *arguments), tables
    except Stopped:
        return "stopped"
    except AssertionError:
        return "wild"


def random_tables(tables: Mapping[str, ir.Table], seed: int) -> dict[str, list[int]]:
    """Tables that hold what they can hold, more often small numbers than not."""
    random = Random(seed)
    return {
        name: list(table.values)
        if table.role == "const"
        else [_number(random, table.low, table.high) for _ in range(table.size)]
        for name, table in tables.items()
    }


def random_arguments(function: ir.Function, seed: int) -> list[int]:
    """Arguments for a function."""
    random = Random(seed)
    return [
        _number(random, -200, 200) if kind == "int" else random.random() < 0.5
        for _, kind in function.params
    ]


def _number(random: Random, low: int, high: int) -> int:
    if random.random() < 0.7:
        low, high = max(low, -2), min(high, 6)
    return random.randint(low, high) if low <= high else random.choice((low, high))


class _Maker:
    """Makes one function. `known` are the locals with a value."""

    def __init__(self, random: Random, functions: Mapping[str, ir.Function]) -> None:
        self.random = random
        self.functions = dict(functions)
        self.kinds: dict[str, ir.Kind] = {}
        self.known: set[str] = set()
        self.fixed: set[str] = set()
        self.loops: list[bool] = []
        self.result: ir.Kind | None = None

    def function(self, name: str) -> ir.Function:
        kinds: tuple[ir.Kind, ...] = ("int", "int", "bool")
        params = tuple(
            (f"p{n}", self.random.choice(kinds)) for n in range(self.random.randint(0, 3))
        )
        self.kinds.update(params)
        self.known.update(self.kinds)
        self.result = self.random.choice(("int", "int", "bool", None))
        body = self.block(3, self.random.randint(1, 5))
        if self.result is not None:
            body = (*body, ir.Return(self.expression(self.result, 2)))
        given = dict(params)
        found = tuple((n, k) for n, k in self.kinds.items() if n not in given)
        return ir.Function(name, params, self.result, body, found)

    # --- statements ------------------------------------------------------------------------------

    def block(self, depth: int, count: int) -> ir.Block:
        found: list[ir.Stmt] = []
        for _ in range(count):
            found += self.statement(depth)
        return tuple(found)

    def inner(self, depth: int) -> ir.Block:
        """A block inside: what it assigns may have no value after it."""
        before = set(self.known)
        found = self.block(depth - 1, self.random.randint(0, 3))
        self.known = before
        return found

    def statement(self, depth: int) -> list[ir.Stmt]:
        makers: list[Callable[[int], list[ir.Stmt]]] = [self.assign, self.assign, self.store]
        makers += [self.spend, self.do, self.leave]
        if depth > 0:
            makers += [self.branch, self.branch, self.count, self.loop]
        return self.random.choice(makers)(depth)

    def assign(self, _: int) -> list[ir.Stmt]:
        name = self.random.choice(["a", "b", "c", "d", "e", *self.known])
        if name in self.fixed:
            return []
        kind = self.kinds.setdefault(name, self.random.choice(("int", "int", "bool")))
        value = self.expression(kind, 3)
        self.known.add(name)
        return [ir.Assign(name, value)]

    def store(self, _: int) -> list[ir.Stmt]:
        table = self.random.choice(WRITABLE)
        return [ir.Store(table, self.index(table), self.expression("int", 2))]

    def spend(self, _: int) -> list[ir.Stmt]:
        return [ir.Spend(ir.Const(self.random.randint(0, 3)))]

    def do(self, _: int) -> list[ir.Stmt]:
        call = self.call(self.random.choice(("int", "bool", None)), 2)
        return [ir.Do(call)] if call else []

    def leave(self, _: int) -> list[ir.Stmt]:
        choice = self.random.random()
        if choice < 0.25:
            return [ir.Trap(5)] if self.random.random() < 0.3 else []
        if choice < 0.6 and self.loops:
            return [ir.Break() if self.random.random() < 0.5 else ir.Continue()]
        if choice < 0.8:
            return [ir.Return(self.expression(self.result, 2) if self.result else None)]
        return []

    def branch(self, depth: int) -> list[ir.Stmt]:
        condition = self.expression("bool", 3)
        then = self.inner(depth)
        otherwise = self.inner(depth) if self.random.random() < 0.5 else ()
        return [ir.If(condition, then, otherwise)]

    def count(self, depth: int) -> list[ir.Stmt]:
        name = self.random.choice("ijk")
        if name in self.fixed:
            return []
        self.kinds[name] = "int"
        low, high = self.random.randint(-1, 1), self.random.randint(0, 6)
        bounds: list[ir.Expr] = [ir.Const(low), ir.Const(high)]
        if self.random.random() < 0.4:
            bounds[1] = ir.Binary("&", self.expression("int", 2), ir.Const(7))
        return [ir.For(name, bounds[0], bounds[1], self.rounds(name, depth))]

    def loop(self, depth: int) -> list[ir.Stmt]:
        name = self.random.choice(("m", "n"))
        if name in self.fixed:
            return []
        self.kinds[name] = "int"
        end = self.random.randint(0, 4)
        step = ir.Assign(name, ir.Binary("+", ir.Local(name), ir.Const(1)))
        body = (step, *self.rounds(name, depth))
        condition = ir.Compare("<", ir.Local(name), ir.Const(end))
        self.known.add(name)
        return [ir.Assign(name, ir.Const(0)), ir.While(condition, body)]

    def rounds(self, name: str, depth: int) -> ir.Block:
        before = set(self.known)
        self.known.add(name)
        self.fixed.add(name)
        self.loops.append(True)
        body = self.inner(depth)
        self.loops.pop()
        self.fixed.discard(name)
        self.known = before - {name}
        return body

    # --- expressions -----------------------------------------------------------------------------

    def expression(self, kind: ir.Kind, depth: int) -> ir.Expr:
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf(kind)
        if self.random.random() < 0.12:
            call = self.call(kind, depth - 1)
            if call is not None:
                return call
        if self.random.random() < 0.1:
            parts = (self.expression(kind, depth - 1) for _ in range(2))
            return ir.Select(self.expression("bool", depth - 1), *parts)
        return self.number(depth - 1) if kind == "int" else self.condition(depth - 1)

    def leaf(self, kind: ir.Kind) -> ir.Expr:
        names = sorted(name for name in self.known if self.kinds[name] == kind)
        if names and self.random.random() < 0.7:
            return ir.Local(self.random.choice(names))
        if kind == "bool":
            return ir.Truth(self.random.random() < 0.5)
        return ir.Const(self.random.choice((0, 1, 1, 2, 3, 4, -1, 7, 15)))

    def number(self, depth: int) -> ir.Expr:
        choice = self.random.random()
        if choice < 0.25:
            table = self.random.choice(tuple(TABLES))
            return ir.Load(table, self.index(table)) if table != "fuel" else ir.Const(1)
        if choice < 0.3:
            return ir.Unary("-", self.expression("int", depth))
        if choice < 0.36:
            return ir.Unary("int", self.expression("bool", depth))
        if choice < 0.45:
            return self.field(self.expression("int", depth))
        operator = self.random.choice(OPERATORS)
        left = self.expression("int", depth)
        if operator in ("<<", ">>"):
            return ir.Binary(operator, left, ir.Const(self.random.randint(0, 8)))
        return ir.Binary(operator, left, self.expression("int", depth))

    def field(self, number: ir.Expr) -> ir.Expr:
        shifted = ir.Binary(">>", number, ir.Const(self.random.choice((0, 2, 4))))
        return ir.Binary("&", shifted, ir.Const(self.random.choice((1, 3, 12))))

    def condition(self, depth: int) -> ir.Expr:
        choice = self.random.random()
        if choice < 0.15:
            return ir.Unary("not", self.expression("bool", depth))
        if choice < 0.35:
            parts = (self.expression("bool", depth) for _ in range(2))
            return ir.Logic(self.random.choice(JOINS), *parts)
        if choice < 0.6:
            return self.tests(depth)
        sides = (self.expression("int", depth) for _ in range(2))
        return ir.Compare(self.random.choice(COMPARISONS), *sides)

    def tests(self, depth: int) -> ir.Expr:
        """Several tests of one number."""
        number = self.expression("int", depth)
        operator, sign = self.random.choice(JOINS), self.random.choice(COMPARISONS[:2])
        field = self.random.random() < 0.5
        found: ir.Expr | None = None
        for _ in range(self.random.randint(2, 4)):
            one = self.field(number) if field else number
            test = ir.Compare(sign, one, ir.Const(self.random.choice((0, 0, 1, 2, 5))))
            found = test if found is None else ir.Logic(operator, found, test)
        assert found is not None
        return found

    def index(self, table: str) -> ir.Expr:
        choice = self.random.random()
        size = TABLES[table].size
        if choice < 0.4:
            return ir.Const(self.random.randrange(size))
        if choice < 0.7:
            return ir.Binary("%", self.expression("int", 1), ir.Const(size))
        return self.expression("int", 1)

    def call(self, kind: ir.Kind | None, depth: int) -> ir.Call | None:
        fitting = [f for f in self.functions.values() if f.result == kind]
        if not fitting:
            return None
        function = self.random.choice(fitting)
        return ir.Call(
            function.name, tuple(self.expression(kind, depth) for _, kind in function.params)
        )
