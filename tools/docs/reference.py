"""The reference pages of commands, diagnostics, manifests and Python."""

from __future__ import annotations

import argparse
import inspect
import json
import re
from collections.abc import Iterator
from typing import Any

import rulesdsl
from rulesdsl.cli.commands import EXIT, parser
from rulesdsl.diagnostics.slugs import SLUGS
from tools.docs.tables import table
from tools.environment import ROOT
from tools.man import help_of, invocation, leaves, metavar

SCHEMA = ROOT / "schemas" / "ruleset.schema.json"
SHAPES = (
    *("players", "game", "setting", "attribute", "feature", "grid", "zone", "track", "table"),
    *("tile", "card", "die", "owned", "segment", "some", "extension", "style"),
)
"""The definitions of the schema that have a section, in order."""


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
            (f"[`{slug}`](../../rulesdsl/diagnostics/pages/{slug}.md)", meaning)
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
    """Return a section for each public name of `rulesdsl`, with signature and docstring."""
    names = sorted(name for name in rulesdsl.__all__ if not name.startswith("_"))
    names.sort(key=lambda name: (name != "load", inspect.isclass(getattr(rulesdsl, name))))
    return "\n".join(_public(name, getattr(rulesdsl, name)) for name in names)


def _public(name: str, thing: Any) -> str:
    head = f"## `{name}`\n\n{_signature(name, thing)}{_docstring(thing)}\n"
    if not inspect.isclass(thing):
        return head
    members = []
    for member, value in vars(thing).items():
        if member.startswith("_") or not inspect.getdoc(value):
            continue
        if isinstance(value, property):
            members.append((f"`.{member}`", _docstring(value)))
        elif inspect.isroutine(value) or isinstance(value, classmethod):
            function = value.__func__ if isinstance(value, classmethod) else value
            members.append((f"`.{member}{_parameters(function)}`", _docstring(function)))
    return head + ("\n" + table(("member", ""), members) if members else "")


def _signature(name: str, thing: Any) -> str:
    if inspect.isclass(thing):
        return ""
    return f"```\n{name}{_plain(inspect.signature(thing))}\n```\n\n"


def _parameters(function: Any) -> str:
    """Return the parameters of a method without `self`, and its result."""
    return re.sub(r"^\((?:self|cls)(?:, )?", "(", _plain(inspect.signature(function)))


def _plain(signature: inspect.Signature) -> str:
    """Return a signature without the quotes around its types."""
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(signature))


def _docstring(thing: object) -> str:
    return inspect.getdoc(thing) or ""
