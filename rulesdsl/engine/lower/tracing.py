"""Traced programs, which say at every step what the rules do and which values they compute.

A traced program calls `TRACE(number, value)` wherever it has something to say. The number is that
of a `TracePoint`, which says what it is about; the function returns the value, so that a machine
can put another function in its place. All values are computed by statements, in the order of the
rules, so that calls between the beginning and the end of an expression belong to its parts.

- `begin`, `end`: an expression; the end with its value (a set as an offset into `heap`)
- `bind`: a name of a binder has a value, for the round of a loop that begins
- `rule`, `applies`: a rule of a value is tried or gives its result; whether it applies
- `assign`: a local gets the value of the last expression
- `enter`, `argument`, `part`, `leave`: a callable begins, has an argument, runs a part, ends
- `statement`: a statement of a callable begins, in the part `name`
- `call`: it has evaluated the arguments of a call
- `loop`, `looped`: a loop of a callable has found its rounds, has ended
- `ran`: a part of the rules begins, in a program that is also marked
- `score`: a statement has changed the score
- `moves`, `option`, `row`: the moves of a choice are listed, those of an option, one is open
- `alike`: what tells the members of a set apart whose subsets an option offers; -1 offers all
"""

from __future__ import annotations

from typing import Any

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower.emit import ZERO, Builder, as_number, as_value
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import ir
from rulesdsl.language.model.types import BOOL, Type

TRACE = "trace"
"""The function that a traced program calls."""


@dataclass(frozen=True)
class TracePoint:
    """A place in a traced program: what happens there, and to which node of the checked tree.

    `type` is that of the value, `name` that of a local or of a part of a callable; `number` is the
    index of a rule or an option, or 1 for the part of a callable that `proceed` runs.
    """

    what: str
    node: Any
    type: Type = BOOL
    name: str = ""
    number: int = 0


class TracePoints:
    """The points of a traced program, which grow while it is lowered."""

    def __init__(self) -> None:
        self.points: list[TracePoint] = []
        self._known: dict[int, tree.Node] = {}

    def know(self, trees: object) -> None:
        """Trace the nodes of trees, by identity."""
        nodes = (node for node in tree.walk(trees) if isinstance(node, tree.Node))
        self._known.update((id(node), node) for node in nodes)

    def knows(self, node: tree.Node) -> bool:
        """Return whether a node is traced, and not made by the lowering."""
        return id(node) in self._known

    def emit(self, builder: Builder, point: TracePoint, value: ir.Expr = ZERO) -> None:
        """Emit that the program is at a point."""
        builder.do(TRACE, self._number(point), value)

    def value(self, builder: Builder, node: tree.Typed, value: ir.Expr) -> ir.Expr:
        """Emit the end of an expression with its value, and return the value."""
        point = TracePoint("end", node, node.type)
        if isinstance(value, ir.Const | ir.Truth):
            # What is known beforehand stays known.
            self.emit(builder, point, as_number(value, node.type))
            return value
        call = ir.Call(TRACE, (self._number(point), as_number(value, node.type)))
        return as_value(builder.let("traced", call, node.span), node.type)

    def alike(self, builder: Builder, node: tree.SubsetRange, value: ir.Expr) -> ir.Expr:
        """Emit that an option offers subsets, and return what tells their members apart."""
        call = ir.Call(TRACE, (self._number(TracePoint("alike", node)), value))
        return builder.let("alike", call, node.span)

    def _number(self, point: TracePoint) -> ir.Const:
        self.points.append(point)
        return ir.Const(len(self.points) - 1)


def trace_function() -> ir.Function:
    """Return the function that programs call, which does nothing."""
    params: tuple[tuple[str, ir.Kind], ...] = (("number", "int"), ("value", "int"))
    body = (ir.Return(ir.Local("value")),)
    doc = "Return the value; a machine that traces has another function in its place."
    return ir.Function(TRACE, params, "int", body, (), doc)
