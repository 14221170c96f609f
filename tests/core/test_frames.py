"""Frames lie above each other, and calls wait in their order, up to the limits."""

from __future__ import annotations

import pytest

from rulesdsl.core import frames, tables
from rulesdsl.core.faults import TOO_MANY_FRAMES, TOO_MANY_LATER, Fault
from rulesdsl.run.reference.runtime import MAX_FRAMES, MAX_QUEUE
from tests.core.handmade import lay_out


@pytest.fixture(autouse=True)
def _tables() -> None:
    lay_out({"stack": 100, "queue": 3 * MAX_QUEUE}, QUEUE_WIDTH=(3,))
    tables.top[0] = -1
    tables.stack[:] = [99] * 100


def test_a_frame_lies_above_the_one_before_and_its_slots_are_0() -> None:
    below = frames.push_frame(7, 2)
    above = frames.push_frame(8, 1)
    assert tables.stack[below : above + 3] == [7, -1, 0, 0, 8, below, 0]
    assert (tables.top[0], tables.free[0]) == (above, above + 3)
    frames.pop_frame()
    assert (tables.top[0], tables.free[0]) == (below, above)
    frames.pop_frame()
    assert (tables.top[0], tables.free[0]) == (-1, 0)


def test_no_more_run_inside_each_other_than_the_readable_engine_lets() -> None:
    frames.enter(MAX_FRAMES - 1)
    frames.enter(1)
    frames.leave(1)
    with pytest.raises(Fault) as caught:
        frames.enter(2)
    assert caught.value.code == TOO_MANY_FRAMES


def test_calls_wait_in_their_order() -> None:
    for action in (4, 5, 6):
        row = frames.later(action)
        tables.queue[row + 2] = 10 * action
    frames.unqueue()
    assert tables.queued[0] == 2
    assert tables.queue[:6] == [5, 0, 50, 6, 0, 60]
    assert frames.later(9) == 6
    assert tables.queue[6:9] == [9, 0, 0]


def test_no_more_calls_wait_than_the_readable_engine_lets() -> None:
    for _ in range(MAX_QUEUE):
        frames.later(1)
    with pytest.raises(Fault) as caught:
        frames.later(1)
    assert caught.value.code == TOO_MANY_LATER
