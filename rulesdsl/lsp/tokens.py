"""Semantic tokens: the kind of each word of a file, for colours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from rulesdsl.model.uses import Use
from rulesdsl.parse.words import WORDS

Kind = Literal[
    "comment",
    "keyword",
    "number",
    "string",
    "namespace",
    "type",
    "class",
    "enum",
    "enumMember",
    "property",
    "variable",
    "parameter",
    "function",
    "method",
    "event",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""The kinds of tokens, as the protocol names them."""
MODIFIERS = ("declaration", "defaultLibrary")

_KINDS: dict[str, Kind] = {
    "value": "function",
    "function": "function",
    "action": "method",
    "effect": "method",
    "choice": "event",
    "option": "event",
    "state": "property",
    "attribute": "property",
    "property": "property",
    "setting": "property",
    "enum": "enum",
    "member": "enumMember",
    "face": "enumMember",
    "colour": "enumMember",
    "feature": "class",
    "component": "class",
    "grid": "variable",
    "zone": "variable",
    "track": "variable",
    "table": "variable",
    "local": "parameter",
    "ruleset": "namespace",
    "type": "type",
}
_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<string>'[^'\n]*')|(?P<number>\d+)|(?P<word>[A-Za-z_]\w*)", re.ASCII
)


@dataclass(frozen=True)
class Token:
    """A stretch of characters in one line."""

    start: int
    end: int
    kind: Kind
    declares: bool = False
    own: bool = False


def tokens(text: str, uses: list[Use], rules: bool) -> list[Token]:
    """Return the tokens of a text by place: names, and in rules all other words too.

    The `uses` may be those of an older text; they count where it has not changed.
    """
    named = {
        use.span.start: Token(
            use.span.start, use.span.end, _KINDS[use.symbol.what], use.declares, use.symbol.own
        )
        for use in uses
        if text[use.span.start : use.span.end] == use.span.text
    }
    if not rules:
        return [named[start] for start in sorted(named)]
    return list(_lexed(text, named))


def _lexed(text: str, named: dict[int, Token]) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if match.start() in named:
            yield named[match.start()]
        elif kind == "word":
            if match[0] in WORDS:
                yield Token(*match.span(), "keyword")
        else:
            yield Token(*match.span(), KINDS[KINDS.index(kind)])
