"""The words of the language, and the names of tokens in messages."""

from __future__ import annotations

from rulesdsl.builtins import RESERVED

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
"""Terminals that are signs, with their spelling."""

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
    '"': "quote the id of a component with `'`; rules hold no other texts",
    "\u201c": "quote the id of a component with `'`; rules hold no other texts",
    "\u2018": "quote the id of a component with `'`",
    "\u2019": "quote the id of a component with `'`",
    "\\": "a line continues after an operator or a comma at its end, and inside brackets",
    "\u2026": "write a range as `a..b`",
    "\u00a0": "this is a no-break space; write an ordinary one",
}
"""Signs that the language does not use, longer ones first, with replacements."""

MOST_WORDS = 65_000
"""Maximum number of words and signs in the rules of a game; the largest shipped game has 4,000."""
