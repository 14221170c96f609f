"""What playouts are worth to a search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.engines.engine import Playout
from rulesdsl.play.search import MARGIN, Gauge


def ended(*scores: int, winners: tuple[int, ...] = ()) -> Playout:
    return Playout(1, bool(winners), winners, scores)


def test_as_usual_is_worth_half_the_part_for_margins() -> None:
    gauge = Gauge(8, (-5.0, 5.0), 4.0)
    assert gauge.values(ended(20, 25, winners=(1,))) == pytest.approx((MARGIN / 2, 1 - MARGIN / 2))


def test_each_is_compared_with_its_best_rival() -> None:
    gauge = Gauge(8, (7.0, -7.0, -9.0), 4.0)
    ahead, *rest = gauge.values(ended(30, 23, 21))
    assert ahead == pytest.approx(1 - MARGIN / 2)
    assert rest == pytest.approx([MARGIN / 2, MARGIN / 2])


def test_who_ties_shares_the_lead() -> None:
    assert Gauge(8, (0.0, 0.0), 1.0).values(ended(3, 3)) == pytest.approx((0.5, 0.5))


def test_one_who_plays_alone_is_compared_with_nobody() -> None:
    gauge = Gauge(8, (4.0,), 2.0)
    assert gauge.values(ended(4)) == pytest.approx((1 - MARGIN / 2,))
    assert gauge.values(ended(9)) > gauge.values(ended(4)) > gauge.values(ended(-3))


scores = st.lists(st.integers(-500, 500), min_size=2, max_size=5)


@given(scores, st.data())
def test_points_are_worth_something_however_far_ahead_one_is(
    scores: list[int], data: st.DataObject
) -> None:
    seat = data.draw(st.integers(0, len(scores) - 1))
    usual = tuple(data.draw(st.floats(-500, 500)) for _ in scores)
    gauge = Gauge(8, usual, data.draw(st.floats(1, 100)))
    before = gauge.values(ended(*scores))
    scores[seat] += 1
    after = gauge.values(ended(*scores))
    assert after[seat] > before[seat]
    assert all(0 <= each <= 1 for each in (*before, *after))
    assert all(after[each] <= before[each] for each in range(len(scores)) if each != seat)
