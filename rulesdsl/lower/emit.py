"""A builder for the body of one IR function, with simple simplification of expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rulesdsl.diagnostics import Span
from rulesdsl.lower import runtime
from rulesdsl.model import ir
from rulesdsl.model.types import Type

ZERO, ONE, MINUS = ir.Const(0), ir.Const(1), ir.Const(-1)


class LocalStorage(Protocol):
    """The storage of the locals of the rules: locals of the IR, or slots of a frame."""

    def read(self, name: str, type_: Type) -> ir.Expr:
        """Return the current value of a local of the rules.

        It is the local's number, a bool as an IR bool, a set as an offset into `heap`.
        """

    def write(self, name: str, type_: Type, value: ir.Expr, span: Span) -> None:
        """Emit the assignment of a value to a local of the rules."""


class Builder:
    """The statements of a function being built.

    `emit` appends one to the innermost block. `reserved` are names that no local gets.
    """

    def __init__(self, *reserved: str) -> None:
        self.kinds: dict[str, ir.Kind] = {}
        self._reserved = frozenset(reserved)
        self._blocks: list[list[ir.Stmt]] = [[]]
        self._count: dict[str, int] = {}

    def emit(self, statement: ir.Stmt) -> None:
        self._blocks[-1].append(statement)

    @contextmanager
    def block(self) -> Iterator[list[ir.Stmt]]:
        """Open an inner block for an `If` or a loop, and yield the list of its statements."""
        inner = self.open()
        try:
            yield inner
        finally:
            self.close()

    def open(self) -> list[ir.Stmt]:
        """Open an inner block, up to the next `close`, and return the list of its statements."""
        inner: list[ir.Stmt] = []
        self._blocks.append(inner)
        return inner

    def close(self) -> None:
        """Close the innermost block."""
        self._blocks.pop()

    def function(
        self,
        name: str,
        doc: str,
        params: tuple[tuple[str, ir.Kind], ...] = (),
        result: ir.Kind | None = None,
        span: Span | None = None,
    ) -> ir.Function:
        """Return the function of all statements emitted outside of inner blocks."""
        given = {param for param, _ in params}
        kinds = tuple(row for row in self.kinds.items() if row[0] not in given)
        return ir.Function(name, params, result, tuple(self._blocks[0]), kinds, doc, span)

    def fresh(self, hint: str, kind: ir.Kind = "int") -> str:
        """Return the name of a new local.

        It is the hint as an identifier, numbered from the second on.
        """
        hint = re.sub(r"\W", "_", hint)
        number = self._count[hint] = self._count.get(hint, 0) + 1
        name = hint if number == 1 else f"{hint}_{number}"
        if name in self.kinds or name in self._reserved:
            return self.fresh(hint, kind)
        self.kinds[name] = kind
        return name

    def let(
        self, hint: str, value: ir.Expr, span: Span | None = None, kind: ir.Kind = "int"
    ) -> ir.Local:
        """Return a new local with that value."""
        name = self.fresh(hint, kind)
        self.emit(ir.Assign(name, value, span))
        return ir.Local(name)

    def do(
        self, function: str | runtime.Function, *arguments: ir.Expr, span: Span | None = None
    ) -> None:
        """Emit a call of a function, of the runtime or given by name, for its effect."""
        name = function if isinstance(function, str) else function.__name__
        self.emit(ir.Do(ir.Call(name, arguments), span))

    def trap_if(self, condition: ir.Expr, code: int, span: Span | None) -> None:
        """Emit fault `code` for the case that the condition holds."""
        self.emit(ir.If(condition, (ir.Trap(code, span),), (), span))


# --- conditions -----------------------------------------------------------------------------------

TRUE, FALSE = ir.Truth(True), ir.Truth(False)


def negation(condition: ir.Expr) -> ir.Expr:
    """Return the negation of a condition."""
    match condition:
        case ir.Truth(value):
            return ir.Truth(not value)
        case ir.Unary("not", operand):
            return operand
        case ir.Compare(operator, left, right):
            return ir.Compare(ir.OPPOSITE[operator], left, right)
    return ir.Unary("not", condition)


def both(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """Return the conjunction of two conditions.

    The right one is evaluated only if the left one holds.
    """
    if left == TRUE:
        return right
    if left == FALSE or right == TRUE:
        return left
    return ir.Logic("and", left, right)


def either(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """Return the disjunction of two conditions.

    The right one is evaluated only if the left one does not hold.
    """
    if left == FALSE:
        return right
    if left == TRUE or right == FALSE:
        return left
    return ir.Logic("or", left, right)


def as_number(value: ir.Expr, is_bool: bool) -> ir.Expr:
    """Return a value as a number: 1 or 0 for a bool."""
    if not is_bool:
        return value
    if isinstance(value, ir.Truth):
        return ir.Const(int(value.value))
    return ir.Unary("int", value)


def is_plain(value: ir.Expr) -> bool:
    """Return whether a value is a constant or a local, which is free to repeat and cannot fault."""
    return isinstance(value, ir.Const | ir.Truth | ir.Local)


# --- sums ----------------------------------------------------------------------------------------


def plus_folded(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """Return the sum, computed now if both numbers are known."""
    if isinstance(a, ir.Const) and isinstance(b, ir.Const):
        return ir.Const(a.value + b.value)
    return plus(a, b)


def plus(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """Return the sum, folded where that is simple."""
    if a == ZERO:
        return b
    return a if b == ZERO else ir.Binary("+", a, b)


def times(a: ir.Expr, factor: int) -> ir.Expr:
    """Return the product, folded where that is simple."""
    if factor == 1 or a == ZERO:
        return a
    return ir.Binary("*", a, ir.Const(factor))
