"""An instance of a module: its memory, and calls of its exports."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import addressof, c_char
from threading import Lock
from typing import Any

import wasmtime

from rulesdsl.deadline import active, check
from rulesdsl.engines.wasm.calls import Call, caller
from rulesdsl.engines.wasm.layout import FAULT, MEMORY
from rulesdsl.engines.wasm.program import WasmProgram, Where
from rulesdsl.engines.watch import WATCH
from rulesdsl.runtime import faults
from rulesdsl.runtime.faults import Fault

TRAPS = {
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: faults.ZERO,
    wasmtime.TrapCode.STACK_OVERFLOW: faults.TOO_DEEP,
    wasmtime.TrapCode.INTEGER_OVERFLOW: faults.OVERFLOW,
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: faults.INDEX,
}
"""The faults that the machine detects by itself.

The last two occur only in ill-formed programs.
"""


FUEL, HALTED, DECIDED = "fuel", "halted", "decided"
"""The tables for the steps left, for a stop of later decisions, and for the decisions so far."""

BUSY = "a game is played by another thread: each needs positions of its own"


class Stopped(Fault):
    """A fault that stopped a module; `where` is the place in the rules, None if it is unknown.

    `again` is false if a time limit stopped it, so that the fault does not occur again.
    """

    def __init__(self, code: int, where: Where | None, again: bool = True) -> None:
        super().__init__(code)
        self.where = where
        self.again = again


class Instance:
    """An instance of a module with its own `memory`; `tables` are the tables in it by name.

    Only one thread uses it at a time: during a call, `check` and calls raise RuntimeError in all
    others.
    """

    def __init__(self, program: WasmProgram) -> None:
        self.program = program
        self._store = wasmtime.Store(program.engine)
        self._exports = wasmtime.Instance(self._store, program.module, []).exports(self._store)
        memory = self._exports[MEMORY]
        assert isinstance(memory, wasmtime.Memory)
        self.memory = _bytes(self._store, memory)
        self.tables: dict[str, memoryview[int]] = {}
        for name, place in program.layout.places.items():
            part: Any = self.memory[place.address : place.address + place.bytes]
            self.tables[name] = part.cast(place.width.format)
        self._calls: dict[str, Call] = {}
        self._lock = Lock()
        self._late = False

    def call(
        self, name: str, *arguments: int, before: Callable[[], object] | None = None
    ) -> int | None:
        """Call an exported function, which returns a bool as 0 or 1.

        Raises `Stopped`, or OutOfTime when a deadline passes. `before` is called right before it,
        when no other thread can interfere any more.
        """
        call = self._calls.get(name)
        if call is None:
            function = self._exports[name]
            assert isinstance(function, wasmtime.Func)
            call = self._calls[name] = caller(self._store, function)
        deadlines = active()
        check(deadlines)
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(BUSY)
        try:
            if before is not None:
                before()
            self._late = False
            WATCH.begin(self, deadlines)
            return call(*arguments)
        except wasmtime.Trap as trap:
            check(deadlines)
            raise self._stopped(trap) from None
        finally:
            WATCH.end(self)
            self._lock.release()

    @property
    def progress(self) -> object:
        """A value that is different for each decision in a call, for `watch`."""
        decided = self.tables.get(DECIDED)
        return decided and decided[0]

    def stop(self) -> None:
        """Make a call in another thread fail at its next step."""
        if FUEL in self.tables:
            self.tables[HALTED][0] = 1
            self.tables[FUEL][0] = 0

    def resume(self) -> None:
        """Allow calls again after a stop."""
        if FUEL in self.tables:
            self.tables[HALTED][0] = 0

    def late(self) -> None:
        """Note that the current decision has taken too long."""
        self._late = True

    def check(self) -> None:
        """Raise RuntimeError during a call."""
        if self._lock.locked():
            raise RuntimeError(BUSY)

    def _stopped(self, trap: wasmtime.Trap) -> Stopped:
        """Return the fault that a trap stands for.

        The frames of a trap are sorted from the innermost one.
        """
        at = [self.program.at(frame.module_offset) for frame in trap.frames]
        where = next((place for place in at if place is not None), None)
        kind = trap.trap_code
        fault = self._exports[FAULT]
        assert isinstance(fault, wasmtime.Global)
        code = TRAPS[kind] if kind in TRAPS else fault.value(self._store)
        return Stopped(code, where, not self._late)


def _bytes(store: wasmtime.Store, memory: wasmtime.Memory) -> memoryview[int]:
    """Return the content of a memory, which stays alive as long as this view."""
    size = memory.data_len(store)
    if not size:
        return memoryview(bytearray())
    content = (c_char * size).from_address(addressof(memory.data_ptr(store).contents))
    content.store = store  # type: ignore[attr-defined]
    return memoryview(content).cast("B")
