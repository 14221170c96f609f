"""Lazy imports: packages whose public names are imported when they are first used.

A single module of such a package can be imported alone, so a start imports only what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def getter(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package; `homes` maps its names to their modules."""

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return get
