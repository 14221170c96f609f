"""The LALR parser of the grammar.

Building its tables takes a sixth of a first start, so they are shipped with the package. If those
do not fit, they are built and kept in the user's cache.
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

from rulesdsl.builtins import RESERVED
from rulesdsl.cache import Cache, entry_name
from rulesdsl.parse.words import SIGNS

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

SOURCE, SHIPPED = "grammar.lark", "grammar.tables"


class _Everywhere(PostLex):
    """The terminals that are recognised in every parser state.

    A contextual lexer tries only terminals that the parser can take, so `==` would be read as two
    `=` where only `=` fits, and `bye` as `by`. Words of the language that are not reserved stay
    contextual.
    """

    always_accept = ("_LINE_END", "NAME", "QUOTED", "INT", *SIGNS)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Return the tokens unchanged; `TokenLayout` comes in where they are fed to the parser."""
        return stream


def _reserve(token: Token) -> Token:
    """Turn a reserved word into its own token, even where only a name fits."""
    return token.update(type=token.upper()) if token in RESERVED else token


@cache
def grammar() -> Lark:
    """Return the parser of `declaration` and `expression`, the same object every time."""
    return load(Cache.of_user(), _file(SHIPPED).read_bytes())


def load(entries: Cache, shipped: bytes) -> Lark:
    """Return a parser made from the shipped tables, if they fit this grammar and Lark.

    Otherwise it is made from the tables in `entries`, which are built if missing.
    """
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
    """Return the tables of the grammar in the shipped form, for a quick first start."""
    data = json.dumps([_key(), *_tables(_build())], separators=(",", ":"))
    return zlib.compress(data.encode(), 9)


def _unpack(shipped: bytes) -> Any:
    """Return the shipped tables; raises ValueError if they belong to another grammar or Lark."""
    key, *tables = json.loads(zlib.decompress(shipped), object_hook=_numbered)
    if key != _key():
        raise ValueError("other tables")
    return tables


def _numbered(data: dict[str, Any]) -> dict[str | int, Any]:
    """Return a mapping with its integer keys restored, which JSON turns into texts."""
    return {int(key) if key.isdecimal() else key: value for key, value in data.items()}


def _key() -> str:
    """Return a key that identifies the grammar and the version of Lark."""
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
    """Return everything a parser is made from as plain data."""
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    for function in ("postlex", "lexer_callbacks"):
        del data["options"][function]
    return data, memo


def _parser(tables: Any) -> Lark:
    """Return the parser for such tables; raises ValueError if they are invalid."""
    make: Any = Lark._load_from_dict
    try:
        data, memo = tables
        parser: Lark = make(data, memo, postlex=_Everywhere(), lexer_callbacks={"NAME": _reserve})
    except Exception as error:  # whatever the file holds, the tables can be built
        raise ValueError("no tables") from error
    return parser
