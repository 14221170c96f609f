"""Lower: a checked game for some number of players becomes a program over flat integers."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulesdsl.lower.plan import Plan
    from rulesdsl.lower.program import lower

__all__ = ["Plan", "lower"]

_HOMES = {"Plan": "plan", "lower": "program"}


def __getattr__(name: str) -> object:
    """Imported when first used: what was lowered is played without what lowers."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
