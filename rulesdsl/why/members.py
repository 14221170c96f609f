"""What became of each member that something ranged over: `sum(... for x in ...)` and its like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rulesdsl.model.checked import Aggregate, Binary, CallValue, Comprehension, IfElse, Not
from rulesdsl.run.reference.observing import Bound, Seen
from rulesdsl.why.answer import written
from rulesdsl.why.texts import HIDDEN, MOST, Texts


@dataclass
class Member:
    """What the binders stood for, the `where` that was read for it, and its term or keys."""

    bound: Bound
    where: Seen | None = None
    terms: list[Seen] = field(default_factory=list)

    @property
    def taken(self) -> bool:
        """Did its `where` hold?"""
        return self.where is None or self.where.value is True

    @property
    def hidden(self) -> bool:
        """May the player who asks not know what became of it?"""
        return any(each.hidden for each in (self.where, *self.terms) if each is not None)


def members(seen: Seen) -> list[Member]:
    """The members that something ranged over, in order; those of which nothing was read left
    out."""
    expression = seen.expression
    assert isinstance(expression, Aggregate | Comprehension)
    wheres = [id(binder.where) for binder in expression.binders if binder.where is not None]
    domains = [id(binder.domain) for binder in expression.binders]
    terms = [id(expression.value)]
    if isinstance(expression, Aggregate):
        terms += [id(key) for key in expression.keys]
    found: dict[Bound, Member] = {}
    for part in seen.parts:
        which = id(part.expression)
        if which in domains or not part.bound or not (which in wheres or which in terms):
            continue
        member = found.setdefault(part.bound, Member(part.bound))
        if which in wheres:
            member.where = part
        else:
            member.terms.append(part)
    return list(found.values())


def notes(seen: Seen, texts: Texts) -> Iterator[str]:
    """A line for each of the first members."""
    assert isinstance(seen.expression, Aggregate)
    found = members(seen)
    if not found:
        domain = next(iter(seen.parts), None)
        if domain is not None and domain.value == ():
            yield f"nothing is in {written(domain.expression.span)}"
        elif domain is not None and isinstance(domain.value, tuple) and not domain.hidden:
            yield f"{written(domain.expression.span)} is {texts.value(domain.value)}"
    # What was taken is told first: it made the result.
    shown = sorted(found, key=lambda member: not member.taken)
    for member in shown[:MOST]:
        yield _note(member, texts)
    if len(found) > MOST:
        yield f"and {len(found) - MOST} more"


def _note(member: Member, texts: Texts) -> str:
    names = texts.bound(member.bound)
    if member.hidden:
        return f"{names}: {HIDDEN}"
    if not member.taken:
        assert member.where is not None, "it was not taken for a reason"
        return f"{names}: left out, {reason(member.where, texts)}"
    terms = ", ".join(
        f"{written(term.expression.span)} is {texts.of(term)}" for term in member.terms
    )
    return f"{names}: {terms}" if terms else names


def reason(seen: Seen, texts: Texts) -> str:
    """Why a condition is what it is, in short: the part of it that decided."""
    deciding = decisive(seen)
    if len(deciding) == 1 and deciding[0] is not seen and not sugared(seen, deciding):
        return reason(deciding[0], texts)
    return f"`{written(seen.expression.span)}` is {texts.of(seen)}"


def decisive(seen: Seen) -> list[Seen]:
    """The parts of a condition that made it what it is; itself, if it has no parts that do."""
    match seen.expression:
        case Binary(operator="and" | "or" as operator):
            # What stops at the first false (or true) one has ended with it.
            stopped = seen.value is (operator == "or")
            return [seen.parts[-1]] if stopped else list(seen.parts)
        case Not():
            return list(seen.parts)
        case IfElse():
            return list(seen.parts)
    return [seen]


def sugared(seen: Seen, deciding: list[Seen]) -> bool:
    """Is it written as one, as `is not` and `not in` are, which stand for `not` of another?"""
    return len(deciding) == 1 and deciding[0].expression.span == seen.expression.span


def made_by(seen: Seen) -> Iterator[Seen]:
    """The calls of values that the result of an aggregate was made by."""
    assert isinstance(seen.expression, Aggregate)
    for member in members(seen):
        if member.taken and not member.hidden and _counts(member, seen):
            for term in member.terms:
                if isinstance(term.expression, CallValue) and term.value not in (0, (), None):
                    yield term


def _counts(member: Member, seen: Seen) -> bool:
    """Is the member in the result, or has it the value that is?"""
    match seen.expression:
        case Aggregate(function="most"):
            chosen = seen.value if isinstance(seen.value, tuple) else ()
            return member.bound[-1][1] in chosen
        case Aggregate(function="max" | "min"):
            return bool(member.terms) and member.terms[0].value == seen.value
        case Aggregate(function="first" | "the"):
            return member.bound[-1][1] == seen.value
    return True
