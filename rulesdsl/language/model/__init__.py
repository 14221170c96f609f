"""Plain data that passes between the stages, and the base of all its trees.

It has no behaviour beyond equality, text forms and tree traversal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, cast


class Tree:
    """Base of all nodes of syntax trees and checked trees."""


T = TypeVar("T")


class ByClass:
    """Nodes grouped by class."""

    def __init__(self, nodes: Iterable[object]) -> None:
        self._count = 0
        self._by_class: dict[type, list[object]] = defaultdict(list)
        for node in nodes:
            self._by_class[type(node)].append(node)
            self._count += 1

    def __len__(self) -> int:
        """Return the number of nodes."""
        return self._count

    def __iter__(self) -> Iterator[object]:
        """Yield all nodes, those of one class after those of another."""
        for nodes in self._by_class.values():
            yield from nodes

    def of(self, cls: type[T]) -> Sequence[T]:
        """Return the nodes of one class, in their original order."""
        return cast("list[T]", self._by_class.get(cls, []))
