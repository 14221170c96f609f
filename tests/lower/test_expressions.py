"""What expressions look like in the IR: no check that cannot fail, no set that nobody needs, no
work done twice."""

from __future__ import annotations

import pytest

from rulesdsl.engine.ir.text import function_text
from rulesdsl.engine.runtime import faults
from tests.lower.questions import lowered


def text(value: str, drawn: bool = True, players: int = 2) -> str:
    """The lowered function of a value of the questions."""
    made = lowered(drawn, players).lowering
    return function_text(made.functions[made.values[f"questions/{value}"]])


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("small", id="the product of two numbers up to 99"),
        pytest.param("modulo", id="a remainder"),
        pytest.param("fine_of", id="an entry of a table whose index is in range"),
        pytest.param("summed_small", id="a sum of numbers up to 9"),
        pytest.param("strength", id="a sum of attributes that are small everywhere"),
        pytest.param("cell_count", id="cells and ends, of which there are so many pieces"),
        pytest.param("next_good", id="members of an enum going round"),
        pytest.param("fitting_set", id="this one can fail: one of its numbers may not fit"),
    ],
)
def test_what_cannot_fail_is_not_checked(value: str) -> None:
    assert ("trap" in text(value)) == (value == "fitting_set")


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("plus", faults.OVERFLOW),
        ("negative", faults.OVERFLOW),
        ("summed", faults.OVERFLOW),
        ("up_below", faults.OVERFLOW),
        ("fitting", faults.RANGE),
        ("fitting_some", faults.RANGE),
        ("worth_of", faults.NO_ENTRY),
        ("wide_range", faults.WIDE_RANGE),
        ("largest_score", faults.NOTHING),
        ("only", faults.NOT_ONE),
        ("in_hand", faults.HIDDEN),
    ],
)
def test_what_can_fail_is_checked(value: str, fault: int) -> None:
    assert f"trap {fault}\n" in text(value)


def test_a_sum_that_must_fit_a_range_is_checked_once() -> None:
    # Once for b * 2, once for the whole.
    assert text("fitting").count("trap") == 2


@pytest.mark.parametrize(
    "value",
    [
        "largest_score",
        "every",
        "every_pair",
        "some_deep",
        "first_of_range",
        "among",
        "among_few",
        "only_good",
        "counted_pairs",
        "counted_twice",
        "segments_here",
        "bold_all",
        "some_on_track",
        "sum_on_track",
        "hand_size",
    ],
)
def test_what_is_in_a_row_is_gone_through_without_a_set(value: str) -> None:
    assert "heap" not in text(value)
    assert "begin" not in text(value)


@pytest.mark.parametrize("value", ["bold_there", "strength", "around_eight"])
def test_a_set_that_is_gone_through_is_released(value: str) -> None:
    assert "    heap_top[0] = mark\n" in text(value)


def test_features_just_asked_for_are_not_looked_up_again() -> None:
    assert "refresh" not in text("features_around")
    assert "refresh" not in text("features_kept")
    assert "refresh" in text("passed")
    assert text("same_features").count("first_of") == 2
    assert text("same_feature").count("first_of") == 2


def test_kinds_of_segments_are_a_table_where_nothing_can_change_them() -> None:
    assert "segment_kind[leader[f]]" in text("kind_of_feature", drawn=False, players=3)
    assert "feature_kind(first_of(f))" in text("kind_of_feature", drawn=True)


def test_the_steps_of_a_loop_are_taken_at_once() -> None:
    for key in ("counted", "some"):
        before, _, after = text(key).partition("for n in")
        assert "spend max(" in before
        assert "spend" not in after


def test_what_nothing_forbids_is_allowed_without_asking() -> None:
    assert "value_allowed(" not in text("spots_allowed")
    assert "value_allowed(" not in text("spot_allowed")


def test_members_are_skipped_by_a_kind_that_stands_after_on_board() -> None:
    # Each player has two houses and a guide.
    for key, loop in (("all_laid", 3), ("houses_laid", 2), ("houses_not_laid", 2)):
        assert f"for at in range(0, {loop})" in text(key)
        assert text(key).count("on_board(x)") == 1
