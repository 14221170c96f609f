"""Compiled programs, and what goes wrong while they run."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass
from types import CodeType

from rulesdsl.core import faults
from rulesdsl.core.faults import Fault
from rulesdsl.model import ir
from rulesdsl.run.python.places import Elsewhere, compile_printed
from rulesdsl.run.python.printer import ChecksOf, print_mapped

Entry = Callable[..., int | bool | None]
"""An entry function: takes and gives ints and bools."""

PythonTables = dict[str, list[int] | tuple[int, ...]]
"""Tables by name; those that are tuples are const."""

MISHAPS: Mapping[type[Exception], int] = {
    IndexError: faults.INDEX,
    ZeroDivisionError: faults.ZERO,
    RecursionError: faults.TOO_DEEP,
    MemoryError: faults.NO_SPACE,
}
"""The exceptions of Python that stand for faults in printed code, and for which."""


@dataclass(frozen=True)
class CompiledProgram:
    """Code that plays without the program it was made from; `extra` is what the maker wants to be
    kept with it."""

    code: CodeType
    tables: tuple[ir.Table, ...]
    elsewhere: Elsewhere
    source: str
    extra: bytes = b""

    def new_tables(self) -> PythonTables:
        """All tables as they are in the beginning."""
        return {table.name: _new(table) for table in self.tables}

    def make(self, tables: Mapping[str, list[int] | tuple[int, ...]]) -> dict[str, Entry]:
        """The entry functions by name, at work on these tables. They raise Fault and what is in
        `MISHAPS`: see `faulting`."""
        namespace: dict[str, object] = {"__elsewhere__": self.elsewhere}
        exec(self.code, namespace)
        entries: dict[str, Entry] = namespace["make"](tables)  # type: ignore[operator]
        return entries


def compile_program(
    program: ir.Program, checks: ChecksOf | None = None, extra: bytes = b""
) -> CompiledProgram:
    """Print and compile a well-formed program."""
    printed = print_mapped(program, checks)
    code, elsewhere = compile_printed(printed)
    return CompiledProgram(code, tuple(program.tables.values()), elsewhere, printed.source, extra)


def faulting(entry: Entry) -> Entry:
    """The entry function, which raises Fault and nothing else, with the traceback to where."""

    def call(*arguments: int | bool) -> int | bool | None:
        try:
            return entry(*arguments)
        except tuple(MISHAPS) as mishap:
            raise fault_of(mishap) from None

    return call


def fault_of(mishap: Exception) -> Fault:
    """The fault that an exception of `MISHAPS` stands for, with its traceback."""
    code = next(code for kind, code in MISHAPS.items() if isinstance(mishap, kind))
    return Fault(code).with_traceback(mishap.__traceback__)


# --- as bytes ------------------------------------------------------------------------------------


def dump(compiled: CompiledProgram) -> bytes:
    """A compiled program as bytes, for the same Python and nobody else."""
    tables = [astuple(table) for table in compiled.tables]
    return marshal.dumps(
        (compiled.code, tables, compiled.elsewhere, compiled.source, compiled.extra)
    )


def restore(content: bytes) -> CompiledProgram:
    """What was dumped. The content has to be trusted: it is run."""
    code, tables, elsewhere, source, extra = marshal.loads(content)
    return CompiledProgram(code, tuple(_tables(tables)), elsewhere, source, extra)


def _tables(rows: Iterable[tuple[object, ...]]) -> Iterable[ir.Table]:
    return (ir.Table(*row) for row in rows)  # type: ignore[arg-type]


def _new(table: ir.Table) -> list[int] | tuple[int, ...]:
    values = table.values or (0,) * table.size
    return tuple(values) if table.role == "const" else list(values)
