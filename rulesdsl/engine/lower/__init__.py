"""Lower: compile a checked game for a number of players to a program over flat integers."""

from typing import TYPE_CHECKING

from rulesdsl.base.speed import getter

if TYPE_CHECKING:
    from rulesdsl.engine.lower.plan import Plan
    from rulesdsl.engine.lower.program import lower

__all__ = ["Plan", "lower"]

# Playing a lowered game does not need the lowering: import it lazily.
__getattr__ = getter(
    __name__, {"Plan": "rulesdsl.engine.lower.plan", "lower": "rulesdsl.engine.lower.program"}
)
