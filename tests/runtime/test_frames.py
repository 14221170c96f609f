"""Calls wait in their order, up to the limit."""

from __future__ import annotations

import pytest

from rulesdsl.runtime import frames, tables
from rulesdsl.runtime.faults import NO_SPACE, TOO_MANY_LATER, Fault
from rulesdsl.runtime.limits import WAITING
from tests.runtime.handmade import lay_out


@pytest.fixture(autouse=True)
def _tables() -> None:
    size = WAITING + 4
    lay_out({"queue": size, "heap": 20}, QUEUE=(size,), HEAP=(20,))


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
    for _ in range(WAITING):
        frames.later(1)
    for _ in range(4):
        frames.enqueue(1)
    with pytest.raises(Fault) as caught:
        frames.enqueue(1)
    assert caught.value.code == NO_SPACE


def test_no_more_calls_wait_than_the_readable_engine_lets() -> None:
    for _ in range(WAITING):
        frames.later(1)
    with pytest.raises(Fault) as caught:
        frames.later(1)
    assert caught.value.code == TOO_MANY_LATER
