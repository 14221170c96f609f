"""Calls that wait for the end of a step."""

from __future__ import annotations

from rulesdsl.runtime.faults import NO_SPACE, TOO_MANY_LATER, fault
from rulesdsl.runtime.heap import begin, push
from rulesdsl.runtime.limits import WAITING
from rulesdsl.runtime.tables import QUEUE, heap, queue, queue_free, queued


def later(action: int) -> None:
    """One more call waits; its arguments are put behind it one by one.

    Fault TOO_MANY_LATER.
    """
    if queued[0] >= WAITING:
        fault(TOO_MANY_LATER)
    queued[0] += 1
    enqueue(action)


def enqueue(number: int) -> None:
    """The next argument of the last call that waits.

    Fault NO_SPACE.
    """
    if queue_free[0] >= QUEUE[0]:
        fault(NO_SPACE)
    queue[queue_free[0]] = number
    queue_free[0] += 1


def enqueue_set(items: int) -> None:
    """The next argument of the last call that waits: a set of the heap, or -1 for none.

    Fault NO_SPACE.
    """
    if items < 0:
        enqueue(-1)
        return
    for at in range(items, items + 1 + heap[items]):
        enqueue(heap[at])


def queued_set(at: int) -> int:
    """Return the set that is an argument at that place of `queue`, on the heap; -1 for none."""
    if queue[at] < 0:
        return -1
    made = begin()
    for index in range(at + 1, at + 1 + queue[at]):
        push(made, queue[index])
    return made


def unqueue(size: int) -> None:
    """Drop the call that waits for longest, of that many numbers."""
    queued[0] -= 1
    queue_free[0] -= size
    for index in range(queue_free[0]):
        queue[index] = queue[index + size]
