"""What can stand in an expression or a statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rulesdsl.builtins import EFFECTS, FORMS, FUNCTIONS, PROPERTIES, Builtin
from rulesdsl.check.names import DOMAINS, setting_type
from rulesdsl.check.properties import properties, read_property, takes
from rulesdsl.check.scope import Context
from rulesdsl.check.symbols import Symbols
from rulesdsl.check.types import is_piece, required
from rulesdsl.diagnostics import Report
from rulesdsl.lsp.complete.items import Item, keywords
from rulesdsl.lsp.complete.marker import Place
from rulesdsl.lsp.headings import comment, forms, signature
from rulesdsl.lsp.markdown import authored
from rulesdsl.model.ast import Ident
from rulesdsl.model.checked import Expr
from rulesdsl.model.types import (
    ERROR,
    FEATURE,
    KIND,
    PIECE_CLASSES,
    PLAYER,
    SEGMENT,
    EnumType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.model.uses import What

_STATEMENTS = (
    *("let", "var", "if", "else", "for", "while", "when", "otherwise", "return", "later"),
    *("nothing", "break", "leave", "proceed"),
)
_OPERATORS = ("and", "or", "not", "in", "is", "if", "else", "where", "for", "div", "mod")
_LITERALS = ("true", "false", "none", "previous")
_AGGREGATES = {
    "any": "whether one holds",
    "all": "whether all hold",
    "count": "how many there are",
    "sum": "the sum of a number of each",
    "max": "the largest of a number of each",
    "min": "the smallest of a number of each",
    "most": "those of whom a number is largest",
    "first": "the first",
    "the": "the only one",
    "reach": "all that can be reached",
}


def at_place(place: Place, begins: bool, quoted: bool) -> Iterator[Item]:
    """What fits at a place; `begins`: a statement may begin there, `quoted`: it is the id of a
    component in quotes."""
    if quoted:
        yield from _components(place.ctx, quoted=True)
    elif place.role == "attribute":
        if place.object is not None:
            yield from _attributes(place.ctx, place.object)
    elif place.role == "test":
        if place.object is not None:
            yield from _tests(place.ctx, place.object.type)
    else:
        yield from _names(place, begins)


def _names(place: Place, begins: bool) -> Iterator[Item]:
    ctx = place.ctx
    if place.hint is not None:
        yield from _expected(ctx, required(place.hint))
    for name, local in place.names.items():
        yield Item(name, "local", f"{local.what} {name}: {local.type}", rank=2)
    yield from _declared(ctx)
    yield from _words(ctx, begins)
    if place.hint is None:
        for type_ in (KIND, PLAYER):
            yield from (replace(item, rank=7) for item in _expected(ctx, type_))


def _expected(ctx: Context, type_: Type) -> Iterator[Item]:
    """Names of what is known at load and is of a type."""
    symbols = ctx.symbols
    if isinstance(type_, SetType):
        type_ = type_.item
    if isinstance(type_, EnumType):
        for name in symbols.members(type_.name):
            yield Item(name, "member", str(type_), rank=1)
    elif type_ == KIND:
        yield from _components(ctx)
    elif type_ == PLAYER:
        for name in symbols.game.roles.colours:
            yield Item(name, "colour", "player", rank=4)


def _declared(ctx: Context) -> Iterator[Item]:
    """What rulesets declare, as far as it is in sight."""
    symbols, ruleset = ctx.symbols, ctx.ruleset
    for name in symbols.seen(symbols.data, ruleset):
        if name.startswith("game."):
            short = name.removeprefix("game.")
            yield Item(short, "state", f"state {name}: {_type(symbols, name, ruleset)}", rank=3)
    for name in symbols.seen(symbols.nouns, ruleset):
        for each in symbols.find(symbols.nouns, name, ruleset)[:1]:
            yield Item(name, each.what, each.what, rank=3)
    for name in symbols.seen(symbols.routines, ruleset):
        for routine in symbols.find(symbols.routines, name, ruleset)[:1]:
            if routine.what == "value" or ctx.acts:
                snippet = _call(name, [p.name for p in routine.params])
                doc = authored(comment(routine.span)) if routine.span is not None else ""
                yield Item(name, routine.what, signature(routine), doc, snippet, rank=3)


def _type(symbols: Symbols, name: str, ruleset: str) -> str:
    found = symbols.find(symbols.data, name, ruleset)
    return str(found[0].type) if found else ""


def _call(name: str, params: Iterable[str]) -> str:
    """A call with its arguments to be filled in."""
    places = ", ".join(f"${{{number}:{param}}}" for number, param in enumerate(params, 1))
    return f"{name}({places})"


def _words(ctx: Context, begins: bool) -> Iterator[Item]:
    """Words of the language."""
    for name, row in FUNCTIONS.items():
        plain = name in DOMAINS
        yield _builtin(row, "function", name if plain else "")
    for row in FORMS.values():
        yield _builtin(row, "function", f"{row.name}($1)")
    if ctx.acts:
        for row in EFFECTS.values():
            yield _builtin(row, "effect", "")
    for name, doc in _AGGREGATES.items():
        yield Item(name, "function", "", doc, f"{name}($1)", rank=6)
    yield Item("settings", "keyword", snippet="settings.", rank=6)
    yield from keywords(_LITERALS)
    yield from keywords(_STATEMENTS if begins else _OPERATORS)


def _builtin(row: Builtin, what: What, plain: str) -> Item:
    params = [str(param) for param in row.signatures[-1].params]
    snippet = plain or _call(row.name, params)
    return Item(row.name, what, next(forms(row)), row.doc, snippet, rank=5)


def _components(ctx: Context, quoted: bool = False) -> Iterator[Item]:
    symbols = ctx.symbols
    for name in symbols.seen(symbols.components, ctx.ruleset):
        written = name if name.isidentifier() and not quoted else f"'{name}'"
        yield Item(written, "component", _class_of(symbols, name, ctx.ruleset), rank=3)


def _class_of(symbols: Symbols, name: str, ruleset: str) -> str:
    found = symbols.find(symbols.components, name, ruleset)
    return symbols.game.kinds[found[0][0]].cls if found else ""


# --- behind a dot, behind `is` ------------------------------------------------------------------


def _attributes(ctx: Context, object_: Expr) -> Iterator[Item]:
    """What can stand behind `x.`, each with its type."""
    type_ = object_.type.item if isinstance(object_.type, OptionalType) else object_.type
    if type_ == ERROR:
        return
    known = replace(object_, type=type_)
    for name in sorted(set(properties(ctx, type_))):
        yield Item(name, _what(ctx, name), _told(ctx, known, name), _doc(name, type_), rank=1)
    for name, row in FUNCTIONS.items():
        single = [s for s in row.signatures if len(s.params) == 1]
        if any(takes(type_, s.params[0]) for s in single):
            yield Item(name, "function", _told(ctx, known, name), row.doc, rank=4)


def _told(ctx: Context, object_: Expr, name: str) -> str:
    """The type of `object.name`."""
    quiet = replace(ctx, report=Report())
    found = read_property(quiet, object_, Ident(name, object_.span), object_.span)
    return "" if found.type == ERROR else f"{object_.type}.{name}: {found.type}"


def _what(ctx: Context, name: str) -> What:
    symbols = ctx.symbols
    if symbols.find(symbols.attributes, name, ctx.ruleset):
        return "attribute"
    if symbols.find(symbols.routines, name, ctx.ruleset):
        return "value"
    return "property" if name in PROPERTIES else "state"


def _doc(name: str, type_: Type) -> str:
    docs = (doc for owner, _, doc in PROPERTIES.get(name, ()) if takes(type_, owner))
    return next(docs, "")


def _tests(ctx: Context, type_: Type) -> Iterator[Item]:
    """What can stand behind `x is`."""
    symbols = ctx.symbols
    if isinstance(type_, OptionalType):
        yield Item("none", "keyword", rank=1)
        type_ = type_.item
    if type_ in (FEATURE, SEGMENT):
        for name in symbols.seen(symbols.features, ctx.ruleset):
            yield Item(name, "feature", "kind of feature", rank=1)
    elif is_piece(type_) or type_ == KIND:
        yield from _components(ctx)
        for name in PIECE_CLASSES:
            yield Item(name, "type", "class", rank=4)
    yield from keywords(["not"])


def of_qualifier(symbols: Symbols, ruleset: str, word: str, before: str | None) -> Iterator[Item]:
    """What follows a word and a dot that is no expression: `settings.`, `game.`, an enum, a
    ruleset."""
    if word == "settings":
        for name in symbols.seen(symbols.settings, ruleset, before):
            for each in symbols.find(symbols.settings, name, ruleset, before)[:1]:
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
