"""Sets and lists that last: they live in `store`, and a slot of a frame holds the handle.

A block of `store` is: the index into `stack` where its handle is kept (-1: nobody keeps it), its
capacity, its length, its items. The handle is the block's offset; 0, where no block lies, is the
handle of everything empty. Whoever reuses a slot for something else drops it first.
"""

from __future__ import annotations

from rulesdsl.runtime.faults import NO_SPACE, fault
from rulesdsl.runtime.heap import begin, push
from rulesdsl.runtime.tables import STORE, heap, stack, store, store_free

HEADER = 3
"""What comes before the items of a block."""


def save(slot: int, items: int) -> None:
    """Keep a copy of a set or list of the heap in `stack[slot]`, instead of what it kept (0 if
    nothing). Fault NO_SPACE when there is no room in `store`."""
    count = heap[items]
    block = stack[slot]
    if count == 0 or (block != 0 and store[block + 1] < count):
        drop(slot)
    if count == 0:
        return
    if stack[slot] == 0:
        _make_block(slot, count)
    block = stack[slot]
    store[block + 2] = count
    for index in range(count):
        store[block + HEADER + index] = heap[items + 1 + index]


def load(slot: int) -> int:
    """What is kept there, as a copy on the heap."""
    made = begin()
    first = stack[slot] + HEADER
    for index in range(length(slot)):
        push(made, store[first + index])
    return made


def save_some(slot: int, items: int) -> None:
    """As `save`, of a set that may be none (-1): then `stack[slot]` is -1. Fault as `save`."""
    if items < 0 or stack[slot] < 0:
        drop(slot)
    if items < 0:
        stack[slot] = -1
    else:
        save(slot, items)


def load_some(slot: int) -> int:
    """What is kept there, as a copy on the heap; -1 for none."""
    return -1 if stack[slot] < 0 else load(slot)


def drop(slot: int) -> None:
    """Nothing is kept there any longer: `stack[slot]` is 0."""
    block = stack[slot]
    if block <= 0:
        stack[slot] = 0
        return
    store[block] = -1
    if block + HEADER + store[block + 1] == store_free[0]:
        store_free[0] = block
    stack[slot] = 0


def length(slot: int) -> int:
    """How many items are kept there."""
    block = stack[slot]
    return 0 if block == 0 else store[block + 2]


def item(slot: int, index: int) -> int:
    """Return the item at an index less than the length."""
    return store[stack[slot] + HEADER + index]


def compact() -> None:
    """Move all blocks that somebody keeps together, and tell their slots."""
    block = 1
    end = 1
    while block < store_free[0]:
        size = HEADER + store[block + 1]
        if store[block] >= 0:
            stack[store[block]] = end
            if end != block:
                for index in range(size):
                    store[end + index] = store[block + index]
            end += size
        block += size
    store_free[0] = end


def _make_block(slot: int, capacity: int) -> None:
    """A new block for a slot that keeps nothing.

    Fault NO_SPACE.
    """
    if max(store_free[0], 1) + HEADER + capacity > STORE[0]:
        compact()
    block = max(store_free[0], 1)
    if block + HEADER + capacity > STORE[0]:
        fault(NO_SPACE)
    store[block] = slot
    store[block + 1] = capacity
    store_free[0] = block + HEADER + capacity
    stack[slot] = block
