"""An evaluator of the IR that is slow and makes every check of `docs/reference/ir.md`.

It is the oracle for the other engines.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import assert_never

from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ir
from rulesdsl.language.model.ir import FUEL, IN_ROWS, LARGEST, SMALLEST, Rows, Tables

NO_STEPS = 1
INDEX = 3
RANGE = 4
ZERO = 5
"""The faults that the machine itself finds, as `rulesdsl.engine.runtime.faults` numbers them."""


class Stopped(Exception):
    """A fault that stopped the program.

    `span` is that of the innermost running statement that has one, including statements that called
    the function; None if none has.
    """

    def __init__(self, code: int, span: Span | None = None) -> None:
        super().__init__(f"fault {code}")
        self.code = code
        self.span = span


Slots = dict[int, dict[str, list[int]]]
"""Copies of state tables by slot and name."""


def new_tables(program: ir.Program) -> dict[str, list[int]]:
    """Return all tables of a program with their initial values."""
    return {name: list(t.values) or [0] * t.size for name, t in program.tables.items()}


def new_rows(program: ir.Program, tables: Tables) -> Rows:
    """Return the rows of a program whose row 0 is in these tables."""
    return Rows(tables, [t.name for t in program.tables.values() if t.role in IN_ROWS])


def evaluate(
    program: ir.Program,
    tables: Tables,
    function: str,
    *arguments: int | bool,
    rows: Rows | None = None,
    slots: Slots | None = None,
) -> int | bool | None:
    """Return the result of a function of a well-formed program, run on the tables.

    `rows` are those that earlier calls have left, `slots` the copies of the state.
    Raises Stopped after a fault, with the tables restored, and AssertionError if the program does
    something that no program may do.
    """
    machine = _Machine(program, tables, rows, slots)
    try:
        return machine.call(function, arguments)
    finally:
        machine.rows.enter(0)


class _Leave(Exception):
    """A `Break`, `Continue` or `Return` that leaves the code being run."""

    def __init__(self, by: ir.Break | ir.Continue | ir.Return, value: int | None = None) -> None:
        self.by = by
        self.value = value


class _Machine:
    def __init__(
        self,
        program: ir.Program,
        tables: Tables,
        rows: Rows | None = None,
        slots: Slots | None = None,
    ) -> None:
        self.program = program
        self.tables = tables
        self.rows = rows or new_rows(program, tables)
        self.slots: Slots = {} if slots is None else slots

    def call(self, name: str, arguments: tuple[int, ...]) -> int | None:
        function = self.program.functions[name]
        names = [parameter for parameter, _ in function.params]
        known = dict(zip(names, arguments, strict=True))
        try:
            self.block(function.body, known)
        except _Leave as leave:
            return leave.value
        assert function.result is None, f"{name} ends without a result"
        return None

    # --- statements ------------------------------------------------------------------------------

    def block(self, block: ir.Block, known: dict[str, int]) -> None:
        for statement in block:
            try:
                self.statement(statement, known)
            except Stopped as stopped:
                stopped.span = stopped.span or statement.span
                raise

    def statement(self, statement: ir.Stmt, known: dict[str, int]) -> None:
        match statement:
            case ir.Assign(name, value):
                known[name] = self.value(value, known)
            case ir.Store(table, index, value):
                at, number = self.value(index, known), self.value(value, known)
                self.store(table, at, number)
            case ir.Do(call):
                self.called(call, known)
            case ir.If(condition, then, otherwise):
                self.block(then if self.value(condition, known) else otherwise, known)
            case ir.While(condition, body):
                while self.value(condition, known) and self.round(body, known):
                    pass
            case ir.For(name, low, high, body):
                first, end = self.value(low, known), self.value(high, known)
                for number in range(first, end):
                    known[name] = number
                    if not self.round(body, known):
                        break
            case ir.Break() | ir.Continue():
                raise _Leave(statement)
            case ir.Return(value):
                raise _Leave(statement, None if value is None else self.value(value, known))
            case ir.Trap(code):
                raise Stopped(code)
            case ir.Spend(amount):
                self.spend(self.value(amount, known))
            case ir.Enter(row):
                if not self.rows.enter(self.value(row, known)):
                    raise Stopped(INDEX)
            case ir.Copy(operator, slot):
                self.copy(operator, self.value(slot, known))
            case _:
                assert_never(statement)

    def round(self, body: ir.Block, known: dict[str, int]) -> bool:
        """Run one round of a loop, and return whether the loop goes on."""
        try:
            self.block(body, known)
        except _Leave as leave:
            if isinstance(leave.by, ir.Return):
                raise
            return isinstance(leave.by, ir.Continue)
        return True

    def store(self, name: str, index: int, value: int) -> None:
        table = self.program.tables[name]
        assert table.role != "const", f"{name} never changes"
        self.check_index(name, index)
        if not table.low <= value <= table.high:
            raise Stopped(RANGE)
        self.tables[name][index] = value

    def copy(self, operator: str, slot: int) -> None:
        if not 0 <= slot < ir.SLOTS:
            raise Stopped(INDEX)
        states = [t.name for t in self.program.tables.values() if t.role == "state"]
        if operator == "save":
            self.slots[slot] = {name: list(self.tables[name]) for name in states}
            return
        assert slot in self.slots, f"nothing was saved to slot {slot}"
        for name, values in self.slots[slot].items():
            self.tables[name][:] = values

    def check_index(self, name: str, index: int) -> None:
        if not 0 <= index < len(self.tables[name]):
            raise Stopped(INDEX)

    def spend(self, amount: int) -> None:
        assert amount >= 0, f"{amount} steps are spent"
        left = self.tables[FUEL][0] - amount
        if left < 0:
            raise Stopped(NO_STEPS)
        self.tables[FUEL][0] = left

    # --- expressions -----------------------------------------------------------------------------

    def value(self, expression: ir.Expr, known: dict[str, int]) -> int:
        match expression:
            case ir.Const(value) | ir.Truth(value):
                return value
            case ir.Local(name):
                return known[name]
            case ir.Load(table, index):
                at = self.value(index, known)
                self.check_index(table, at)
                return self.tables[table][at]
            case ir.Unary(sign, operand):
                return _UNARY[sign](self.value(operand, known))
            case ir.Binary(sign, left, right):
                return _binary(sign, self.value(left, known), self.value(right, known))
            case ir.Compare(sign, left, right):
                return _COMPARE[sign](self.value(left, known), self.value(right, known))
            case ir.Logic(sign, left, right):
                found = self.value(left, known)
                return found if found is (sign == "or") else self.value(right, known)
            case ir.Select(condition, then, otherwise):
                return self.value(then if self.value(condition, known) else otherwise, known)
            case ir.Call():
                result = self.called(expression, known)
                assert result is not None, f"{expression.function} returns nothing"
                return result
            case _:
                assert_never(expression)

    def called(self, call: ir.Call, known: dict[str, int]) -> int | None:
        return self.call(call.function, tuple([self.value(a, known) for a in call.arguments]))


def _binary(sign: ir.BinaryOp, left: int, right: int) -> int:
    if sign in ("//", "%") and right == 0:
        raise Stopped(ZERO)
    if sign in ("<<", ">>"):
        assert 0 <= right < 64, f"shifted by {right}"
    return _fitting(_BINARY[sign](left, right))


def _fitting(value: int) -> int:
    """Return a number; raise AssertionError if it does not fit 64 bits."""
    assert SMALLEST <= value <= LARGEST, f"{value} does not fit 64 bits"
    return value


_UNARY: Mapping[ir.UnaryOp, Callable[[int], int]] = {
    "-": lambda value: _fitting(-value),
    "not": operator.not_,
    "int": int,
}
_BINARY: Mapping[ir.BinaryOp, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "min": min,
    "max": max,
}
_COMPARE: Mapping[ir.CompareOp, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
