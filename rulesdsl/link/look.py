"""Access to manifest nodes; a node of an unexpected shape counts as empty."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.model.nodes import Mapping, Node, Scalar, Sequence


def entries(node: Node | None) -> Iterator[tuple[Scalar, Node]]:
    """Yield the keys and values of a mapping."""
    if isinstance(node, Mapping):
        yield from node


def items(node: Node | None) -> tuple[Node, ...]:
    """Return the items of a list; a single scalar or mapping is a list of one."""
    match node:
        case None:
            return ()
        case Sequence():
            return node.items
        case _:
            return (node,)


def scalars(node: Node | None) -> tuple[Scalar, ...]:
    """Return the scalars among the items of a list, or the one scalar."""
    return tuple(item for item in items(node) if isinstance(item, Scalar))


def get(node: Node | None, key: str) -> Node | None:
    """Return the node a mapping holds under `key`."""
    return node.get(key) if isinstance(node, Mapping) else None


def scalar(node: Node | None, key: str) -> Scalar | None:
    """Return the scalar a mapping holds under `key`."""
    found = get(node, key)
    return found if isinstance(found, Scalar) else None


def text(node: Node | None, key: str, default: str = "") -> str:
    """Return the string a mapping holds under `key`."""
    found = scalar(node, key)
    return found.value if found is not None and isinstance(found.value, str) else default


def flag(node: Node | None, key: str, default: bool = False) -> bool:
    """Return the boolean a mapping holds under `key`."""
    found = scalar(node, key)
    return found.value if found is not None and isinstance(found.value, bool) else default


def number(node: Node | None, key: str, default: int) -> int:
    """Return the integer a mapping holds under `key`."""
    found = scalar(node, key)
    return found.value if found is not None and type(found.value) is int else default


def integers(node: Node | None) -> tuple[int, ...]:
    """Return the integers of a list."""
    return tuple(item.value for item in scalars(node) if type(item.value) is int)


def words(node: Node | None) -> tuple[str, ...]:
    """Return the strings of a list, or the one string."""
    return tuple(item.value for item in scalars(node) if isinstance(item.value, str))


def size(node: Node | None) -> int:
    """Count the values of a node, itself included."""
    match node:
        case Mapping():
            return 1 + sum(size(value) for _, value in node)
        case Sequence():
            return 1 + sum(map(size, node.items))
        case _:
            return 1


def shown(value: object) -> str:
    """Return a scalar's value as YAML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
