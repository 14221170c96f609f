"""Machines that share an instance, each with the state of one position."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, SupportsIndex, overload
from weakref import ref

from rulesdsl.diagnostics import Source, Span
from rulesdsl.engines.wasm.instance import Instance, Stopped
from rulesdsl.engines.wasm.layout import Place
from rulesdsl.runtime.faults import Fault


class Sharing:
    """An instance, and the machine whose state it holds now."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.state = instance.memory[: instance.program.layout.state]
        self.blank = bytes(self.state)
        self._now: ref[WasmMachine] | None = None
        self.number = -1
        self._count = 0

    def next_number(self) -> int:
        """Return a new number for a machine."""
        self._count += 1
        return self._count

    def enter(self, machine: WasmMachine) -> None:
        """Load the state of a machine into the instance."""
        before = self._now() if self._now is not None else None
        if before is not None:
            before.leave(bytes(self.state))
        self.state[:] = machine.held
        self._now, self.number = ref(machine), machine.number


class WasmMachine:
    """A `compiled.machine.Machine` that runs the program of a module.

    `held` is its state while the instance holds that of another machine.
    """

    def __init__(self, sharing: Sharing, sources: Mapping[str, Source], held: bytes | None = None):
        """Make a machine with this state, or with the initial one.

        `sources` are the files of rules by name.
        """
        self.held = sharing.blank if held is None else held
        self.number = sharing.next_number()
        self.sharing = sharing
        self._sources = sources

    @property
    def tables(self) -> MemoryTables:
        """All tables by name.

        State tables may be changed from outside between two calls.
        """
        return MemoryTables(self)

    def enter(self) -> None:
        """Load its state into the instance.

        Raises RuntimeError while another thread plays there.
        """
        self.sharing.instance.check()
        self._enter()

    def _enter(self) -> None:
        if self.sharing.number != self.number:
            self.sharing.enter(self)

    def leave(self, held: bytes) -> None:
        """Take back the state, because another machine uses the instance."""
        self.held = held

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        """Call a function; raises Fault, and the content of the state tables is undefined then."""
        return self.sharing.instance.call(entry, *arguments, before=self._enter)

    def clone(self) -> WasmMachine:
        """Return an independent machine of the same program with the same state."""
        return WasmMachine(self.sharing, self._sources, self.keep())

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

    def place(self, fault: Fault) -> Span | None:
        """Return the place of the rule in which a fault happened, None if it is unknown."""
        if not isinstance(fault, Stopped) or fault.where is None:
            return None
        file, start, end = fault.where
        source = self._sources.get(file)
        return None if source is None else source.span(start, end)


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
        self._place: Place = machine.sharing.instance.program.layout.places[name]

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


def _check(place: Place, least: int, most: int) -> None:
    if not place.low <= least <= most <= place.high:
        raise OverflowError("a number is outside of the range of its table")
