"""Names, types and what rulesets mean together: from woven box and syntax trees to a checked
game."""

from rulesdsl.check.check import check, check_expression

__all__ = ["check", "check_expression"]
