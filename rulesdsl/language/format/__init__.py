"""The formatter for rules, manifests and scenarios."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.format.yaml import formatted_yaml
from rulesdsl.language.model import ast
from rulesdsl.language.model.checked import walk
from rulesdsl.language.parse import parse, unparse
from rulesdsl.language.read.find import RULES, YAML, is_ours
from rulesdsl.language.read.yaml import parse_yaml

__all__ = ["formatted"]


WIDTH = 100
"""The most columns of a line of rules, if it can be broken so; comments may be longer."""

_BLANK_LINES = re.compile(r"\n{3,}")
_LAYOUT = ("source", "span", "size", "inline")


def formatted_rules(module: ast.Module, width: int = WIDTH) -> str:
    """Return the formatted text of a parsed module; the meaning and comments stay the same."""
    text = unparse(module, width)
    text = _BLANK_LINES.sub("\n\n", text).strip("\n")
    text = f"{text}\n" if text else ""
    again = parse(Source(module.source.name, text), Report())
    name = module.source.name
    assert _meaning(again) == _meaning(module), f"{name}: another meaning"
    assert _comments(again) == _comments(module), f"{name}: other comments"
    return text


def _meaning(node: Any) -> object:
    """Return the content of a tree, without its layout and comments."""
    if isinstance(node, tuple):
        return tuple(map(_meaning, node))
    if not isinstance(node, ast.Node | ast.Module):
        return node
    names = [field.name for field in fields(node) if field.name not in _LAYOUT]
    kept = (name for name in names if name != "trailing" and not name.endswith("trivia"))
    return type(node), tuple(_meaning(getattr(node, name)) for name in kept)


def _comments(module: ast.Module) -> list[str]:
    found = [*module.trailing]
    for node in walk(module.declarations):
        for name, part in vars(node).items():
            if isinstance(part, ast.Trivia):
                found += (*part.before, part.after, *(each.text for each in part.inner))
            elif name == "trailing":
                found += part
    return sorted(filter(None, found))


_LINE_END = re.compile("\r\n?")


def formatted(text: str, path: str) -> str:
    """Format rules, a manifest or scenarios.

    The meaning and all comments stay the same, and formatting the result again changes nothing.
    Line ends are those of the first line. `path` is the name in findings, and its suffix gives the
    kind of the text: `.rules`, `.yaml` or `.yml`; for any other, the text does. Raises RulesError
    with all findings if the text cannot be parsed.
    """
    report = Report()
    if path.endswith(YAML) or (not path.endswith(RULES) and is_ours(text)):
        node = parse_yaml(Source(path, text), report)
        report.check()
        found = formatted_yaml(_LINE_END.sub("\n", text.removeprefix("\ufeff")))
        assert parse_yaml(Source(path, found), report) == node, f"{path}: another meaning"
    else:
        module = parse(Source(path, text), report)
        report.check()
        found = formatted_rules(module)
    first, end, _ = text.partition("\n")
    return found.replace("\n", "\r\n") if end and first.endswith("\r") else found
