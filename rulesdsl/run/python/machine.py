"""A compiled program at work on lists."""

from __future__ import annotations

from collections.abc import Mapping

from rulesdsl.core.faults import Fault
from rulesdsl.diagnostics import Source, Span
from rulesdsl.run.lowered.machine import ListMachine
from rulesdsl.run.python.places import place_of
from rulesdsl.run.python.program import CompiledProgram, faulting


class PythonMachine(ListMachine):
    """A program of Python functions, closed over its tables (see `run.lowered.machine.Machine`)."""

    def __init__(
        self,
        compiled: CompiledProgram,
        sources: Mapping[str, Source],
        tables: Mapping[str, list[int]] | None = None,
    ) -> None:
        """A machine on these tables, or on new ones; `sources` are the files of rules by name."""
        super().__init__(compiled.new_tables() if tables is None else tables, compiled.states)
        self._compiled = compiled
        self._sources = sources
        self._entries = {
            name: faulting(entry) for name, entry in compiled.make(self.tables).items()
        }

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        """Call a function; raises Fault, and the state tables are anything then."""
        return self._entries[entry](*arguments)

    def clone(self) -> PythonMachine:
        """A machine of the same program that goes on by itself."""
        return PythonMachine(self._compiled, self._sources, self.copied())

    def place(self, fault: Fault) -> Span | None:
        """The rule in which a fault happened."""
        place = place_of(fault.__traceback__)
        source = None if place is None else self._sources.get(place.file)
        return None if place is None or source is None else place.span(source)
