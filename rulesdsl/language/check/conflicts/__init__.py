"""Conflicts between rulesets: ranks of refinements, the order of hooks, and clashes."""

from rulesdsl.language.check.conflicts.guards import Work, check_guards, check_settling
from rulesdsl.language.check.conflicts.hooks import HookOrder, order_hooks
from rulesdsl.language.check.conflicts.name_order import check_name_order
from rulesdsl.language.check.conflicts.options import check_options
from rulesdsl.language.check.conflicts.rules import check_rankings, order_rules
from rulesdsl.language.check.conflicts.together import check_together

__all__ = [
    "HookOrder",
    "Work",
    "check_guards",
    "check_name_order",
    "check_options",
    "check_rankings",
    "check_settling",
    "check_together",
    "order_hooks",
    "order_rules",
]
