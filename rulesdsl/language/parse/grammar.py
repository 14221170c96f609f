"""The LALR parser of the grammar, and the words of the language as messages name them."""

from __future__ import annotations

import hashlib
import json
import re
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

from rulesdsl.base.cache import Cache, entry_name
from rulesdsl.language.builtins import RESERVED

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

INDENT = 4
"""The spaces by which a block is indented."""
DECLARATIONS = [
    "action",
    "add",
    "after",
    "allow",
    "always",
    "around",
    "before",
    "choice",
    "forbid",
    "include",
    "independent",
    "instead",
    "invariant",
    "option",
    "order",
    "refine",
    "require",
    "state",
    "step",
    "value",
    "with",
]
"""Words that begin declarations."""

FITTING = frozenset(
    [
        "alike",
        "all",
        "any",
        "by",
        "count",
        "first",
        "from",
        "game",
        "max",
        "min",
        "most",
        "of",
        "once",
        "reach",
        "recursive",
        "repeat",
        "secret",
        "set",
        "settings",
        "sum",
        "the",
        "to",
        "top",
        "union",
        "up",
    ]
)
"""Contextual keywords besides `DECLARATIONS`."""

WORDS = RESERVED | FITTING | set(DECLARATIONS)
"""The words that have a meaning in the language."""

SOURCE, SHIPPED = "grammar.lark", "grammar.tables"


def _file(name: str) -> Traversable:
    return files("rulesdsl.language.parse").joinpath(name)


_SOURCE = _file(SOURCE).read_text("utf-8")
_SIGN = re.compile(r'^(\w+): "(\W+)"$', re.MULTILINE)
SIGNS = {
    **dict(_SIGN.findall(_SOURCE)),
    **{"COLON": ":", "COMMA": ",", "DOT": ".", "LPAR": "(", "RPAR": ")"},
    **{"LSQB": "[", "RSQB": "]", "LBRACE": "{", "RBRACE": "}"},
}
"""Terminals that are signs, with their spelling."""

COMPARATORS = frozenset(
    ["EQUAL", "UNEQUAL", "LESS", "LESS_EQUAL", "MORE", "MORE_EQUAL", "IN", "IS", "NOT"]
)
ASSIGNMENTS = frozenset(["ASSIGN", "ADD_TO", "TAKE_FROM"])
CONTINUES = frozenset(
    [
        *COMPARATORS,
        *ASSIGNMENTS,
        *("PLUS", "MINUS", "STAR", "DIV", "MOD", "AND", "OR", "DOTS", "COMMA"),
    ]
)
"""Terminals after which a line end does not end the line."""

CONTINUING = frozenset(SIGNS.get(each, each.lower()) for each in CONTINUES)
"""The words and signs of these terminals."""

OPENING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
"""Opening brackets with the terminals that close them."""

TERMINALS = {
    "NAME": "a name",
    "QUOTED": "a quoted id",
    "INT": "a number",
    "_NEWLINE": "the end of the line",
    "_INDENT": "a block",
    "$END": "the end",
}
"""Names in messages for terminals that are neither words nor signs."""

HEADS = {
    "if": "after the condition",
    "while": "after the condition",
    "when": "after the condition",
    "else": "after `else`",
    "otherwise": "after `otherwise`",
    "for": "after the set",
    "always": "after the set",
    "action": "before the body",
    "step": "before the body",
    "before": "before the body",
    "after": "before the body",
    "around": "before the body",
    "instead": "before the body",
    "refine": "before the body",
    "add": "before the body",
    "require": "before the body",
    "allow": "before the body",
    "include": "before the body",
    "choice": "before the options",
    "invariant": "after the name",
    "with": "after the rulesets",
}
"""Words that begin a line with a colon at its end, and the place of the colon."""

NEEDS = {
    "where": "a condition",
    "if": "a condition",
    "while": "a condition",
    "when": "a condition",
    "in": "a set",
    "by": "an expression",
    "from": "an expression",
    "else": "a value",
    "=": "a value",
    "later": "a call",
    "to": "a number",
}
"""Words and signs with their required continuations."""

FOREIGN = {
    "elif": "write `else if`",
    "elseif": "write `else if`",
    "elsif": "write `else if`",
    "then": "a condition ends with `:`",
    "do": "a block begins after `:`",
    "def": "write `action` or `value`",
    "function": "write `action` or `value`",
    "func": "write `action` or `value`",
    "fn": "write `action` or `value`",
    "const": "write `let`",
    "match": "write a line `when COND: …` for each case",
    "switch": "write a line `when COND: …` for each case",
    "enum": "declare enums in the manifest",
    "import": "the manifest says what a ruleset requires",
}
"""Words of other programming languages that cannot be names there, with advice."""

_NO_TEXTS = "write names without quotes, and the id of a component between two `'`"
CHARACTERS = {
    "&&": "write `and`",
    "&": "write `and`",
    "||": "write `or`",
    "|": "write `or`; sets are joined with `+`",
    "!": "write `not`",
    "//": "a comment begins with `#`; divide integers with `div`",
    "/*": "a comment begins with `#`",
    "/": "divide integers with `div`",
    "%": "write `mod` for the remainder",
    ";": "write each statement on a line of its own",
    '"': _NO_TEXTS,
    "\u201c": _NO_TEXTS,
    "\u2018": "quote the id of a component with `'`",
    "\u2019": "quote the id of a component with `'`",
    "\\": "a line continues after an operator or a comma at its end, and inside brackets",
    "\u2026": "write a range as `a..b`",
    "\u00a0": "this is a no-break space; write an ordinary one",
}
"""Signs that the language does not use, longer ones first, with replacements."""

MOST_WORDS = 65_000
"""Maximum number of words and signs in the rules of a game; the largest shipped game has 4,000."""


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
        return _unpacked(shipped)
    except ValueError:
        name = entry_name("grammar", lark.__version__.encode(), "tables")
        return entries.load_or_make(name, _build, _packed, _unpacked)


def shipment() -> bytes:
    """Return the tables of the grammar in the shipped form, for a quick first start."""
    return _packed(_build())


def _packed(parser: Lark) -> bytes:
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    for function in ("postlex", "lexer_callbacks"):
        del data["options"][function]
    text = json.dumps([_key(), data, memo], separators=(",", ":"))
    return zlib.compress(text.encode(), 9)


def _unpacked(tables: bytes) -> Lark:
    """Return the parser; raises ValueError for tables that are invalid or of another grammar."""
    make: Any = Lark._load_from_dict
    try:
        key, data, memo = json.loads(zlib.decompress(tables), object_hook=_numbered)
        if key != _key():
            raise ValueError("other tables")
        parser: Lark = make(data, memo, postlex=_Everywhere(), lexer_callbacks={"NAME": _reserve})
    except Exception as error:  # whatever the file holds, the tables can be built
        raise ValueError("no tables") from error
    return parser


def _numbered(data: dict[str, Any]) -> dict[str | int, Any]:
    """Return a mapping with its integer keys restored, which JSON turns into texts."""
    return {int(key) if key.isdecimal() else key: value for key, value in data.items()}


def _key() -> str:
    words = (_SOURCE, lark.__version__, *sorted(RESERVED))
    every = _Everywhere.always_accept
    return hashlib.sha256("\0".join((*words, *every)).encode()).hexdigest()


def _build() -> Lark:
    return Lark(
        _SOURCE,
        parser="lalr",
        lexer="contextual",
        start=["declaration", "expression"],
        maybe_placeholders=True,
        propagate_positions=True,
        postlex=_Everywhere(),
        lexer_callbacks={"NAME": _reserve},
    )
