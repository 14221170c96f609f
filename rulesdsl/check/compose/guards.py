"""Guards as constraints: is one narrower than another, can both hold?

A guard is read as alternatives, each a conjunction of constraints on subjects (the text of an
expression): which kind it is, which constant it equals, between which integers it lies. What is not
of that form is a subject that is true or false. So `f is lane` and `f is village` exclude each
other, and `f.well > 2` is narrower than `f.well > 0`. Answers err towards "both can hold".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulesdsl.check.compose.keys import key, renaming
from rulesdsl.check.types import MIRRORED, OPPOSITE
from rulesdsl.model import checked as tree
from rulesdsl.model.types import INT_MAX, INT_MIN, IntType


@dataclass(frozen=True)
class Constraint:
    """The values a subject may have: integers from `low` to `high`, or any value of `only` (None:
    every value) that is not in `never`."""

    low: int = INT_MIN
    high: int = INT_MAX
    only: frozenset[object] | None = None
    never: frozenset[object] = frozenset()

    def meet(self, other: Constraint) -> Constraint:
        """What both allow."""
        never = self.never | other.never
        if self.only is not None or other.only is not None:
            only = self.only if other.only is None else other.only
            if self.only is not None and other.only is not None:
                only = self.only & other.only
            return Constraint(only=(only or frozenset()) - never)
        low, high = max(self.low, other.low), min(self.high, other.high)
        while low in never:
            low += 1
        while high in never:
            high -= 1
        return Constraint(low, high, None, frozenset(v for v in never if _within(v, low, high)))

    @property
    def empty(self) -> bool:
        """Is nothing allowed?"""
        return self.low > self.high or (self.only is not None and not self.only)

    def implies(self, other: Constraint) -> bool:
        """Is everything this allows allowed by `other`?"""
        return self.meet(other) == self


def _within(value: object, low: int, high: int) -> bool:
    return not isinstance(value, int) or low <= value <= high


Conjunction = Mapping[str, Constraint]
"""Constraints by subject that hold together."""

Guard = tuple[Conjunction, ...]
"""Conjunctions of which one holds, each possible as far as can be seen; none: it never holds."""

_IS_TRUE = Constraint(only=frozenset({True}))
_IS_FALSE = Constraint(only=frozenset({False}))
_MOST = 64
"""A guard with more conjunctions is one subject that is true or false."""


def normal(guard: tree.Expr | None, params: Sequence[str]) -> Guard:
    """A guard in disjunctive normal form; no guard always holds."""
    return ({},) if guard is None else _expand(guard, True, renaming(params))


def both(one: Guard, other: Guard) -> Guard:
    """Where two guards hold together."""
    met = (_meet(first, second) for first in one for second in other)
    return tuple(conjunction for conjunction in met if conjunction is not None)


def implies(one: Guard, other: Guard) -> bool:
    """Does `other` hold wherever `one` does, as far as can be seen?"""
    return all(any(_narrower(first, second) for second in other) for first in one)


def _meet(one: Conjunction, other: Conjunction) -> Conjunction | None:
    """What both demand; None if that is impossible."""
    met = dict(one)
    for subject, constraint in other.items():
        met[subject] = met[subject].meet(constraint) if subject in met else constraint
        if met[subject].empty:
            return None
    return met


def _narrower(one: Conjunction, other: Conjunction) -> bool:
    anything = Constraint()
    return all(one.get(subject, anything).implies(c) for subject, c in other.items())


def _expand(guard: tree.Expr, holds: bool, names: dict[str, str]) -> Guard:
    """The normal form of a guard, or of its opposite."""
    match guard:
        case tree.Const(value=bool() as value, setting=None):
            return ({},) if value == holds else ()
        case tree.Not(operand=operand):
            return _expand(operand, not holds, names)
        case tree.Binary(operator="and" | "or" as operator, left=left, right=right):
            one, other = _expand(left, holds, names), _expand(right, holds, names)
            if (operator == "and") != holds:
                return one + other
            if len(one) * len(other) <= _MOST:
                return both(one, other)
            return ({key(guard, names): _IS_TRUE if holds else _IS_FALSE},)
    subject, constraint = _literal(guard, holds, names)
    return () if constraint.empty else ({subject: constraint},)


def _literal(guard: tree.Expr, holds: bool, names: dict[str, str]) -> tuple[str, Constraint]:
    match guard:
        case tree.IsKind(object=thing, test=test, name=name):
            return f"{test} of {key(thing, names)}", _one_of(name, holds)
        case tree.Compare(
            operator=operator, left=left, right=tree.Const(value=value, setting=None)
        ):
            return key(left, names), _compared(operator, left, value, holds)
        case tree.Compare(
            operator=operator, left=tree.Const(value=value, setting=None), right=right
        ):
            return key(right, names), _compared(MIRRORED[operator], right, value, holds)
    return key(guard, names), _IS_TRUE if holds else _IS_FALSE


def _compared(operator: str, subject: tree.Expr, value: object, holds: bool) -> Constraint:
    operator = operator if holds else OPPOSITE[operator]
    if isinstance(subject.type, IntType) and isinstance(value, int):
        return _interval(operator, value).meet(Constraint(subject.type.low, subject.type.high))
    return _one_of(value, operator == "==")


def _interval(operator: str, value: int) -> Constraint:
    match operator:
        case "==":
            return Constraint(value, value)
        case "<":
            return Constraint(high=value - 1)
        case "<=":
            return Constraint(high=value)
        case ">":
            return Constraint(low=value + 1)
        case ">=":
            return Constraint(low=value)
    return Constraint(never=frozenset({value}))


def _one_of(value: object, holds: bool) -> Constraint:
    values = frozenset({value})
    return Constraint(only=values) if holds else Constraint(never=values)
