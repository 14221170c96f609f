"""The generator gives what docs/reference/generator.md says, and nothing it should not."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.engine.run.rng import LARGEST, Rng

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "generator.md").read_text(
    encoding="utf-8"
)
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| -?\d", line)
]
WORDS = [row for row in ROWS if len(row) == 2]
SEEDS = [row for row in ROWS if len(row) == 4]


def test_the_page_has_vectors() -> None:
    assert WORDS
    assert len(SEEDS) >= 8


@pytest.mark.parametrize(("state", "words"), WORDS)
def test_words(state: str, words: str) -> None:
    rng = Rng([int(word) for word in state.split()])
    assert [rng.word() for _ in words.split()] == [int(word) for word in words.split()]


@pytest.mark.parametrize(("seed", "stream", "state", "numbers"), SEEDS)
def test_seeds(seed: str, stream: str, state: str, numbers: str) -> None:
    rng = Rng.seeded(int(seed), int(stream))
    assert [f"{word:08x}" for word in rng.state] == state.split()
    assert [rng.below(6) for _ in numbers.split()] == [int(number) for number in numbers.split()]


@given(st.integers(), st.integers(0, 100), st.integers(1, LARGEST))
def test_a_number_is_below_its_bound(seed: int, stream: int, bound: int) -> None:
    assert 0 <= Rng.seeded(seed, stream).below(bound) < bound


def test_a_draw_past_the_last_whole_stretch_is_drawn_again() -> None:
    bound = LARGEST // 2 + 1
    rng = Rng.seeded(7)
    kept = [drawn for drawn in (rng.word() >> 1 for _ in range(40)) if drawn < bound]
    again = Rng.seeded(7)
    assert len(kept) < 40
    assert [again.below(bound) for _ in kept] == kept


def test_a_clone_gives_the_same_and_goes_its_own_way() -> None:
    rng = Rng.seeded(5)
    copy = rng.clone()
    ahead = [rng.word() for _ in range(3)]
    assert [copy.word() for _ in range(3)] == ahead
    assert Rng(copy.state).word() == rng.word()


def test_weights_are_followed() -> None:
    rng = Rng.seeded(3)
    drawn = Counter(rng.weighted([1, 0, 3]) for _ in range(4000))
    assert set(drawn) == {0, 2}
    assert 900 < drawn[0] < 1100


def test_all_orders_are_as_likely() -> None:
    rng = Rng.seeded(4)
    orders = Counter(tuple(rng.shuffled("abc")) for _ in range(6000))
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())


@pytest.mark.parametrize("bound", [0, -1, LARGEST + 1])
def test_a_bound_out_of_range_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        Rng.seeded(0).below(bound)


def test_weights_less_than_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="weight"):
        Rng.seeded(0).weighted([2, -1])


@pytest.mark.parametrize("state", [(), (0, 0, 0, 0), (1, 2, 3), (1, 2, 3, 2**32), (1, 2, 3, -1)])
def test_a_state_that_cannot_be_is_refused(state: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="state"):
        Rng(state)
