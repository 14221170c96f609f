"""Going through a tree."""

from __future__ import annotations

from rulesdsl.model import checked
from rulesdsl.model.grouped import ByClass
from rulesdsl.model.tree import Tree

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
    if isinstance(node, tuple) and node and isinstance(node[0], int):
        return  # numbers, of which there can be very many
    for part in node if isinstance(node, tuple) else vars(node).values():
        if isinstance(part, _INSIDE):
            _gather(part, found)


class Nodes(ByClass):
    """The nodes of what `walk` goes through, found once and told apart by their class."""

    def __init__(self, tree: object) -> None:
        super().__init__(walk(tree))
