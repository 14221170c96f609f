"""The runtime's generator gives what the specified one gives."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.engine.run.rng import LARGEST, Rng
from rulesdsl.engine.runtime import rng
from rulesdsl.engine.runtime.faults import RANGE, Fault
from rulesdsl.engine.runtime.tables import luck
from rulesdsl.engine.runtime.tables import rng as words
from tests.runtime.handmade import lay_out

STREAMS = [(words, rng.word, rng.below), (luck, rng.luck_word, rng.luck_below)]
Stream = tuple[list[int], Callable[[], int], Callable[[int], int]]


@given(st.sampled_from(STREAMS), st.integers(), st.lists(st.integers(1, LARGEST), max_size=30))
def test_numbers_are_those_of_the_generator(stream: Stream, seed: int, bounds: list[int]) -> None:
    state, word, below = stream
    lay_out({})
    specified = Rng.seeded(seed)
    state[:] = specified.state
    assert [below(bound) for bound in bounds] == [specified.below(bound) for bound in bounds]
    assert [word() for _ in range(20)] == [specified.word() for _ in range(20)]
    assert tuple(state) == specified.state


def test_the_streams_do_not_touch_each_other() -> None:
    lay_out({})
    words[:] = luck[:] = (1, 2, 3, 4)
    assert [rng.word(), rng.word(), rng.luck_word()] == [641, 1573767, 641]


@pytest.mark.parametrize("bound", [0, -1, LARGEST + 1])
@pytest.mark.parametrize("below", [rng.below, rng.luck_below])
def test_a_bound_out_of_range_is_a_fault(below: Callable[[int], int], bound: int) -> None:
    lay_out({})
    with pytest.raises(Fault) as fault:
        below(bound)
    assert fault.value.code == RANGE
