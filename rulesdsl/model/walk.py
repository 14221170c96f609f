"""Going through a tree."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.model import checked
from rulesdsl.model.tree import Tree


def walk(tree: object) -> Iterator[Tree]:
    """All nodes of a syntax tree or a checked tree, each before those inside it. `tree` may be a
    tuple of trees; hooks belong to what they hook; what is no tree is passed over."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(reversed(node))
        elif isinstance(node, Tree | checked.Hooks):
            if isinstance(node, Tree):
                yield node
            waiting.extend(reversed(vars(node).values()))
