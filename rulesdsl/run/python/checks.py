"""Where printed code has to look before it leaps.

A list of Python takes -1 for its last entry, and any number as an entry: whatever is not known to
be right is checked. An index that is too large is an `IndexError` without any check.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Protocol

from rulesdsl.model import ir

Interval = tuple[float, float]
"""The least and the greatest that a number can be."""

UNKNOWN: Interval = (-inf, inf)


class Checks(Protocol):
    """What the index of a `Load` or `Store`, and the value of a `Store`, can be.

    Nodes are told by identity; one that stands in several places has what holds in all of them.
    """

    def index(self, node: ir.Load | ir.Store) -> Interval:
        """The least and greatest index there can be."""

    def value(self, node: ir.Store) -> Interval:
        """The least and greatest value there can be."""


class LocalChecks:
    """What can be seen of a function alone: constants, masks, what tables hold, what locals are
    given."""

    def __init__(self, program: ir.Program, function: ir.Function) -> None:
        self._tables = program.tables
        self._given: dict[str, list[ir.Expr | ir.For]] = {}
        for statement in _statements(function.body):
            if isinstance(statement, ir.Assign):
                self._given.setdefault(statement.name, []).append(statement.value)
            elif isinstance(statement, ir.For):
                self._given.setdefault(statement.name, []).append(statement)
        self._known: dict[str, Interval] = {name: UNKNOWN for name, _ in function.params}

    def index(self, node: ir.Load | ir.Store) -> Interval:
        """The least and greatest index there can be."""
        return self._interval(node.index)

    def value(self, node: ir.Store) -> Interval:
        """The least and greatest value there can be."""
        return self._interval(node.value)

    def _interval(self, expr: ir.Expr) -> Interval:
        match expr:
            case ir.Const(value):
                return value, value
            case ir.Local(name):
                return self._local(name)
            case ir.Load(table, _):
                return self._tables[table].low, self._tables[table].high
            case ir.Unary("-", operand):
                low, high = self._interval(operand)
                return -high, -low
            case ir.Unary():
                return 0, 1
            case ir.Binary(operator, left, right):
                return _combined(operator, self._interval(left), self._interval(right))
            case ir.Select(_, then, otherwise):
                return _joined(self._interval(then), self._interval(otherwise))
        return UNKNOWN

    def _local(self, name: str) -> Interval:
        """All that a local is given; a local that depends on itself only grows if each of its
        steps is up, and only shrinks if each is down."""
        if name not in self._known:
            self._known[name] = UNKNOWN
            found = [self._step(name, given) for given in self._given.get(name, [])]
            low = min((low for low, _ in found), default=-inf)
            high = max((high for _, high in found), default=inf)
            self._known[name] = (low, high) if low <= high else UNKNOWN
        return self._known[name]

    def _step(self, name: str, given: ir.Expr | ir.For) -> Interval:
        if isinstance(given, ir.For):
            return self._interval(given.low)[0], self._interval(given.high)[1] - 1
        match given:
            case ir.Binary("+", ir.Local(base), other) if base == name:
                low, high = self._interval(other)
            case ir.Binary("-", ir.Local(base), other) if base == name:
                low, high = _combined("-", (0, 0), self._interval(other))
            case _:
                return self._interval(given)
        return (inf if low >= 0 else -inf), (-inf if high <= 0 else inf)


def _joined(one: Interval, other: Interval) -> Interval:
    return min(one[0], other[0]), max(one[1], other[1])


def _combined(operator: ir.BinaryOp, one: Interval, other: Interval) -> Interval:
    (a, b), (c, d) = one, other
    match operator:
        case "+":
            return a + c, b + d
        case "-":
            return a - d, b - c
        case "*" if inf not in (b, d) and -inf not in (a, c):
            corners = (a * c, a * d, b * c, b * d)
            return min(corners), max(corners)
        case "*" if a >= 0 and c >= 0:
            return a * c, inf
        case "min":
            return min(a, c), min(b, d)
        case "max":
            return max(a, c), max(b, d)
        case "&" if a >= 0 or c >= 0:
            return 0, min(high for low, high in (one, other) if low >= 0)
        case "%" if c > 0:
            return 0, d - 1
        case "//" | ">>" if a >= 0 and c >= 0:
            return 0, b
        case "|" | "^" if a >= 0 and c >= 0 and inf not in (b, d):
            return 0, (1 << max(int(b).bit_length(), int(d).bit_length())) - 1
        case "<<" | "|" | "^" if a >= 0 and c >= 0:
            return 0, inf
    return UNKNOWN


def _statements(block: ir.Block) -> Iterator[ir.Stmt]:
    """All statements of a block, those inside others as well."""
    for statement in block:
        yield statement
        match statement:
            case ir.If(_, then, otherwise):
                yield from _statements(then)
                yield from _statements(otherwise)
            case ir.While(_, body) | ir.For(_, _, _, body):
                yield from _statements(body)
