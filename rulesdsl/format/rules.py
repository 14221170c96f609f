"""Rules as they should look."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from rulesdsl.diagnostics import Report, Source
from rulesdsl.model import ast
from rulesdsl.parse import parse, unparse

WIDTH = 100
"""How many columns a line of rules has at most, if it can be broken so; comments may be longer."""

_BLANK_LINES = re.compile(r"\n{3,}")
_LAYOUT = ("source", "span", "size", "inline")


def formatted_rules(module: ast.Module, width: int = WIDTH) -> str:
    """The text of a module as it should look; nothing in it is broken."""
    text = unparse(module, width)
    text = _BLANK_LINES.sub("\n\n", text).strip("\n")
    text = f"{text}\n" if text else ""
    again = parse(Source(module.source.name, text), Report())
    name = module.source.name
    assert _meaning(again) == _meaning(module), f"{name}: another meaning"
    assert sorted(_comments(again)) == sorted(_comments(module)), f"{name}: other comments"
    return text


def _meaning(node: Any) -> object:
    """What a tree says, without its layout and comments."""
    if isinstance(node, tuple):
        return tuple(map(_meaning, node))
    if not isinstance(node, ast.Node | ast.Module):
        return node
    kept = [field.name for field in fields(node) if field.name not in _LAYOUT]
    parts = (getattr(node, name) for name in kept if not _is_comment(name))
    return type(node), tuple(map(_meaning, parts))


def _is_comment(field: str) -> bool:
    return field == "trailing" or field.endswith("trivia")


def _comments(node: Any) -> list[str]:
    """All comments of a tree."""
    match node:
        case tuple():
            return [comment for part in node for comment in _comments(part)]
        case ast.Trivia():
            return [*filter(None, (*node.before, node.after)), *(each.text for each in node.inner)]
        case ast.Node() | ast.Module():
            named = [(field.name, getattr(node, field.name)) for field in fields(node)]
            trailing = (part for name, part in named if name == "trailing")
            return [
                *(line for lines in trailing for line in lines if line),
                *(comment for _, part in named for comment in _comments(part)),
            ]
        case _:
            return []
