"""Going through a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from rulesdsl.model import ast, checked


def walk(tree: object) -> Iterator[ast.Node | checked.Node]:
    """All nodes of a syntax tree or a checked tree, each before those inside it. `tree` may be a
    tuple of trees; hooks belong to what they hook; what is no tree is passed over."""
    if isinstance(tree, tuple):
        for item in tree:
            yield from walk(item)
    elif isinstance(tree, ast.Node | checked.Node | checked.Hooks):
        if not isinstance(tree, checked.Hooks):
            yield tree
        for field in fields(tree):
            yield from walk(getattr(tree, field.name))
