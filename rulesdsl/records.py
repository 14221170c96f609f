"""Dataclasses that are quick to make: a start defines hundreds of them.

`dataclasses.dataclass` writes and compiles up to nine methods for each class, a third of the time
of a start (60 of 180 ms). This one compiles `__init__` only; all other methods are closures. It
gives up the run-time check of `frozen`, so instances are made twice as fast: the type checker finds
every assignment to a field of a frozen class.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter, ge, gt, le, lt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, order=False, slots=False):
        """Make a dataclass like `dataclasses.dataclass`, but do not check `frozen` at run time."""

        def make(cls):
            written = set(vars(cls))
            if not cls.__doc__:
                cls.__doc__ = cls.__name__  # otherwise it gets the signature, which takes long
            cls = dataclasses.dataclass(cls, repr=False, eq=False, slots=slots)
            for name, method in _methods(cls, frozen, eq, order):
                if name not in written:
                    setattr(cls, name, method)
            return cls

        return make if cls is None else make(cls)


def _methods(cls: type[Any], frozen: bool, eq: bool, order: bool) -> list[tuple[str, object]]:
    """Return the methods of a dataclass that compare its fields, and its representation."""
    fields = dataclasses.fields(cls)
    shown = [field.name for field in fields if field.repr]

    def represented(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({values})"

    found: list[tuple[str, object]] = [("__repr__", represented)]
    if not eq:
        return found
    key = _key([field.name for field in fields if field.compare])

    def equal(self: object, other: object) -> bool:
        return key(self) == key(other) if type(other) is type(self) else NotImplemented

    found.append(("__eq__", equal))
    found.append(("__hash__", (lambda self: hash(key(self))) if frozen else None))
    for name, compare in _COMPARISONS if order else ():
        found.append((name, _comparison(compare, key)))
    return found


_COMPARISONS = (("__lt__", lt), ("__le__", le), ("__gt__", gt), ("__ge__", ge))


def _comparison(compare: Callable[[Any, Any], bool], key: Callable[[object], Any]) -> object:
    def compared(self: object, other: object) -> bool:
        return compare(key(self), key(other)) if type(other) is type(self) else NotImplemented

    return compared


def _key(names: Sequence[str]) -> Callable[[object], Any]:
    """Return a function that reads the fields of an instance that count for comparison."""
    return attrgetter(*names) if names else lambda _: ()
