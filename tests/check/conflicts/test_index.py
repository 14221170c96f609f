"""Guards that are compared all at once stand to each other as when they are compared in pairs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.language.check.conflicts.guards import (
    Guard,
    GuardIndex,
    TooMuch,
    Work,
    bits,
    both,
    implies,
    transposed,
)
from tests.check.conflicts.test_guards import PAIRS, guard
from tests.check.conflicts.test_guards_soundness import Written, guards


def compare(found: list[Guard]) -> None:
    index = GuardIndex(found, Work())
    for number, one in enumerate(found):
        meeting = [n for n, other in enumerate(found) if both(one, other)]
        narrower = [n for n, other in enumerate(found) if implies(other, one)]
        assert list(bits(index.meeting(number))) == meeting
        assert list(bits(index.narrower(number))) == narrower


def test_all_examples_at_once() -> None:
    texts = dict.fromkeys(text for first, second, _ in PAIRS for text in (first, second))
    compare([guard(text) for text in texts])


@settings(max_examples=100)
@given(st.lists(guards, max_size=12))
def test_as_in_pairs(written: list[Written]) -> None:
    compare([guard(text) for text, _ in written])


def test_work_ends() -> None:
    found = [guard(f"n != {number}") for number in range(40)]
    index = GuardIndex(found, Work(300))
    with pytest.raises(TooMuch):
        list(map(index.meeting, range(40)))


SQUARES = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.integers(0, 2**n - 1), min_size=n, max_size=n)
)


@given(SQUARES)
def test_transposed(rows: list[int]) -> None:
    columns = transposed(rows)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            assert row >> j & 1 == column >> i & 1
