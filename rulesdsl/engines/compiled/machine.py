"""The interface of machines, which run the program of a lowered game on tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rulesdsl.diagnostics import Span
from rulesdsl.engines.rng import Rng
from rulesdsl.model.tables import Tables as Tables
from rulesdsl.runtime.faults import Fault


class Machine(Protocol):
    """A program and the current content of its tables.

    State tables belong to one machine; const and scratch tables may be shared with other machines
    of the same program.
    """

    @property
    def tables(self) -> Tables:
        """All tables by name.

        State tables may be changed from outside between two calls.
        """

    def first(self, name: str) -> int:
        """Return the first entry of a table."""

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        """Call a function.

        After `runtime.faults.Fault` the content of the state tables is undefined.
        """

    def clone(self) -> Machine:
        """Return an independent machine of the same program with the same state."""

    def keep(self) -> object:
        """Return a copy of the state tables for `restore`."""

    def restore(self, kept: object) -> None:
        """Restore the content that the state tables had when `keep` returned this."""

    def place(self, fault: Fault) -> Span | None:
        """Return the place of the rule in which the last call failed, None if it is unknown."""


class ListMachine:
    """The base of machines whose tables are lists.

    `keep` copies only the used part of the long state tables.
    """

    def __init__(self, tables: Mapping[str, list[int]], states: Sequence[str]) -> None:
        """Make a machine with these tables; `states` names the state tables."""
        self.tables: Mapping[str, list[int]] = tables
        self._states = tuple(states)

    def first(self, name: str) -> int:
        """Return the first entry of a table."""
        return self.tables[name][0]

    def copied(self) -> dict[str, list[int]]:
        """Return all tables, with copies of the state tables."""
        return {**self.tables, **{name: list(self.tables[name]) for name in self._states}}

    def keep(self) -> object:
        """Return the used part of every state table."""
        used = used_lengths(self.tables)
        return [self.tables[name][: used.get(name)] for name in self._states]

    def restore(self, kept: object) -> None:
        """Restore the content that `keep` returned."""
        assert isinstance(kept, list)
        for name, values in zip(self._states, kept, strict=True):
            self.tables[name][: len(values)] = values


def used_lengths(tables: Tables) -> dict[str, int]:
    """Return the used length of each state table that grows from below.

    Nothing reads beyond it.
    """
    return {
        "stack": tables["free"][0],
        "store": tables["store_free"][0],
        "queue": tables["queue_free"][0],
    }


def winners(tables: Tables) -> tuple[int, ...]:
    """Return the seats that have won."""
    return seats_of(tables["winners"][0])


def seats_of(mask: int) -> tuple[int, ...]:
    """Return the seats whose bits are set in a mask."""
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)


def write_generator(tables: Tables, generator: Rng | None) -> None:
    """Set the generator that resolves chance; with None its outcomes are offered as decisions."""
    tables["rng"][:] = generator.state if generator else (0, 0, 0, 0)
    tables["resolves"][0] = int(generator is not None)
