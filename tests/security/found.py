"""Every regular expression of the package: of its modules, its grammar and its schemas."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeGuard

from lark.lexer import PatternRE

from rulesdsl.language.parse.grammar import grammar
from tests.architecture.sources import PACKAGE, ROOT, modules, place
from tests.security.backtracking import Use

_USES: dict[str, Use] = {
    "match": "match",
    "fullmatch": "fullmatch",
    "search": "search",
    "finditer": "scan",
    "findall": "scan",
    "sub": "scan",
    "subn": "scan",
    "split": "scan",
}
_ANY_USE: frozenset[Use] = frozenset(("scan", "fullmatch"))
_FLAG = {"M": re.M, "MULTILINE": re.M, "S": re.S, "DOTALL": re.S, "ASCII": re.A, "A": re.A}

GIVEN = {"rulesdsl/language/read/violations.py"}
"""The modules that compile patterns written elsewhere: those of the schemas are found there."""


@dataclass(frozen=True)
class Pattern:
    """A regular expression, where it is written, and how it is applied."""

    where: str
    text: str
    flags: int
    uses: frozenset[Use]


@cache
def patterns() -> tuple[Pattern, ...]:
    """All of them."""
    return (*_of_modules(), *_of_grammar(), *_of_schemas())


def schema_patterns() -> Iterator[tuple[str, str]]:
    """The patterns of the schemas, each with the place where it is written."""
    for path in sorted((ROOT / "schemas").glob("*.schema.json")):
        for at, text in _in_schema(json.loads(path.read_text(encoding="utf-8")), ""):
            yield f"{path.relative_to(ROOT)}{at}", text


def _of_schemas() -> Iterator[Pattern]:
    for where, text in schema_patterns():
        yield Pattern(where, text, 0, frozenset({"search"}))


def _in_schema(data: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(data, dict):
        if isinstance(data.get("pattern"), str):
            yield at, data["pattern"]
        for text in data.get("patternProperties", {}):
            yield f"{at}/patternProperties", text
    for key, inner in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(inner, dict | list):
            yield from _in_schema(inner, f"{at}/{key}")


def _of_grammar() -> Iterator[Pattern]:
    for terminal in grammar().terminals:
        if isinstance(terminal.pattern, PatternRE):
            where = f"rulesdsl/language/parse/grammar.lark {terminal.name}"
            yield Pattern(where, terminal.pattern.value, 0, frozenset({"match"}))


def _of_modules() -> Iterator[Pattern]:
    everywhere: dict[str, set[Use]] = {}
    for _, tree in modules(PACKAGE):
        for name, uses in _uses(tree).items():
            everywhere.setdefault(name, set()).update(uses)
    for path, tree in modules(PACKAGE):
        names = everywhere | _uses(tree)
        for statement in tree.body:
            calls = [node for node in ast.walk(statement) if _is_of_re(node)]
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)])
                    | ast.AnnAssign(target=ast.Name(id=name))
                ) if calls:
                    yield from _of_name(path, name, statement.lineno, names)
                case _:
                    yield from (each for call in calls for each in _of_call(path, call, names))


def _of_name(path: Path, name: str, line: int, used: dict[str, set[Use]]) -> Iterator[Pattern]:
    """The patterns of a module under a name: one, or a table with some."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    found = list(_compiled(getattr(import_module(module), name)))
    assert found, f"{place(path, line)}: no pattern"
    for each in found:
        uses = used.get(name) or used.get("") or _ANY_USE
        text = each.pattern
        text = text if isinstance(text, str) else text.decode("latin-1")
        yield Pattern(place(path, line), text, each.flags & ~re.UNICODE, frozenset(uses))


def _compiled(value: object) -> Iterator[re.Pattern[Any]]:
    match value:
        case re.Pattern():
            yield value
        case tuple() | list():
            yield from (found for each in value for found in _compiled(each))
        case dict():
            yield from _compiled([*value, *value.values()])


def _uses(tree: ast.Module) -> dict[str, set[Use]]:
    """How compiled patterns are applied, by the names they have: a pattern that a loop takes from a
    table has the name of the table, and others that have none at the top an empty name."""
    assigned = (each for node in tree.body if isinstance(node, ast.Assign) for each in node.targets)
    imported = (
        ast.Name(each.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    )
    top = {each.id for each in (*assigned, *imported) if isinstance(each, ast.Name)}
    found: dict[str, set[Use]] = {}

    def look(node: ast.AST, tables: dict[str, str]) -> None:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _USES:
                if name != "re":
                    name = tables.get(name, name if name in top else "")
                    found.setdefault(name, set()).add(_USES[attr])
            case ast.For(target=target, iter=ast.Name(id=table)):
                tables = tables | dict.fromkeys(_names(target), table)
            case ast.GeneratorExp(generators=loops) | ast.ListComp(generators=loops):
                for loop in loops:
                    if isinstance(loop.iter, ast.Name):
                        tables = tables | dict.fromkeys(_names(loop.target), loop.iter.id)
        for inner in ast.iter_child_nodes(node):
            look(inner, tables)

    look(tree, {})
    return found


def _names(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


def _is_of_re(node: ast.AST) -> TypeGuard[ast.Call]:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=attr)):
            return attr in (*_USES, "compile")
    return False


def _of_call(path: Path, call: ast.Call, used: dict[str, set[Use]]) -> Iterator[Pattern]:
    """The patterns that a call inside of a function may be given."""
    assert isinstance(call.func, ast.Attribute)
    where, name = place(path, call.lineno), call.func.attr
    uses = {_USES[name]} if name in _USES else used.get("") or _ANY_USE
    texts = list(_texts(call.args[0]))
    if not texts:
        assert where.split(":")[0] in GIVEN, f"{where}: which pattern?"
    for text in texts:
        yield Pattern(where, text, _flags(call), frozenset(uses))


def _texts(node: ast.expr) -> Iterator[str]:
    """The patterns that are written somewhere; a letter stands for what is put into one."""
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.JoinedStr():
            parts = (each.value if isinstance(each, ast.Constant) else "x" for each in node.values)
            yield "".join(map(str, parts))
        case ast.IfExp():
            yield from (*_texts(node.body), *_texts(node.orelse))


def _flags(call: ast.Call) -> int:
    given = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    names = (each for arg in given for each in ast.walk(arg) if isinstance(each, ast.Attribute))
    return sum({int(_FLAG[name.attr]) for name in names if name.attr in _FLAG})
