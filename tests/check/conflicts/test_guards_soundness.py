"""What is claimed of guards is true for every value of what they are about."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.language.check.conflicts.guards import both, implies
from tests.check.conflicts.test_guards import guard

Case = tuple[int, bool, str]
Written = tuple[str, Callable[[Case], bool]]
CASES: list[Case] = list(product(range(-1, 5), (False, True), ("cloth", "salt")))
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def compared(sign: str, number: int, turned: bool) -> Written:
    test = COMPARE[sign]
    if turned:
        return f"{number} {sign} n", lambda case: test(number, case[0])
    return f"n {sign} {number}", lambda case: test(case[0], number)


def of_enum(sign: str, member: str) -> Written:
    same = sign == "=="
    return f"w {sign} {member}", lambda case: (case[2] == member) == same


def negated(one: Written) -> Written:
    text, holds = one
    return f"not ({text})", lambda case: not holds(case)


def joined(one: Written, word: str, other: Written) -> Written:
    (text, holds), (further, holds_too) = one, other
    if word == "and":
        return f"({text}) and ({further})", lambda case: holds(case) and holds_too(case)
    return f"({text}) or ({further})", lambda case: holds(case) or holds_too(case)


flag: Written = ("b", lambda case: case[1])
atoms = st.one_of(
    st.builds(compared, st.sampled_from(sorted(COMPARE)), st.integers(0, 3), st.booleans()),
    st.builds(of_enum, st.sampled_from(["==", "!="]), st.sampled_from(["cloth", "salt"])),
    st.just(flag),
)
guards = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(negated, inner),
        st.builds(joined, inner, st.sampled_from(["and", "or"]), inner),
    ),
    max_leaves=5,
)


@settings(max_examples=300)
@given(guards, guards)
def test_claims_are_true(one: Written, other: Written) -> None:
    first, second = guard(one[0]), guard(other[0])
    truth = [(one[1](case), other[1](case)) for case in CASES]
    if not both(first, second):
        assert not any(a and b for a, b in truth)
    if implies(first, second):
        assert all(b for a, b in truth if a)
    if not first:
        assert not any(a for a, _ in truth)
