"""What to say about text that the grammar does not take."""

from __future__ import annotations

from lark import Token

from rulesdsl.diagnostics import Diagnostic
from rulesdsl.parse.layout import Layout


def unexpected(layout: Layout, token: Token, accepts: set[str]) -> Diagnostic:
    return Diagnostic(
        "bad-syntax", f"unexpected {token!r} {sorted(accepts)}", layout.chunk.token_span(token)
    )


def bad_character(layout: Layout, at: int) -> Diagnostic:
    return Diagnostic("bad-character", "bad char", layout.chunk.span(at, at + 1))
