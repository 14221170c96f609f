"""Tables of programs: the data that remains at run time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, SupportsIndex, overload

Role = Literal["const", "state", "scratch"]
"""The kinds of tables.

`const` tables never change, `state` tables hold the current position, and `scratch` tables have no
meaning between two calls from outside.
"""


RAN = "ran"
"""The table of an instrumented program: 1 for each mark that was reached."""


@dataclass(frozen=True)
class Table:
    """A table of `size` integers, each from `low` to `high`.

    `values` are those of a const table (its length is `size`), or the initial values of a state or
    scratch table: empty for zeros, or as many as `size`.
    """

    name: str
    role: Role
    size: int
    low: int
    high: int
    values: tuple[int, ...] = ()
    doc: str = field(default="", compare=False)


class Entries(Protocol):
    """The entries of a table: a list of ints, or an object used like one."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[int]: ...
    @overload
    def __setitem__(self, index: SupportsIndex, value: int, /) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[int], /) -> None: ...


Tables = Mapping[str, Entries]
"""Tables by name, each with its declared number of integers."""
