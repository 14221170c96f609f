"""Sets in which any two names meet, and do not."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from rulesdsl.engine.build.combinations import covering


@pytest.mark.parametrize("count", range(25))
def test_of_two_names_there_are_both_either_and_neither(count: int) -> None:
    names = [f"n{number}" for number in range(count)]
    sets = covering(names)
    assert sets[0] == tuple(names)
    assert len(sets) <= 8
    for one, other in combinations(names, 2):
        states = {(one in each, other in each) for each in sets}
        assert states == set(product((False, True), repeat=2)), (one, other)
