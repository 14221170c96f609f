"""Machines that share an instance, each with the state of one position."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import POINTER, addressof, c_char, c_size_t, c_void_p
from ctypes import cast as as_pointer
from functools import cached_property
from itertools import count
from threading import Lock
from typing import Any, SupportsIndex, cast, overload
from weakref import ref

import wasmtime

from rulesdsl.base.deadline import active, check
from rulesdsl.engine.run.machine import (
    BUSY,
    DECIDED,
    FUEL,
    HALTED,
    ROW_NOW,
    Before,
    Stopped,
    place_of,
)
from rulesdsl.engine.run.wasm.layout import FAULT, MEMORY, ROW, TablePlace
from rulesdsl.engine.run.wasm.program import WasmProgram
from rulesdsl.engine.run.watch import WATCH
from rulesdsl.engine.runtime import faults
from rulesdsl.engine.runtime.faults import Fault
from rulesdsl.language.diagnostics import Source, Span
from rulesdsl.language.model.tables import Entries

Call = Callable[..., int | None]
"""A function that calls an exported one with ints (or bools) and returns its result as an int.

Raises wasmtime.Trap.
"""


def caller(store: wasmtime.Store, function: wasmtime.Func) -> Call:
    """Return a function that calls an exported function, for one thread at a time."""
    try:
        return _unchecked(store, function)
    except (ImportError, AttributeError, TypeError):
        return public(store, function)


def public(store: wasmtime.Store, function: wasmtime.Func) -> Call:
    """Return a function like `caller` does, but with public names only."""

    def call(*arguments: int) -> int | None:
        given: int | None = function(store, *arguments)
        return given

    return call


def _unchecked(store: wasmtime.Store, function: wasmtime.Func) -> Call:
    from wasmtime import _ffi as ffi

    kind = function.type(store)
    wide = [param == wasmtime.ValType.i64() for param in kind.params]
    gives = [result == wasmtime.ValType.i64() for result in kind.results]
    values: Any = (ffi.wasmtime_val_raw_t * max(len(wide), len(gives), 1))()
    trap = c_void_p()
    enter = ffi.dll["wasmtime_func_call_unchecked"]
    enter.argtypes = (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)
    enter.restype = c_void_p
    context = as_pointer(store._context(), c_void_p).value
    parameters = context, addressof(function._func), addressof(values), len(values), addressof(trap)
    as_error, as_trap = wasmtime.WasmtimeError._from_ptr, wasmtime.Trap._from_ptr

    def call(*arguments: int) -> int | None:
        for value, argument, is_wide in zip(values, arguments, wide, strict=False):
            if is_wide:
                value.i64 = argument
            else:
                value.i32 = argument
        error = enter(*parameters)
        if error:
            raise as_error(as_pointer(error, POINTER(ffi.wasmtime_error_t)))
        if trap.value:
            address, trap.value = trap.value, None
            raise as_trap(as_pointer(address, POINTER(ffi.wasm_trap_t)))
        if not gives:
            return None
        given: int = values[0].i64 if gives[0] else values[0].i32
        return given

    return call


TRAPS = {
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: faults.ZERO,
    wasmtime.TrapCode.STACK_OVERFLOW: faults.TOO_DEEP,
    wasmtime.TrapCode.INTEGER_OVERFLOW: faults.OVERFLOW,
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: faults.INDEX,
}
"""The faults that the machine detects by itself.

The last two occur only in ill-formed programs.
"""


class Instance:
    """An instance of a module with its own `memory`; `tables` are the tables in it by name.

    Besides row 0 the memory has room for `rows` rows; the tables are those of row 0.

    Only one thread uses it at a time: during a call, `check` and calls raise RuntimeError in all
    others.
    """

    def __init__(self, program: WasmProgram, rows: int = 0) -> None:
        self.program = program
        self._store = wasmtime.Store(program.engine)
        self._exports = wasmtime.Instance(self._store, program.module, []).exports(self._store)
        memory = self._exports[MEMORY]
        assert isinstance(memory, wasmtime.Memory)
        if rows:
            memory.grow(self._store, program.layout.pages_for(rows))
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

        Raises `Stopped`, or OutOfTime when a deadline passes. `before` is called just before,
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
            self._leave_row()
            check(deadlines)
            raise self._stopped(trap) from None
        finally:
            WATCH.end(self)
            self._lock.release()

    @property
    def progress(self) -> object:
        """A value that is different for each decision in a call, for `watch`."""
        return [self.tables[name][0] for name in (DECIDED, ROW_NOW) if name in self.tables]

    def stop(self) -> None:
        """Make a call in another thread fail at its next step."""
        if FUEL in self.tables:
            self.tables[HALTED][0] = 1
            self.tables[FUEL][0] = 0
            layout = self.program.layout
            row = self.tables[ROW_NOW][0] if ROW_NOW in self.tables else 0
            if row:
                fuel = layout.places[FUEL]
                at = layout.rows + (row - 1) * layout.row + fuel.address
                self.memory[at : at + fuel.bytes] = bytes(fuel.bytes)

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

    def _leave_row(self) -> None:
        """Use row 0 again, after a call that did not end."""
        row = self._exports[ROW]
        assert isinstance(row, wasmtime.Global)
        row.set_value(self._store, 0)

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


class Sharing:
    """An instance, and the machine whose state it holds now."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.state = instance.memory[: instance.program.layout.state]
        self.blank = bytes(self.state)
        self._now: ref[WasmMachine] | None = None
        self.number = -1
        self.numbers = count()

    def enter(self, machine: WasmMachine) -> None:
        """Load the state of a machine into the instance."""
        before = self._now() if self._now is not None else None
        if before is not None:
            before.held = bytes(self.state)
        self.state[:] = machine.held
        self._now, self.number = ref(machine), machine.number


class WasmMachine:
    """A program and the current content of its tables, in the memory of a module.

    `held` is its state while the instance holds that of another machine.
    """

    def __init__(self, sharing: Sharing, sources: Mapping[str, Source], held: bytes | None = None):
        """Make a machine with this state, or with the initial one.

        `sources` are the files of rules by name.
        """
        self.held = sharing.blank if held is None else held
        self.number = next(sharing.numbers)
        self.sharing = sharing
        self._sources = sources

    @property
    def tables(self) -> MemoryTables:
        """All tables by name.

        State tables may be changed from outside between two calls.
        """
        return MemoryTables(self)

    @property
    def now(self) -> Mapping[str, Entries]:
        """The tables in the memory, until another machine of the program is used."""
        self.enter()
        return cast(Mapping[str, Entries], self.sharing.instance.tables)

    def first(self, name: str) -> int:
        """Return the first entry of a table; quicker than through `tables`."""
        self.enter()
        return self.sharing.instance.tables[name][0]

    def enter(self) -> None:
        """Load its state into the instance.

        Raises RuntimeError while another thread plays there.
        """
        self.sharing.instance.check()
        self._enter()

    def _enter(self) -> None:
        if self.sharing.number != self.number:
            self.sharing.enter(self)

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        """Call a function; raises Fault, and the content of the state tables is undefined then."""
        return self.sharing.instance.call(entry, *arguments, before=self._enter)

    def clone(self) -> WasmMachine:
        """Return an independent machine of the same program with the same state."""
        return WasmMachine(self.sharing, self._sources, self.keep())

    def fresh(self) -> WasmMachine:
        """Return an independent machine of the same program in its initial state."""
        return WasmMachine(self.sharing, self._sources)

    def keep(self) -> bytes:
        """Return a copy of the state tables for `restore`."""
        if self.sharing.number != self.number:
            return self.held
        self.sharing.instance.check()
        return bytes(self.sharing.state)

    def restore(self, kept: object) -> None:
        """Restore the content that the state tables had when `keep` returned this."""
        assert isinstance(kept, bytes)
        if self.sharing.number == self.number:
            self.sharing.instance.check()
            self.sharing.state[:] = kept
        else:
            self.held = kept

    def before(self, kept: object) -> Before:
        """Return the tables with the state that was kept, quick to read."""
        assert isinstance(kept, bytes)
        self.enter()
        return MemoryBefore(self.sharing.instance, kept)

    def image(self, changed: Mapping[str, Sequence[int]]) -> bytes:
        """Return the state of the program: the bytes from address 0 of a module of the game.

        Tables that are `changed` have these numbers there, and zeros behind them.
        """
        found = bytearray(self.keep())
        for name, numbers in changed.items():
            place = self.sharing.instance.program.layout.places[name]
            packed = array(place.width.format, numbers).tobytes()
            found[place.address : place.address + place.bytes] = packed.ljust(place.bytes, b"\0")
        return bytes(found)

    def runtime(self, name: str) -> Callable[..., Any]:
        """Return a function of the runtime, as it is written in Python, on these tables."""
        return self._runtime[name]

    @cached_property
    def _runtime(self) -> Mapping[str, Callable[..., Any]]:
        from rulesdsl.engine.run.python import machine  # playing does not need it

        return machine.BoundRuntime(self.tables).public(*machine.BOARD)

    def place(self, fault: Fault) -> Span | None:
        """Return the place of the rule in which a fault happened, None if it is unknown."""
        return place_of(fault, self._sources)


class MemoryBefore(Before):
    """The tables of an instance, with those of a copy of its state."""

    def __init__(self, instance: Instance, state: bytes) -> None:
        self._state = state
        self._memory = instance.memory
        self._places = instance.program.layout.places
        self.now = cast(Mapping[str, Entries], instance.tables)
        self._changed: dict[str, memoryview[int]] = {}

    def __getitem__(self, name: str) -> Entries:
        found: object = self._changed.get(name) or self.now[name]
        place = self._places[name]
        if place.role == "state" and name not in self._changed:
            part = memoryview(self._state)[place.address : place.address + place.bytes]
            found = part.cast(place.width.format)  # type: ignore[call-overload]
        return cast(Entries, found)

    def changing(self, name: str) -> Entries:
        """Return a state table that may be changed, without changing the instance or the copy."""
        if name not in self._changed:
            place = self._places[name]
            part: Any = memoryview(
                bytearray(self._state[place.address : place.address + place.bytes])
            )
            self._changed[name] = part.cast(place.width.format)
        return cast(Entries, self._changed[name])

    def differs(self, name: str) -> bool:
        """Return whether a state table of the instance is not as in the copy."""
        place = self._places[name]
        begin, end = place.address, place.address + place.bytes
        return self._state[begin:end] != bytes(self._memory[begin:end])

    def __iter__(self) -> Iterator[str]:
        return iter(self.now)

    def __len__(self) -> int:
        return len(self.now)


class MemoryTables(Mapping[str, "MemoryTable"]):
    """The tables of a machine by name."""

    def __init__(self, machine: WasmMachine) -> None:
        self._machine = machine

    def __getitem__(self, name: str) -> MemoryTable:
        return MemoryTable(self._machine, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._machine.sharing.instance.tables)

    def __len__(self) -> int:
        return len(self._machine.sharing.instance.tables)


class MemoryTable:
    """A table in memory as a list of fixed length.

    Raises OverflowError for a number outside the range of the table.
    """

    def __init__(self, machine: WasmMachine, name: str) -> None:
        self._machine = machine
        self._entries = machine.sharing.instance.tables[name]
        self._place: TablePlace = machine.sharing.instance.program.layout.places[name]

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[int]: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> int | list[int]:
        self._machine.enter()
        if isinstance(index, slice):
            return self._entries[index].tolist()
        return self._entries[index.__index__()]

    @overload
    def __setitem__(self, index: SupportsIndex, value: int, /) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[int], /) -> None: ...
    def __setitem__(self, index: Any, value: Any, /) -> None:
        self._machine.enter()
        place = self._place
        if isinstance(index, slice):
            values = list(value)
            _check(place, min(values, default=place.low), max(values, default=place.low))
            self._entries[index] = memoryview(array(place.width.format, values))
        else:
            _check(place, value, value)
            self._entries[index] = value

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[int]:
        self._machine.enter()
        return iter(self._entries.tolist())

    def __eq__(self, other: object) -> bool:
        return self[:] == other


def _check(place: TablePlace, least: int, most: int) -> None:
    if not place.low <= least <= most <= place.high:
        raise OverflowError("a number is outside of the range of its table")
