"""Editions of the language: the current one, and the migration of texts of older ones."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as AnyMapping

from rulesdsl.diagnostics import Report, Span
from rulesdsl.model.nodes import Mapping, Node, Scalar, Sequence
from rulesdsl.records import dataclass

ANY = "*"


@dataclass(frozen=True)
class TextEdit:
    """A span of a text and its replacement."""

    span: Span
    text: str


Rewrite = Callable[[Node], Iterable[TextEdit]]
"""A function that yields the edits of a document."""


def edited(text: str, edits: Iterable[TextEdit]) -> str:
    """Apply edits, which do not overlap, to a text."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda each: (each.span.start, each.span.end)):
        assert at <= edit.span.start, "edits do not overlap"
        parts += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join((*parts, text[at:]))


def renamed_key(*path: str, to: str) -> Rewrite:
    """Rename the last key of a path."""
    *outer, name = path

    def rewrite(document: Node) -> Iterator[TextEdit]:
        for node in at(document, tuple(outer)):
            key = node.key(name) if isinstance(node, Mapping) else None
            if key is not None:
                yield TextEdit(key.span, key.span.text.replace(name, to))

    return rewrite


def replaced_value(*path: str, by: AnyMapping[str, str]) -> Rewrite:
    """Replace plain values at a path, by their texts."""

    def rewrite(document: Node) -> Iterator[TextEdit]:
        for node in at(document, path):
            if isinstance(node, Scalar) and node.span.text in by:
                yield TextEdit(node.span, by[node.span.text])

    return rewrite


def at(node: Node, path: tuple[str, ...]) -> Iterator[Node]:
    """Yield all nodes at a path."""
    if not path:
        yield node
        return
    first, rest = path[0], path[1:]
    for name, inner in inside(node):
        if first in (ANY, name):
            yield from at(inner, rest)


def inside(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the nodes directly inside a node with their keys; items of a list have the key `*`."""
    match node:
        case Mapping():
            yield from ((str(key.value), inner) for key, inner in node)
        case Sequence():
            yield from ((ANY, item) for item in node)
        case Scalar():
            pass


_TOKEN = re.compile(r"#[^\n]*|'[^'\n]*'|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|->|\.\.|[^\s]")
# The keys of expressions.
_MANIFEST = frozenset(["count", "copies", "length", "room", "totals", "when"])
_SCENARIOS = frozenset(["features", "holds", "state"])


@dataclass(frozen=True)
class Word:
    """A word of rules, with the words or signs before and after it (empty at the ends).

    `first` is set if a declaration begins with it.
    """

    text: str
    before: str
    after: str
    first: bool


@dataclass(frozen=True)
class Rename:
    """A word that is renamed where `when` holds."""

    old: str
    new: str
    when: Callable[[Word], bool]


def renamed_declaration(old: str, new: str) -> Rename:
    """Rename the first word of declarations."""
    return Rename(old, new, lambda word: word.first)


def renamed_call(old: str, new: str) -> Rename:
    """Rename something that is called, such as a function of the language.

    A declaration or a part of something else of that name keeps it.
    """
    return Rename(old, new, lambda word: word.after == "(" and word.before not in _NAMES_FOLLOW)


def renamed_property(old: str, new: str) -> Rename:
    """Rename a property, which is read after a dot."""
    return Rename(old, new, lambda word: word.before == ".")


_NAMES_FOLLOW = frozenset(
    [
        ".",
        *("action", "add", "after", "allow", "around", "before", "choice", "include", "instead"),
        *("option", "refine", "require", "value"),
    ]
)


def in_rules(span: Span, rename: Rename) -> Iterator[TextEdit]:
    """Yield the edits of a text of rules or of an expression."""
    text = span.text
    found = [token for token in _TOKEN.finditer(text) if not token[0].startswith("#")]
    words = ["", *(token[0] for token in found), ""]
    for i, token in enumerate(found):
        start = span.start + token.start()
        first = start == 0 or span.source.text[start - 1] == "\n"
        word = Word(token[0], words[i], words[i + 2], first)
        if word.text == rename.old and rename.when(word):
            yield TextEdit(span.source.span(start, start + len(word.text)), rename.new)


def in_manifest(document: Node, rename: Rename, further: tuple[str, ...]) -> Iterator[TextEdit]:
    """Yield the edits of the expressions in a manifest, including those under `further` keys."""
    yield from _in_expressions(document, rename, _MANIFEST.union(further))


def in_scenarios(document: Node, rename: Rename, further: tuple[str, ...]) -> Iterator[TextEdit]:
    """Yield the edits of the expressions in scenarios, including those under `further` keys."""
    yield from _in_expressions(document, rename, _SCENARIOS.union(further))


def _in_expressions(
    node: Node, rename: Rename, keys: frozenset[str], within: bool = False
) -> Iterator[TextEdit]:
    if isinstance(node, Scalar):
        if within and isinstance(node.value, str):
            span, quotes = node.span, int(node.span.text[:1] in ("'", '"'))
            yield from in_rules(span.source.span(span.start + quotes, span.end - quotes), rename)
        return
    for key, inner in inside(node):
        if key == "labels":
            continue
        yield from _in_expressions(inner, rename, keys, within or key in keys)


EDITION = 1
"""The current edition of the language."""


@dataclass(frozen=True)
class Migration:
    """The migration of texts from one edition to the next.

    It consists of rewrites of manifests and of files of scenarios, and renames of words in rules
    and in the expressions of both, applied in this order. `expressions` are keys that hold
    expressions after these rewrites, but not in the current edition.
    """

    manifest: tuple[Rewrite, ...] = ()
    scenarios: tuple[Rewrite, ...] = ()
    words: tuple[Rename, ...] = ()
    expressions: tuple[str, ...] = ()


STEPS: dict[int, Migration] = {}
"""The steps by the edition that they start from; they follow one another up to `EDITION`."""


def steps_from(edition: int, steps: AnyMapping[int, Migration]) -> list[Migration] | None:
    """Return the steps that lead from an edition to the current one.

    None for an edition that cannot be migrated.
    """
    between = range(edition, EDITION)
    if edition > EDITION or not all(each in steps for each in between):
        return None
    return [steps[each] for each in between]


def is_current(document: Node, report: Report) -> bool:
    """Return whether a manifest or scenarios are of the current edition; report it if not.

    Nothing else in a text of another edition can be checked. An invalid edition is left to the
    schema.
    """
    edition = document.get("edition") if isinstance(document, Mapping) else None
    if not isinstance(edition, Scalar) or type(edition.value) is not int:
        return True
    if edition.value == EDITION:
        return True
    if edition.value < EDITION and steps_from(edition.value, STEPS) is not None:
        name = shlex.quote(edition.span.source.name)
        message = f"edition {edition.value} of the language is no longer supported"
        help = (f"to rewrite it for edition {EDITION}: rulesdsl update {name}",)
        report.error("edition-unknown", message, edition.span, help=help)
    else:
        report_unknown(edition, edition.value, report)
    return False


def report_unknown(edition: Scalar, number: int, report: Report) -> None:
    """Report an edition that is newer than the program, or that never existed."""
    newer = "a newer version may support it: pip install --upgrade rulesdsl"
    report.error(
        "edition-unknown",
        f"edition {number} of the language is not supported by this version",
        edition.span,
        help=(f"supported: {EDITION}", *([newer] if number > EDITION else [])),
    )
