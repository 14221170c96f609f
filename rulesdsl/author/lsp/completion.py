"""Completion in rules, manifests and files of scenarios, also while the text is broken."""

from __future__ import annotations

import json
import re
from collections import abc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

from rulesdsl.author.lsp.hover import AGGREGATES, authored, comment, forms, signature
from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import DOMAINS, EFFECTS, FORMS, FUNCTIONS, PROPERTIES, Builtin
from rulesdsl.language.check.declarations import OWNERS, VERBS, DraftGame
from rulesdsl.language.check.expressions import infer
from rulesdsl.language.check.names import properties, read_property, setting_type, takes
from rulesdsl.language.check.scope import CheckContext, ScopeLocal
from rulesdsl.language.check.symbols import RoutineSymbol, Symbols, T, Table
from rulesdsl.language.check.types import is_piece, required
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.link.names import CLASSES
from rulesdsl.language.model import ast, types
from rulesdsl.language.model.ast import Ident, every
from rulesdsl.language.model.checked import PLAYERS, PREVIOUS, Expr
from rulesdsl.language.model.names import TEXT, owner_of, ruleset_of, short_name
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, Sequence
from rulesdsl.language.model.types import BOOL, PIECE_CLASSES, EnumType, OptionalType
from rulesdsl.language.model.uses import What
from rulesdsl.language.parse import Trees, parse
from rulesdsl.language.parse.grammar import DECLARATIONS
from rulesdsl.language.parse.layout import IS_WITH, Chunk, split
from rulesdsl.language.read.schema import Schema, Step, at, followed, load
from rulesdsl.language.read.yaml import parse_partly


@dataclass(frozen=True)
class Item:
    """A completion item.

    `what` is a kind of symbol or `keyword`. `insert` is the text to insert if it differs from the
    word: a snippet with the placeholders `$1` and `${1:name}`. Items with a lower `rank` fit
    better.
    """

    label: str
    what: What | str
    detail: str = ""
    doc: str = ""
    snippet: str = ""
    rank: int = 5


def distinct(items: Iterable[Item]) -> list[Item]:
    """Return each word once with its best rank, sorted by rank, then by spelling."""
    best: dict[str, Item] = {}
    for item in items:
        if item.label not in best or item.rank < best[item.label].rank:
            best[item.label] = item
    return sorted(best.values(), key=lambda item: (item.rank, item.label))


def keywords(words: Iterable[str], rank: int = 8) -> list[Item]:
    """Return items for words of the language."""
    return [Item(word, "keyword", rank=rank) for word in words]


# --- the checker's view of a place ----------------------------------------------------------------

MARK = "word__that__is__being__written"
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_SIGN = re.compile(r"#[^\n]*|'[^'\n]*'|[()\[\]{}]")
_NAME = re.compile(r"\w+")
_COMMENT = re.compile(r"#[^\n]*")
_ENDS = (
    "",
    ": nothing",
    ": 0",
    " else 0",
    " else 0: nothing",
    " == 0: nothing",
    " in players: nothing",
    ":\n    option pass",
)
"""Endings that an unfinished line may lack."""


@dataclass(frozen=True)
class CheckedPlace:
    """The checker's view of a place, in which the word there has a `role`.

    A `name` stands by itself, an `attribute` behind a dot, a `test` behind `is`; `object` is the
    expression before it. `names` are the locals in scope, `hint` is the expected type.
    """

    role: Literal["name", "attribute", "test"]
    ctx: CheckContext
    names: dict[str, ScopeLocal]
    hint: types.Type | None = None
    object: Expr | None = None


class Marked:
    """The expression at the completion mark; checking it records the `CheckedPlace`."""

    def __init__(self) -> None:
        self.place: CheckedPlace | None = None
        self._objects: dict[int, Expr] = {}

    def infer(self, ctx: CheckContext, node: ast.Expr, hint: types.Type | None) -> Expr:
        """Infer the type of an expression as the checker does, and record the place of the mark."""
        found = self._objects[id(node)] = infer(ctx, node, hint)
        match node:
            case ast.Name() if node.name == MARK:
                self._found(CheckedPlace("name", ctx, dict(ctx.names), hint))
            case ast.Attribute() if node.name == MARK:
                object_ = self._objects.get(id(node.object))
                self._found(CheckedPlace("attribute", ctx, dict(ctx.names), hint, object_))
            case ast.Compare(right=ast.Name(name=name)) if name == MARK and "is" in node.operator:
                object_ = self._objects.get(id(node.left))
                self._found(CheckedPlace("test", ctx, dict(ctx.names), hint, object_))
        return found

    def _found(self, place: CheckedPlace) -> None:
        # The expected type may be known only after the other side has been checked.
        if self.place is None or (self.place.hint is None and place.hint is not None):
            self.place = place


def chunk_at(source: Source, offset: int) -> Chunk | None:
    """Return the declaration, with the text up to the next one, that contains an offset."""
    _, chunks = split(source)
    return next((c for c in chunks if c.start <= offset <= c.start + len(c.text)), None)


def rulesets_at(source: Source, offset: int) -> tuple[str, ...]:
    """Return the rulesets named by the `with` block that contains an offset.

    The result is empty outside of `with` blocks.
    """
    names: tuple[str, ...] = ()
    _, chunks = split(source)
    for chunk in chunks:
        if chunk.start > offset:
            break
        if not chunk.base:
            head = chunk.text.partition(":")[0] if IS_WITH.match(chunk.text) else ""
            names = tuple(sorted(set(_NAME.findall(_COMMENT.sub("", head))[1:])))
    line = source.text.rfind("\n", 0, offset) + 1
    return names if source.text[line : line + 1] in (" ", "\t") else ()


def marked(source: Source, start: int, end: int, trees: Trees) -> ast.Module | None:
    """Return the rules with a mark in place of the text from `start` to `end`, so that they parse.

    Tries to repair the declaration around the mark; returns None if nothing helps. `trees` are
    those of the rules without the mark.
    """
    chunk = chunk_at(source, start)
    if chunk is None:
        return None
    stop = chunk.start + len(chunk.text)
    for text in _attempts(source.text[chunk.start : start], source.text[end:stop]):
        whole = source.text[: chunk.start] + text + "\n" + source.text[stop:]
        module = parse(Source(source.name, whole), Report(), trees)
        readable = (node for node in every(module) if not isinstance(node, ast.Broken))
        if any(MARK in node.span.text for node in readable):
            return module
    return None


def _attempts(before: str, after: str) -> Iterator[str]:
    """Yield texts of a declaration with the mark inserted, the likeliest to parse first.

    The mark stands between `before` and `after`, which may be completed.
    """
    line, _, below = after.partition("\n")
    yield before + MARK + after
    closing = _closing(before)
    for end in _ENDS:
        yield f"{before}{MARK}{closing}{end}\n{below}"
    for end in _ENDS:
        yield f"{before}{MARK}{closing}{end}"
    yield f"{before}{MARK}(){line}\n{below}"


def _closing(text: str) -> str:
    open_: list[str] = []
    for match in _SIGN.finditer(text):
        sign = match[0]
        if sign in _PAIRS:
            open_.append(_PAIRS[sign])
        elif open_ and sign == open_[-1]:
            open_.pop()
    return "".join(reversed(open_))


_TOKEN = re.compile(r"#[^\n]*|'[^'\n]*'?|\w+(?:\.\w+)?|\S")


def call_at(source: Source, offset: int) -> tuple[str | None, str, int] | None:
    """Return the innermost call around an offset: qualifier, name, and the argument's number."""
    chunk = chunk_at(source, offset)
    open_: list[tuple[str, int]] = []
    name, ends = "", 0
    for token in _TOKEN.finditer(source.text, chunk.start if chunk else offset, offset):
        sign = token[0]
        if sign in _PAIRS:
            open_.append((name if sign == "(" and ends == token.start() else "", 0))
        elif open_ and sign in _PAIRS.values():
            open_.pop()
        elif open_ and sign == ",":
            open_[-1] = (open_[-1][0], open_[-1][1] + 1)
        elif sign[0] == "#" and token.end() == offset:
            return None
        name, ends = (sign, token.end()) if sign[0].isidentifier() else ("", 0)
    for called, argument in reversed(open_):
        if called:
            qualifier, _, name = called.rpartition(".")
            return qualifier or None, name, argument
    return None


# --- expressions and statements -------------------------------------------------------------------

_STATEMENTS = (
    *("let", "var", "if", "else", "for", "while", "when", "otherwise", "return", "later"),
    *("nothing", "break", "leave", "proceed"),
)
_OPERATORS = ("and", "or", "not", "in", "is", "if", "else", "where", "for", "div", "mod")
_LITERALS = ("true", "false", "none", "previous")


def _names(place: CheckedPlace, begins: bool) -> Iterator[Item]:
    ctx = place.ctx
    if place.hint is not None:
        yield from _expected(ctx, required(place.hint))
    for name, local in place.names.items():
        yield Item(name, "local", f"{local.what} {name}: {local.type}", rank=2)
    yield from _declared(ctx)
    yield from _words(ctx, begins)
    if place.hint is None:
        for type_ in (types.KIND, types.PLAYER):
            yield from (replace(item, rank=7) for item in _expected(ctx, type_))


def _expected(ctx: CheckContext, type_: types.Type) -> Iterator[Item]:
    symbols = ctx.symbols
    if isinstance(type_, types.SetType):
        type_ = type_.item
    if isinstance(type_, types.EnumType):
        for name in symbols.members(type_.name):
            yield Item(name, "member", str(type_), rank=1)
    elif type_ == types.KIND:
        yield from _components(ctx)
    elif type_ == types.PLAYER:
        for name in symbols.game.roles.colours:
            yield Item(name, "colour", "player", rank=4)


def _declared(ctx: CheckContext) -> Iterator[Item]:
    symbols, ruleset = ctx.symbols, ctx.ruleset
    for name, state in _seen(symbols, symbols.data, ruleset):
        if name.startswith("game."):
            short = name.removeprefix("game.")
            yield Item(short, "state", f"state {name}: {state.type}", rank=3)
    for name, noun in _seen(symbols, symbols.nouns, ruleset):
        yield Item(name, noun.what, noun.what, rank=3)
    for _, routine in _seen(symbols, symbols.routines, ruleset):
        if routine.what == "value" or ctx.acts:
            doc = authored(comment(routine.span)) if routine.span is not None else ""
            yield replace(_routine(routine, rank=3), doc=doc)


def _seen(
    symbols: Symbols, table: Table[T], ruleset: str, qualifier: str | None = None
) -> Iterator[tuple[str, T]]:
    """Yield the names of a table that a ruleset sees, with each of their meanings there."""
    for name in symbols.seen(table, ruleset, qualifier):
        for each in symbols.find(table, name, ruleset, qualifier):
            yield name, each


def _call(name: str, params: Iterable[str]) -> str:
    places = ", ".join(f"${{{number}:{param}}}" for number, param in enumerate(params, 1))
    return f"{name}({places})"


def _words(ctx: CheckContext, begins: bool) -> Iterator[Item]:
    for name, row in FUNCTIONS.items():
        plain = name in DOMAINS
        yield _builtin(row, "function", name if plain else "")
    for row in FORMS.values():
        yield _builtin(row, "function", f"{row.name}($1)")
    if ctx.acts:
        for row in EFFECTS.values():
            yield _builtin(row, "effect", "")
    for name, (_, doc) in AGGREGATES.items():
        yield Item(name, "function", "", doc, f"{name}($1)", rank=6)
    yield Item("settings", "keyword", snippet="settings.", rank=6)
    yield from keywords(_LITERALS)
    yield from keywords(_STATEMENTS if begins else _OPERATORS)


def _builtin(row: Builtin, what: What, plain: str) -> Item:
    params = [str(param) for param in row.signatures[-1].params]
    snippet = plain or _call(row.name, params)
    return Item(row.name, what, next(forms(row)), row.doc, snippet, rank=5)


def _components(ctx: CheckContext, quoted: bool = False) -> Iterator[Item]:
    symbols = ctx.symbols
    for name, kinds in _seen(symbols, symbols.components, ctx.ruleset):
        written = name if name.isidentifier() and not quoted else f"'{name}'"
        yield Item(written, "component", symbols.game.kinds[kinds[0]].cls, rank=3)


# --- behind a dot, behind `is` ----------------------------------------------------------------


def _attributes(ctx: CheckContext, object_: Expr) -> Iterator[Item]:
    type_ = object_.type.item if isinstance(object_.type, types.OptionalType) else object_.type
    if type_ == types.ERROR:
        return
    known = replace(object_, type=type_)
    for name in sorted(set(properties(ctx, type_))):
        docs = (doc for owner, _, doc, *_ in PROPERTIES.get(name, ()) if takes(type_, owner))
        yield Item(name, _what(ctx, name), _told(ctx, known, name), next(docs, ""), rank=1)
    for name, row in FUNCTIONS.items():
        single = [s for s in row.signatures if len(s.params) == 1]
        if any(takes(type_, s.params[0]) for s in single):
            yield Item(name, "function", _told(ctx, known, name), row.doc, rank=4)


def _told(ctx: CheckContext, object_: Expr, name: str) -> str:
    """Return `TYPE.name: TYPE` for `object.name`, empty if it has no such member."""
    quiet = replace(ctx, report=Report())
    found = read_property(quiet, object_, Ident(name, object_.span), object_.span)
    return "" if found.type == types.ERROR else f"{object_.type}.{name}: {found.type}"


def _what(ctx: CheckContext, name: str) -> What:
    symbols = ctx.symbols
    if symbols.find(symbols.attributes, name, ctx.ruleset):
        return "attribute"
    if symbols.find(symbols.routines, name, ctx.ruleset):
        return "value"
    return "property" if name in PROPERTIES else "state"


def _tests(ctx: CheckContext, object_: Expr) -> Iterator[Item]:
    symbols, type_ = ctx.symbols, object_.type
    if isinstance(type_, types.OptionalType):
        yield Item("none", "keyword", rank=1)
        type_ = type_.item
    if type_ in (types.FEATURE, types.SEGMENT):
        for name in symbols.seen(symbols.features, ctx.ruleset):
            yield Item(name, "feature", "kind of feature", rank=1)
    elif is_piece(type_) or type_ == types.KIND:
        yield from _components(ctx)
        for name in types.PIECE_CLASSES:
            yield Item(name, "type", "class", rank=4)
    yield from keywords(["not"])


def of_qualifier(symbols: Symbols, ruleset: str, word: str, before: str | None) -> Iterator[Item]:
    """Yield the items after `word.` where the word is no expression.

    Such words are `settings`, `game`, an enum and a ruleset.
    """
    if word == "settings":
        for name, each in _seen(symbols, symbols.settings, ruleset, before):
            yield Item(name, "setting", f"setting {name}: {setting_type(each)}", rank=1)
    elif word == "game":
        for name in symbols.seen(symbols.data, ruleset):
            if name.startswith("game."):
                yield Item(name.removeprefix("game."), "state", f"state {name}", rank=1)
    else:
        enums = [e for e in symbols.find(symbols.nouns, word, ruleset) if e.what == "enum"]
        for enum in enums:
            for name in symbols.members(enum.key):
                yield Item(name, "member", word, rank=1)
        if not enums and symbols.may_qualify(word, ruleset):
            yield Item("settings", "keyword", snippet="settings.", rank=3)
            for table in (symbols.routines, symbols.nouns, symbols.components):
                for name in table.get(word, {}):
                    yield Item(name, "value", word, rank=2)


# --- declarations ---------------------------------------------------------------------------------

_PREFIX = re.compile(r"(?:'[\w-]*|\b[A-Za-z_]\w*)\Z", re.ASCII)
_CONTRIBUTION = re.compile(r"(refine|add|require|allow|include)\s+(?:(\w+)\.)?\Z")
_HOOK = re.compile(r"(?:before|after|around|instead)\s+((?:\w+\.)*)\Z")
_OPTION = re.compile(r"(?:option|forbid)\s+((?:\w+\.)*)\Z")
_ORDER = re.compile(r"(?:order|independent)\b.*?(?:\s|,)((?:\w+\.)*)\Z", re.S)
_WITH = re.compile(r"with\s+(?:\w+\s*,\s*)*\Z")
_STATE = re.compile(r"state\s+\Z")
_ALLOWED = re.compile(r"\ballowed\((?:(\w+)\.)?\Z")
_POLICY = re.compile(r"value\b[^:\n(]*\([^)\n]*\)\s*->[^,\n]*,\s*\Z")
_TYPE = re.compile(
    r"(?:->\s*(?:set\s+of\s+)?"
    r"|\A(?:value|(?:step\s+)?action|choice)\b[^\n]*\([^()\n]*:\s*(?:set\s+of\s+)?"
    r"|\Astate\b[^=\n]*[:\[]\s*(?:set\s+of\s+)?"
    r"|\b(?:let|var)\s+\w+\s*:\s*(?:set\s+of\s+)?)\Z"
)
_QUALIFIER = re.compile(r"(?:\b(\w+)\.)?\b(\w+)\.\Z")
_LINE_START = re.compile(r"(?:\n[ \t]+|:\s*)\Z")


@dataclass(frozen=True)
class RulesPlace:
    """A place in the rules of `ruleset`, with a word from `start` to `end`.

    `look` runs the checker on it, which takes a while; `others` are the ids of the other rulesets
    that extend the game.
    """

    source: Source
    ruleset: str
    draft: DraftGame
    start: int
    end: int
    look: Callable[[], CheckedPlace | None]
    others: Callable[[], Iterable[str]] = tuple


def prefix(text: str, offset: int) -> int:
    """Return the offset at which the word that ends at an offset begins."""
    found = _PREFIX.search(text, max(0, offset - 100), offset)
    return found.start() if found else offset


def complete(asked: RulesPlace) -> list[Item]:
    """Return all words that fit, the best first."""
    before = asked.source.text[: asked.start]
    if "#" in before.rpartition("\n")[2]:
        return []
    chunk = chunk_at(asked.source, asked.start)
    head = before[chunk.start :] if chunk is not None and chunk.start <= asked.start else before
    line = before.rpartition("\n")[2]
    begins = not line
    if chunk is not None and line.isspace():  # in a `with` block, or where one can begin
        begins = len(line) == chunk.base if chunk.base else IS_WITH.match(chunk.text) is not None
    if begins:
        snippets = {word: _SNIPPETS.get(word, f"{word} ") for word in DECLARATIONS}
        return [Item(word, "keyword", snippet=each, rank=1) for word, each in snippets.items()]
    if not head.strip() and chunk is None:
        return []
    found = _of_declaration(asked, head.lstrip("\n"))
    return distinct(_inside(asked, head) if found is None else found)


_SNIPPETS = {
    "state": "state ${1:player}.${2:name}: ${3:int} = ${4:0}",
    "value": "value ${1:name}(${2:p: player}) -> ${3:int}:\n    $0",
    "action": "action ${1:name}($2):\n    $0",
    "step": "step action ${1:name}($2):\n    $0",
    "choice": "choice ${1:name}(${2:p: player}) by ${3:p}:\n    option ${4:pass}:\n        $0",
    "with": "with ${1:ruleset}:\n    $0",
    "invariant": "invariant ${1:name}: ${2:all}(${3:p.score >= 0 for p in players})",
    "always": "always for ${1:x} in ${2:figures} where $3:\n    $0",
}


def _of_declaration(asked: RulesPlace, head: str) -> Iterable[Item] | None:
    """Return the items for the first line of a declaration, None inside an expression."""
    if found := _CONTRIBUTION.fullmatch(head):
        return _targets(asked, found[1], found[2])
    if found := _HOOK.fullmatch(head):
        return _hooked(asked, found[1])
    if found := _OPTION.fullmatch(head):
        return _choices(asked, found[1])
    if _WITH.fullmatch(head):
        sight = asked.draft.symbols.game.visible[owner_of(asked.ruleset)]
        others = sorted(set(asked.others()).difference(sight))
        return [Item(id, "ruleset", "ruleset", rank=1) for id in others]
    if found := _ORDER.fullmatch(head):
        return _ordered(asked, found[1])
    if _STATE.fullmatch(head):
        return [Item(name, "type", snippet=f"{name}.", rank=1) for name in OWNERS]
    if found := _ALLOWED.search(head):
        return (_routine(each) for each in _routines(asked, found[1]) if each.what == "action")
    if _POLICY.fullmatch(head):
        return keywords((policy for policy in VERBS if policy != "unique"), 1)
    if _TYPE.search(head):
        return _types(asked)
    return None


# --- targets of rules -------------------------------------------------------------------------


def _routines(asked: RulesPlace, qualifier: str | None = None) -> Iterator[RoutineSymbol]:
    symbols = asked.draft.symbols
    for _, routine in _seen(symbols, symbols.routines, asked.ruleset, qualifier):
        yield routine


def _routine(routine: RoutineSymbol, rank: int = 1) -> Item:
    snippet = _call(routine.name, (param.name for param in routine.params))
    return Item(routine.name, routine.what, signature(routine), snippet=snippet, rank=rank)


def _targets(asked: RulesPlace, verb: str, qualifier: str | None) -> Iterator[Item]:
    for routine in _routines(asked, qualifier):
        fits = routine.what == "value" and VERBS[routine.policy] == verb
        if fits or (verb == "require" and routine.what == "action"):
            yield _routine(routine)
    if verb == "refine":
        symbols = asked.draft.symbols
        for name in symbols.seen(symbols.attributes, asked.ruleset, qualifier):
            yield Item(name, "attribute", "attribute", snippet=f"{name}(${{1:x}})", rank=2)
    yield from _rulesets(asked, qualifier)


def _hooked(asked: RulesPlace, dotted: str) -> Iterator[Item]:
    parts = dotted.split(".")[:-1]
    choice = next((r for r in _routines(asked) if parts and r.name == parts[-1]), None)
    if choice is not None:
        yield from _options(asked, choice)
        return
    for routine in _routines(asked, parts[0] if parts else None):
        if routine.what != "value":
            yield _routine(routine)
    yield from _rulesets(asked, parts[0] if parts else None)


def _choices(asked: RulesPlace, dotted: str) -> Iterator[Item]:
    parts = dotted.split(".")[:-1]
    for routine in _routines(asked):
        if routine.what == "choice" and not parts:
            yield Item(
                routine.name, "choice", signature(routine), snippet=f"{routine.name}.", rank=1
            )
        elif routine.what == "choice" and routine.name == parts[-1]:
            yield from _options(asked, routine)


def _options(asked: RulesPlace, choice: RoutineSymbol) -> Iterator[Item]:
    for option in asked.draft.options.get(choice.key, []):
        names = [name for name, _ in option.arguments]
        snippet = _call(option.name, names) if names else option.name
        yield Item(option.name, "option", f"option of {choice.name}", snippet=snippet, rank=1)


def _ordered(asked: RulesPlace, dotted: str) -> Iterator[Item]:
    parts = dotted.split(".")[:-1]
    if not parts:
        yield from _rulesets(asked, None)
        return
    for key in asked.draft.hooks:
        name = key.partition("/")[2]
        yield Item(name, "action", ruleset_of(key), rank=1)


def _rulesets(asked: RulesPlace, qualifier: str | None) -> Iterator[Item]:
    if qualifier is None:
        for id in sorted(map(owner_of, asked.draft.symbols.game.reach[asked.ruleset])):
            yield Item(id, "ruleset", "ruleset", snippet=f"{id}.", rank=6)


def _types(asked: RulesPlace) -> Iterator[Item]:
    symbols = asked.draft.symbols
    for name in (*types.NAMED, "int", types.SIDE.name):
        yield Item(name, "type", rank=2)
    yield Item("set of", "keyword", snippet="set of ", rank=3)
    for name, noun in _seen(symbols, symbols.nouns, asked.ruleset):
        if noun.what == "enum":
            yield Item(name, noun.what, "enum", rank=1)


# --- words inside of declarations -------------------------------------------------------------


def _inside(asked: RulesPlace, head: str) -> Iterator[Item]:
    if found := _QUALIFIER.search(head):
        yield from of_qualifier(asked.draft.symbols, asked.ruleset, found[2], found[1])
    place = asked.look()
    if place is None:
        return
    if asked.source.text[asked.start : asked.start + 1] == "'":
        yield from _components(place.ctx, quoted=True)
    elif place.role == "name":
        yield from _names(place, _LINE_START.search(head) is not None)
    elif place.object is not None:
        members = _attributes if place.role == "attribute" else _tests
        yield from members(place.ctx, place.object)


# --- places in YAML -------------------------------------------------------------------------------

_TOP = re.compile(r"^[A-Za-z_][\w-]*[ \t]*:(?=\s|\Z)", re.M)
_KEY_WORD = re.compile(r"[A-Za-z_$][\w-]*")
_BETWEEN_WORDS = re.compile(r"[\s\[\]{},:]")


@dataclass(frozen=True)
class YamlPlace:
    """A place in a YAML text, with the steps that lead to it.

    `key`: a key of a mapping may be written there; `value`: a scalar may. Neither may be written in
    a comment, or where the text cannot be read. `keys` are the other keys of the mapping, `text` is
    the part of the scalar before the place, and `start` is the offset at which its last word
    begins.
    """

    start: int
    steps: tuple[Step, ...] = ()
    key: bool = False
    value: bool = False
    keys: frozenset[str] = frozenset()
    text: str = ""


def place_at(text: str, offset: int) -> YamlPlace:
    """Return the place of an offset.

    Only its entry of the outermost mapping has to be readable, perhaps with closing brackets.
    """
    line = text.rfind("\n", 0, offset) + 1
    ends = (found.end() for found in _BETWEEN_WORDS.finditer(text, line, offset))
    place = YamlPlace(max(ends, default=line))
    tops = [found.span() for found in _TOP.finditer(text) if not line <= found.start() < offset]
    if offset == line or _KEY_WORD.fullmatch(text, line, offset):
        keys = frozenset(text[start:end].rstrip(": \t") for start, end in tops if start != offset)
        return replace(place, key=True, keys=keys)
    begin = max((start for start, _ in tops if start < line), default=0)
    begin = line if _TOP.match(text, line) else begin
    end = min((start for start, _ in tops if start >= offset), default=len(text))
    for written in _yaml_attempts(text[begin:offset], text[offset:end]):
        node = parse_partly(Source("", written), Report())
        found = None if node is None else next(_places(node, place), None)
        if found is not None:
            return found
    return place


def _yaml_attempts(before: str, after: str) -> Iterator[str]:
    """Yield texts with the mark as a key or as a value, the likeliest to be readable first."""
    closing, (_, end, below) = _closing(before), after.partition("\n")
    for rest in (after, closing + end + below, closing):
        yield f"{before}{MARK}: 0{rest}"
        yield f"{before}{MARK}{rest}"


def _places(node: Node, place: YamlPlace, listed: bool = False) -> Iterator[YamlPlace]:
    """Yield the place of the mark in a node at `place`; `listed`: it is in a list in brackets."""
    match node:
        case Scalar() if MARK in str(node.value):
            yield replace(place, value=True, text=str(node.value).partition(MARK)[0])
        case Sequence():
            for number, item in enumerate(node):
                inside = replace(place, steps=(*place.steps, number))
                yield from _places(item, inside, node.span.text.startswith("["))
        case Mapping():
            names = [str(key.value) for key, _ in node]
            keys = frozenset(name for name in names if MARK not in name)
            in_braces = node.span.text.startswith("{")
            for name, (_, value) in zip(names, node, strict=True):
                if MARK not in name:
                    yield from _places(value, replace(place, steps=(*place.steps, name)))
                elif listed and not in_braces:
                    yield replace(place, value=True)
                else:
                    yield replace(place, key=True, value=not (keys or in_braces), keys=keys)


# --- schemas --------------------------------------------------------------------------------------

_COLON = re.compile(r"[ \t]*:(?=\s|\Z)")


def values(found: Schema) -> Iterable[str]:
    """Yield the values that a schema lists, as YAML text."""
    if words := re.fullmatch(r"\^\((.*)\)\$", str(found.get("pattern"))):
        yield from filter(str.isalpha, words[1].split("|"))
    listed = found.get("enum", [found["const"]] if "const" in found else [])
    for value in listed:
        yield json.dumps(value) if isinstance(value, bool) else str(value)
    if "boolean" in _types_of(found):
        yield from ("true", "false")


def is_named(root: Schema, steps: abc.Sequence[Step]) -> bool:
    """Return whether the schema names the last key of these steps; an item counts as its list."""
    keys = (number for number in reversed(range(len(steps))) if isinstance(steps[number], str))
    last = next(keys, None)
    return last is None or steps[last] in at(root, steps[:last]).get("properties", {})


def _types_of(found: Schema) -> abc.Sequence[str]:
    types = found.get("type", ())
    return [types] if isinstance(types, str) else types


def told_of_key(root: Schema, text: str, offset: int) -> tuple[int, int, str] | None:
    """Return the start and end of the key at an offset, and the schema's text about it.

    Returns None if there is no key that the schema names.
    """
    place = place_at(text, offset)
    word = _KEY_WORD.match(text, place.start)
    if not place.key or word is None or not _COLON.match(text, word.end()):
        return None
    steps = (*place.steps, word[0])
    if not is_named(root, steps):
        return None
    found = at(root, steps)
    told = f"**{word[0]}**: {found.get('title', '')}\n\n{found.get('description', '')}"
    return *word.span(), told


# --- items ----------------------------------------------------------------------------------------

_SETTING = re.compile(r"(?:\b(\w+)\.)?\bsettings\.(\w*)\Z")


@dataclass(frozen=True)
class ManifestPlace:
    """A place in a YAML file of the kind `kind` (a schema's name), of the ruleset `ruleset`.

    `draft` has the declarations of the game, if they could be read; `ids` returns the ids of the
    rulesets that can be required.
    """

    text: str
    offset: int
    kind: str
    ruleset: str
    draft: DraftGame | None
    ids: Callable[[], Iterable[str]]


def complete_manifest(asked: ManifestPlace) -> tuple[int, list[Item]]:
    """Return the offset at which the word at a place begins, and all items that fit."""
    line = asked.text[asked.text.rfind("\n", 0, asked.offset) + 1 : asked.offset]
    if re.search(r"(?:^|\s)#", line):
        return asked.offset, []
    place = place_at(asked.text, asked.offset)
    symbols = None if asked.draft is None else asked.draft.symbols
    setting = _SETTING.search(place.text)
    if setting and symbols is not None:
        found = of_qualifier(symbols, asked.ruleset, "settings", setting[1])
        return asked.offset - len(setting[2]), distinct(found)
    found = _manifest_words(asked, place, symbols)
    return place.start, distinct(item for item in found if item.label not in place.keys)


def _manifest_words(
    asked: ManifestPlace, place: YamlPlace, symbols: Symbols | None
) -> Iterator[Item]:
    root = load(asked.kind)
    here = at(root, place.steps)
    names: list[str] = []
    if place.key:
        for name, inner in here.get("properties", {}).items():
            found = followed(root, inner)
            title, doc = (str(found.get(word, "")) for word in ("title", "description"))
            rank = 1 if name in here.get("required", ()) else 3
            yield Item(name, "keyword", title, doc, f"{name}: ", rank)
        names += here.get("propertyNames", {}).get("x-names", ())
    if place.value:
        names += here.get("x-names", ())
    has_mapping = "object" in _types_of(here)
    if place.value and is_named(root, place.steps) and not (place.key and has_mapping):
        yield from (Item(value, "member", rank=1) for value in values(here))
    if "rulesets" in names:
        yield from (Item(id, "ruleset", rank=1) for id in asked.ids())
    elif symbols is not None and asked.draft is not None:
        known = _Known(symbols, asked.ruleset, asked.draft, place.steps)
        for name in names:
            yield from known.named(name)


_WORDS = {
    "settings": Item("settings", "keyword", snippet="settings.", rank=4),
    "players": Item(PLAYERS, "function", "the number of players", rank=4),
    "previous": Item(PREVIOUS, "keyword", "the number of copies before", rank=4),
}


@dataclass(frozen=True)
class _Known:
    """The names that a game declares, for the place in the manifest of `ruleset` at `steps`."""

    symbols: Symbols
    ruleset: str
    draft: DraftGame
    steps: tuple[Step, ...]

    def named(self, names: str) -> Iterator[Item]:
        """Yield the names that a schema says to be possible, in a word of its `x-names`.

        A word that stands for no others is a name itself.
        """
        symbols = self.symbols
        match names:
            case "attributes":
                owner = self._owner
                for name, attribute in _seen(symbols, symbols.attributes, self.ruleset):
                    if owner in attribute.owners:
                        yield _key(name, "attribute", str(attribute.type))
            case "segments" if self._owner in ("tile", "face"):
                for name in symbols.seen(symbols.features, self.ruleset):
                    yield Item(name, "feature", "segments", snippet=f"{name}: [$1]", rank=2)
            case "segments" | "rulesets":
                pass
            case "indices":
                for each in self._found(symbols.attributes, self._last):
                    for member in symbols.members(each.index) if each.index else ():
                        yield _key(member, "member", str(each.type), 1)
            case "values":
                yield from self._values()
            case "extended":
                yield from self._extended()
            case "drawn":
                tables: tuple[Table[Any], ...] = (
                    symbols.components,
                    symbols.features,
                    symbols.attributes,
                    symbols.nouns,
                )
                for table in tables:
                    for name in symbols.seen(table, self.ruleset):
                        yield Item(name, "component", snippet=f"{name}: {{$1}}", rank=2)
            case "labelled":
                yield from self._labelled()
            case "actions":
                for routine in symbols.routines.get(self.ruleset, {}).values():
                    if routine.what == "action" and not routine.params:
                        yield Item(routine.name, "action", rank=1)
            case "scores":
                states = symbols.data.get(self.ruleset, {})
                yield from (Item(name, "state", rank=1) for name in states if "player." in name)
            case "classes":
                yield from (Item(name, "type", "class", rank=1) for name in PIECE_CLASSES)
            case "features":
                for name in symbols.seen(symbols.features, self.ruleset):
                    yield Item(name, "feature", "kind of feature", rank=1)
            case "enums" | "grids" | "zones" | "tracks":
                for name, noun in _seen(symbols, symbols.nouns, self.ruleset):
                    if names == f"{noun.what}s":
                        detail = f"{noun.what} of {ruleset_of(noun.key)}"
                        yield Item(name, noun.what, detail, rank=1)
            case "ports":
                for port in (*map(str.upper, symbols.game.side_names), "I"):
                    yield Item(port, "member", "a side", rank=3)
            case _:
                yield _WORDS.get(names) or Item(names, "type", rank=1)

    @property
    def _last(self) -> str:
        keys = (step for step in reversed(self.steps) if isinstance(step, str) and step != "some")
        return next(keys, "")

    @property
    def _owner(self) -> str:
        """The class of component or the kind of segment whose attributes the place gives."""
        name = self._last
        kinds = self._found(self.symbols.features, name)
        if "/" in name:
            return self._class(name)
        return {**CLASSES, "faces": "face"}.get(name) or (kinds[0].key if len(kinds) == 1 else "")

    def _found(self, table: Table[T], name: str) -> tuple[T, ...]:
        return self.symbols.find(table, name, self.ruleset)

    def _values(self) -> Iterator[Item]:
        for each in self._found(self.symbols.attributes, self._last):
            type_ = each.type.item if isinstance(each.type, OptionalType) else each.type
            if type_ == BOOL:
                yield from keywords(("true", "false"), 1)
            elif isinstance(type_, EnumType):
                for member in self.symbols.members(type_.name):
                    yield Item(member, "member", short_name(type_.name), rank=1)

    def _class(self, full: str) -> str:
        ruleset, _, name = full.partition("/")
        found = self.symbols.find(self.symbols.components, name, self.ruleset, ruleset)
        return self.symbols.game.kinds[found[0][0]].cls if found else ""

    def _extended(self) -> Iterator[Item]:
        symbols = self.symbols
        for ruleset in sorted(symbols.game.reach[self.ruleset] - {self.ruleset}):
            for name in symbols.components.get(ruleset, {}):
                full = f"{ruleset}/{name}"
                yield _key(full, "component", self._class(full))
            for name, each in symbols.nouns.get(ruleset, {}).items():
                if each.what in ("enum", "zone"):
                    yield _key(f"{ruleset}/{name}", each.what, each.what, 1)

    def _labelled(self) -> Iterator[Item]:
        symbols, id = self.symbols, self.ruleset
        tables: tuple[tuple[What, Iterable[str]], ...] = (
            ("component", symbols.components.get(id, {})),
            ("feature", symbols.features.get(id, {})),
            ("attribute", symbols.attributes.get(id, {})),
            ("setting", symbols.settings.get(id, {})),
            ("value", symbols.routines.get(id, {})),
            ("zone", symbols.nouns.get(id, {})),
        )
        for what, names in tables:
            ends = ("", TEXT) if what == "component" else ("",)
            yield from (_key(name + end, what, what) for name in names for end in ends)
        for option in (option for options in self.draft.options.values() for option in options):
            if option.ruleset == id:
                yield _key(f"{option.choice.name}.{option.name}", "option", "option")
        yield _key(id, "ruleset", "the ruleset itself")


def _key(name: str, what: What, detail: str, rank: int = 2) -> Item:
    return Item(name, what, detail, snippet=f"{name}: ", rank=rank)
