"""Calls wait in their order, up to the limit."""

from __future__ import annotations

import pytest

from rulesdsl.engine.runtime import machine, tables
from rulesdsl.engine.runtime.faults import NO_SPACE, TOO_MANY_LATER, WAITING, Fault
from tests.runtime.handmade import lay_out


@pytest.fixture(autouse=True)
def _tables() -> None:
    size = WAITING + 4
    lay_out({"queue": size, "heap": 20}, QUEUE=(size,), HEAP=(20,))


def test_calls_wait_in_their_order() -> None:
    for action in (4, 5, 6):
        machine.later(action)
        machine.enqueue(10 * action)
    machine.unqueue(2)
    assert tables.queued[0] == 2
    assert tables.queue[: tables.queue_free[0]] == [5, 50, 6, 60]


def test_sets_wait_with_their_members() -> None:
    tables.heap[:4] = [2, 7, 9, 0]
    machine.later(4)
    for items in (0, 3, -1):
        machine.enqueue_set(items)
    assert tables.queue[: tables.queue_free[0]] == [4, 2, 7, 9, 0, -1]
    tables.heap_top[0] = 4
    made = [machine.queued_set(at) for at in (1, 4, 5)]
    assert made == [4, 7, -1]
    assert tables.heap[4:8] == [2, 7, 9, 0]


def test_no_more_wait_than_there_is_room_for() -> None:
    for _ in range(WAITING):
        machine.later(1)
    for _ in range(4):
        machine.enqueue(1)
    with pytest.raises(Fault) as caught:
        machine.enqueue(1)
    assert caught.value.code == NO_SPACE


def test_no_more_calls_wait_than_the_readable_engine_lets() -> None:
    for _ in range(WAITING):
        machine.later(1)
    with pytest.raises(Fault) as caught:
        machine.later(1)
    assert caught.value.code == TOO_MANY_LATER
