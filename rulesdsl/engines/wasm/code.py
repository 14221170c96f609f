"""A builder for the instructions of one function."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from rulesdsl.diagnostics import Span
from rulesdsl.engines.wasm.binary import Op, Type, signed, sized, unsigned, vector


class Mark(NamedTuple):
    """The origin of an instruction that can stop the program, or calls a function that can.

    `offset` is that of the instruction, `span` the place in the rules.
    """

    offset: int
    span: Span | None


class Code:
    """A builder for a sequence of instructions.

    A block is identified by its depth: `block` yields it as the `target` of jumps.
    """

    def __init__(self, params: list[Type]) -> None:
        self.marks: list[Mark] = []
        self._data = bytearray()
        self._params = len(params)
        self._locals = list(params)
        self._depth = 0

    def body(self) -> tuple[bytes, int]:
        """Return the function for the code section, and the offset of its instructions in it."""
        own = [unsigned(1) + bytes((kind,)) for kind in self._locals[self._params :]]
        head = vector(own)
        content = sized(head + bytes(self._data) + bytes((Op.END,)))
        return content, len(content) - len(self._data) - 1

    def local(self, kind: Type) -> int:
        """Return a new local of this type."""
        self._locals.append(kind)
        return len(self._locals) - 1

    def op(self, *operations: Op) -> None:
        """Add instructions without immediates."""
        self._data += bytes(operations)

    def get(self, local: int) -> None:
        """Push a local."""
        self._data.append(Op.LOCAL_GET)
        self._data += unsigned(local)

    def set(self, local: int) -> None:
        """Pop a value into a local."""
        self._data.append(Op.LOCAL_SET)
        self._data += unsigned(local)

    def tee(self, local: int) -> None:
        """Copy the value on top of the stack into a local."""
        self._data.append(Op.LOCAL_TEE)
        self._data += unsigned(local)

    def long(self, number: int) -> None:
        """Push a 64-bit number."""
        self._data.append(Op.I64_CONST)
        self._data += signed(number)

    def short(self, number: int) -> None:
        """Push a 32-bit number."""
        self._data.append(Op.I32_CONST)
        self._data += signed(number)

    def memory(self, operation: Op, power: int, address: int) -> None:
        """Load or store `2 ** power` bytes at `address` plus the address on the stack."""
        self._data.append(operation)
        self._data += unsigned(power) + unsigned(address)

    def raw(self, content: bytes) -> None:
        """Add instructions that are encoded already."""
        self._data += content

    def call(self, function: int, span: Span | None) -> None:
        """Call a function."""
        self._mark(span)
        self._data.append(Op.CALL)
        self._data += unsigned(function)

    def division(self, operation: Op, span: Span | None) -> None:
        """Divide; a division by 0 traps."""
        self._mark(span)
        self._data.append(operation)

    def trap(self, fault: int, span: Span | None) -> None:
        """Stop with a fault."""
        self.short(fault)
        self._data += bytes((Op.GLOBAL_SET, 0))
        self._mark(span)
        self._data.append(Op.UNREACHABLE)

    def trap_if(self, fault: int, span: Span | None) -> None:
        """Stop with a fault if the value on top of the stack is true."""
        self._data += bytes((Op.IF, Type.NOTHING))
        self.trap(fault, span)
        self._data.append(Op.END)

    def _mark(self, span: Span | None) -> None:
        self.marks.append(Mark(len(self._data), span))

    @contextmanager
    def block(self, operation: Op, kind: Type = Type.NOTHING) -> Iterator[int]:
        """Return a context that adds a block, loop or if with the instructions added inside."""
        self._data += bytes((operation, kind))
        self._depth += 1
        yield self._depth
        self._depth -= 1
        self._data.append(Op.END)

    def otherwise(self) -> None:
        """Begin the else branch of an if."""
        self._data.append(Op.ELSE)

    def jump(self, target: int, operation: Op = Op.BR) -> None:
        """Leave a block or continue a loop: always, or if the value on top of the stack is true."""
        self._data.append(operation)
        self._data += unsigned(self._depth - target)
