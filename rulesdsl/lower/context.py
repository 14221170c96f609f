"""What all parts of lowering share: the game, its numbers, and the program so far."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rulesdsl.lower.tables.encoding import Encoding, feature_kinds
from rulesdsl.lower.tables.state_tables import StateTable, state_tables
from rulesdsl.model import ir
from rulesdsl.model.checked import Checked
from rulesdsl.model.sources import sources
from rulesdsl.model.types import PIECE_CLASSES


class Lowering:
    """Tables and functions of the rules are added here; those of the core are there already.

    `values` names the IR function of every value of the rules; `taken` are names that nothing of
    the rules gets.
    """

    def __init__(self, checked: Checked, players: int, taken: Iterable[str] = ()) -> None:
        self.checked = checked
        self.game = checked.game
        self.players = players
        self.encoding = Encoding(checked, players)
        self.kinds_of_features = feature_kinds(checked.game)
        self.classes = {name: number for number, name in enumerate(PIECE_CLASSES)}
        self.tables: dict[str, ir.Table] = {}
        self.functions: dict[str, ir.Function] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._taken = set(taken)
        self.sources = sources(checked)
        self.states: Mapping[str, StateTable] = state_tables(checked, self.encoding)
        for state in self.states.values():
            for table in state.tables:
                self.add_table(table)
        self.values = {key: self.name("value", key) for key in checked.values}

    def name(self, what: str, key: str) -> str:
        """The identifier of something of the rules, always the same one, like no other."""
        if (what, key) not in self._names:
            plain = re.sub(r"\W", "_", key.rsplit("/", 1)[-1])
            name, number = f"{what}_{plain}", 1
            while name in self._taken:
                number += 1
                name = f"{what}_{plain}_{number}"
            self._taken.add(name)
            self._names[what, key] = name
        return self._names[what, key]

    def add_table(self, table: ir.Table) -> None:
        assert table.name not in self.tables, table.name
        self.tables[table.name] = table

    def const_table(self, name: str, values: tuple[int, ...], doc: str = "") -> str:
        """A const table with these values, the same one for the same name; gives the name."""
        if name not in self.tables:
            low, high = min(values, default=0), max(values, default=0)
            self.add_table(ir.Table(name, "const", len(values), low, high, values, doc))
        return name

    def add_function(self, function: ir.Function) -> None:
        assert function.name not in self.functions, function.name
        self.functions[function.name] = function
