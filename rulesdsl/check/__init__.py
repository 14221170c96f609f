"""Names, types and what rulesets mean together: from woven box and syntax trees to a checked
game."""

from rulesdsl.check.check import (
    Examined,
    check,
    check_constant,
    check_expression,
    examine,
)

__all__ = ["Examined", "check", "check_constant", "check_expression", "examine"]
