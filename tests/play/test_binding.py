"""Names in expectations are bound to different components, if that is possible at all."""

from itertools import permutations, product

import pytest

from rulesdsl.play.scenario.expect import can_bind

SETS = [{n for n in range(3) if mask >> n & 1} for mask in range(8)]


@pytest.mark.parametrize("first", range(8))
def test_all_names_are_bound_exactly_if_some_order_of_components_fits(first: int) -> None:
    for rest in product(SETS, repeat=2):
        fits = [SETS[first], *rest]
        possible = any(all(n in s for n, s in zip(order, fits, strict=True))
                       for order in permutations(range(3)))  # fmt: skip
        assert can_bind(fits) == possible


def test_a_long_chain_of_names_is_bound_without_recursion() -> None:
    count = 1500
    fits = [{0}, *({n - 1, n} for n in range(1, count))]
    assert can_bind(fits[::-1])
    assert not can_bind([{0}, *fits[::-1]])
