"""Texts of checked expressions that are equal exactly when two rules compute the same.

Parameters count by position, so that rules that name them differently can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass

from rulesdsl.model import checked as tree


def renaming(params: Sequence[str]) -> dict[str, str]:
    """A rule's parameter names by position."""
    return {name: f"${position}" for position, name in enumerate(params)}


def key(node: object, names: dict[str, str]) -> str:
    """The structure of a checked node (or block) as text; spans and types do not count.

    `previous` differs from rule to rule, so each is equal to itself alone.
    """
    match node:
        case tree.Local(name=name):
            return names.get(name, _as_written(name))
        case str(text):
            return repr(_as_written(text))
        case tree.Const(value=value, setting=setting):
            return f"settings.{setting}" if setting else repr(value)
        case tree.Previous(span=span):
            return f"previous at {span}"
        case tuple():
            return "(" + ",".join(key(item, names) for item in node) + ")"
    if is_dataclass(node) and isinstance(node, tree.Node):
        parts = [
            key(getattr(node, f.name), names)
            for f in fields(node)
            if f.name not in ("span", "type")
        ]
        return f"{type(node).__name__}({','.join(parts)})"
    return repr(node)


def _as_written(name: str) -> str:
    """A local's name without the number that tells it from one of another scope: there the same
    name in the same place means the same."""
    return name.partition("$")[0] or name
