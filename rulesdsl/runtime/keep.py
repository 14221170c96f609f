"""Sets and lists that last: they are stored in `store`, and a slot of a frame holds the handle.

A block of `store` is: the index into `stack` of its handle (-1 if it is free), its capacity, its
length, its items. The handle is the block's offset; 0, where no block begins, is the handle of
every empty set or list. Before a slot is reused for something else, its block has to be dropped.
"""

from __future__ import annotations

from rulesdsl.runtime.faults import NO_SPACE, fault
from rulesdsl.runtime.heap import begin, push
from rulesdsl.runtime.tables import STORE, heap, stack, store, store_free

HEADER = 3
"""The number of fields before the items of a block."""


def save(slot: int, items: int) -> None:
    """Store a copy of a set or list of the heap in `stack[slot]`, replacing the old one.

    The slot holds a handle, or 0 for an empty one.

    Faults: NO_SPACE if `store` is full.
    """
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
    """Copy the set or list of a slot to the heap and return it."""
    made = begin()
    first = stack[slot] + HEADER
    for index in range(length(slot)):
        push(made, store[first + index])
    return made


def save_some(slot: int, items: int) -> None:
    """Store a copy of a set in `stack[slot]`, or -1 for none.

    Faults: as `save`.
    """
    if items < 0 or stack[slot] < 0:
        drop(slot)
    if items < 0:
        stack[slot] = -1
    else:
        save(slot, items)


def load_some(slot: int) -> int:
    """Copy the set of a slot to the heap and return it; -1 for none."""
    return -1 if stack[slot] < 0 else load(slot)


def drop(slot: int) -> None:
    """Free the block of a slot and set `stack[slot]` to 0."""
    block = stack[slot]
    if block <= 0:
        stack[slot] = 0
        return
    store[block] = -1
    if block + HEADER + store[block + 1] == store_free[0]:
        store_free[0] = block
    stack[slot] = 0


def length(slot: int) -> int:
    """Return the number of items stored for a slot."""
    block = stack[slot]
    return 0 if block == 0 else store[block + 2]


def item(slot: int, index: int) -> int:
    """Return the stored item at an index less than the length."""
    return store[stack[slot] + HEADER + index]


def compact() -> None:
    """Move all blocks in use together, and update the handles in their slots."""
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
    """Allocate a block for a slot that has none.

    Faults: NO_SPACE.
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
