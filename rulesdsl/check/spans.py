"""Where the parts of a node stand that have no span of their own."""

from __future__ import annotations

import re

from rulesdsl.diagnostics import Span
from rulesdsl.model import ast

_WORD = re.compile(r"\w+")


def named_span(span: Span, name: str) -> Span:
    """Where `name` stands first as a word inside `span`; all of it, if nowhere."""
    words = _WORD.finditer(span.source.text, span.start, span.end)
    return next((span.source.span(*word.span()) for word in words if word[0] == name), span)


def head_span(span: Span, word: str) -> Span:
    """Where `word` stands, with which `span` begins."""
    return span.source.span(span.start, span.start + len(word))


def part_span(path: ast.Path, number: int) -> Span:
    """Where a part of a dotted name stands."""
    start = path.span.start + sum(len(part) + 1 for part in path.parts[:number])
    return path.span.source.span(start, start + len(path.parts[number]))


def last_part(node: ast.Attribute | ast.Path | ast.Name) -> Span:
    """Where the name at the end of a dotted name stands."""
    name = node.parts[-1] if isinstance(node, ast.Path) else node.name
    quotes = 0 if isinstance(node, ast.Path) or not node.quoted else 2
    return Span(node.span.source, node.span.end - len(name) - quotes, node.span.end)
