"""Frames of what runs, and the calls that wait for the end of a step."""

from __future__ import annotations

from rulesdsl.core.faults import NO_SPACE, TOO_MANY_FRAMES, TOO_MANY_LATER, fault
from rulesdsl.core.heap import begin, push
from rulesdsl.core.tables import QUEUE, free, heap, nested, queue, queue_free, queued, stack, top

HEADER = 2
"""Every frame begins with its point and the frame below."""
MAX_FRAMES = 1000
MAX_LATER = 1000


def push_frame(point: int, slots: int) -> int:
    """A new innermost frame that goes on at a point, with that many slots of 0 from offset 2 on;
    gives where it is."""
    frame = free[0]
    stack[frame] = point
    stack[frame + 1] = top[0]
    for slot in range(frame + HEADER, frame + HEADER + slots):
        stack[slot] = 0
    top[0] = frame
    free[0] = frame + HEADER + slots
    return frame


def one_more(count: int) -> None:
    """May one more thing run inside so many that are not counted yet? Fault TOO_MANY_FRAMES."""
    if nested[0] + count >= MAX_FRAMES:
        fault(TOO_MANY_FRAMES)


def enter(count: int) -> None:
    """So many more things run, and another one inside of them. Fault TOO_MANY_FRAMES."""
    one_more(count)
    nested[0] += count


def leave(count: int) -> None:
    """So many of them have ended."""
    nested[0] -= count


def later(action: int) -> None:
    """One more call waits; its arguments are put behind it one by one. Fault TOO_MANY_LATER."""
    if queued[0] >= MAX_LATER:
        fault(TOO_MANY_LATER)
    queued[0] += 1
    enqueue(action)


def enqueue(number: int) -> None:
    """The next argument of the last call that waits. Fault NO_SPACE."""
    if queue_free[0] >= QUEUE[0]:
        fault(NO_SPACE)
    queue[queue_free[0]] = number
    queue_free[0] += 1


def enqueue_set(items: int) -> None:
    """The next argument of the last call that waits: a set of the heap, or -1 for none. Fault
    NO_SPACE."""
    if items < 0:
        enqueue(-1)
        return
    for at in range(items, items + 1 + heap[items]):
        enqueue(heap[at])


def queued_set(at: int) -> int:
    """The set that is an argument at that place of `queue`, on the heap; -1 for none."""
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
