"""The checker: names, types and conflicts, from linked box and syntax trees to a checked game."""

from rulesdsl.check.check import (
    Examined,
    check,
    check_constant,
    check_expression,
    examine,
)

__all__ = ["Examined", "check", "check_constant", "check_expression", "examine"]
