"""Packages whose public names are imported when they are first used.

Modules of a package can be imported without it then: a start imports what it needs and no more.
"""

from __future__ import annotations

# Whatever is imported here delays every command before it handles Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def getter(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package: `homes` maps its names to the modules where they are."""

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(homes[name]), name)

    return get
