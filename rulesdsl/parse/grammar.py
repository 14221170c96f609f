"""The LALR tables of the grammar."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from lark import Lark, Token
from lark.lark import PostLex

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
    """The parser of `declaration` and `expression`."""
    text = files("rulesdsl.parse").joinpath("grammar.lark").read_text("utf-8")
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
