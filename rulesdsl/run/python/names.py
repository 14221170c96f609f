"""Which Python name everything in a program has: no two things that meet have the same."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from rulesdsl.model import ir

RESERVED = frozenset({*keyword.kwlist, "range", "Fault", "fault", "make", "tables"})
"""Names that printed code itself uses."""


class Names:
    """The names of tables and functions, which are seen everywhere."""

    def __init__(self, program: ir.Program) -> None:
        taken = set(RESERVED)
        self.tables = _allot(program.tables, taken)
        self.functions = _allot(program.functions, taken)
        self._taken = frozenset(taken)

    def inside(self, function: ir.Function) -> Inside:
        """The names inside a function."""
        return Inside(function, self._taken)


class Inside:
    """The names of the parameters and locals of a function, and new ones beside them."""

    def __init__(self, function: ir.Function, outside: frozenset[str]) -> None:
        own = dict.fromkeys(name for name, _ in (*function.params, *function.locals))
        self._taken = set(outside)
        self.locals = _allot(own, self._taken)

    def fresh(self, hint: str) -> str:
        """A local that the program does not have, each time another one."""
        return _free(hint, self._taken)


def _allot(keys: Iterable[str], taken: set[str]) -> dict[str, str]:
    return {key: _free(_identifier(key), taken) for key in keys}


def _identifier(key: str) -> str:
    plain = re.sub(r"\W", "_", key, flags=re.ASCII)
    return plain if plain.isidentifier() else f"_{plain}"


def _free(name: str, taken: set[str]) -> str:
    """The name, numbered if it is taken; from now on it is."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found
