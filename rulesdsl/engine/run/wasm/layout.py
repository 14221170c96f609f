"""The layout of the tables of a program in memory.

    state | tables beside it | room for copies of the state | const tables | scratch tables | rows

An entry takes 1, 2, 4 or 8 bytes, as the range of its table needs. The state and the tables beside
it at the beginning are row 0; the host makes room for more rows by growing the memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rulesdsl.engine.run.wasm.binary import PAGE, Op
from rulesdsl.language.model.tables import SLOTS, Role, Table

ALIGNED = 16
"""The alignment of parts of the memory in bytes.

Tables are aligned to the size of their entries.
"""


LONG = 4096
"""The number of entries up to which a scratch table is short."""


MEMORY, FAULT, ROW = "memory", "fault", "row"
SAVE, LOAD = "save", "load"
"""The exports of modules besides the entries of their programs.

They are the memory, the last fault that stopped a program, the address of the row in use, and
functions that copy the state to an address and back.
"""


class Width(NamedTuple):
    """The format of entries: their size, and the instructions that load and store them.

    `power` is the size in bytes as a power of two, `format` is the letter of `struct`.
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


class TablePlace(NamedTuple):
    """A table in memory: the `address` of its first entry, their format, and data of the table.

    The data are those of `language.model.ir.Table`.
    """

    address: int
    width: Width
    role: Role
    size: int
    low: int
    high: int

    @property
    def bytes(self) -> int:
        """The size of the table in bytes."""
        return self.size << self.width.power


class Layout(NamedTuple):
    """The places of all tables by name.

    The state takes the first `state` bytes of the memory, a row the first `row` bytes; copies of
    the state start at `row`, `row + state` and so on. All tables together take `pages` pages;
    further rows start behind them.
    """

    places: Mapping[str, TablePlace]
    state: int
    row: int
    pages: int

    def slot(self, number: int) -> int:
        """Return the address of a copy of the state, from 0 to `SLOTS` - 1."""
        return self.row + self.state * number

    @property
    def rows(self) -> int:
        """The address of row 1."""
        return self.pages * PAGE

    def pages_for(self, rows: int) -> int:
        """Return the number of pages behind the tables that so many rows take, besides row 0."""
        return -(-rows * self.row // PAGE)


def width(table: Table) -> Width:
    """Return the format of the entries of a table."""
    for each in _SIGNED if table.low < 0 else _UNSIGNED:
        values = 1 << (8 << each.power)
        low = -values // 2 if table.low < 0 else 0
        if low <= table.low and table.high < low + values:
            return each
    return _WIDEST


def lay_out(tables: Iterable[Table]) -> Layout:
    """Return the layout of tables: within each part those with the widest entries come first.

    Long scratch tables come after short ones.
    """
    places: dict[str, TablePlace] = {}
    ordered = sorted(tables, key=lambda table: -width(table).power)
    state = _add(places, (t for t in ordered if t.role == "state"), 0)
    row = _add(places, (t for t in ordered if t.role == "beside"), state)
    end = row + SLOTS * state
    end = _add(places, (t for t in ordered if t.role == "const"), end)
    # What a move reads is close together then, which a processor is quicker to find.
    for long in (False, True):
        part = (t for t in ordered if t.role == "scratch" and (t.size > LONG) == long)
        end = _add(places, part, end)
    return Layout(places, state, row, -(-end // PAGE))


def _add(places: dict[str, TablePlace], tables: Iterable[Table], at: int) -> int:
    """Place tables one after another, and return the start of the next part."""
    for table in tables:
        place = TablePlace(at, width(table), table.role, table.size, table.low, table.high)
        places[table.name] = place
        at += place.bytes
    return -(-at // ALIGNED) * ALIGNED


def described(layout: Layout, players: int) -> str:
    """Return a layout as JSON.

    It has these fields: `players`; `state` and `row`, the numbers of bytes that the state and row 0
    take from address 0 on; `slots`, the number of copies of the state that fit after row 0; `rows`,
    the address of row 1; and `tables` by name, with the `role`, the `address`, the `size`, the
    smallest and the largest number (`low`, `high`), and the format of entries (`type`: `u8` to
    `u32`, `i8` to `i64`).
    """
    tables = {
        name: {
            "role": place.role,
            "address": place.address,
            "size": place.size,
            "type": f"{'u' if place.width.format.isupper() else 'i'}{8 << place.width.power}",
            "low": place.low,
            "high": place.high,
        }
        for name, place in layout.places.items()
    }
    sizes = {"players": players, "state": layout.state, "row": layout.row}
    return json.dumps({**sizes, "slots": SLOTS, "rows": layout.rows, "tables": tables})
