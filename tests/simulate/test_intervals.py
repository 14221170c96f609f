"""Intervals are those of their formulas, and hold what they promise."""

from __future__ import annotations

import random
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.study.report import Products, Sums, quantile, student, wilson

NUMBERS = st.lists(st.integers(-1000, 1000), min_size=2, max_size=30)


def sums(numbers: list[int]) -> Sums:
    return Sums(len(numbers), sum(numbers), sum(each * each for each in numbers))


@pytest.mark.parametrize(
    ("freedom", "wanted", "within"),
    [
        (1, 12.7062, 1e-4),
        (2, 4.3027, 1e-4),
        (3, 3.1824, 0.02),
        (5, 2.5706, 1e-3),
        (10, 2.2281, 1e-4),
        (30, 2.0423, 1e-4),
        (10**6, 1.95996, 1e-4),
    ],
)
def test_quantiles_are_those_of_the_tables(freedom: int, wanted: float, within: float) -> None:
    assert quantile(freedom) == pytest.approx(wanted, abs=within)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662), (10, 10, 0.7225, 1)],
)
def test_shares_have_the_interval_of_wilson(wins: int, games: int, low: float, high: float) -> None:
    found = wilson(Sums(games, 2 * wins, 4 * wins), 2)
    assert (found.value, found.low, found.high) == pytest.approx(
        (wins / games, low, high), abs=1e-4
    )


@given(NUMBERS, st.integers(1, 60))
def test_means_have_the_interval_of_student(numbers: list[int], scale: int) -> None:
    found = student(sums(numbers), scale)
    scaled = [each / scale for each in numbers]
    half = quantile(len(numbers) - 1) * stdev(scaled) / len(numbers) ** 0.5
    wanted = (mean(scaled), mean(scaled) - half, mean(scaled) + half)
    assert (found.value, found.low, found.high) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@given(NUMBERS, NUMBERS)
def test_sums_of_parts_are_the_sums_of_all(some: list[int], others: list[int]) -> None:
    assert sums(some) + sums(others) == sums(others) + sums(some) == sums(some + others)


def test_one_number_says_nothing_of_others() -> None:
    found = student(Sums(1, 5, 25), 1)
    assert (found.low, found.high) == (float("-inf"), float("inf"))


def test_intervals_hold_the_true_value_nineteen_times_of_twenty() -> None:
    draw = random.Random(5)
    means = ratios = differences = 0
    for _ in range(400):
        rows = [(draw.randint(1, 9), draw.randint(3, 5)) for _ in range(60)]
        numbers = student(sums([upper for upper, _ in rows]), 1)
        means += numbers.low <= 5 <= numbers.high
        other = [(upper + draw.randint(0, 4), lower) for upper, lower in rows]
        columns = [list(column) for column in (*zip(*other, strict=True), *zip(*rows, strict=True))]
        products = Products.of(*columns)
        ratio = products.ratio(2, 3)
        ratios += ratio.low <= 5 / 4 <= ratio.high
        difference = products.difference(0, 1, 2, 3)
        differences += difference.low <= 2 / 4 <= difference.high
        assert difference.high - difference.low < ratio.high - ratio.low
    assert all(365 <= found <= 393 for found in (means, ratios, differences))
