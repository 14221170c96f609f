"""Building the body of one IR function."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rulesdsl.diagnostics import Span
from rulesdsl.model import ir
from rulesdsl.model.types import Type

ZERO, ONE, MINUS = ir.Const(0), ir.Const(1), ir.Const(-1)


class Environment(Protocol):
    """Where the locals of the rules live: locals of the IR, or slots of a frame."""

    def read(self, name: str, type_: Type) -> ir.Expr:
        """What a local of the rules is now: its number, a bool as an IR bool, a set as an offset
        into `heap`."""

    def write(self, name: str, type_: Type, value: ir.Expr, span: Span) -> None:
        """Give a local of the rules a value, by emitting what does that."""


class Builder:
    """Collects the statements of a function. `emit` puts one at the end of the innermost block.
    `reserved` are names that no local gets."""

    def __init__(self, *reserved: str) -> None:
        self.kinds: dict[str, ir.Kind] = {}
        self._reserved = frozenset(reserved)
        self._blocks: list[list[ir.Stmt]] = [[]]
        self._count: dict[str, int] = {}

    def emit(self, statement: ir.Stmt) -> None:
        self._blocks[-1].append(statement)

    @contextmanager
    def block(self) -> Iterator[list[ir.Stmt]]:
        """What is emitted inside goes into the list that is given, for an `If` or a loop."""
        inner = self.open()
        try:
            yield inner
        finally:
            self.close()

    def open(self) -> list[ir.Stmt]:
        """Begin an inner block, up to the next `close`; gives the list of its statements."""
        inner: list[ir.Stmt] = []
        self._blocks.append(inner)
        return inner

    def close(self) -> None:
        """End the innermost block."""
        self._blocks.pop()

    def body(self) -> ir.Block:
        """Everything emitted outside of inner blocks."""
        return tuple(self._blocks[0])

    def fresh(self, hint: str, kind: ir.Kind = "int") -> str:
        """The name of a new local: the hint, numbered from the second on. Hints are identifiers."""
        number = self._count[hint] = self._count.get(hint, 0) + 1
        name = hint if number == 1 else f"{hint}_{number}"
        if name in self.kinds or name in self._reserved:
            return self.fresh(hint, kind)
        self.kinds[name] = kind
        return name

    def let(
        self, hint: str, value: ir.Expr, span: Span | None = None, kind: ir.Kind = "int"
    ) -> ir.Local:
        """A new local with that value."""
        name = self.fresh(hint, kind)
        self.emit(ir.Assign(name, value, span))
        return ir.Local(name)

    def do(self, function: str, *arguments: ir.Expr, span: Span | None = None) -> None:
        """Call a function for what it does."""
        self.emit(ir.Do(ir.Call(function, arguments), span))

    def trap_if(self, condition: ir.Expr, code: int, span: Span | None) -> None:
        """Fault `code` where the condition holds."""
        self.emit(ir.If(condition, (ir.Trap(code, span),), (), span))
