"""What the printer and the reader of the text form share: its words, and how tight operators
bind."""

from __future__ import annotations

_WORDS = """
    entries const state scratch from to function local int bool pass if elif else while for in
    break continue return trap spend true false not and or min max
"""
WORDS = frozenset(_WORDS.split())
"""A name that is one of these is written with `$` before it."""

LOWEST, DISJUNCTION, CONJUNCTION, NEGATION, COMPARISON = range(5)
LEVELS = {
    operator: COMPARISON + 1 + level
    for level, operators in enumerate(("|", "^", "&", "<< >>", "+ -", "* // %"))
    for operator in operators.split()
}
"""Of the operators between two ints that are not written like calls."""
SIGN = COMPARISON + 7
OPERAND = COMPARISON + 8
"""How tight everything binds, from `x if c else y` to what never needs parentheses."""
