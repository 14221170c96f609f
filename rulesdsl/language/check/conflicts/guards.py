"""Guards as constraints: which is narrower, which exclude each other, and which never hold.

A guard is read as alternatives, each a conjunction of constraints on subjects (the text of an
expression): the kind it has, the constant it equals, the integers between which it lies. Any other
condition is a subject that is true or false. So `f is lane` and `f is village` exclude each other,
and `f.well > 2` is narrower than `f.well > 0`. Answers err towards "both can hold".

Rules and conjunctions are bits of integers, so that one operation compares thousands of them. For
every subject, its constraints are sorted by the ends of their intervals and by their values: the
conjunctions that a constraint excludes, or those narrower than it, are then found without looking
at each. Only constraints that exclude values are compared one by one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, compress
from operator import or_

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.types import MIRRORED, OPPOSITE
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import walk
from rulesdsl.language.model.flow import rule_bodies, structure
from rulesdsl.language.model.types import INT_MAX, INT_MIN, IntType

MOST = 1_000_000
"""The steps for comparing the rules of a game; the largest shipped game takes hundreds."""
FINDING = 100
"""The steps that a finding counts as."""


class TooMuch(Exception):
    """An error: comparing takes more work than is allowed."""


class Work:
    """The budget of steps, each about as long as comparing two constraints."""

    def __init__(self, steps: int = MOST) -> None:
        self._left = steps

    def spend(self, steps: int) -> None:
        """Take steps; raise `TooMuch` if fewer are left."""
        self._left -= steps
        if self._left < 0:
            raise TooMuch

    @property
    def over(self) -> bool:
        """True if more steps were taken than allowed."""
        return self._left < 0


# --- equality of conditions -----------------------------------------------------------------------


def renaming(params: Sequence[str]) -> dict[str, str]:
    """Return names for a rule's parameters by their positions."""
    return {name: f"${position}" for position, name in enumerate(params)}


def key(node: object, names: dict[str, str]) -> str:
    """Return the structure of a checked node or block, with locals as they were written."""
    # A number tells a local from one of another scope, where the same name means the same.
    return structure(node, names, lambda name: name.partition("$")[0] or name)


# --- the normal form ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Constraint:
    """The values that a subject may have.

    They are the integers from `low` to `high`, or the values of `only` (None: every value) that are
    not in `never`.
    """

    low: int = INT_MIN
    high: int = INT_MAX
    only: frozenset[object] | None = None
    never: frozenset[object] = frozenset()

    def meet(self, other: Constraint) -> Constraint:
        """Return the constraint that allows the values allowed by both."""
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
        inside = frozenset(v for v in never if not isinstance(v, int) or low <= v <= high)
        return Constraint(low, high, None, inside)

    @property
    def empty(self) -> bool:
        """True if no value is allowed."""
        return self.low > self.high or (self.only is not None and not self.only)

    def implies(self, other: Constraint) -> bool:
        """Return whether `other` allows every value that this constraint allows."""
        return self.meet(other) == self


Conjunction = Mapping[str, Constraint]
"""The constraints of a conjunction, by subject."""

Guard = tuple[Conjunction, ...]
"""The alternatives of a guard, without those known to be impossible; if empty, it never holds."""

_IS_TRUE = Constraint(only=frozenset({True}))
_IS_FALSE = Constraint(only=frozenset({False}))
_MOST = 64
"""The greatest number of conjunctions; a guard with more is one subject that is true or false."""


def normal(guard: tree.Expr | None, params: Sequence[str]) -> Guard:
    """Return a guard in disjunctive normal form; no guard always holds."""
    return ({},) if guard is None else _expand(guard, True, renaming(params))


def both(one: Guard, other: Guard) -> Guard:
    """Return the conjunction of two guards."""
    met = (_meet(first, second) for first in one for second in other)
    return tuple(conjunction for conjunction in met if conjunction is not None)


def implies(one: Guard, other: Guard) -> bool:
    """Return whether `other` certainly holds wherever `one` does."""
    anything = Constraint()
    return all(
        any(all(o.get(s, anything).implies(c) for s, c in two.items()) for two in other)
        for o in one
    )


def _meet(one: Conjunction, other: Conjunction) -> Conjunction | None:
    """Return the conjunction of two conjunctions, None if it is impossible."""
    met = dict(one)
    for subject, constraint in other.items():
        met[subject] = met[subject].meet(constraint) if subject in met else constraint
        if met[subject].empty:
            return None
    return met


def _expand(guard: tree.Expr, holds: bool, names: dict[str, str]) -> Guard:
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


# --- the index of many guards ---------------------------------------------------------------------


_ANYTHING = Constraint()
_BITS = 200
"""The number of bits of a mask that one step of work processes."""
_SPARSE = 50
"""Masks with fewer than one set bit in this many are taken apart bit by bit."""


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the set bits of a mask, ascending."""
    if mask.bit_count() * _SPARSE < mask.bit_length():
        while mask:
            lowest = mask & -mask
            yield lowest.bit_length() - 1
            mask ^= lowest
        return
    text = format(mask, "b")[::-1]
    yield from compress(range(len(text)), map(int, text))


def transposed(rows: Sequence[int]) -> list[int]:
    """Return the masks of the columns of a square whose rows are masks."""
    size = len(rows)
    square = "".join(format(row, f"0{size}b") for row in reversed(rows))
    return [int(square[size - 1 - column :: size], 2) for column in range(size)]


class GuardIndex:
    """An index of guards by number, with bit masks as results; `work` pays for comparisons."""

    def __init__(self, guards: Sequence[Guard], work: Work) -> None:
        self._guards = guards
        # One bit for each conjunction of a guard, and above them one for the carry of `_gathered`.
        self._width = max(map(len, guards), default=0) + 1
        total = sum(map(len, guards))
        work.spend(total * (self._width * len(guards) // _BITS + 1))
        gathering = "1" + "0" * (self._width - 1)
        self._tops = int(gathering * len(guards) or "0", 2)
        self._below = self._tops - (self._tops >> (self._width - 1))
        self._known = 0
        self._subjects: dict[str, _Subject] = {}
        for number, guard in enumerate(guards):
            for place, conjunction in enumerate(guard, number * self._width):
                self._known |= 1 << place
                for subject, constraint in conjunction.items():
                    self._subjects.setdefault(subject, _Subject(work)).add(constraint, place)

    def meeting(self, number: int) -> int:
        """Return the guards that can hold together with one."""
        found = 0
        for conjunction in self._guards[number]:
            left = self._known
            for subject, constraint in conjunction.items():
                left &= ~self._subjects[subject].apart(constraint)
            found |= left
        return self._gathered(found)

    def narrower(self, number: int) -> int:
        """Return the guards that imply one, itself and those equal to it included."""
        covered = 0
        for conjunction in self._guards[number]:
            left = self._known
            for subject, constraint in conjunction.items():
                if constraint != _ANYTHING:
                    left &= self._subjects[subject].narrower(constraint)
            covered |= left
        return ((1 << len(self._guards)) - 1) ^ self._gathered(self._known & ~covered)

    def _gathered(self, conjunctions: int) -> int:
        """Return the guards that have any of these conjunctions.

        The addition carries into the top bit of each guard that has one.
        """
        tops = (conjunctions + self._below) & self._tops
        return int(format(tops, "b")[:: self._width] or "0", 2) if tops else 0


class _Subject:
    """The constraints on one subject, and the conjunctions that have them."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._having: dict[Constraint, int] = {}

    def add(self, constraint: Constraint, place: int) -> None:
        self._having[constraint] = self._having.get(constraint, 0) | 1 << place

    def apart(self, constraint: Constraint) -> int:
        """Return the conjunctions whose constraint excludes this one."""
        found = self._by_one(constraint, lambda other: constraint.meet(other).empty)
        if _plain(constraint):
            found |= self._ends.apart(constraint)
        elif _single(constraint):
            found |= self._ends.other_values(constraint)
        return found

    def narrower(self, constraint: Constraint) -> int:
        """Return the conjunctions whose constraint implies this one."""
        found = self._by_one(constraint, lambda other: other.implies(constraint))
        if _plain(constraint):
            found |= self._ends.within(constraint) | self._ends.valued
        elif _single(constraint):
            found |= self._having.get(constraint, 0)
        return found

    @cached_property
    def _ends(self) -> _Sorted:
        """The sorted constraints, computed once all are added."""
        return _Sorted(self._having)

    def _by_one(self, constraint: Constraint, test: Callable[[Constraint], bool]) -> int:
        """Return the conjunctions whose constraint passes a test, among those that must be tested.

        These are the unsorted constraints, or all if `constraint` itself is neither interval nor
        value.
        """
        ordered = _plain(constraint) or _single(constraint)
        others = self._ends.rest if ordered else self._having
        self._work.spend(len(others))
        found = 0
        for other in others:
            if test(other):
                found |= self._having[other]
        return found


def _plain(constraint: Constraint) -> bool:
    """Return whether a constraint is an interval without holes."""
    return constraint.only is None and not constraint.never


def _single(constraint: Constraint) -> bool:
    return constraint.only is not None and len(constraint.only) == 1 and not constraint.never


class _Sorted:
    """The constraints on one subject, sorted by the ends of their intervals.

    `valued` are the conjunctions with a single value, `rest` the constraints that are neither an
    interval nor a value.
    """

    def __init__(self, having: dict[Constraint, int]) -> None:
        plain = [constraint for constraint in having if _plain(constraint)]
        by_low = sorted(plain, key=lambda constraint: constraint.low)
        by_high = sorted(plain, key=lambda constraint: constraint.high)
        self._lows = [constraint.low for constraint in by_low]
        self._highs = [constraint.high for constraint in by_high]
        # The union of the masks before each place in the order.
        self._first_low: list[int] = [0, *accumulate((having[c] for c in by_low), or_)]
        self._first_high: list[int] = [0, *accumulate((having[c] for c in by_high), or_)]
        self._values = {c: mask for c, mask in having.items() if _single(c)}
        self.valued = 0
        for mask in self._values.values():
            self.valued |= mask
        self.rest = [c for c in having if not _plain(c) and not _single(c)]

    def apart(self, interval: Constraint) -> int:
        """Return the conjunctions whose intervals end before an interval or begin after it."""
        begun = self._first_low[bisect_right(self._lows, interval.high)]
        ended = self._first_high[bisect_left(self._highs, interval.low)]
        return ended | self._first_low[-1] & ~begun

    def within(self, interval: Constraint) -> int:
        """Return the conjunctions whose intervals lie within an interval."""
        before = self._first_low[bisect_left(self._lows, interval.low)]
        return self._first_high[bisect_right(self._highs, interval.high)] & ~before

    def other_values(self, single: Constraint) -> int:
        """Return the conjunctions with another value than this one."""
        return self.valued & ~self._values.get(single, 0)


# --- guards that never hold -----------------------------------------------------------------------


def check_guards(checked: tree.Checked, report: Report) -> None:
    """Report `never-applies`, a warning, for every guard that can never hold.

    Settings count with all their declared values, not with the chosen ones.
    """
    for each in rule_bodies(checked):
        if each.what != "always" and not normal(each.guard, ()):
            report.warning(
                "never-applies",
                f"this {each.what} never applies: its guard contradicts itself",
                each.node.span,
                help=("remove it, or change its guard",),
            )


def check_settling(checked: tree.Checked, report: Report) -> None:
    """Report `never-applies`, a warning, for each `always` and `later` in a game without a step."""
    if any(action.step for action in checked.actions.values()):
        return
    bodies = (*checked.actions.values(), *checked.choices.values())
    waiting = [(rule.span, "`always`") for rule in checked.always]
    waiting += [(node.span, "`later`") for node in walk(bodies) if isinstance(node, tree.Later)]
    for span, what in waiting:
        report.warning(
            "never-applies",
            f"this {what} waits for the end of a step, but no action is declared as `step`",
            span,
            help=("declare the action that causes it as `step action`",),
        )
