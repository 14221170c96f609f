"""What runs printed programs, and the evaluator, which says what they do."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from rulesdsl.engine.run.machine import Stopped as Trapped
from rulesdsl.engine.run.wasm.machine import Instance
from rulesdsl.engine.run.wasm.printer import print_module
from rulesdsl.engine.run.wasm.program import compile_module
from rulesdsl.language.model import ir
from tests.ir.evaluate import Slots, Stopped, evaluate, new_tables
from tests.ir.verify import verify

Where = tuple[str, int, int]
"""A place in the rules: file, line, column."""

Tables = dict[str, list[int]]


class Ended(NamedTuple):
    """What a call gave, or the fault that stopped it and where."""

    given: int | None = None
    fault: int | None = None
    where: Where | None = None


class Running(Protocol):
    """A program at work."""

    def call(self, name: str, *arguments: int) -> Ended:
        """Call an entry."""

    def tables(self) -> Tables:
        """All tables as they are now."""

    def fill(self, tables: Mapping[str, Sequence[int]]) -> None:
        """Let tables hold this."""


class Evaluated:
    """On the evaluator."""

    def __init__(self, program: ir.Program) -> None:
        self._tables = new_tables(program)
        self._program = program
        self._slots: Slots = {}

    def call(self, name: str, *arguments: int) -> Ended:
        try:
            given = evaluate(self._program, self._tables, name, *arguments, slots=self._slots)
        except Stopped as stopped:
            span = stopped.span
            where = (span.source.name, span.line, span.column) if span else None
            return Ended(None, stopped.code, where)
        return Ended(None if given is None else int(given))

    def tables(self) -> Tables:
        return {name: list(table) for name, table in self._tables.items()}

    def fill(self, tables: Mapping[str, Sequence[int]]) -> None:
        for name, values in tables.items():
            self._tables[name][:] = values


class OnWasm:
    """As WebAssembly."""

    def __init__(self, program: ir.Program) -> None:
        module = print_module(program)
        spans = {
            (span.source.name, span.start, span.end): span
            for mark in module.marks
            if (span := mark.span) is not None
        }
        self._lines = {at: (span.line, span.column) for at, span in spans.items()}
        self.instance = Instance(compile_module(module))

    def call(self, name: str, *arguments: int) -> Ended:
        try:
            return Ended(self.instance.call(name, *arguments))
        except Trapped as stopped:
            at = stopped.where
            return Ended(None, stopped.code, (at[0], *self._lines[at]) if at else None)

    def tables(self) -> Tables:
        return {name: table.tolist() for name, table in self.instance.tables.items()}

    def fill(self, tables: Mapping[str, Sequence[int]]) -> None:
        for name, values in tables.items():
            table = self.instance.tables[name]
            table[:] = memoryview(array(table.format, values))


Call = tuple[str, tuple[int, ...]]
"""An entry, and what it is called with."""


def alike(
    program: ir.Program,
    calls: Iterable[Call],
    tables: Mapping[str, Sequence[int]] | None = None,
) -> list[Ended]:
    """How calls end, one after the other on the tables as they are in the beginning or on these: as
    WebAssembly as on the evaluator, all tables being equal after each. What the evaluator cannot
    do, because no program may, is left out."""
    assert verify(program) == []
    expected, found = Evaluated(program), OnWasm(program)
    machines: tuple[Running, ...] = expected, found
    for running in machines:
        running.fill(tables or {})
    ends = []
    for name, arguments in calls:
        before = expected.tables()
        try:
            ends.append(expected.call(name, *arguments))
        except AssertionError:
            expected.fill(before)
            continue
        assert found.call(name, *arguments) == ends[-1], (name, arguments)
        assert found.tables() == expected.tables(), (name, arguments)
    return ends
