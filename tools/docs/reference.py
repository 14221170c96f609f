"""The reference pages of commands, diagnostics, manifests and Python."""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import UnionType
from typing import Any

import rulesdsl
from rulesdsl.cli.commands import EXIT, parser
from rulesdsl.engine.run import interface as engine
from rulesdsl.language.diagnostics.slugs import SLUGS
from rulesdsl.play import names as forms
from tools.docs.tables import table
from tools.environment import ROOT
from tools.man import help_of, invocation, leaves, metavar

SCHEMA = ROOT / "schemas" / "ruleset.schema.json"
SHAPES = (
    *("players", "game", "setting", "attribute", "feature", "grid", "zone", "track", "table"),
    *("tile", "card", "die", "owned", "segment", "some", "extension", "style"),
)
"""The definitions of the schema that have a section, in order."""


# --- the house ---


def house() -> str:
    """Return a table of the folders of the package with their layers, as contracts hold them."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers = {each["id"]: each.get("layers", []) for each in tool["importlinter"]["contracts"]}
    return table(
        ("folder", "what is in it", "its layers, from the highest to the lowest"),
        [
            (f"`{name}`", _sentence(name), ", ".join(f"`{each}`" for each in layers.get(name, [])))
            for layer in layers["house"]
            for name in re.split(" [|:] ", layer)
            if (ROOT / "rulesdsl" / name).is_dir()
        ],
    )


def _sentence(folder: str) -> str:
    text = (ROOT / "rulesdsl" / folder / "__init__.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition(".\n")[0]


# --- commands ---


def commands() -> str:
    """Return a section for each command: usage, options, examples."""
    return "\n".join(_command(command) for command in leaves(parser()))


def _command(command: argparse.ArgumentParser) -> str:
    actions = [a for a in command._actions if not isinstance(a, argparse._HelpAction)]
    taken = [metavar(a) for a in actions if not a.option_strings]
    prose, _, examples = (command.epilog or "").removesuffix(EXIT).partition("examples:\n")
    parts = [
        f"## {command.prog}",
        command.description or "",
        f"```\n{command.prog} [options] {' '.join(taken)}".rstrip() + "\n```",
        table(("argument", ""), [(invocation(a), help_of(a)) for a in actions]).rstrip(),
        prose.strip(),
        examples.strip("\n") and "Examples:\n\n" + re.sub(r"(?m)^  ", "    ", examples.strip("\n")),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


# --- diagnostics ---


def diagnostics() -> str:
    """Return a table of all kinds of findings."""
    return table(
        ("slug", "meaning"),
        [
            (f"[`{slug}`](../../rulesdsl/language/diagnostics/pages/{slug}.md)", meaning)
            for slug, meaning in sorted(SLUGS.items())
        ],
    )


# --- manifests ---


def manifest() -> str:
    """Return the keys of a manifest, and a table for every shape of value with keys of its own."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    shapes = schema["$defs"]
    parts = ["## The file\n\n" + _keys(schema, shapes)]
    for name in SHAPES:
        shape = shapes[name]
        title = str(shape["title"]).split(" ", 1)[-1]
        heading = f"## {title[0].upper()}{title[1:]}"
        keys = next(_with_keys(shape), None)
        parts.append(
            f"{heading}\n\n{shape['description']}\n\n{_keys(keys, shapes) if keys else ''}"
        )
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _with_keys(shape: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "properties" in shape:
        yield shape
    if isinstance(items := shape.get("items"), dict):
        yield from _with_keys(items)


def _keys(shape: dict[str, Any], shapes: dict[str, Any]) -> str:
    needed = shape.get("required", [])
    rows = []
    for key, value in shape["properties"].items():
        full = {**shapes.get(str(value.get("$ref")).rpartition("/")[2], {}), **value}
        words = [str(full.get("description", full.get("title", "")))]
        if "enum" in full and len(full["enum"]) < 10:
            words.append("One of " + ", ".join(f"`{each}`" for each in full["enum"]) + ".")
        if "minimum" in full and "maximum" in full and str(full["maximum"]) not in words[0]:
            words.append(f"From {full['minimum']} to {full['maximum']}.")
        rows.append((f"`{key}`", "yes" if key in needed else "", " ".join(words)))
    return table(("key", "required", "meaning"), rows)


# --- Python ---


def python() -> str:
    """Return a section for each public name of `rulesdsl`, and a table of other types in them."""
    names = sorted(name for name in rulesdsl.__all__ if not name.startswith("_"))
    names.sort(key=lambda name: (name != "load", not inspect.isroutine(getattr(rulesdsl, name))))
    sections = [_public(name, getattr(rulesdsl, name)) for name in names]
    rows = [(f"`{each}`", f"`{home}`", sentence) for each, home, sentence in _others(names)]
    others = f"## Other types\n\n{table(('type', 'module', ''), rows)}"
    return "\n".join([*sections, others])


def _public(name: str, thing: Any) -> str:
    if isinstance(thing, UnionType):
        doc = _comments(inspect.getsource(forms))[name]
        return f"## `{name}`\n\n```\n{name} = {_plain(str(thing))}\n```\n\n{doc}\n"
    head = f"## `{name}`\n\n{_signature(name, thing)}{_docstring(thing)}\n"
    members = [(f"`.{member}`", doc) for member, doc in members_of(thing)]
    return head + ("\n" + table(("member", ""), members) if members else "")


def members_of(thing: Any) -> Iterator[tuple[str, str]]:
    """Yield the public members of a class with their types, and the documentation of each."""
    if not inspect.isclass(thing):
        return
    said = _comments(inspect.getsource(thing))
    for name, kind in inspect.get_annotations(thing).items():
        if not name.startswith("_"):
            yield (
                f"{name}: {_plain(str(getattr(kind, '__forward_arg__', kind)))}",
                said.get(name, ""),
            )
    for name, value in vars(thing).items():
        function = value.__func__ if isinstance(value, classmethod) else value
        if name.startswith("_") or name in inspect.get_annotations(thing):
            continue
        if isinstance(value, property):
            result = inspect.signature(value.fget or _plain).return_annotation
            yield f"{name}: {_plain(result)}", _docstring(value)
        elif inspect.isroutine(function) and _docstring(function):
            yield f"{name}{_parameters(function)}", _docstring(function)


def _comments(code: str) -> dict[str, str]:
    """Return the texts below the names that a class or module assigns."""
    (first, *others), found = ast.parse(code).body, dict[str, str]()
    body = first.body if isinstance(first, ast.ClassDef) else [first, *others]
    for node, below in pairwise(body):
        match node, below:
            case (
                ast.AnnAssign(ast.Name(name)) | ast.Assign([ast.Name(name)]),
                ast.Expr(ast.Constant(str(text))),
            ):
                found[name] = inspect.cleandoc(text)
    return found


def _others(names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the other types of this package in members, with their modules and first lines."""
    known = {
        word: thing
        for name in names
        for word, thing in vars(inspect.getmodule(getattr(rulesdsl, name)) or rulesdsl).items()
    }
    used = {
        word
        for name in names
        for text, _ in members_of(getattr(rulesdsl, name))
        for word in re.findall(r"[A-Z]\w+", text)
    }
    for word in sorted((used & known.keys()).difference(names)):
        home = getattr(known[word], "__module__", "")
        if home.startswith("rulesdsl."):
            yield word, home, _docstring(known[word]).partition("\n")[0]
    aliases = _comments(inspect.getsource(engine))
    for word in sorted(used & aliases.keys()):
        yield word, engine.__name__, aliases[word].partition("\n")[0]


def _signature(name: str, thing: Any) -> str:
    if inspect.isclass(thing):
        return ""
    return f"```\n{name}{_plain(str(inspect.signature(thing)))}\n```\n\n"


def _parameters(function: Any) -> str:
    """Return the parameters of a method without `self`, and its result."""
    return re.sub(r"^\((?:self|cls)(?:, )?", "(", _plain(str(inspect.signature(function))))


def _plain(text: str) -> str:
    """Return a type or signature without quotes around types and without their modules."""
    return re.sub(r"\b[a-z_]+\.(?=[\w.]*[A-Z])", "", re.sub(r"(: |-> |\[)'([^']*)'", r"\1\2", text))


def _docstring(thing: object) -> str:
    return inspect.getdoc(thing) or ""
