"""Conflicts between rulesets: ranks of refinements, the order of hooks, and clashes."""

from rulesdsl.check.compose.guards import Work, check_guards, check_settling
from rulesdsl.check.compose.hooks import HookOrder, order_hooks
from rulesdsl.check.compose.name_order import check_name_order
from rulesdsl.check.compose.newcomers import check_newcomers
from rulesdsl.check.compose.rules import check_rankings, order_rules
from rulesdsl.check.compose.stuck import check_stuck

__all__ = [
    "HookOrder",
    "Work",
    "check_guards",
    "check_name_order",
    "check_newcomers",
    "check_rankings",
    "check_settling",
    "check_stuck",
    "order_hooks",
    "order_rules",
]
