"""Going through a tree."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.model import ast, checked


def walk(tree: object) -> Iterator[ast.Node | checked.Node]:
    """All nodes of a syntax tree or a checked tree, each before those inside it. `tree` may be a
    tuple of trees; hooks belong to what they hook; what is no tree is passed over."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(reversed(node))
        elif isinstance(node, ast.Node | checked.Node | checked.Hooks):
            if not isinstance(node, checked.Hooks):
                yield node
            waiting.extend(reversed(vars(node).values()))
