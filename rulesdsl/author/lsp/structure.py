"""The structure of a file: its outline, the ranges that can be folded, and semantic tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Report, Source, Span
from rulesdsl.language.link.names import SYMBOLS
from rulesdsl.language.model import ast
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, Sequence, entries
from rulesdsl.language.model.uses import Use
from rulesdsl.language.parse import parse
from rulesdsl.language.parse.grammar import WORDS
from rulesdsl.language.read.yaml import parse_yaml

# --- outline -------------------------------------------------------------------------------------

_SECTIONS = {**SYMBOLS, "tests": "scenario"}


@dataclass(frozen=True)
class OutlineEntry:
    """A named part of a file: `whole` is all of it, `span` is its name, `inside` are its parts."""

    what: str
    name: str
    detail: str
    whole: Span
    span: Span
    inside: tuple[OutlineEntry, ...] = ()


def outline(source: Source) -> list[OutlineEntry]:
    """Return the declarations of a file in order, without the parts that cannot be parsed."""
    if source.name.endswith(".rules"):
        return [each for node in parse(source, Report()).declarations for each in _declared(node)]
    return [_section(key, value) for key, value in entries(parse_yaml(source, Report()))]


def _declared(node: ast.Decl) -> Iterator[OutlineEntry]:
    span = node.span
    match node:
        case ast.StateDecl():
            yield _entry("state", f"{node.owner}.{node.name}", span, node.name.span)
        case ast.ValueDecl():
            yield _entry("value", node.name, span, node.name.span)
        case ast.ActionDecl():
            yield _entry("action", node.name, span, node.name.span)
        case ast.ChoiceDecl():
            options = tuple(each for option in node.options for each in _declared(option))
            yield OutlineEntry("choice", node.name, "choice", span, node.name.span, options)
        case ast.OptionDecl():
            name = f"{node.choice}.{node.name}" if node.choice else node.name
            yield _entry("option", name, span, node.name.span)
        case ast.Contribution():
            yield OutlineEntry("value", str(node.target), node.verb, span, node.target.span)
        case ast.HookDecl():
            yield OutlineEntry("action", str(node.target), node.when, span, node.target.span)
        case ast.ForbidDecl():
            yield OutlineEntry(
                "option", f"{node.target}.{node.option}", "forbid", span, node.target.span
            )
        case ast.WithDecl(names=names):
            inside = tuple(each for inner in node.declarations for each in _declared(inner))
            where = names[0].span.to(names[-1].span)
            yield OutlineEntry("ruleset", f"with {where.text}", "with", span, where, inside)
        case ast.AlwaysDecl():
            yield OutlineEntry("action", "always", "always", span, span)
        case ast.InvariantDecl():
            yield _entry("invariant", node.name, span, node.name.span)
        case ast.Broken(name=ast.Ident() as name):
            yield _entry("value", name, span, name.span)


def _entry(what: str, name: str, whole: Span, span: Span) -> OutlineEntry:
    return OutlineEntry(what, name, what, whole, span)


def _section(key: Scalar, value: Node) -> OutlineEntry:
    name = str(key.value)
    inside = tuple(_inside(_SECTIONS[name], value)) if name in _SECTIONS else ()
    return OutlineEntry("ruleset", name, "", key.span.to(value.span), key.span, inside)


def _inside(what: str, node: Node) -> Iterator[OutlineEntry]:
    if isinstance(node, Mapping):
        for key, value in node:
            yield OutlineEntry(what, str(key.value), "", key.span.to(value.span), key.span)
    elif isinstance(node, Sequence):
        for item in node:
            id = item.get("id") or item.get("name") if isinstance(item, Mapping) else None
            if isinstance(id, Scalar):
                yield OutlineEntry(what, str(id.value), "", item.span, id.span)


# --- ranges that can be folded -------------------------------------------------------------------


@dataclass(frozen=True)
class Fold:
    """A range of lines, counted from 0, of which the first stays visible."""

    first: int
    last: int
    comment: bool = False


def folds(text: str) -> list[Fold]:
    """Return all ranges that can be folded, by line."""
    lines = [line.expandtabs() for line in text.split("\n")]
    found = [*_blocks(lines), *_comments(lines)]
    return sorted(found, key=lambda fold: (fold.first, -fold.last))


def _blocks(lines: list[str]) -> Iterator[Fold]:
    """Yield each line together with the lines below it that are indented deeper."""
    open_: list[tuple[int, int]] = []
    last = -1
    for number, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        # The items of a list may stand below their key's first letter, and are deeper than it.
        depth = 2 * (len(line) - len(line.lstrip())) + line.lstrip().startswith("- ")
        while open_ and open_[-1][0] >= depth:
            first = open_.pop()[1]
            if last > first:
                yield Fold(first, last)
        open_.append((depth, number))
        last = number
    for _, first in reversed(open_):
        if last > first:
            yield Fold(first, last)


def _comments(lines: list[str]) -> Iterator[Fold]:
    first: int | None = None
    for number, line in enumerate([*lines, ""]):
        if line.lstrip().startswith("#"):
            first = number if first is None else first
        elif first is not None:
            if number - first > 1:
                yield Fold(first, number - 1, comment=True)
            first = None


# --- semantic tokens -----------------------------------------------------------------------------

MODIFIERS = ("declaration", "defaultLibrary")

_OF_KINDS = {
    "function": ("value", "function"),
    "method": ("action", "effect"),
    "event": ("choice", "option"),
    "property": ("state", "invariant", "attribute", "property", "setting"),
    "enum": ("enum",),
    "enumMember": ("member", "face", "colour"),
    "class": ("feature", "component"),
    "variable": ("grid", "zone", "track", "table"),
    "parameter": ("local",),
    "namespace": ("ruleset",),
    "type": ("type",),
}
KINDS = ("comment", "keyword", "number", "string", *_OF_KINDS)
"""The kinds of tokens, as the protocol names them."""
_KINDS = {what: kind for kind, names in _OF_KINDS.items() for what in names}
_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<string>'[^'\n]*')|(?P<number>\d+)|(?P<word>[A-Za-z_]\w*)", re.ASCII
)


@dataclass(frozen=True)
class Token:
    """A stretch of characters in one line."""

    start: int
    end: int
    kind: str
    declares: bool = False
    own: bool = False


def tokens(text: str, uses: list[Use], rules: bool) -> list[Token]:
    """Return the tokens of a text by place: names, and in rules all other words too.

    The `uses` may be those of an older text; they count where it has not changed.
    """
    named = {
        use.span.start: Token(
            use.span.start, use.span.end, _KINDS[use.symbol.what], use.declares, use.symbol.own
        )
        for use in uses
        if text[use.span.start : use.span.end] == use.span.text
    }
    if not rules:
        return [named[start] for start in sorted(named)]
    found = list[Token]()
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if match.start() in named:
            found.append(named[match.start()])
        elif kind != "word" or match[0] in WORDS:
            kind = "keyword" if kind == "word" else kind
            found.append(Token(*match.span(), kind))
    return found
