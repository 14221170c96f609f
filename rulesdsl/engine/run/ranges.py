"""The ranges of types: whether a value is inside."""

from __future__ import annotations

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model.types import IntType, OptionalType, SetType, Type
from rulesdsl.language.model.values import Value


def misfit(kind: Type, value: Value) -> tuple[Type, Value] | None:
    """Return the part of a value that is outside the range of its type, with the type of that part.

    It is None if the value fits.
    """
    match kind, value:
        case OptionalType(item), _ if value is not None:
            return misfit(item, value)
        case SetType(item), tuple():
            return next((found for member in value if (found := misfit(item, member))), None)
        case IntType(low, high), int() if low <= value <= high:
            return None
        case IntType(), _:
            return kind, value
    return None


def check_range(state: str, kind: Type, value: Value, span: Span) -> None:
    """Raise PlayError if the type of a state does not contain a value."""
    found = misfit(kind, value)
    if found is not None:
        wanted, part = found
        text = "none" if part is None else part
        raise PlayError(f"`{state}` holds {wanted} and cannot become {text}", span)
