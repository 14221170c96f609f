"""Going through a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rulesdsl.model import checked
from rulesdsl.model.tree import Tree

_NODES = (Tree, checked.Hooks)
_INSIDE = (tuple, *_NODES)


def walk(tree: object) -> Iterator[Tree]:
    """All nodes of a syntax tree or a checked tree, each before those inside it. `tree` may be a
    tuple of trees; hooks belong to what they hook; what is no tree is passed over."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            parts: Iterable[object] = node
        elif isinstance(node, _NODES):
            if isinstance(node, Tree):
                yield node
            parts = vars(node).values()
        else:
            continue
        waiting += [part for part in parts if isinstance(part, _INSIDE)][::-1]
