"""What syntax trees and checked trees have in common."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar, cast


class Tree:
    """Base of all nodes of both."""


T = TypeVar("T")


class ByClass:
    """Nodes that are asked for by their class."""

    def __init__(self, nodes: Iterable[object]) -> None:
        self._count = 0
        self._by_class: dict[type, list[object]] = defaultdict(list)
        for node in nodes:
            self._by_class[type(node)].append(node)
            self._count += 1

    def __len__(self) -> int:
        """How many there are."""
        return self._count

    def of(self, cls: type[T]) -> Sequence[T]:
        """Those of one class, in the order in which they were given."""
        return cast("list[T]", self._by_class.get(cls, []))
