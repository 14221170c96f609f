"""The guards of many rules, compared all at once.

Rules and conjunctions are bits of integers, so that one operation compares thousands of them. For
every subject, its constraints are sorted by the ends of their intervals and by their values: the
conjunctions that a constraint excludes, or those narrower than it, are then found without looking
at each. Only constraints that exclude values are compared one by one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, compress
from operator import or_

from rulesdsl.check.compose.guards import Constraint, Guard
from rulesdsl.check.compose.work import Work

_ANYTHING = Constraint()
_BITS = 200
"""So many bits of a mask are a step of work."""
_SPARSE = 50
"""When fewer than one bit in so many is set, they are taken out one by one."""


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits of a mask, ascending."""
    if mask.bit_count() * _SPARSE < mask.bit_length():
        while mask:
            lowest = mask & -mask
            yield lowest.bit_length() - 1
            mask ^= lowest
        return
    text = format(mask, "b")[::-1]
    yield from compress(range(len(text)), map(int, text))


def transposed(rows: Sequence[int]) -> list[int]:
    """The masks of the columns of a square whose rows are masks."""
    size = len(rows)
    square = "".join(format(row, f"0{size}b") for row in reversed(rows))
    return [int(square[size - 1 - column :: size], 2) for column in range(size)]


class GuardIndex:
    """Guards by number, as bits of masks; `work` pays for what is looked at."""

    def __init__(self, guards: Sequence[Guard], work: Work) -> None:
        self._guards = guards
        # One bit for each conjunction of a guard, and one above them to gather them in.
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
        """The guards that can hold together with one."""
        found = 0
        for conjunction in self._guards[number]:
            left = self._known
            for subject, constraint in conjunction.items():
                left &= ~self._subjects[subject].apart(constraint)
            found |= left
        return self._gathered(found)

    def narrower(self, number: int) -> int:
        """The guards that imply one: itself and those equal to it are among them."""
        covered = 0
        for conjunction in self._guards[number]:
            left = self._known
            for subject, constraint in conjunction.items():
                if constraint != _ANYTHING:
                    left &= self._subjects[subject].narrower(constraint)
            covered |= left
        return ((1 << len(self._guards)) - 1) ^ self._gathered(self._known & ~covered)

    def _gathered(self, conjunctions: int) -> int:
        """The guards that have any of these conjunctions: adding carries into the top bit of all
        that have."""
        tops = (conjunctions + self._below) & self._tops
        return int(format(tops, "b")[:: self._width] or "0", 2) if tops else 0


class _Subject:
    """The constraints on one subject, and the conjunctions that have them."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._having: dict[Constraint, int] = {}

    def add(self, constraint: Constraint, place: int) -> None:
        """A conjunction has this constraint."""
        self._having[constraint] = self._having.get(constraint, 0) | 1 << place

    def apart(self, constraint: Constraint) -> int:
        """The conjunctions whose constraint excludes this one."""
        found = self._by_one(constraint, lambda other: constraint.meet(other).empty)
        if _plain(constraint):
            found |= self._ends.apart(constraint)
        elif _single(constraint):
            found |= self._ends.other_values(constraint)
        return found

    def narrower(self, constraint: Constraint) -> int:
        """The conjunctions whose constraint implies this one."""
        found = self._by_one(constraint, lambda other: other.implies(constraint))
        if _plain(constraint):
            found |= self._ends.within(constraint) | self._ends.valued
        elif _single(constraint):
            found |= self._having.get(constraint, 0)
        return found

    @cached_property
    def _ends(self) -> _Sorted:
        """The constraints in order, once all are there."""
        return _Sorted(self._having)

    def _by_one(self, constraint: Constraint, test: Callable[[Constraint], bool]) -> int:
        """The conjunctions whose constraint passes a test, of those that no order tells: all, or
        for a constraint that is in order itself those that are not."""
        ordered = _plain(constraint) or _single(constraint)
        others = self._ends.rest if ordered else self._having
        self._work.spend(len(others))
        found = 0
        for other in others:
            if test(other):
                found |= self._having[other]
        return found


def _plain(constraint: Constraint) -> bool:
    """Say whether it is an interval without holes."""
    return constraint.only is None and not constraint.never


def _single(constraint: Constraint) -> bool:
    """Say whether it is one value."""
    return constraint.only is not None and len(constraint.only) == 1 and not constraint.never


class _Sorted:
    """Constraints on one subject by the ends of their intervals; `valued` are the conjunctions with
    a single value, `rest` the constraints that are neither an interval nor a value."""

    def __init__(self, having: dict[Constraint, int]) -> None:
        plain = [constraint for constraint in having if _plain(constraint)]
        by_low = sorted(plain, key=lambda constraint: constraint.low)
        by_high = sorted(plain, key=lambda constraint: constraint.high)
        self._lows = [constraint.low for constraint in by_low]
        self._highs = [constraint.high for constraint in by_high]
        # Those before each place in the order.
        self._first_low: list[int] = [0, *accumulate((having[c] for c in by_low), or_)]
        self._first_high: list[int] = [0, *accumulate((having[c] for c in by_high), or_)]
        self._values = {c: mask for c, mask in having.items() if _single(c)}
        self.valued = 0
        for mask in self._values.values():
            self.valued |= mask
        self.rest = [c for c in having if not _plain(c) and not _single(c)]

    def apart(self, interval: Constraint) -> int:
        """Those that end before an interval or begin after it."""
        begun = self._first_low[bisect_right(self._lows, interval.high)]
        ended = self._first_high[bisect_left(self._highs, interval.low)]
        return ended | self._first_low[-1] & ~begun

    def within(self, interval: Constraint) -> int:
        """Those that lie in an interval."""
        before = self._first_low[bisect_left(self._lows, interval.low)]
        return self._first_high[bisect_right(self._highs, interval.high)] & ~before

    def other_values(self, single: Constraint) -> int:
        """Those with another value than this one."""
        return self.valued & ~self._values.get(single, 0)
