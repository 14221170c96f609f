"""The Python names of everything in a program, unique within each scope."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator

from rulesdsl.ir.verify import FUEL
from rulesdsl.model import ir

OWN_NAMES = ("range", "Fault", "fault", "make", "tables", "entry", "function", "arguments", "call")
RESERVED = frozenset({*keyword.kwlist, *OWN_NAMES})
"""The names that printed code itself uses."""

FEW = 4
"""The maximal number of entries of a table that is stored in variables."""

SEEN_OUTSIDE = (FUEL, "halted", "decided")
"""The tables that another thread reads and changes while the program runs, to stop it."""


class Names:
    """The names of tables and functions, which are global.

    `variables` has the small tables that are indexed by constants only: each of their entries is a
    variable, which is faster than a list. All others are in `tables`.
    """

    def __init__(self, program: ir.Program) -> None:
        taken = set(RESERVED)
        self.variables: dict[str, tuple[str, ...]] = {}
        for table in _fixed(program):
            several = [f"{table.name}_{number}" for number in range(table.size)]
            own = _allot([table.name] if table.size == 1 else several, taken)
            self.variables[table.name] = tuple(own.values())
        lists = [name for name in program.tables if name not in self.variables]
        self.tables = _allot(lists, taken)
        self.functions = _allot(program.functions, taken)
        self._taken = frozenset(taken)

    def entry(self, table: str, index: ir.Expr) -> str | None:
        """Return the variable for an entry of a table, None if the table is a list."""
        if table not in self.variables:
            return None
        assert isinstance(index, ir.Const)
        return self.variables[table][index.value]

    def changed(self, function: ir.Function) -> list[str]:
        """Return the variables for entries of tables that a function changes."""
        tables = {node.table for node in function.nodes.of(ir.Store)}
        return [name for table, own in self.variables.items() if table in tables for name in own]

    def inside(self, function: ir.Function) -> Inside:
        """Return the names inside a function."""
        return Inside(function, self._taken)


class Inside:
    """The names of the parameters and locals of a function, with a supply of new ones."""

    def __init__(self, function: ir.Function, outside: frozenset[str]) -> None:
        own = dict.fromkeys(name for name, _ in (*function.params, *function.locals))
        self._taken = set(outside)
        self.locals = _allot(own, self._taken)

    def fresh(self, hint: str) -> str:
        """Return a new local name, a different one each time."""
        return _free(hint, self._taken)


def _fixed(program: ir.Program) -> Iterator[ir.Table]:
    """Yield the small tables that are indexed by constants only."""
    used = set[str]()
    varied = set[str](SEEN_OUTSIDE)
    for function in program.functions.values():
        entries: list[ir.Load | ir.Store] = [
            *function.nodes.of(ir.Load),
            *function.nodes.of(ir.Store),
        ]
        for node in entries:
            used.add(node.table)
            if not _is_sure(node.index, program.tables[node.table]):
                varied.add(node.table)
    for table in program.tables.values():
        small = table.role != "const" and table.size <= FEW
        if small and table.name in used and table.name not in varied:
            yield table


def _is_sure(index: ir.Expr, table: ir.Table) -> bool:
    return isinstance(index, ir.Const) and 0 <= index.value < table.size


def _allot(keys: Iterable[str], taken: set[str]) -> dict[str, str]:
    return {key: _free(_identifier(key), taken) for key in keys}


def _identifier(key: str) -> str:
    plain = re.sub(r"\W", "_", key, flags=re.ASCII)
    return plain if plain.isidentifier() else f"_{plain}"


def _free(name: str, taken: set[str]) -> str:
    """Return the name, numbered if it is taken, and mark it as taken."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found
