"""What a number was made of, as one sum: `2 * (3 + 1) + 5`."""

from __future__ import annotations

from rulesdsl.model.checked import (
    Aggregate,
    Binary,
    CallBuiltin,
    CallValue,
    Const,
    IfElse,
    Local,
    Previous,
    Ranged,
)
from rulesdsl.run.reference.observing import Seen
from rulesdsl.why.members import members
from rulesdsl.why.texts import HIDDEN
from rulesdsl.why.trials import Tried, tried, winner

_RANK = {"+": 1, "-": 1, "*": 2, "div": 2, "mod": 2}
_ATOM = 3


def formula(seen: Seen) -> str:
    """The sum that gave a number; the number alone if it is not made of others."""
    return _made(seen, None)[0]


def _made(seen: Seen, within: Tried | None) -> tuple[str, int]:
    """The text and how tightly it binds."""
    match seen.expression:
        case Binary(operator=operator) if operator in _RANK:
            return _joined(operator, [_made(part, within) for part in seen.parts])
        case Ranged():
            return _made(seen.parts[0], within)
        case Local() if _added(seen) and not seen.hidden:
            return _joined("+", [_made(origin, within) for origin in seen.origins])
        case Const():
            return str(seen.value), _ATOM
    if seen.hidden:
        return HIDDEN, _ATOM
    match seen.expression:
        case IfElse():
            return _made(seen.parts[1], within)
        case CallBuiltin(function="max" | "min"):
            return _made(next(p for p in seen.parts if p.value == seen.value), within)
        case CallValue():
            return _called(seen)
        case Previous() if within is not None:
            trial = winner(seen, within)
            if trial is not None and trial.result is not None:
                return _made(trial.result, within)
        case Aggregate(function="sum"):
            terms = [member.terms[0] for member in members(seen) if member.taken and member.terms]
            if len(terms) > 1:
                return _joined("+", [_made(term, within) for term in terms])
    return str(seen.value), _ATOM


def _added(seen: Seen) -> bool:
    """Is a local the sum of what went into it? Some of that may have been taken off."""
    values = [origin.value for origin in seen.origins]
    return bool(values) and sum(each for each in values if isinstance(each, int)) == seen.value


def _called(seen: Seen) -> tuple[str, int]:
    found = tried(seen)
    if found is not None and found.evaluation.definition.policy == "unique":
        trial = winner(seen, found)
        if trial is not None and trial.result is not None:
            return _made(trial.result, found)
    if found is not None and found.evaluation.definition.policy == "sum":
        results = [trial.result for trial in found.applying if trial.result is not None]
        if results:
            return _joined("+", [_made(result, found) for result in results])
    return str(seen.value), _ATOM


def _joined(operator: str, parts: list[tuple[str, int]]) -> tuple[str, int]:
    """Terms with an operator between them, in brackets where they need them; what adds nothing is
    left out."""
    if operator == "+":
        parts = [part for part in parts if part[0] != "0"] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    rank = _RANK[operator]
    first, *others = parts
    texts = [_bracketed(first, rank)]
    # `a - (b + c)` and `a * (b div c)` need them where `a + (b + c)` does not.
    least = rank if operator == "+" else rank + 1
    texts += [_bracketed(part, least) for part in others]
    return f" {operator} ".join(texts), rank


def _bracketed(part: tuple[str, int], rank: int) -> str:
    text, own = part
    return f"({text})" if own < rank else text
