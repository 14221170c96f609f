"""Guards as constraints: is one narrower than another, can both hold?

A guard is read as a conjunction of constraints on subjects (the text of an expression): which kind
it is, which constant it equals, between which integers it lies. What is not of that form is
a subject that is true or false. So `f is lane` and `f is village` exclude each other, and
`f.well > 2` is narrower than `f.well > 0`. Answers err towards "both can hold".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulesdsl.check.compose.keys import key, renaming
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
        only = self.only if other.only is None else other.only
        if self.only is not None and other.only is not None:
            only = self.only & other.only
        never = self.never | other.never
        if only is not None:
            only, never = only - never, frozenset()
        return Constraint(max(self.low, other.low), min(self.high, other.high), only, never)

    @property
    def empty(self) -> bool:
        """Is nothing allowed?"""
        return self.low > self.high or (self.only is not None and not self.only)

    def implies(self, other: Constraint) -> bool:
        """Is everything this allows allowed by `other`?"""
        return self.meet(other) == self


Conjunction = Mapping[str, Constraint]
_IS_TRUE = Constraint(only=frozenset({True}))
_IS_FALSE = Constraint(only=frozenset({False}))


def conjunction(guard: tree.Expr | None, params: Sequence[str]) -> Conjunction:
    """The constraints of a guard, by subject; no guard: none."""
    found: dict[str, Constraint] = {}
    if guard is not None:
        _collect(guard, True, renaming(params), found)
    return found


def both(one: Conjunction, other: Conjunction) -> Conjunction:
    """The constraints of two guards that hold together."""
    met = dict(one)
    for subject, constraint in other.items():
        met[subject] = met[subject].meet(constraint) if subject in met else constraint
    return met


def impossible(guard: Conjunction) -> bool:
    """Can the guard never hold, as far as can be seen?"""
    return any(constraint.empty for constraint in guard.values())


def implies(one: Conjunction, other: Conjunction) -> bool:
    """Does `other` hold wherever `one` does, as far as can be seen?"""
    anything = Constraint()
    return all(one.get(subject, anything).implies(c) for subject, c in other.items())


def _collect(
    guard: tree.Expr, holds: bool, names: dict[str, str], found: dict[str, Constraint]
) -> None:
    match guard:
        case tree.Not(operand=operand):
            _collect(operand, not holds, names, found)
        case tree.Binary(operator="and", left=left, right=right) if holds:
            _collect(left, True, names, found)
            _collect(right, True, names, found)
        case tree.Binary(operator="or", left=left, right=right) if not holds:
            _collect(left, False, names, found)
            _collect(right, False, names, found)
        case _:
            subject, constraint = _literal(guard, holds, names)
            found[subject] = found.get(subject, Constraint()).meet(constraint)


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
            return key(right, names), _compared(_TURNED[operator], right, value, holds)
    return key(guard, names), _IS_TRUE if holds else _IS_FALSE


_TURNED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _compared(operator: str, subject: tree.Expr, value: object, holds: bool) -> Constraint:
    operator = operator if holds else _OPPOSITE[operator]
    if isinstance(subject.type, IntType) and isinstance(value, int):
        return _interval(operator, value)
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
