"""Copies of all state tables, in `rulesdsl.model.ir.SLOTS` slots.

In the IR the two functions are statements, which every engine prints in its own way.
"""

from __future__ import annotations

from rulesdsl.runtime.tables import TABLES

_KEPT: dict[int, dict[str, list[int]]] = {}


def save_state(slot: int) -> None:
    """Copy all state tables to a slot."""
    _KEPT[slot] = {name: list(table) for name, table in TABLES.items() if table.role == "state"}


def load_state(slot: int) -> None:
    """Copy a slot back to all state tables."""
    for name, values in _KEPT[slot].items():
        TABLES[name][:] = values
