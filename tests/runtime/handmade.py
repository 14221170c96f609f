"""Tables of the runtime for games made by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rulesdsl.runtime import tables
from rulesdsl.runtime.declare import DeclaredTable, allocate, measure

TABLES = {name: table for name, table in vars(tables).items() if isinstance(table, DeclaredTable)}

WORD = re.compile(r"[a-z_]+")


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
    allocate(TABLES, named, given | values)
    tables.fuel[0] = 1 << 40
