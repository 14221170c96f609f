"""Compiled programs kept from one start to the next."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import MAGIC_NUMBER

from rulesdsl.cache import Cache
from rulesdsl.run.python.program import CompiledProgram, dump, restore

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))


def load_or_make(
    key: bytes | str, make: Callable[[], CompiledProgram], entries: Cache
) -> CompiledProgram:
    """The program that was kept under `key`, otherwise the one that `make` makes, kept from now on.

    The key tells games apart: with the number of players, all settings, and the names of their
    files. What else a program depends on - this package and Python - is seen to here.
    """
    name = entry_name(key)
    found = entries.get(name)
    if found is not None:
        try:
            return restore(found)
        except (EOFError, ValueError, TypeError):
            pass  # a damaged entry is made anew
    made = make()
    entries.put(name, dump(made))
    return made


def entry_name(key: bytes | str) -> str:
    """The name of the entry of a key: another one for every Python and for changed sources."""
    parts = (
        key.encode() if isinstance(key, str) else key,
        _own_sources(),
        str(sys.implementation.cache_tag).encode(),
        MAGIC_NUMBER,
    )
    digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts))
    return f"program-{digest.hexdigest()}.code"


@cache
def _own_sources() -> bytes:
    """A digest of what makes programs, which any part of the package may have to do with."""
    digest = hashlib.sha256()
    paths = list(_sources(_PACKAGE))
    for path in paths:
        with open(path, "rb") as file:
            content = file.read()
        digest.update(f"{os.path.basename(path)}\0{len(content)}\0".encode())
        digest.update(content)
    if not paths:
        from importlib.metadata import version  # takes longer than all the rest

        # It was installed without sources, and so as one version.
        digest.update(version("rulesdsl").encode())
    return digest.digest()


def _sources(root: str) -> Iterator[str]:
    """All source files, always in the same order."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("_"))
        yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith((".py", ".lark")))
