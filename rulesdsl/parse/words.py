"""The words of the language: which are reserved, and what to call each token in a message."""

from __future__ import annotations

RESERVED = frozenset(
    [
        "and",
        "break",
        "div",
        "else",
        "false",
        "for",
        "if",
        "in",
        "is",
        "later",
        "leave",
        "let",
        "mod",
        "none",
        "not",
        "nothing",
        "or",
        "otherwise",
        "previous",
        "proceed",
        "return",
        "true",
        "var",
        "when",
        "where",
        "while",
    ]
)
"""Words that are never names. All other words of the language are words only where they fit."""

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
    "option",
    "order",
    "refine",
    "require",
    "state",
    "step",
    "value",
]
"""Words a declaration begins with."""

SIGNS = {
    "ARROW": "->",
    "DOTS": "..",
    "EQUAL": "==",
    "UNEQUAL": "!=",
    "LESS_EQUAL": "<=",
    "MORE_EQUAL": ">=",
    "LESS": "<",
    "MORE": ">",
    "ADD_TO": "+=",
    "TAKE_FROM": "-=",
    "ASSIGN": "=",
    "PLUS": "+",
    "MINUS": "-",
    "STAR": "*",
    "OPTIONAL": "?",
    "COLON": ":",
    "COMMA": ",",
    "DOT": ".",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "LBRACE": "{",
    "RBRACE": "}",
}
"""Terminals that are signs, and how they are written."""

CONTINUES = frozenset(
    [
        "PLUS",
        "MINUS",
        "STAR",
        "DIV",
        "MOD",
        "AND",
        "OR",
        "NOT",
        "IN",
        "IS",
        "EQUAL",
        "UNEQUAL",
        "LESS",
        "LESS_EQUAL",
        "MORE",
        "MORE_EQUAL",
        "DOTS",
        "ASSIGN",
        "ADD_TO",
        "TAKE_FROM",
        "COMMA",
    ]
)
"""Terminals after which a line end does not end the line."""

OPENING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
"""Opening brackets with the terminals that close them."""
