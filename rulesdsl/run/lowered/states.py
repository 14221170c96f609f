"""The states of a position as tables, and as the readable engine has them."""

from __future__ import annotations

from collections.abc import Mapping

from rulesdsl.lower.tables.state_tables import StateTable
from rulesdsl.model.values import Value
from rulesdsl.run.lowered.machine import Tables
from rulesdsl.run.reference.context import StateKey

Found = dict[StateKey, Value]


class States:
    """Turns tables into data of states and back, for one game with its number of players."""

    def __init__(self, states: Mapping[str, StateTable], initial: Mapping[str, Value]) -> None:
        """`initial` is what each state begins with."""
        self._states = [_State(table, initial[key]) for key, table in states.items()]

    def read(self, tables: Tables) -> Found:
        """All data that are not as in the beginning."""
        found: Found = {}
        for state in self._states:
            state.read(tables, found)
        return found

    def write(self, tables: Tables, data: Mapping[StateKey, Value]) -> None:
        """Let the tables hold these data, and what a state begins with everywhere else."""
        for state in self._states:
            for table in state.table.tables:
                tables[table.name][:] = state.blank[table.name]
        known = {state.table.key: state.table for state in self._states}
        for (key, owner, index), value in data.items():
            state_table = known[key]
            state_table.write(tables, state_table.row(tables, owner, index), value)


class _State:
    """One state: `blank` is what its tables hold in the beginning, `keys` what its rows are (those
    of a state of cells are known only when it is read)."""

    def __init__(self, table: StateTable, initial: Value) -> None:
        self.table = table
        self.initial = initial
        self.blank = {each.name: [0] * each.size for each in table.tables}
        rows = range(len(self.blank[table.data]) // table.words)
        for row in rows:
            table.write(self.blank, row, initial)
        self.keys: dict[int, StateKey] = {}
        if not table.hashed:
            self.keys = {
                row: (table.key, owner, index) for owner, index, row in table.rows(self.blank)
            }

    def read(self, tables: Tables, found: Found) -> None:
        """Find what is not as in the beginning."""
        data, blank = tables[self.table.data], self.blank[self.table.data]
        if data == blank:
            return
        if self.table.hashed:
            for owner, index, row in self.table.rows(tables):
                value = self.table.read(tables, row)
                if value != self.initial:
                    found[self.table.key, owner, index] = value
            return
        words = self.table.words
        for row, key in self.keys.items():
            start = row * words
            if data[start : start + words] != blank[start : start + words]:
                found[key] = self.table.read(tables, row)
