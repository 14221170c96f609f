"""Compiled programs and the faults they raise.

A start from the cache imports only this module, not the printer and the compiler.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from itertools import islice
from sys import getrecursionlimit, setrecursionlimit
from types import CodeType, TracebackType
from typing import Any, NamedTuple

from rulesdsl.diagnostics import Source, Span
from rulesdsl.records import dataclass
from rulesdsl.runtime import faults
from rulesdsl.runtime.faults import Fault

CORE = "<runtime>"
"""The file of printed code that comes from no rule."""

Elsewhere = dict[tuple[str, int, int], tuple[str, int, int, int]]
"""The true places of statements that come from outside the file of their function.

The key is the name of the function, and the line and the column at which the statement is shown.
The value is its file, line, column and length.
"""


@dataclass(frozen=True)
class SourcePlace:
    """A place in a `.rules` file, with line and column from 1 and its `length` on that line."""

    file: str
    line: int
    column: int
    length: int = field(default=1, compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def span(self, source: Source) -> Span:
        """Return the place as a span of the text of the file."""
        before = source.text.split("\n")[: self.line - 1]
        start = sum(len(line) + 1 for line in before) + self.column - 1
        return source.span(start, start + self.length)


def place_of(traceback: TracebackType | None) -> SourcePlace | None:
    """Return the innermost place in the rules that a traceback passes through.

    It is None if there is none.
    """
    found = None
    while traceback is not None:
        elsewhere = traceback.tb_frame.f_globals.get("__elsewhere__")
        if isinstance(elsewhere, dict):
            found = _place(traceback, elsewhere) or found
        traceback = traceback.tb_next
    return found


def _place(traceback: TracebackType, elsewhere: Elsewhere) -> SourcePlace | None:
    code = traceback.tb_frame.f_code
    positions = next(islice(code.co_positions(), traceback.tb_lasti // 2, None), None)
    line, _, column, end = positions or (None, None, None, None)
    line, column, end = line or traceback.tb_lineno, column or 0, end or 1
    function = code.co_qualname.split(".")[2]  # of `make.<locals>.function`
    place = elsewhere.get((function, line, column))
    if place is not None:
        return SourcePlace(*place)
    if code.co_filename == CORE:
        return None
    return SourcePlace(code.co_filename, line, column + 1, max(end - column, 1))


DEPTH = 20_000
"""The maximal number of nested calls in printed code."""

Entry = Callable[..., int | bool | None]
"""An entry function, with ints and bools as arguments and result."""

MISHAPS: Mapping[type[Exception], int] = {
    IndexError: faults.INDEX,
    ZeroDivisionError: faults.ZERO,
    RecursionError: faults.TOO_DEEP,
    MemoryError: faults.NO_SPACE,
}
"""The exceptions of Python in printed code and the faults that they stand for."""


class TableShape(NamedTuple):
    """A `rulesdsl.model.ir.Table` without its documentation."""

    name: str
    role: str
    size: int
    low: int
    high: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class CompiledProgram:
    """Compiled code that runs without the program it was made from.

    `extra` is data of the caller that is cached with it.
    """

    code: CodeType
    tables: tuple[TableShape, ...]
    elsewhere: Elsewhere
    source: str
    extra: bytes = b""

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The names of the state tables."""
        return tuple(table.name for table in self.tables if table.role == "state")

    def new_tables(self) -> dict[str, list[int]]:
        """Return all tables with their initial values."""
        return {t.name: list(t.values) or [0] * t.size for t in self.tables}

    def make(self, tables: Mapping[str, list[int]]) -> dict[str, Entry]:
        """Return the entry functions by name, bound to these tables.

        They raise Fault and the exceptions in `MISHAPS`, see `faulting`.
        """
        namespace: dict[str, object] = {"__elsewhere__": self.elsewhere}
        exec(self.code, namespace)
        entries: dict[str, Entry] = namespace["make"](tables)  # type: ignore[operator]
        return entries


def faulting(entry: Entry) -> Entry:
    """Return the entry function so that it raises only Fault, with the original traceback.

    It may nest calls as deep as rules can, independent of the depth at which it is called.
    """

    def call(*arguments: int | bool) -> int | bool | None:
        limit = getrecursionlimit()
        setrecursionlimit(limit + DEPTH)
        try:
            return entry(*arguments)
        except tuple(MISHAPS) as mishap:
            raise fault_of(mishap) from None
        finally:
            setrecursionlimit(limit)

    return call


def fault_of(mishap: Exception) -> Fault:
    """Return the fault that an exception of `MISHAPS` stands for, with its traceback."""
    code = next(code for kind, code in MISHAPS.items() if isinstance(mishap, kind))
    return Fault(code).with_traceback(mishap.__traceback__)


def dump(compiled: CompiledProgram) -> bytes:
    """Return a compiled program as bytes, only for the same version of Python."""
    tables: Any = tuple(tuple(table) for table in compiled.tables)
    return marshal.dumps(
        (compiled.code, tables, compiled.elsewhere, compiled.source, compiled.extra)
    )


def restore(content: bytes) -> CompiledProgram:
    """Return the program that was dumped.

    The content must come from a trusted source, because it will be run.
    """
    code, tables, elsewhere, source, extra = marshal.loads(content)
    return CompiledProgram(code, tuple(map(TableShape._make, tables)), elsewhere, source, extra)
