"""`rulesdsl show ast | ir`: the stages of rules between text and play."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from rulesdsl.cli.console import CLEAN, Console, bad_argument, refusing
from rulesdsl.cli.loading import load_game
from rulesdsl.engine.ir.text import function_text, program_text, tables_text
from rulesdsl.engine.lower import lower
from rulesdsl.language.diagnostics import Report, Source, Span
from rulesdsl.language.model import ast, checked
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.types import EnumType, IntType, NamedType, OptionalType, SetType
from rulesdsl.language.parse import parse

Named = Iterable[tuple[str, Callable[[], str]]]
"""Parts by name, with functions that make their texts."""


def syntax(arguments: Namespace, console: Console) -> int:
    """Show the syntax trees of the rules, as they were written or as they were checked."""
    game = load_game(arguments, console)
    if arguments.checked:
        trees = list(_checked_parts(game.checked))
    else:
        rules = [each.rules for each in game.checked.game.rulesets if each.rules is not None]
        trees = [part for each in rules for part in _declared(parse(each, Report()))]
    _show([(name, partial(tree_text, tree)) for name, tree in trees], arguments, console)
    return CLEAN


def program(arguments: Namespace, console: Console) -> int:
    """Show the program of a game in the intermediate representation."""
    game = load_game(arguments, console)
    with refusing():
        players = game.seats(arguments.players)
    lowered = lower(game.checked, players, not arguments.unoptimised).program
    if arguments.only is None:
        _write(program_text(lowered), console)
        return CLEAN
    tables = [(t.name, partial(tables_text, [t])) for t in lowered.tables.values()]
    functions = [(f.name, partial(function_text, f)) for f in lowered.functions.values()]
    _show([*tables, *functions], arguments, console)
    return CLEAN


def _declared(module: ast.Module) -> Iterator[tuple[str, object]]:
    """Yield the declarations of a rules file by name.

    Those without a name have the name of their target.
    """
    for declaration in module.declarations:
        about = getattr(declaration, "name", None) or getattr(declaration, "target", None)
        if isinstance(declaration, ast.WithDecl):
            about = f"with {', '.join(map(str, declaration.names))}"
        yield str(about or type(declaration).__name__), declaration


def _checked_parts(checked: Checked) -> Iterator[tuple[str, object]]:
    yield from checked.states.items()
    yield from ((key, each) for key, each in checked.values.items() if key not in checked.actions)
    yield from checked.actions.items()
    yield from checked.choices.items()
    for rule in checked.always:
        yield f"{rule.ruleset}/always", rule


def _show(found: Named, arguments: Namespace, console: Console) -> None:
    """Show the parts whose full or short name matches `--only`."""
    wanted = arguments.only
    shown = [
        text
        for name, text in found
        if wanted is None
        or fnmatchcase(name, wanted)
        or fnmatchcase(name.rpartition("/")[2], wanted)
    ]
    if wanted is not None and not shown:
        inlined = "unoptimised" in arguments and not arguments.unoptimised
        more = ["--unoptimised shows functions that are inlined"] if inlined else []
        raise bad_argument(f"there is nothing called `{wanted}`", "`*` matches anything", *more)
    _write("\n".join(text() for text in shown), console)


def _write(text: str, console: Console) -> None:
    console.write([line] for line in text.rstrip().split("\n"))


_LEFT_OUT = ("span", "trivia", "else_trivia", "otherwise_trivia", "trailing")
_INSIDE = (ast.Node, checked.Node, checked.Hooks, checked.Parameter)
_SAID = (ast.Path, IntType, NamedType, EnumType, SetType, OptionalType)


def tree_text(node: object) -> str:
    """Return a syntax tree or checked tree as text, one node per line.

        ActionDecl some/file.rules:12:1 name "turn", step
          params:
            Param 12:13 name "p"
          body: Block 13:5
            statements:
              ...

    A node is shown by its class, its position (with the file if that is another one), its plain
    fields, and then the nodes inside it. Fields that are off, none, empty or default, and comments
    are left out.
    """
    return "".join(f"{line}\n" for line in _node(node, None))


def _node(node: Any, file: Source | None) -> Iterator[str]:
    """Yield the lines of a node in a file: its own, then those of the nodes inside it."""
    span = getattr(node, "span", None)
    place = ""
    if isinstance(span, Span):
        place = f"{span.line}:{span.column} "
        place = place if span.source is file else f"{span.source.name}:{place}"
        file = span.source
    plain, inner = [], []
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name in _LEFT_OUT or _is_default(field, value):
            continue
        if isinstance(value, _INSIDE) and not isinstance(value, _SAID):
            first, *others = _node(value, file)
            inner += [f"  {field.name}: {first}", *(f"  {line}" for line in others)]
        elif isinstance(value, tuple) and any(isinstance(item, _INSIDE) for item in value):
            lines = (line for item in value for line in _node(item, file))
            inner += [f"  {field.name}:", *(f"    {line}" for line in lines)]
        else:
            plain.append(field.name if value is True else f"{field.name} {_plain(value)}")
    yield f"{type(node).__name__} {place}{', '.join(plain)}".rstrip()
    yield from inner


def _is_default(field: Field[object], value: object) -> bool:
    """Return whether a field can be left out; a value never can."""
    if field.name == "value":
        return False
    off = value is None or value is False or value == ()
    return off or (field.default is not MISSING and value == field.default)


def _plain(value: Any) -> str:
    """Return the text of a value that is no node."""
    if isinstance(value, _SAID):
        return str(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))})"
    if is_dataclass(value):
        inner = tuple(getattr(value, field.name) for field in fields(value))
        return f"{type(value).__name__}{_plain(inner)}"
    return json.dumps(value, ensure_ascii=False)
