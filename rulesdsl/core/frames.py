"""Frames of what runs, and the calls that wait for the end of a step."""

from __future__ import annotations

from rulesdsl.core.faults import TOO_MANY_FRAMES, TOO_MANY_LATER, fault
from rulesdsl.core.tables import QUEUE_WIDTH, free, nested, queue, queued, stack, top

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


def pop_frame() -> None:
    """Take off the innermost frame. What its slots keep was dropped before."""
    frame = top[0]
    top[0] = stack[frame + 1]
    free[0] = frame


def enter(count: int) -> None:
    """So many more things run inside each other. Fault TOO_MANY_FRAMES."""
    nested[0] += count
    if nested[0] > MAX_FRAMES:
        fault(TOO_MANY_FRAMES)


def leave(count: int) -> None:
    """So many of them have ended."""
    nested[0] -= count


def later(action: int) -> int:
    """One more call that waits, with arguments of 0 behind its action; gives where its row in
    `queue` is. Fault TOO_MANY_LATER."""
    if queued[0] >= MAX_LATER:
        fault(TOO_MANY_LATER)
    width = QUEUE_WIDTH[0]
    row = queued[0] * width
    queue[row] = action
    for index in range(row + 1, row + width):
        queue[index] = 0
    queued[0] += 1
    return row


def unqueue() -> None:
    """Drop the call that waits for longest."""
    width = QUEUE_WIDTH[0]
    queued[0] -= 1
    for index in range(queued[0] * width):
        queue[index] = queue[index + width]
