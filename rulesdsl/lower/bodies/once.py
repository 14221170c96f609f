"""What is worked out once for one evaluation of a value: guards and results of its rules.

Values never call themselves, so that only one evaluation of each is under way at a time: a table
of the value keeps the number of its last evaluation, and for everything that is worked out once
the number of the evaluation in which that happened, and what came out.
"""

from __future__ import annotations

from dataclasses import dataclass

from rulesdsl.diagnostics import Span
from rulesdsl.lower.bodies.locals import kind_of
from rulesdsl.lower.emit import ONE, ZERO, Builder
from rulesdsl.lower.logic import as_number
from rulesdsl.lower.tables.encoding import is_set
from rulesdsl.model import ir
from rulesdsl.model.checked import (
    Aggregate,
    CallValue,
    Comprehension,
    For,
    Previous,
    Reach,
    Rule,
    ValueDef,
    While,
    walk,
)
from rulesdsl.model.types import BOOL, Type

_ENDLESS_FUEL = ir.Const(2**52)
_LOOPS = (For, While, Aggregate, Comprehension, Reach)


@dataclass(frozen=True)
class Once:
    """The table of a value: entry 0 is the number of the evaluation, pairs follow of a number and a
    result."""

    table: str

    def begin(self, builder: Builder, span: Span) -> None:
        """Emit the beginning of an evaluation."""
        number = ir.Binary("+", self._entry(0), ONE)
        builder.emit(ir.Store(self.table, ZERO, number, span))

    def call(self, builder: Builder, pair: int, work: ir.Call, type_: Type, span: Span) -> ir.Expr:
        """Emit what works out a value of that type, the first time. A set is made again, as it may
        no longer be on the heap, but takes no fuel."""
        at = 1 + 2 * pair
        known = ir.Compare("==", self._entry(at), self._entry(0))
        result = builder.fresh("known", kind_of(type_))
        first: list[ir.Stmt] = [
            ir.Assign(result, work, span),
            ir.Store(self.table, ir.Const(at), self._entry(0), span),
        ]
        if is_set(type_):
            fuel = builder.let("fuel", ir.Load("fuel", ZERO), span)
            again: tuple[ir.Stmt, ...] = (
                ir.Store("fuel", ZERO, _ENDLESS_FUEL, span),
                ir.Assign(result, work, span),
                ir.Store("fuel", ZERO, fuel, span),
            )
        else:
            kept = as_number(ir.Local(result), type_ == BOOL)
            first.append(ir.Store(self.table, ir.Const(at + 1), kept, span))
            value: ir.Expr = self._entry(at + 1)
            again = (
                ir.Assign(result, ir.Compare("!=", value, ZERO) if type_ == BOOL else value, span),
            )
        builder.emit(ir.If(known, again, tuple(first), span))
        return ir.Local(result)

    def _entry(self, at: int) -> ir.Expr:
        return ir.Load(self.table, ir.Const(at))


def table_of(name: str, definition: ValueDef) -> ir.Table:
    """The table for a value: for each rule a pair for its guard and one for its result."""
    doc = f"What is known of the rules of value `{definition.key}`."
    limit = 2**53 - 1
    return ir.Table(name, "scratch", 1 + 4 * len(definition.rules), -limit, limit, (), doc)


def repeats(definition: ValueDef) -> bool:
    """Can an evaluation come to a rule for a second time? Where no guard has a `previous`, and each
    rule only one that it comes to once, it goes down from rule to rule."""
    return any(map(_repeats, definition.rules))


def _repeats(rule: Rule) -> bool:
    if any(isinstance(node, Previous) for node in walk(rule.guard)):
        return True
    inside = list(walk(rule.body))
    return sum(isinstance(node, Previous) for node in inside) > 1 or any(
        isinstance(inner, Previous)
        for node in inside
        if isinstance(node, _LOOPS)
        for inner in walk(node)
    )


def costs(tree: object) -> bool:
    """Does it take fuel by itself?"""
    return any(isinstance(node, (CallValue, *_LOOPS)) for node in walk(tree))
