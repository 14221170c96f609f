"""The LALR parser of the grammar.

To build its tables takes a sixth of a first start: they are shipped, and where those do not fit,
kept in the user's cache.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import zlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import lark
from lark import Lark, Token
from lark.grammar import Rule
from lark.lark import PostLex
from lark.lexer import TerminalDef

from rulesdsl.cache import Cache, entry_name
from rulesdsl.parse.words import RESERVED, SIGNS

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

SOURCE, SHIPPED = "grammar.lark", "grammar.tables"


class _Everywhere(PostLex):
    """Names the terminals that are recognised in every state.

    A contextual lexer tries only what the parser can take; so `==` would be read as two `=`
    where only `=` fits, and `bye` as `by`. Words of the language that are not reserved stay
    contextual.
    """

    always_accept = ("_LINE_END", "NAME", "QUOTED", "INT", *SIGNS)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Return the tokens as they are; `Layout` is applied where they are fed."""
        return stream


def _reserve(token: Token) -> Token:
    """A reserved word is never a name, even where only a name fits."""
    return token.update(type=token.upper()) if token in RESERVED else token


@cache
def grammar() -> Lark:
    """Return the parser of `declaration` and `expression`; the same object every time."""
    return load(Cache.of_user(), _file(SHIPPED).read_bytes())


def load(entries: Cache, shipped: bytes) -> Lark:
    """Make the parser of the shipped tables, if they are of this grammar and Lark, otherwise of
    those in `entries`, which are built if they are not there."""
    try:
        return _parser(_unpack(shipped))
    except (zlib.error, TypeError, ValueError):
        name = entry_name("grammar", lark.__version__.encode(), "tables")
        return entries.load_or_make(
            name,
            _build,
            lambda parser: marshal.dumps(_tables(parser)),
            lambda content: _parser(marshal.loads(content)),
        )


def shipment() -> bytes:
    """The tables of the grammar as they are shipped, so that the first start is quick as well."""
    data = json.dumps([_key(), *_tables(_build())], separators=(",", ":"))
    return zlib.compress(data.encode(), 9)


def _unpack(shipped: bytes) -> Any:
    """Return the tables that were shipped; ValueError if they are of another grammar or Lark."""
    key, *tables = json.loads(zlib.decompress(shipped), object_hook=_numbered)
    if key != _key():
        raise ValueError("other tables")
    return tables


def _numbered(data: dict[str, Any]) -> dict[str | int, Any]:
    """Return a mapping that had numbers as keys, which JSON makes texts."""
    return {int(key) if key.isdecimal() else key: value for key, value in data.items()}


def _key() -> str:
    """Tells grammars and versions of Lark apart."""
    words = (_source(), lark.__version__, *sorted(RESERVED))
    every = _Everywhere.always_accept
    return hashlib.sha256("\0".join((*words, *every)).encode()).hexdigest()


def _source() -> str:
    return _file(SOURCE).read_text("utf-8")


def _file(name: str) -> Traversable:
    return files("rulesdsl.parse").joinpath(name)


def _build() -> Lark:
    return Lark(
        _source(),
        parser="lalr",
        lexer="contextual",
        start=["declaration", "expression"],
        maybe_placeholders=True,
        propagate_positions=True,
        postlex=_Everywhere(),
        lexer_callbacks={"NAME": _reserve},
    )


def _tables(parser: Lark) -> tuple[dict[str, Any], dict[int, Any]]:
    """All that a parser is made from, in plain data."""
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    for function in ("postlex", "lexer_callbacks"):
        del data["options"][function]
    return data, memo


def _parser(tables: Any) -> Lark:
    """Return the parser of such tables; ValueError when it cannot be made from them."""
    make: Any = Lark._load_from_dict
    try:
        data, memo = tables
        parser: Lark = make(data, memo, postlex=_Everywhere(), lexer_callbacks={"NAME": _reserve})
    except Exception as error:  # whatever was in the file, the tables can be built
        raise ValueError("no tables") from error
    return parser
