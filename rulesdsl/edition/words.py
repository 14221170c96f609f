"""Small rewrites of rules, and of expressions in YAML: words that have another name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rulesdsl.diagnostics import Span
from rulesdsl.edition.rewrites import Edit, inside
from rulesdsl.model.nodes import Node, Scalar

_TOKEN = re.compile(r"#[^\n]*|'[^'\n]*'|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|->|\.\.|[^\s]")
# The keys under which expressions stand.
_MANIFEST = frozenset(["count", "copies", "length", "room", "totals", "when"])
_SCENARIOS = frozenset(["features", "holds", "state"])


@dataclass(frozen=True)
class Word:
    """A word of rules, with the words or signs before and behind it (empty at the ends); `first`:
    a declaration begins with it."""

    text: str
    before: str
    after: str
    first: bool


@dataclass(frozen=True)
class Rename:
    """A word that has another name where `when` holds."""

    old: str
    new: str
    when: Callable[[Word], bool]


def renamed_declaration(old: str, new: str) -> Rename:
    """Declarations begin with another word."""
    return Rename(old, new, lambda word: word.first)


def renamed_call(old: str, new: str) -> Rename:
    """What is called, such as a function of the language, has another name; a declaration or a part
    of something else of that name keeps it."""
    return Rename(old, new, lambda word: word.after == "(" and word.before not in _NAMES_FOLLOW)


def renamed_property(old: str, new: str) -> Rename:
    """What is read behind a dot has another name."""
    return Rename(old, new, lambda word: word.before == ".")


_NAMES_FOLLOW = frozenset(
    [
        ".",
        *("action", "add", "after", "allow", "around", "before", "choice", "include", "instead"),
        *("option", "refine", "require", "value"),
    ]
)


def in_rules(span: Span, rename: Rename) -> Iterator[Edit]:
    """The edits of a text of rules or of an expression."""
    text = span.text
    found = [token for token in _TOKEN.finditer(text) if not token[0].startswith("#")]
    words = ["", *(token[0] for token in found), ""]
    for i, token in enumerate(found):
        start = span.start + token.start()
        first = start == 0 or span.source.text[start - 1] == "\n"
        word = Word(token[0], words[i], words[i + 2], first)
        if word.text == rename.old and rename.when(word):
            yield Edit(span.source.span(start, start + len(word.text)), rename.new)


def in_manifest(document: Node, rename: Rename, further: tuple[str, ...]) -> Iterator[Edit]:
    """The edits of the expressions in a manifest, those under `further` keys among them."""
    yield from _in_expressions(document, rename, _MANIFEST.union(further))


def in_scenarios(document: Node, rename: Rename, further: tuple[str, ...]) -> Iterator[Edit]:
    """The edits of the expressions in scenarios, those under `further` keys among them."""
    yield from _in_expressions(document, rename, _SCENARIOS.union(further))


def _in_expressions(
    node: Node, rename: Rename, keys: frozenset[str], within: bool = False
) -> Iterator[Edit]:
    if isinstance(node, Scalar):
        if within and isinstance(node.value, str):
            span, quotes = node.span, int(node.span.text[:1] in ("'", '"'))
            yield from in_rules(span.source.span(span.start + quotes, span.end - quotes), rename)
        return
    for key, inner in inside(node):
        if key == "labels":
            continue
        yield from _in_expressions(inner, rename, keys, within or key in keys)
