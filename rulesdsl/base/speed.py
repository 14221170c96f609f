"""Shortcuts that save time: imports at first use, and pauses of the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module


def getter(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package; `homes` maps its names to their modules."""

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return get


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the garbage collector in the context.

    Almost everything that a build makes is kept, and scanning it repeatedly takes a seventh of the
    time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
