"""Twins: positions of the reference engine with the same history as those of a compiled engine."""

from __future__ import annotations

from rulesdsl.engines.history import History, redo
from rulesdsl.engines.reference.position import ReferencePosition, start
from rulesdsl.model.checked import Checked

KEPT = 24
"""The number of twins in the cache; a new twin is made from the nearest one."""


class Twins:
    """A factory and cache of twins for one game with its number of players."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self._kept: dict[int, tuple[History, ReferencePosition]] = {}

    def of(self, history: History) -> ReferencePosition:
        """Return the position with a history, which must not be changed.

        Raises PlayError if the reference engine reaches a limit that the compiled engine does not
        have.
        """
        node, left = history, list[History]()
        while id(node) not in self._kept and node[0] is not None:
            left.append(node)
            node = node[0]
        known = self._kept.pop(id(node), None)
        found = self._start(node) if known is None else known[1]
        self.keep(node, found)
        if left:
            found = found.clone()
            for each in reversed(left):
                found = self._redo(found, each)
            self.keep(history, found)
        return found

    def keep(self, history: History, position: ReferencePosition) -> None:
        """Keep a twin, which must not be changed any more."""
        self._kept[id(history)] = history, position
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]

    def start(self, players: int, seed: int | None = None) -> ReferencePosition:
        """Return a new game; raises PlayError when the rules fail before the first decision."""
        return start(self._checked, players, seed)

    def _start(self, node: History) -> ReferencePosition:
        _, operation = node
        assert isinstance(operation, tuple), "a history begins with the start"
        _, players, seed = operation
        return self.start(players, seed)

    def _redo(self, position: ReferencePosition, node: History) -> ReferencePosition:
        before, operation = node
        if isinstance(operation, tuple) and operation[0] == "sample" and before is not None:
            # Keep the position, because the game continues from it and is sampled again.
            self.keep(before, position)
        after = redo(position, operation)
        assert isinstance(after, ReferencePosition), "the reference engine goes on"
        return after
