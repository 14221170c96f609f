"""Compiled programs kept from one start to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rulesdsl.cache import Cache

Program = TypeVar("Program")


def load_or_make(
    name: str,
    make: Callable[[], Program],
    dump: Callable[[Program], bytes],
    restore: Callable[[bytes], Program],
    entries: Cache,
) -> Program:
    """The program that was kept as the entry `name`, otherwise the one that `make` makes, kept from
    now on. `restore` raises EOFError, ValueError or TypeError for what `dump` has not given."""
    found = entries.get(name)
    if found is not None:
        try:
            return restore(found)
        except (EOFError, ValueError, TypeError):
            pass  # a damaged entry is made anew
    made = make()
    entries.put(name, dump(made))
    return made
