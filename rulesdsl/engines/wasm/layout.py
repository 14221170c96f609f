"""Where the tables of a program lie in memory.

    state tables | room for copies of these | scratch tables | const tables

Every entry is as wide as the range of its table needs: 1, 2, 4 or 8 bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rulesdsl.engines.wasm.binary import PAGE, Op
from rulesdsl.model.table import Role, Table

ALIGNED = 16
"""Parts of the memory begin at multiples of so many bytes, tables at those of their entries."""

SLOTS = 64
"""So many copies of the state have room in the memory."""


MEMORY, FAULT = "memory", "fault"
SAVE, LOAD = "save", "load"
"""What modules export beside the entries of their programs: the memory; the fault that was the last
to stop a program; and functions that copy the state to an address, and from there."""


class Width(NamedTuple):
    """How entries are held: bytes (as a power of two), and what loads and stores them.

    `format` is the letter of `struct`.
    """

    power: int
    load: Op
    store: Op
    format: str


_UNSIGNED = (
    Width(0, Op.I64_LOAD8_U, Op.I64_STORE8, "B"),
    Width(1, Op.I64_LOAD16_U, Op.I64_STORE16, "H"),
    Width(2, Op.I64_LOAD32_U, Op.I64_STORE32, "I"),
)
_SIGNED = (
    Width(0, Op.I64_LOAD8_S, Op.I64_STORE8, "b"),
    Width(1, Op.I64_LOAD16_S, Op.I64_STORE16, "h"),
    Width(2, Op.I64_LOAD32_S, Op.I64_STORE32, "i"),
)
_WIDEST = Width(3, Op.I64_LOAD, Op.I64_STORE, "q")


class Place(NamedTuple):
    """A table in memory: `address` of its first entry, how entries are held, and what
    `rulesdsl.model.table.Table` says."""

    address: int
    width: Width
    role: Role
    size: int
    low: int
    high: int

    @property
    def bytes(self) -> int:
        """How many bytes it takes."""
        return self.size << self.width.power


class Layout(NamedTuple):
    """All tables by name.

    The state takes the first `state` bytes of the memory; copies of it begin at `state`, `2 *
    state` and so on; all of it takes `pages` pages.
    """

    places: Mapping[str, Place]
    state: int
    pages: int

    def slot(self, number: int) -> int:
        """Return the address of a copy of the state, from 0 to `SLOTS` - 1."""
        return self.state * (number + 1)


def width(table: Table) -> Width:
    """How the entries of a table are held."""
    for each in _SIGNED if table.low < 0 else _UNSIGNED:
        values = 1 << (8 << each.power)
        low = -values // 2 if table.low < 0 else 0
        if low <= table.low and table.high < low + values:
            return each
    return _WIDEST


def lay_out(tables: Iterable[Table]) -> Layout:
    """Where tables lie: those of each role with the widest entries first."""
    places: dict[str, Place] = {}
    ordered = sorted(tables, key=lambda table: -width(table).power)
    end = state = _add(places, (t for t in ordered if t.role == "state"), 0)
    end += SLOTS * state
    end = _add(places, (t for t in ordered if t.role == "scratch"), end)
    end = _add(places, (t for t in ordered if t.role == "const"), end)
    return Layout(places, state, -(-end // PAGE))


def _add(places: dict[str, Place], tables: Iterable[Table], at: int) -> int:
    """Lay tables one after another; where the next part can begin."""
    for table in tables:
        place = Place(at, width(table), table.role, table.size, table.low, table.high)
        places[table.name] = place
        at += place.bytes
    return -(-at // ALIGNED) * ALIGNED
