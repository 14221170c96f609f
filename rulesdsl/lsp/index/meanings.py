"""What expressions and dotted names mean, as symbols."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.builtins import EFFECTS, FORMS, FUNCTIONS
from rulesdsl.check.symbols import Noun, Symbols
from rulesdsl.diagnostics import Span
from rulesdsl.lsp.index.symbols import Symbol, Use, What
from rulesdsl.model import ast, checked
from rulesdsl.model.names import short_name
from rulesdsl.model.types import NAMED, SIDE
from rulesdsl.model.values import EnumMember, Face, Kind, Player, Value

_NOUNS: dict[str, What] = {
    "enum": "enum",
    "grid": "grid",
    "zone": "zone",
    "track": "track",
    "table": "table",
}


def declared(what: What, key: str) -> Symbol:
    """Something that a ruleset declares, by its full name."""
    return Symbol(what, key, short_name(key).rpartition(".")[2])


def a_ruleset(id: str) -> Symbol:
    """A ruleset by its id."""
    return Symbol("ruleset", id, id)


def word(what: What, name: str) -> Symbol:
    """Something of the language."""
    return Symbol(what, name, name)


def local(span: Span, name: str) -> Symbol:
    """A local, by where it is declared."""
    return Symbol("local", f"{span.source.name}:{span.start}:{name}", name)


def noun(found: Noun) -> Symbol:
    """Something of the box with a bare name."""
    return declared(_NOUNS[found.what], found.key)


def member(enum: str, name: str) -> Symbol:
    """A member of an enum by full name, or a word of a setting."""
    if enum == SIDE.name:
        return word("member", name)
    return Symbol("member", f"{enum}.{name}", name)


def of_value(symbols: Symbols, value: Value) -> Symbol | None:
    """What is known at load and has a name."""
    game = symbols.game
    match value:
        case EnumMember(enum=enum, index=index):
            return member(enum, symbols.members(enum)[index])
        case Kind(index=index):
            return declared("component", game.kinds[index].key)
        case Face(kind=kind, index=index):
            name = game.kinds[kind].faces[index].name
            return Symbol("face", f"{game.kinds[kind].key}.{name}", name)
        case Player(seat=seat):
            colour = game.roles.colours[seat]
            return Symbol("colour", f"{game.roles.ruleset}/{colour}", colour)
    return None


def of_expression(symbols: Symbols, found: checked.Expr, name: str, ruleset: str) -> Symbol | None:
    """What the name that an expression ends with means, where it turned out to be `found`."""
    match found:
        case checked.ReadState(state=key):
            return declared("state", key)
        case checked.ReadAttribute(attribute=key):
            return declared("attribute", key)
        case checked.CallValue(value=key):
            attributes = symbols.attributes.get(key.partition("/")[0], {})
            is_value = short_name(key) not in attributes
            return declared("value" if is_value else "attribute", key)
        case checked.CallBuiltin(function=function):
            return word("function" if function in FUNCTIONS else "property", function)
        case checked.Const(setting=str(key)):
            return declared("setting", key)
        case checked.Const(value=value) if (symbol := of_value(symbols, value)) is not None:
            return symbol
        case checked.IsKind():
            return of_test(found)
        case checked.Not(operand=operand) | checked.Binary(right=operand):
            return of_expression(symbols, operand, name, ruleset)
    if isinstance(found, checked.EntryAt | checked.EnumSet | checked.Const):
        nouns = symbols.find(symbols.nouns, name, ruleset)
        return noun(nouns[0]) if len(nouns) == 1 else None
    return None


def of_test(found: checked.IsKind) -> Symbol | None:
    """What `is` asks for."""
    match found.test:
        case "kind":
            return declared("component", found.name)
        case "feature":
            return declared("feature", found.name)
        case "class":
            return word("type", found.name)
    return None


def of_callee(
    symbols: Symbols, name: str, ruleset: str, qualifier: str | None = None
) -> Symbol | None:
    """What is called by a name."""
    found = symbols.find(symbols.routines, name, ruleset, qualifier)
    if len(found) == 1:
        return declared(found[0].what, found[0].key)
    if qualifier is None and name in EFFECTS:
        return word("effect", name)
    known = name in FUNCTIONS or name in FORMS
    return word("function", name) if qualifier is None and known else None


def of_type(symbols: Symbols, node: ast.TypeRef, ruleset: str) -> Symbol | None:
    """The type that is written."""
    *qualifiers, name = node.name.parts
    if not qualifiers and (name in NAMED or name in ("int", SIDE.name)):
        return word("type", name)
    nouns = symbols.find(symbols.nouns, name, ruleset, qualifiers[0] if qualifiers else None)
    enums = [each for each in nouns if each.what == "enum"]
    return noun(enums[0]) if len(enums) == 1 else None


def used(span: Span, symbol: Symbol | None, declares: bool = False) -> Iterator[Use]:
    """The use of a symbol, if there is one, at a place where its name stands."""
    if symbol is not None and span.text.strip("'\"") == symbol.name:
        yield Use(span, symbol, declares)
