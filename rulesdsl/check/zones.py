"""What lies in a zone: the class of the components that a zone-typed expression leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulesdsl.check.symbols import Symbols
from rulesdsl.check.types import CLASSES
from rulesdsl.model import ast, checked
from rulesdsl.model.checked import walk
from rulesdsl.model.types import PIECE, ZONE, Type


def held(symbols: Symbols, locals_: Mapping[str, Type], zone: checked.Expr) -> Type:
    """The class of the components in `zone`: `piece` where there may be several. `locals_` tells
    it for local zones, by key."""
    match zone:
        case checked.EntryAt(what="zone", number=number):
            return _class(symbols.game.zones[number].holds)
        case checked.Local(name=name):
            return locals_.get(name, PIECE)
        case checked.IfElse(then=then, otherwise=otherwise):
            return _common((held(symbols, locals_, then), held(symbols, locals_, otherwise)))
        case checked.CallValue(value=key):
            return symbols.held.get(key, PIECE)
    return PIECE


def note_values(symbols: Symbols, bodies: Mapping[str, Sequence[tuple[str, ast.Node]]]) -> None:
    """Fill `symbols.held` for values that give a zone. `bodies` holds, by the value's key, the
    ruleset and the tree of each of its rules: it gives one of the zones they mention."""
    for key in bodies:
        symbols.held[key] = _common(_mentioned(symbols, bodies, key, set()))


def _mentioned(
    symbols: Symbols,
    bodies: Mapping[str, Sequence[tuple[str, ast.Node]]],
    key: str,
    seen: set[str],
) -> Iterator[Type]:
    """The classes of all zones a value may give, those of the values it calls included."""
    if key in seen:
        return
    seen.add(key)
    for ruleset, body in bodies[key]:
        for node in walk(body):
            match node:
                case ast.Param(type=ast.TypeRef(name=ast.Path(parts=(ZONE.name,)))):
                    yield PIECE
                case ast.Attribute(name="zone") | ast.Call(function=ast.Name(name="home")):
                    yield PIECE
                case ast.Name(name=name) | ast.Attribute(name=name):
                    for noun in symbols.find(symbols.nouns, name, ruleset, _qualifier(node)):
                        if noun.what == "zone":
                            yield _class(symbols.game.zones[noun.number].holds)
                    for value in symbols.find(symbols.routines, name, ruleset, _qualifier(node)):
                        if value.key in bodies:
                            yield from _mentioned(symbols, bodies, value.key, seen)


def _qualifier(node: ast.Name | ast.Attribute) -> str | None:
    if isinstance(node, ast.Attribute) and isinstance(node.object, ast.Name):
        return node.object.name
    return None


def _class(holds: frozenset[str]) -> Type:
    return CLASSES[next(iter(holds))] if len(holds) == 1 else PIECE


def _common(classes: Iterable[Type]) -> Type:
    found = set(classes)
    return found.pop() if len(found) == 1 else PIECE
