"""What plays a lowered game: a program over tables, whatever it is run by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rulesdsl.diagnostics import Span
from rulesdsl.engines.rng import Rng
from rulesdsl.model.table import Tables as Tables
from rulesdsl.runtime.faults import Fault


class Machine(Protocol):
    """A program at one moment.

    State tables are its own, const and scratch tables may be shared with other machines of the same
    program.
    """

    @property
    def tables(self) -> Tables:
        """All tables by name.

        State tables may be changed from outside between two calls.
        """

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        """Call a function; after `runtime.faults.Fault` the state tables hold anything."""

    def clone(self) -> Machine:
        """Return a machine of the same program that goes on by itself."""

    def keep(self) -> object:
        """What the state tables hold now, for `restore`."""

    def restore(self, kept: object) -> None:
        """Let the state tables hold what they held when `keep` gave this."""

    def place(self, fault: Fault) -> Span | None:
        """Return the rule in which a fault of the last call happened, if that is known."""


class ListMachine:
    """Base of machines whose tables are lists: `keep` copies of the long state tables only what is
    in use."""

    def __init__(self, tables: Mapping[str, list[int]], states: Sequence[str]) -> None:
        """`states` names the state tables."""
        self.tables: Mapping[str, list[int]] = tables
        self._states = tuple(states)

    def copied(self) -> dict[str, list[int]]:
        """All tables, those of the state copied."""
        return {**self.tables, **{name: list(self.tables[name]) for name in self._states}}

    def keep(self) -> object:
        """What is in use of every state table."""
        used = used_lengths(self.tables)
        return [self.tables[name][: used.get(name)] for name in self._states]

    def restore(self, kept: object) -> None:
        """Put back what `keep` gave."""
        assert isinstance(kept, list)
        for name, values in zip(self._states, kept, strict=True):
            self.tables[name][: len(values)] = values


def used_lengths(tables: Tables) -> dict[str, int]:
    """How much of the state tables that are filled from below is in use; nothing reads further."""
    return {
        "stack": tables["free"][0],
        "store": tables["store_free"][0],
        "queue": tables["queue_free"][0],
    }


def winners(tables: Tables) -> tuple[int, ...]:
    """Return the seats that have won."""
    return seats_of(tables["winners"][0])


def seats_of(mask: int) -> tuple[int, ...]:
    """Return the seats of a mask."""
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)


def write_generator(tables: Tables, generator: Rng | None) -> None:
    """Let chance be resolved by a generator, or be asked for."""
    tables["rng"][:] = generator.state if generator else (0, 0, 0, 0)
    tables["resolves"][0] = int(generator is not None)
