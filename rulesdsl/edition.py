"""Editions of the language: which one is read, and how texts of an older one become texts of it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass

from rulesdsl.diagnostics import Report, Span
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
    """Return a text with edits, which do not overlap."""
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


_TOKEN = re.compile(r"#[^\n]*|'[^'\n]*'|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|->|\.\.|[^\s]")
# The keys under which expressions stand.
_MANIFEST = frozenset(["count", "copies", "length", "room", "totals", "when"])
_SCENARIOS = frozenset(["features", "holds", "state"])


@dataclass(frozen=True)
class Word:
    """A word of rules, with the words or signs before and behind it (empty at the ends).

    `first`: a declaration begins with it.
    """

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
    """What is called, such as a function of the language, has another name.

    A declaration or a part of something else of that name keeps it.
    """
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
    """Yield the edits of a text of rules or of an expression."""
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
    """Yield the edits of the expressions in a manifest, those under `further` keys among them."""
    yield from _in_expressions(document, rename, _MANIFEST.union(further))


def in_scenarios(document: Node, rename: Rename, further: tuple[str, ...]) -> Iterator[Edit]:
    """Yield the edits of the expressions in scenarios, those under `further` keys among them."""
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


EDITION = 1
"""The edition of the language that is read."""


@dataclass(frozen=True)
class Step:
    """How texts of one edition become texts of the next: rewrites of manifests, of files of
    scenarios, and of words in rules and in the expressions of both. They are done in this order,
    each on what the one before it made. `expressions` are keys under which expressions stand
    after these rewrites, and do not any more in the edition that is read."""

    manifest: tuple[Rewrite, ...] = ()
    scenarios: tuple[Rewrite, ...] = ()
    words: tuple[Rename, ...] = ()
    expressions: tuple[str, ...] = ()


STEPS: dict[int, Step] = {}
"""By the edition that it begins with, every step; they follow one another up to `EDITION`."""


def steps_from(edition: int, steps: AnyMapping[int, Step]) -> list[Step] | None:
    """Return the steps that lead from an edition to the one that is read.

    None for an edition from which none does.
    """
    between = range(edition, EDITION)
    if edition > EDITION or not all(each in steps for each in between):
        return None
    return [steps[each] for each in between]


def is_current(document: Node, report: Report) -> bool:
    """False (reported) for a manifest or scenarios of another edition than the one that is read:
    nothing else in it can be judged. What is no edition at all is left to the schema."""
    edition = document.get("edition") if isinstance(document, Mapping) else None
    if not isinstance(edition, Scalar) or type(edition.value) is not int:
        return True
    if edition.value == EDITION:
        return True
    if edition.value < EDITION and steps_from(edition.value, STEPS) is not None:
        name = shlex.quote(edition.span.source.name)
        message = f"edition {edition.value} of the language is not read any more"
        help = (f"to rewrite it for edition {EDITION}: rulesdsl update {name}",)
        report.error("edition-unknown", message, edition.span, help=help)
    else:
        report_unknown(edition, edition.value, report)
    return False


def report_unknown(edition: Scalar, number: int, report: Report) -> None:
    """Report an edition that is newer than the program, or that there never was."""
    newer = "a newer rulesdsl may know it: pip install --upgrade rulesdsl"
    report.error(
        "edition-unknown",
        f"edition {number} of the language is not known to this program",
        edition.span,
        help=(f"known: {EDITION}", *([newer] if number > EDITION else [])),
    )
