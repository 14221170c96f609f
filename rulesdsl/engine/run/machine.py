"""Machines: a lowered program, in whatever form, with the tables of one position."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from rulesdsl.engine.runtime.faults import Fault
from rulesdsl.language.diagnostics import Source, Span
from rulesdsl.language.model.tables import Entries, Tables

FUEL, HALTED, DECIDED, ROW_NOW = "fuel", "halted", "decided", "row_now"
"""The tables for the steps left, for a stop of later decisions, for the decisions so far, and for
the row in use."""

BUSY = "a game is played by another thread: each needs positions of its own"

Where = tuple[str, int, int]
"""A place in the rules: the file, the start and the end."""


class Stopped(Fault):
    """A fault that stopped a program; `where` is the place in the rules, None if it is unknown.

    `again` is false if a time limit stopped it, so that the fault does not occur again.
    """

    def __init__(self, code: int, where: Where | None, again: bool = True) -> None:
        super().__init__(code)
        self.where = where
        self.again = again


def place_of(fault: Fault, sources: Mapping[str, Source]) -> Span | None:
    """Return the place of the rule in which a fault happened, None if it is unknown.

    `sources` are the files of rules by name.
    """
    if not isinstance(fault, Stopped) or fault.where is None:
        return None
    file, start, end = fault.where
    source = sources.get(file)
    return None if source is None else source.span(start, end)


class Before(Mapping[str, Entries]):
    """The tables of a machine with those of a copy of its state.

    `now` are the tables of the machine itself, until another one of its program is used.
    """

    now: Mapping[str, Entries]

    @abstractmethod
    def changing(self, name: str) -> Entries:
        """Return a state table that may be changed, without changing the machine or the copy."""

    @abstractmethod
    def differs(self, name: str) -> bool:
        """Return whether a state table of the machine is not as in the copy."""


class Machine(Protocol):
    """A program and the current content of its tables.

    Several machines share the scratch tables of one program, and only one of them runs at a time.
    """

    @property
    def tables(self) -> Tables:
        """All tables by name; state tables may be changed from outside between two calls."""

    @property
    def now(self) -> Tables:
        """The tables, quicker to read, until another machine of the program is used."""

    def first(self, name: str) -> int:
        """Return the first entry of a table."""

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        """Call a function; raises Fault, and the content of the state tables is undefined then.

        Raises OutOfTime when a deadline passes.
        """

    def clone(self) -> Machine:
        """Return an independent machine of the same program with the same state."""

    def fresh(self) -> Machine:
        """Return an independent machine of the same program in its initial state."""

    def keep(self) -> object:
        """Return a copy of the state tables for `restore` and `before`."""

    def restore(self, kept: object) -> None:
        """Restore the content that the state tables had when `keep` returned this."""

    def before(self, kept: object) -> Before:
        """Return the tables with the state that was kept."""

    def runtime(self, name: str) -> Callable[..., Any]:
        """Return a function of the runtime, as it is written in Python, on these tables."""

    def place(self, fault: Fault) -> Span | None:
        """Return the place of the rule in which a fault happened, None if it is unknown."""
