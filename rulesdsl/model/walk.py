"""Going through a tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar, cast

from rulesdsl.model import checked
from rulesdsl.model.tree import Tree

T = TypeVar("T", bound=Tree)

_INSIDE = (tuple, Tree, checked.Hooks)


def walk(tree: object) -> list[Tree]:
    """All nodes of a syntax tree or a checked tree, each before those inside it. `tree` may be a
    tuple of trees; hooks belong to what they hook; what is no tree is passed over."""
    found: list[Tree] = []
    if isinstance(tree, _INSIDE):
        _gather(tree, found)
    return found


def _gather(node: tuple[object, ...] | Tree | checked.Hooks, found: list[Tree]) -> None:
    if isinstance(node, Tree):
        found.append(node)
    for part in node if isinstance(node, tuple) else vars(node).values():
        if isinstance(part, _INSIDE):
            _gather(part, found)


class Nodes:
    """The nodes of what `walk` goes through, found once and told apart by their class."""

    def __init__(self, tree: object) -> None:
        self._by_class: dict[type[Tree], list[Tree]] = defaultdict(list)
        for node in walk(tree):
            self._by_class[type(node)].append(node)

    def of(self, cls: type[T]) -> Sequence[T]:
        """Those of one class, in the order of `walk`."""
        return cast("list[T]", self._by_class.get(cls, []))
