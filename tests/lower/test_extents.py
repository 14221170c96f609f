"""How much can run inside each other at most is never underrated, and exact where it is plain."""

from __future__ import annotations

import pytest

from rulesdsl.lower.actions.extents import most_frames
from rulesdsl.lower.actions.suspends import Suspension
from tests.run.machine_games import game

PLAIN = """
action game(): first_one()
action first_one():
    for p in players:
        if p.score == 0: second(p)
action second(p: player): log = 1
"""


def test_calls_and_blocks_are_counted_each() -> None:
    # Settling is counted in any case; then three actions with their bodies, a loop, a branch.
    assert most_frames(game(PLAIN)) == 1 + 2 + 2 + 2 + 2


def test_what_recurses_is_counted_as_often_as_it_may() -> None:
    rules = PLAIN.replace("second(p: player)", "second(p: player) recursive up to 9")
    shallow = most_frames(game(rules.replace("log = 1", "first_one()")))
    deep = most_frames(game(rules.replace("log = 1", "first_one()").replace("9", "900")))
    assert most_frames(game(PLAIN)) < shallow < 1000 < deep


@pytest.mark.parametrize(("length", "counted"), [(30, False), (501, True)])
def test_a_chain_of_actions_is_counted_where_it_is_long(length: int, counted: bool) -> None:
    chain = "\n".join(f"action a{n}(): a{n + 1}()" for n in range(length))
    rules = f"action game(): a0()\n{chain}\naction a{length}(): log = 1\n"
    assert Suspension(game(rules)).counted is counted
