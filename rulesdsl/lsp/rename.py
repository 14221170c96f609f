"""Renaming of a symbol everywhere it is named."""

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
"""Edits by the real path of the file: places, and their replacement texts."""


class Refused(Exception):
    """A reason, in a sentence, why something cannot be renamed."""


def check_renamable(symbol: Symbol) -> None:
    """Raise `Refused` for a symbol that no author has named."""
    if symbol.own:
        raise Refused(f"`{symbol.name}` is a word of the language")
    if symbol.what == "ruleset":
        raise Refused("a ruleset's id is also in the names of files: it is changed by hand")


def renamed(family: Family, symbol: Symbol, name: str) -> Edits:
    """Return the edits that rename a symbol.

    Raises `Refused` if `name` is not valid for the symbol, or already taken.
    """
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
    """Return a name as written at a place: components in rules may need quotes."""
    quoted = span.text[:1] == "'"
    in_rules = span.source.name.endswith(".rules")
    if in_rules and (quoted or not _NAME.fullmatch(name)):
        return f"'{name}'"
    return name


def applied(text: str, edits: list[tuple[Span, str]]) -> str:
    """Return a text with edits applied."""
    for span, new in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text
