"""Tables of the runtime for games made by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rulesdsl.engine.runtime import tables
from rulesdsl.engine.runtime.declare import DeclaredTable, make_tables, measure

TABLES = {name: table for name, table in vars(tables).items() if isinstance(table, DeclaredTable)}

WORD = re.compile(r"[a-z_]+")


def fill(dimensions: Mapping[str, int], values: Mapping[str, Sequence[int]]) -> None:
    """Give every table its size for a game, in place, and its values or zeros."""
    for name, table in make_tables(TABLES, dimensions, values).items():
        TABLES[name][:] = table.values or [0] * table.size


def lay_out(dimensions: dict[str, int], **values: Sequence[int]) -> None:
    """Allocate all tables: dimensions that are not given are 1, of const tables not given all
    values are 0 but for those that repeat a dimension."""
    texts = [text for table in TABLES.values() for text in (table.size, table.low, table.high)]
    named = {word: 1 for text in texts for word in WORD.findall(text)} | dimensions
    repeated = {name: [named[name.lower()]] for name in TABLES if name.lower() in named}
    given: dict[str, Sequence[int]] = {
        name: [0] * measure(table.size, named)
        for name, table in TABLES.items()
        if table.role == "const"
    }
    given |= {name: row for name, row in repeated.items() if name.isupper()}
    fill(named, given | values)
    tables.fuel[0] = 1 << 40
