"""What rulesets mean together: which refinement wins, in which order hooks run, what clashes."""

from rulesdsl.check.compose.hooks import HookOrder, order_hooks
from rulesdsl.check.compose.never import check_guards
from rulesdsl.check.compose.rules import order_rules

__all__ = ["HookOrder", "check_guards", "order_hooks", "order_rules"]
