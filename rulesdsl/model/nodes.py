"""YAML documents as data with positions: the result of `read`, used by every later stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from rulesdsl.diagnostics import Span


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


def plain(node: Node) -> object:
    """Return the node as plain Python data (str, int, bool, list, dict), without positions."""
    match node:
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
