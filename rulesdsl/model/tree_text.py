"""A syntax tree or checked tree as text, one node per line.

    ActionDecl some/file.rules:12:1 name "turn", step
      params:
        Param 12:13 name "p"
      body: Block 13:5
        statements:
          ...

A node is shown by its class, its position (with the file if that is another one), its plain fields,
and then the nodes inside it. Fields that are off, none, empty or default, and comments are left
out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

from rulesdsl.diagnostics import Source, Span
from rulesdsl.model import ast, checked
from rulesdsl.model.types import EnumType, IntType, NamedType, OptionalType, SetType

_LEFT_OUT = ("span", "trivia", "else_trivia", "otherwise_trivia", "trailing")
_INSIDE = (ast.Node, checked.Node, checked.Hooks, checked.Parameter)
_SAID = (ast.Path, IntType, NamedType, EnumType, SetType, OptionalType)


def tree_text(node: object) -> str:
    """Return the text of a tree."""
    return "".join(f"{line}\n" for line in _node(node, None))


def _node(node: Any, file: Source | None) -> Iterator[str]:
    """Yield the lines of a node in a file: its own, then those of the nodes inside it."""
    span = getattr(node, "span", None)
    place, file = _place(span, file) if isinstance(span, Span) else ("", file)
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


def _place(span: Span, file: Source | None) -> tuple[str, Source]:
    """Return a position as text inside of a file, and its file."""
    short = f"{span.line}:{span.column} "
    return (short if span.source is file else f"{span.source.name}:{short}"), span.source


def _is_default(field: Field[object], value: object) -> bool:
    """Say whether a field can be left out; a value never can."""
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
