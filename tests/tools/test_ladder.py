"""Ratings of bots follow from their results."""

from __future__ import annotations

import pytest

from tools.ladder import intervals, main, ratings

BOTS = ("weak", "middle", "strong")
SCORES = {
    ("weak", "middle"): [1.0] * 24 + [0.0] * 76,
    ("weak", "strong"): [1.0] * 9 + [0.0] * 91,
    ("middle", "strong"): [1.0] * 24 + [0.0] * 76,
}


def test_a_share_of_76_percent_is_200_points() -> None:
    found = ratings(BOTS, SCORES)
    assert found["weak"] == 0
    assert found["middle"] == pytest.approx(198, abs=5)
    assert found["strong"] == pytest.approx(396, abs=10)
    low, high = intervals(BOTS, SCORES)["middle"]
    assert 100 < low < found["middle"] < high < 300


def test_a_ladder_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["base", "--bots", "random,greedy", "--games", "4"]) == 0
    head, _, *lines = capsys.readouterr().out.splitlines()
    assert head == "| bot | rating | `random` | `greedy` |"
    assert lines[0].startswith("| `greedy` | ")
    assert lines[0].endswith(" | 100 % |  |")
