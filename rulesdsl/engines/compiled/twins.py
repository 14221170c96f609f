"""Twins: positions of one engine with the same history as those of another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from rulesdsl.engines.engine import Position
from rulesdsl.engines.history import History, redo

KEPT = 24
"""The number of twins in the cache; a new twin is made from the nearest one."""

Twin = TypeVar("Twin", bound=Position)


class Twins(Generic[Twin]):
    """A factory and cache of twins for one game with its number of players."""

    def __init__(self, start: Callable[[int, int | None], Twin]) -> None:
        """Make a cache; `start` begins a game of the engine, for some players and a seed."""
        self.start = start
        self._kept: dict[int, tuple[History, Twin]] = {}

    def of(self, history: History) -> Twin:
        """Return the position with a history, which must not be changed.

        Raises PlayError if its engine reaches a limit that the other does not have.
        """
        node, left = history, list[History]()
        while id(node) not in self._kept and node[0] is not None:
            left.append(node)
            node = node[0]
        known = self._kept.pop(id(node), None)
        found = self._start(node) if known is None else known[1]
        self.keep(node, found)
        if left:
            found = self._copy(found)
            for each in reversed(left):
                found = self._redo(found, each)
            self.keep(history, found)
        return found

    def keep(self, history: History, position: Twin) -> None:
        """Keep a twin, which must not be changed any more."""
        self._kept[id(history)] = history, position
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]

    def _start(self, node: History) -> Twin:
        _, operation = node
        assert isinstance(operation, tuple), "a history begins with the start"
        _, players, seed = operation
        return self.start(players, seed)

    def _copy(self, position: Twin) -> Twin:
        copy = position.clone()
        assert isinstance(copy, type(position)), "a copy is of the same engine"
        return copy

    def _redo(self, position: Twin, node: History) -> Twin:
        before, operation = node
        if isinstance(operation, tuple) and operation[0] == "sample" and before is not None:
            # Keep the position, because the game continues from it and is sampled again.
            self.keep(before, position)
        after = redo(position, operation)
        assert isinstance(after, type(position)), "the same engine goes on"
        return after
