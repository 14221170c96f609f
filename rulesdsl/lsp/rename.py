"""Giving something another name wherever it is named."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from rulesdsl.diagnostics import Span
from rulesdsl.lsp.family import Family
from rulesdsl.model.uses import Symbol
from rulesdsl.parse.words import RESERVED

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ID = re.compile(r"[A-Za-z0-9_-]{1,60}")
Edits = Mapping[str, list[tuple[Span, str]]]
"""By the file's real path: places, and what is to stand there."""


class Refused(Exception):
    """Why something cannot have another name, in a sentence."""


def check_renamable(symbol: Symbol) -> None:
    """Raises `Refused` for what no author has named."""
    if symbol.own:
        raise Refused(f"`{symbol.name}` is a word of the language")
    if symbol.what == "ruleset":
        raise Refused("a ruleset's id is also in the names of files: it is changed by hand")


def renamed(family: Family, symbol: Symbol, name: str) -> Edits:
    """What to write where, so that a symbol is called `name`. Raises `Refused` if that is no name
    for it, or one that something else has."""
    check_renamable(symbol)
    is_id = symbol.what in ("component", "face")
    if not (_ID if is_id else _NAME).fullmatch(name):
        made_of = "letters, digits, `_`" + (" and `-`" if is_id else "")
        raise Refused(f"`{name}` is no name: one is made of {made_of}")
    if name in RESERVED:
        raise Refused(f"`{name}` is a word of the language and cannot be a name")
    edits: dict[str, list[tuple[Span, str]]] = {}
    for use in family.index.of(symbol):
        text = _written(use.span, name)
        path = os.path.realpath(use.span.source.name)
        edits.setdefault(path, []).append((use.span, text))
    return edits


def _written(span: Span, name: str) -> str:
    """How a name is written in the place of another: a component in rules perhaps in quotes."""
    quoted = span.text[:1] == "'"
    in_rules = span.source.name.endswith(".rules")
    if in_rules and (quoted or not _NAME.fullmatch(name)):
        return f"'{name}'"
    return name


def applied(text: str, edits: list[tuple[Span, str]]) -> str:
    """A text after edits."""
    for span, new in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text
