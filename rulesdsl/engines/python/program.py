"""Compiled programs, and what goes wrong while they run.

This is all that a start needs when the program was kept: nothing of what made it is imported.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from sys import getrecursionlimit, setrecursionlimit
from types import CodeType
from typing import Any, NamedTuple

from rulesdsl.engines.python.places import Elsewhere
from rulesdsl.runtime import faults
from rulesdsl.runtime.faults import Fault

DEPTH = 20_000
"""How many calls printed code may have inside each other."""

Entry = Callable[..., int | bool | None]
"""An entry function: takes and gives ints and bools."""

MISHAPS: Mapping[type[Exception], int] = {
    IndexError: faults.INDEX,
    ZeroDivisionError: faults.ZERO,
    RecursionError: faults.TOO_DEEP,
    MemoryError: faults.NO_SPACE,
}
"""The exceptions of Python that stand for faults in printed code, and for which."""


class Shape(NamedTuple):
    """A table as `rulesdsl.model.ir.Table` has it, without the words."""

    name: str
    role: str
    size: int
    low: int
    high: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class CompiledProgram:
    """Code that plays without the program it was made from.

    `extra` is what its maker wants to be kept with it.
    """

    code: CodeType
    tables: tuple[Shape, ...]
    elsewhere: Elsewhere
    source: str
    extra: bytes = b""

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The names of the tables that are the game at one moment."""
        return tuple(table.name for table in self.tables if table.role == "state")

    def new_tables(self) -> dict[str, list[int]]:
        """All tables as they are in the beginning."""
        return {t.name: list(t.values) or [0] * t.size for t in self.tables}

    def make(self, tables: Mapping[str, list[int]]) -> dict[str, Entry]:
        """Return the entry functions by name, at work on these tables.

        They raise Fault and what is in `MISHAPS`: see `faulting`.
        """
        namespace: dict[str, object] = {"__elsewhere__": self.elsewhere}
        exec(self.code, namespace)
        entries: dict[str, Entry] = namespace["make"](tables)  # type: ignore[operator]
        return entries


def faulting(entry: Entry) -> Entry:
    """Return the entry function, which raises Fault and nothing else, with the traceback to where.

    However deep it is called itself, what it calls can go as deep as rules let it.
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
    """Return a compiled program as bytes, for the same Python and nobody else."""
    tables: Any = tuple(tuple(table) for table in compiled.tables)
    return marshal.dumps(
        (compiled.code, tables, compiled.elsewhere, compiled.source, compiled.extra)
    )


def restore(content: bytes) -> CompiledProgram:
    """What was dumped.

    The content has to be trusted: it will be run.
    """
    code, tables, elsewhere, source, extra = marshal.loads(content)
    return CompiledProgram(code, tuple(map(Shape._make, tables)), elsewhere, source, extra)
