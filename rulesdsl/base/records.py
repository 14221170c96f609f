"""Dataclasses that are quick to make: a start defines hundreds of them.

`dataclasses.dataclass` writes and compiles up to nine methods for each class: a start with filled
caches takes 225 ms of processor time with it, 135 ms with this one. This one compiles an `__init__`
for each number of fields only, and gives it the names of the fields; all other methods are
closures. It gives up the run-time check of `frozen`, so instances are made twice as fast: the type
checker finds every assignment to a field of a frozen class.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from operator import attrgetter, ge, gt, le, lt
from types import CodeType, FunctionType
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
            plain = _is_plain(cls)
            cls = dataclasses.dataclass(cls, init=not plain, repr=False, eq=False, slots=slots)
            if plain and "__init__" not in written:
                cls.__init__ = _init(cls)
            for name, method in _methods(cls, frozen, eq, order):
                if name not in written:
                    setattr(cls, name, method)
            return cls

        return make if cls is None else make(cls)


def _is_plain(cls: type[Any]) -> bool:
    own = [value for value in vars(cls).values() if isinstance(value, dataclasses.Field)]
    inherited = getattr(cls, "__dataclass_fields__", {}).values()
    made = any(each.default_factory is not dataclasses.MISSING for each in (*own, *inherited))
    return not made and not hasattr(cls, "__post_init__")


def _init(cls: type[Any]) -> FunctionType:
    fields = dataclasses.fields(cls)
    names = tuple(field.name for field in fields)
    defaults = tuple(f.default for f in fields if f.default is not dataclasses.MISSING)
    if any(f.default is dataclasses.MISSING for f in fields[len(fields) - len(defaults) :]):
        raise TypeError(f"{cls.__qualname__}: a field without a default follows one with a default")
    named = f"{cls.__qualname__}.__init__"
    code = _assigning(len(fields)).replace(
        co_varnames=("self", *names), co_names=names, co_qualname=named
    )
    init = FunctionType(code, {}, "__init__", defaults)
    init.__annotations__ = {**{field.name: field.type for field in fields}, "return": None}
    init.__qualname__, init.__module__ = named, cls.__module__
    return init


@cache
def _assigning(count: int) -> CodeType:
    """Return the code of an `__init__` that assigns so many arguments to fields like them."""
    names = [f"field{number}" for number in range(count)]
    body = "; ".join(f"self.{name} = {name}" for name in names) or "pass"
    made: dict[str, Any] = {}
    exec(f"def __init__({', '.join(('self', *names))}): {body}", made)
    code: CodeType = made["__init__"].__code__
    return code


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
    names = [field.name for field in fields if field.compare]
    key: Callable[[object], Any] = attrgetter(*names) if names else lambda _: ()

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
