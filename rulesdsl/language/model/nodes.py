"""YAML documents as data with positions: the result of `read`, used by every later stage.

The functions that access parts of a document count a node of an unexpected shape as empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import TypeVar

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Span


@dataclass(frozen=True)
class Comments:
    """The comments of a node, kept for the formatter and never part of equality.

    `before` are the comment lines (with their `#`) and blank lines (empty strings) above it,
    `after` is the comment at the end of its line.
    """

    before: tuple[str, ...] = ()
    after: str = ""


@dataclass(frozen=True)
class Scalar:
    """A scalar: a string, a plain decimal integer, or true / false."""

    span: Span = field(compare=False, repr=False)
    value: str | int | bool
    quoted: bool = field(default=False, compare=False)
    comments: Comments = field(default=Comments(), compare=False, repr=False)


@dataclass(frozen=True)
class Sequence:
    """A list of nodes in order."""

    span: Span = field(compare=False, repr=False)
    items: tuple[Node, ...]
    comments: Comments = field(default=Comments(), compare=False, repr=False)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.items)


@dataclass(frozen=True)
class Mapping:
    """A mapping of unique keys (plain strings) to nodes, in the order they were written."""

    span: Span = field(compare=False, repr=False)
    entries: tuple[tuple[Scalar, Node], ...]
    comments: Comments = field(default=Comments(), compare=False, repr=False)

    def get(self, key: str) -> Node | None:
        """Return the node under `key`, or None."""
        return self._entries[key][1] if key in self._entries else None

    def key(self, key: str) -> Scalar | None:
        """Return the key's own node, for its position, or None."""
        return self._entries[key][0] if key in self._entries else None

    @cached_property
    def _entries(self) -> dict[str | int | bool, tuple[Scalar, Node]]:
        return {entry[0].value: entry for entry in self.entries}

    def __iter__(self) -> Iterator[tuple[Scalar, Node]]:
        return iter(self.entries)


Node = Scalar | Sequence | Mapping
D = TypeVar("D")


def plain(node: Node | None) -> object:
    """Return the node as plain Python data (str, int, bool, list, dict), without positions."""
    match node:
        case None:
            return None
        case Scalar():
            return node.value
        case Sequence():
            return [plain(item) for item in node.items]
        case Mapping():
            return {str(key.value): plain(value) for key, value in node.entries}


def texts(node: Node) -> Iterator[str]:
    """Yield all strings inside the node, without keys."""
    match node:
        case Scalar(value=str(text)):
            yield text
        case Sequence():
            for item in node:
                yield from texts(item)
        case Mapping():
            for _, value in node:
                yield from texts(value)


def entries(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    """Return the keys and values of a mapping."""
    return node.entries if isinstance(node, Mapping) else ()


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


def number(node: Node | None, key: str, default: D) -> int | D:
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
    """Return a scalar's value as YAML writes it, `none` for None."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
