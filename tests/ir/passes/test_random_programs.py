"""Every pass leaves alone what a program does, whatever the program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.engine.ir.passes import fold, inline, optimise
from rulesdsl.language.model import ir
from tests.ir.programs import outcome, random_arguments, random_program
from tests.ir.verify import verify

PASSES = (fold, inline, optimise)
SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize("change", PASSES, ids=lambda change: change.__name__)
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_does_the_same(change: Callable[[ir.Program], ir.Program], seed: int) -> None:
    before = random_program(seed)
    assert verify(before) == []
    after = change(before)
    assert verify(after) == []
    for entry in before.entries:
        for run in range(6):
            arguments = random_arguments(before.functions[entry], seed + run)
            expected = outcome(before, entry, arguments, run)
            if expected != "wild":
                assert outcome(after, entry, arguments, run) == expected


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_goes_the_same_way_every_time(seed: int) -> None:
    once, again = optimise(random_program(seed)), optimise(random_program(seed))
    assert once == again
    assert list(once.functions) == list(again.functions)


def test_programs_made_at_random_do_all_sorts_of_things() -> None:
    seen: Counter[str] = Counter()
    for seed in range(300):
        program = random_program(seed)
        for entry in program.entries:
            found = outcome(program, entry, random_arguments(program.functions[entry], seed), seed)
            seen[found if isinstance(found, str) else "ended"] += 1
            changed = not isinstance(found, str)
            seen["changed"] += changed and optimise(program) != program
    assert seen["ended"] > 100
    assert seen["stopped"] > 30
    assert seen["changed"] > 100
