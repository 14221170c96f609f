"""The queue of calls that wait for the end of a step."""

from __future__ import annotations

from rulesdsl.runtime.faults import NO_SPACE, TOO_MANY_LATER, fault
from rulesdsl.runtime.heap import begin, push
from rulesdsl.runtime.limits import WAITING
from rulesdsl.runtime.tables import QUEUE, heap, queue, queue_free, queued


def later(action: int) -> None:
    """Queue a call; its arguments are appended one by one.

    Faults: TOO_MANY_LATER.
    """
    if queued[0] >= WAITING:
        fault(TOO_MANY_LATER)
    queued[0] += 1
    enqueue(action)


def enqueue(number: int) -> None:
    """Append an argument to the last queued call.

    Faults: NO_SPACE.
    """
    if queue_free[0] >= QUEUE[0]:
        fault(NO_SPACE)
    queue[queue_free[0]] = number
    queue_free[0] += 1


def enqueue_set(items: int) -> None:
    """Append a set of the heap, or -1 for none, as an argument of the last queued call.

    Faults: NO_SPACE.
    """
    if items < 0:
        enqueue(-1)
        return
    for at in range(items, items + 1 + heap[items]):
        enqueue(heap[at])


def queued_set(at: int) -> int:
    """Copy the set argument at an index of `queue` to the heap and return it; -1 for none."""
    if queue[at] < 0:
        return -1
    made = begin()
    for index in range(at + 1, at + 1 + queue[at]):
        push(made, queue[index])
    return made


def unqueue(size: int) -> None:
    """Drop the oldest queued call, which takes `size` numbers."""
    queued[0] -= 1
    queue_free[0] -= size
    for index in range(queue_free[0]):
        queue[index] = queue[index + size]
