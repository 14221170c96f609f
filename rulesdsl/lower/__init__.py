"""Lower: compile a checked game for a number of players to a program over flat integers."""

from typing import TYPE_CHECKING

from rulesdsl.lazy import getter

if TYPE_CHECKING:
    from rulesdsl.lower.plan import Plan
    from rulesdsl.lower.program import lower

__all__ = ["Plan", "lower"]

# Playing a lowered game does not need the lowering: import it lazily.
__getattr__ = getter(__name__, {"Plan": "rulesdsl.lower.plan", "lower": "rulesdsl.lower.program"})
