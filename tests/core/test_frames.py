"""Frames lie above each other, and calls wait in their order, up to the limits."""

from __future__ import annotations

import pytest

from rulesdsl.core import frames, tables
from rulesdsl.core.faults import NO_SPACE, TOO_MANY_FRAMES, TOO_MANY_LATER, Fault
from rulesdsl.run.reference.runtime import MAX_FRAMES, MAX_QUEUE
from tests.core.handmade import lay_out


@pytest.fixture(autouse=True)
def _tables() -> None:
    size = MAX_QUEUE + 4
    lay_out({"stack": 100, "queue": size, "heap": 20}, QUEUE=(size,), HEAP=(20,))
    tables.top[0] = -1
    tables.stack[:] = [99] * 100


def test_a_frame_lies_above_the_one_before_and_its_slots_are_0() -> None:
    below = frames.push_frame(7, 2)
    above = frames.push_frame(8, 1)
    assert tables.stack[below : above + 3] == [7, -1, 0, 0, 8, below, 0]
    assert (tables.top[0], tables.free[0]) == (above, above + 3)


def test_no_more_run_inside_each_other_than_the_readable_engine_lets() -> None:
    frames.enter(MAX_FRAMES - 2)
    frames.enter(1)
    for too_much in (frames.enter, frames.one_more):
        with pytest.raises(Fault) as caught:
            too_much(1)
        assert caught.value.code == TOO_MANY_FRAMES
    frames.leave(1)
    frames.one_more(1)


def test_calls_wait_in_their_order() -> None:
    for action in (4, 5, 6):
        frames.later(action)
        frames.enqueue(10 * action)
    frames.unqueue(2)
    assert tables.queued[0] == 2
    assert tables.queue[: tables.queue_free[0]] == [5, 50, 6, 60]


def test_sets_wait_with_their_members() -> None:
    tables.heap[:4] = [2, 7, 9, 0]
    frames.later(4)
    for items in (0, 3, -1):
        frames.enqueue_set(items)
    assert tables.queue[: tables.queue_free[0]] == [4, 2, 7, 9, 0, -1]
    tables.heap_top[0] = 4
    made = [frames.queued_set(at) for at in (1, 4, 5)]
    assert made == [4, 7, -1]
    assert tables.heap[4:8] == [2, 7, 9, 0]


def test_no_more_wait_than_there_is_room_for() -> None:
    for _ in range(MAX_QUEUE):
        frames.later(1)
    for _ in range(4):
        frames.enqueue(1)
    with pytest.raises(Fault) as caught:
        frames.enqueue(1)
    assert caught.value.code == NO_SPACE


def test_no_more_calls_wait_than_the_readable_engine_lets() -> None:
    for _ in range(MAX_QUEUE):
        frames.later(1)
    with pytest.raises(Fault) as caught:
        frames.later(1)
    assert caught.value.code == TOO_MANY_LATER
