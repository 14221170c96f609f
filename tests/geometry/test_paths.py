"""Where spaces lie: on the cells of a form, along points, never on each other."""

from __future__ import annotations

from itertools import pairwise
from math import hypot

import pytest

from rulesdsl.language.geometry.paths import FORMS, LEAST, around, laid, nearest, spread, usual


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [1, 2, 3, 7, 16, 40, 100, 400])
def test_forms_have_room_for_their_spaces(form: str, count: int) -> None:
    width, height = usual(form, count)
    spaces = laid(form, (2.0, 3.0, width, height), count)
    assert len(spaces) == count
    assert nearest(spaces) > 0.5
    left, top, wide, high = around(spaces, nearest(spaces))
    assert left >= 2 - 1e-9
    assert top >= 3 - 1e-9
    assert left + wide <= 2 + width + 1e-9
    assert top + high <= 3 + height + 1e-9


CASES = {
    "row": ((0, 0, 3, 1), 3, "0.5,0.5 1.5,0.5 2.5,0.5"),
    "edge": ((0, 0, 3, 2), 6, "0.5,0.5 1.5,0.5 2.5,0.5 2.5,1.5 1.5,1.5 0.5,1.5"),
    "snake": ((0, 0, 2, 2), 4, "0.5,0.5 1.5,0.5 1.5,1.5 0.5,1.5"),
    "spiral": ((0, 0, 3, 3), 9, "0.5,0.5 1.5,0.5 2.5,0.5 2.5,1.5 "
               "2.5,2.5 1.5,2.5 0.5,2.5 0.5,1.5 1.5,1.5"),
    "ring": ((0, 0, 3, 3), 4, "1.5,0.5 2.5,1.5 1.5,2.5 0.5,1.5"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_forms_lie_on_cells(form: str) -> None:
    box, count, wanted = CASES[form]
    found = laid(form, (float(box[0]), float(box[1]), float(box[2]), float(box[3])), count)
    assert " ".join(f"{x + 1e-9:.1f},{y + 1e-9:.1f}" for x, y in found) == wanted


def test_spaces_lie_on_their_points_or_at_equal_distances() -> None:
    corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 2.0)]
    assert spread(corners, 3, closed=False) == corners
    found = spread(corners, 7, closed=False)
    assert found == [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (4, 1), (4, 2)]
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    ring = spread(square, 8, closed=True)
    apart = [hypot(c - a, d - b) for (a, b), (c, d) in pairwise([*ring, ring[0]])]
    assert apart == pytest.approx([0.5] * 8)


def test_points_in_one_place_leave_no_room() -> None:
    assert nearest(spread([(1.0, 1.0), (1.0, 1.0)], 5, closed=False)) < LEAST
