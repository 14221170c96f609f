"""The LALR parser of the grammar, with its tables kept in the user's cache."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import lark
from lark import Lark, Token
from lark.grammar import Rule
from lark.lark import PostLex
from lark.lexer import TerminalDef

from rulesdsl.cache import Cache, entry_name
from rulesdsl.parse.words import RESERVED, SIGNS


class _Everywhere(PostLex):
    """Names the terminals that are recognised in every state.

    A contextual lexer tries only what the parser can take; so `==` would be read as two `=`
    where only `=` fits, and `bye` as `by`. Words of the language that are not reserved stay
    contextual.
    """

    always_accept = ("_LINE_END", "NAME", "QUOTED", "INT", *SIGNS)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens as they are; `Layout` is applied where they are fed."""
        return stream


def _reserve(token: Token) -> Token:
    """A reserved word is never a name, even where only a name fits."""
    return token.update(type=token.upper()) if token in RESERVED else token


@cache
def grammar() -> Lark:
    """The parser of `declaration` and `expression`; the same object every time."""
    return load(Cache.of_user())


def load(entries: Cache) -> Lark:
    """The parser, from `entries` if its tables are there, otherwise built and kept there."""
    text = files("rulesdsl.parse").joinpath("grammar.lark").read_text("utf-8")
    name = entry_name("grammar", lark.__version__.encode(), "tables")
    found = entries.get(name)
    if found is not None and (restored := _restore(found)):
        return restored
    built = _build(text)
    entries.put(name, _dump(built))
    return built


def _build(text: str) -> Lark:
    return Lark(
        text,
        parser="lalr",
        lexer="contextual",
        start=["declaration", "expression"],
        maybe_placeholders=True,
        propagate_positions=True,
        postlex=_Everywhere(),
        lexer_callbacks={"NAME": _reserve},
    )


def _dump(parser: Lark) -> bytes:
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    for function in ("postlex", "lexer_callbacks"):
        del data["options"][function]
    return marshal.dumps((data, memo))


def _restore(content: bytes) -> Lark | None:
    """The parser of a dump; None when it cannot be made from it."""
    make: Any = Lark._load_from_dict
    try:
        data, memo = marshal.loads(content)
        parser: Lark = make(data, memo, postlex=_Everywhere(), lexer_callbacks={"NAME": _reserve})
    except Exception:  # whatever was in the file, the tables can be built
        return None
    return parser
