"""Small rewrites of YAML: what changes from one edition to the next, as edits of a text.

A place in a document is told by the keys that lead to it, `*` for any key or any item of a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass

from rulesdsl.diagnostics import Span
from rulesdsl.model.nodes import Mapping, Node, Scalar, Sequence

ANY = "*"


@dataclass(frozen=True)
class Edit:
    """A stretch of a text and what takes its place."""

    span: Span
    text: str


Rewrite = Callable[[Node], Iterable[Edit]]
"""The edits that a document needs."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits, which do not overlap."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda each: (each.span.start, each.span.end)):
        assert at <= edit.span.start, "edits do not overlap"
        parts += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join((*parts, text[at:]))


def renamed_key(*path: str, to: str) -> Rewrite:
    """The last key of a path has another name."""
    *outer, name = path

    def rewrite(document: Node) -> Iterator[Edit]:
        for node in at(document, tuple(outer)):
            key = node.key(name) if isinstance(node, Mapping) else None
            if key is not None:
                yield Edit(key.span, key.span.text.replace(name, to))

    return rewrite


def replaced_value(*path: str, by: AnyMapping[str, str]) -> Rewrite:
    """Plain values at a path, as they are written, are written in another way."""

    def rewrite(document: Node) -> Iterator[Edit]:
        for node in at(document, path):
            if isinstance(node, Scalar) and node.span.text in by:
                yield Edit(node.span, by[node.span.text])

    return rewrite


def at(node: Node, path: tuple[str, ...]) -> Iterator[Node]:
    """All nodes at a path."""
    if not path:
        yield node
        return
    first, rest = path[0], path[1:]
    for name, inner in inside(node):
        if first in (ANY, name):
            yield from at(inner, rest)


def inside(node: Node) -> Iterator[tuple[str, Node]]:
    """What is directly inside a node, with its key; an item of a list has the key `*`."""
    match node:
        case Mapping():
            yield from ((str(key.value), inner) for key, inner in node)
        case Sequence():
            yield from ((ANY, item) for item in node)
        case Scalar():
            pass
