"""Compiled programs kept from one start to the next."""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl.cache import Cache, entry_name
from rulesdsl.run.python.program import CompiledProgram, dump, restore


def load_or_make(
    key: bytes | str, make: Callable[[], CompiledProgram], entries: Cache
) -> CompiledProgram:
    """The program that was kept under `key`, otherwise the one that `make` makes, kept from now on.

    The key tells games apart: with the number of players, all settings, and the names of their
    files. What else a program depends on - this package and Python - is seen to by `entry_name`.
    """
    name = entry_name("program", key.encode() if isinstance(key, str) else key, "code")
    found = entries.get(name)
    if found is not None:
        try:
            return restore(found)
        except (EOFError, ValueError, TypeError):
            pass  # a damaged entry is made anew
    made = make()
    entries.put(name, dump(made))
    return made
