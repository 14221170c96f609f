"""A module at work: its memory, and calls of what it exports."""

from __future__ import annotations

from ctypes import addressof, c_char
from threading import Lock
from typing import Any

import wasmtime

from rulesdsl.core import faults
from rulesdsl.core.faults import Fault
from rulesdsl.run.wasm.calls import Call, caller
from rulesdsl.run.wasm.layout import FAULT, MEMORY
from rulesdsl.run.wasm.program import WasmProgram, Where

TRAPS = {
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: faults.ZERO,
    wasmtime.TrapCode.STACK_OVERFLOW: faults.TOO_DEEP,
}
"""The faults that the machine finds by itself."""


class Stopped(Fault):
    """A fault stopped a module; `where` is the place in the rules, None if it is from no rule."""

    def __init__(self, code: int, where: Where | None) -> None:
        super().__init__(code)
        self.where = where


class Instance:
    """A module with a memory of its own, `memory`; `tables` are its tables there by name.

    Whatever thread uses it, one at a time does: for another one that comes between, calls raise
    RuntimeError.
    """

    def __init__(self, program: WasmProgram) -> None:
        self.program = program
        self._store = wasmtime.Store(program.engine)
        self._exports = wasmtime.Instance(self._store, program.module, []).exports(self._store)
        memory = self._exports[MEMORY]
        assert isinstance(memory, wasmtime.Memory)
        size = memory.data_len(self._store)
        start = addressof(memory.data_ptr(self._store).contents)
        self.memory = memoryview((c_char * size).from_address(start)).cast("B")
        self.tables: dict[str, memoryview[int]] = {}
        for name, place in program.layout.places.items():
            part: Any = self.memory[place.address : place.address + place.bytes]
            self.tables[name] = part.cast(place.width.format)
        self._calls: dict[str, Call] = {}
        self._lock = Lock()

    def call(self, name: str, *arguments: int) -> int | None:
        """Call an exported function, which gives a bool as 0 or 1; raises `Stopped`."""
        call = self._calls.get(name)
        if call is None:
            function = self._exports[name]
            assert isinstance(function, wasmtime.Func)
            call = self._calls[name] = caller(self._store, function)
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(
                "a game is played by another thread: each needs positions of its own"
            )
        try:
            return call(*arguments)
        except wasmtime.Trap as trap:
            raise self._stopped(trap) from None
        finally:
            self._lock.release()

    def _stopped(self, trap: wasmtime.Trap) -> Stopped:
        """The fault that a trap stands for. Its frames are the innermost first."""
        at = [self.program.at(frame.module_offset) for frame in trap.frames]
        where = next((place for place in at if place is not None), None)
        kind = trap.trap_code
        fault = self._exports[FAULT]
        assert isinstance(fault, wasmtime.Global)
        code = TRAPS[kind] if kind in TRAPS else fault.value(self._store)
        return Stopped(code, where)
