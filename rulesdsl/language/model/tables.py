"""The tables of a program, and the forms in which engines keep them.

A start from the cache imports this module, not the program (`model.ir`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Literal, Protocol, SupportsIndex, overload

from rulesdsl.base.records import dataclass

Role = Literal["const", "state", "beside", "scratch"]
"""The kinds of tables.

`const` tables never change, `state` tables hold the current position, `beside` tables what
else each row has, and `scratch` tables have no meaning between two calls from outside.
"""

IN_ROWS: tuple[Role, ...] = ("state", "beside")
"""The roles of tables of which every row has its own."""

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


class Rows:
    """The tables of many games, for machines that keep them as lists.

    The tables show the row entered last, at first row 0; the others are kept here. A row begins
    with zeros.
    """

    def __init__(self, tables: Tables, names: Iterable[str]) -> None:
        """Keep rows of these tables, of which every row has its own."""
        self._tables = tables
        self._names = tuple(names)
        self._kept: dict[int, list[list[int]]] = {}
        self._now = 0

    def enter(self, row: int) -> bool:
        """Show another row in the tables; return false for a row that cannot exist."""
        if row < 0:
            return False
        if row != self._now:
            self._kept[self._now] = [list(self._tables[name]) for name in self._names]
            kept = self._kept.pop(row, None)
            for number, name in enumerate(self._names):
                table = self._tables[name]
                table[:] = kept[number] if kept else [0] * len(table)
            self._now = row
        return True


SLOTS = 80
"""The number of slots for copies of the state."""
