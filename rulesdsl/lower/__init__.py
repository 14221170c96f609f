"""Lower: a checked game for some number of players becomes a program over flat integers."""

from rulesdsl.lower.plan import Plan
from rulesdsl.lower.program import lower

__all__ = ["Plan", "lower"]
