"""Sets and lists: short-lived ones at the top of `heap`, and ones that last, in `store`.

A set has its members in ascending order, once each; a list has its items in any order. Only the
topmost one in `heap` can grow, where they live until they are released. The result of a function is
new and the topmost, whatever its arguments are.

A block of `store` is: the index into `stack` of its handle (-1 if it is free), its capacity, its
length, its items. The handle is the block's offset; 0, where no block begins, is the handle of
every empty set or list. Before a slot is reused for something else, its block has to be dropped.
"""

from __future__ import annotations

from rulesdsl.engine.runtime.faults import (
    MANY_SUBSETS,
    NO_SPACE,
    NO_STEPS,
    SUBSETS,
    fault,
)
from rulesdsl.engine.runtime.tables import *

MEMBERS = 16
"""The most members of a subset that rules range over."""


def mark() -> int:
    """Return the top of the heap, for `release` and `keep`."""
    return heap_top[0]


def release(top: int) -> None:
    """Drop everything made since `mark` gave `top`."""
    heap_top[0] = top


def work(amount: int) -> None:
    """Charge an amount of work to the steps of the rules.

    Faults: NO_STEPS.
    """
    left = fuel[0] - (amount >> 6)
    if left < 0:
        fault(NO_STEPS)
    fuel[0] = left


def begin() -> int:
    """Return a new empty set (or list).

    Every loop of rules makes sets, so this is also where a long step is stopped.

    Faults: NO_SPACE if the heap is full, NO_STEPS if the program is to stop.
    """
    made = heap_top[0]
    if made >= HEAP[0]:
        fault(NO_SPACE)
    if halted[0] == 1:
        fault(NO_STEPS)
    heap[made] = 0
    heap_top[0] = made + 1
    return made


def push(items: int, item: int) -> None:
    """Append to the topmost set or list; in a set the caller keeps the order.

    Faults: NO_SPACE.
    """
    end = heap_top[0]
    if end >= HEAP[0]:
        fault(NO_SPACE)
    heap[end] = item
    heap[items] += 1
    heap_top[0] = end + 1


def pushed(end: int, item: int) -> int:
    """Append to the topmost set or list, which ends before `end`, and return its new end.

    Its length is unknown until `finished` is called.

    Faults: NO_SPACE.
    """
    if end >= HEAP[0]:
        fault(NO_SPACE)
    heap[end] = item
    heap_top[0] = end + 1
    return end + 1


def insert(items: int, item: int) -> None:
    """Insert into the topmost set, unless the item is in it.

    Faults: NO_SPACE if the heap is full.
    """
    end = items + 1 + heap[items]
    if end >= HEAP[0]:
        fault(NO_SPACE)
    finished(items, added(items + 1, end, item))


def space_for(most: int) -> int:
    """Return the offset for a set of at most `most` members, filled by `added` and `finished`.

    Until `finished` is called, nothing else may be allocated.

    Faults: as `begin`.
    """
    made = heap_top[0]
    if made + most >= HEAP[0]:
        fault(NO_SPACE)
    if halted[0] == 1:
        fault(NO_STEPS)
    return made


def added(first: int, end: int, item: int) -> int:
    """Insert into a set being built, unless the item is in it, and return the new end.

    The members are at `first` up to before `end`.
    """
    if end > first and heap[end - 1] >= item:
        return end + _added_below(first, end, item)
    heap[end] = item
    return end + 1


def finished(made: int, end: int) -> int:
    """Return the set that was built at the offset of `space_for` or `begin`, which ends there."""
    heap[made] = end - made - 1
    heap_top[0] = end
    return made


def _added_below(first: int, end: int, item: int) -> int:
    """Insert an item that is not the greatest into a set being built.

    Return by how many members the set grows: 0 if the item is in it.
    """
    at = first
    while heap[at] < item:
        at += 1
    if heap[at] == item:
        return 0
    carried = item
    for place in range(at, end + 1):
        moved = heap[place]
        heap[place] = carried
        carried = moved
    return 1


def has(items: int, item: int) -> bool:
    """Return whether an item is a member of a set."""
    low = items + 1
    high = low + heap[items]
    while low < high:
        middle = (low + high) // 2
        if heap[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low <= items + heap[items] and heap[low] == item


def union(a: int, b: int) -> int:
    """Return the members of either set; if one is empty, the other set itself."""
    if heap[a] == 0:
        return b
    if heap[b] == 0:
        return a
    work(heap[a] + heap[b])
    made = space_for(heap[a] + heap[b])
    end = made + 1
    at = a + 1
    at_end = at + heap[a]
    by = b + 1
    by_end = by + heap[b]
    while at < at_end and by < by_end:
        item = min(heap[at], heap[by])
        if heap[at] == item:
            at += 1
        if heap[by] == item:
            by += 1
        heap[end] = item
        end += 1
    return finished(made, _appended(_appended(end, at, at_end), by, by_end))


def difference(a: int, b: int) -> int:
    """Return the members of the first set that are not in the second."""
    work(heap[a] + heap[b])
    made = space_for(heap[a])
    end = made + 1
    by = b + 1
    by_end = by + heap[b]
    for at in range(a + 1, a + 1 + heap[a]):
        item = heap[at]
        while by < by_end and heap[by] < item:
            by += 1
        if by == by_end or heap[by] != item:
            heap[end] = item
            end += 1
    return finished(made, end)


def equal(a: int, b: int) -> bool:
    """Return whether two sets have equal members, or two lists equal items in the same order."""
    index = 0
    while index <= heap[a] and heap[a + index] == heap[b + index]:
        index += 1
    work(index)
    return index > heap[a]


def copy(items: int) -> int:
    """Return a copy of a set or list."""
    made = space_for(heap[items])
    return finished(made, _appended(made + 1, items + 1, items + 1 + heap[items]))


def keep(top: int, items: int) -> int:
    """Release everything since `mark` gave `top` except a set or list, and return its new offset.

    It moves to `top` from wherever it was.

    Faults: NO_SPACE if it was below and does not fit.
    """
    end = top + 1 + heap[items]
    if end > HEAP[0]:
        fault(NO_SPACE)
    if items != top:
        for index in range(end - top):
            heap[top + index] = heap[items + index]
    heap_top[0] = end
    return top


def pairs(items: int) -> int:
    """Return the unordered pairs of a set as a list.

    Each pair is two items a < b next to each other; the pairs are in lexicographic order.
    """
    made = begin()
    end = items + 1 + heap[items]
    for a in range(items + 1, end):
        for b in range(a + 1, end):
            push(made, heap[a])
            push(made, heap[b])
    return made


def subsets(items: int, low: int, high: int, alike: int) -> int:
    """Return a list of the subsets of a set that have from `low` to `high` members.

    They are in lexicographic order. `alike` is a list with, for each member, the index of the
    member that every subset with this one has to hold too, or -1; or it is -1 itself.

    Faults: MANY_SUBSETS.
    """
    count = heap[items]
    path = begin()
    for _ in range(count):
        push(path, 0)
    taken = begin()
    for _ in range(count):
        push(taken, 0)
    first = heap_top[0]
    made = first
    if low <= 0 and high >= 0:
        made = begin()
    left = SUBSETS
    size = 0
    at = 0
    while size > 0 or at < count:
        if at < count and size < high and size + count - at >= low:
            needed = -1 if alike < 0 else heap[alike + 1 + at]
            if needed < 0 or heap[taken + 1 + needed] == 1:
                size += 1
                left -= 1
                if left < 0 or size > MEMBERS:
                    fault(MANY_SUBSETS)
                heap[path + size] = at
                heap[taken + 1 + at] = 1
                if size >= low:
                    made = begin()
                    for place in range(path + 1, path + 1 + size):
                        push(made, heap[items + 1 + heap[place]])
            at += 1
        elif size > 0:
            at = heap[path + size]
            heap[taken + 1 + at] = 0
            at += 1
            size -= 1
        else:
            at = count
    end = heap_top[0]
    found = begin()
    while first < end:
        push(found, first)
        first += heap[first] + 1
    work(heap[found])
    return found


def turn_by_seat(rows: int, width: int, start: int, seats_of: int) -> int:
    """Return the rows of a list in turn order from player `start`.

    A row has `width` items. Rows of no player come last; rows of one player keep their order.
    With `seats_of` 0 the first item of a row is a player, with 1 a piece. A list of at most one
    row is returned itself.
    """
    if heap[rows] <= width:
        return rows
    made = space_for(heap[rows])
    end = made + 1
    players = PLAYERS[0]
    for turn in range(players + 1):
        if end > made + heap[rows]:
            break
        seat = (start + turn) % players if turn < players else -1
        for row in range(heap[rows] // width):
            first = rows + 1 + row * width
            owner = heap[first] if seats_of == 0 else piece_seat[heap[first]]
            if owner == seat:
                end = _appended(end, first, first + width)
    return finished(made, end)


def put_sorted(items: int) -> int:
    """Return the items of a list as a set."""
    made = copy(items)
    _sort(made + 1, heap[made])
    count = 0
    for at in range(made + 1, made + 1 + heap[made]):
        item = heap[at]
        if count == 0 or heap[made + count] != item:
            count += 1
            heap[made + count] = item
    heap[made] = count
    heap_top[0] = made + 1 + count
    return made


def sort(items: int) -> None:
    """Sort the items of a list."""
    _sort(items + 1, heap[items])


def longest(items: int) -> int:
    """Return the largest number of equal items of a sorted list; 0 if it is empty."""
    most = 0
    run = 0
    for at in range(items + 1, items + 1 + heap[items]):
        run = run + 1 if run > 0 and heap[at] == heap[at - 1] else 1
        most = max(most, run)
    return most


def repeated(items: int, times: int) -> int:
    """Return the set of the items that a sorted list has at least so many times."""
    made = begin()
    run = 0
    for at in range(items + 1, items + 1 + heap[items]):
        run = run + 1 if run > 0 and heap[at] == heap[at - 1] else 1
        if run == times:
            push(made, heap[at])
    return made


def greatest(rows: int, width: int, amount: int) -> int:
    """Return the set of the members with the greatest keys, at most `amount` of them.

    A row of the list has the keys of a member, the first of which counts most, and the member. The
    rows are in the order of the members; of rows with equal keys, the first are taken.
    """
    count = heap[rows] // width
    work(8 * heap[rows])
    made = begin()
    for row in range(count):
        push(made, rows + 1 + row * width)
    if amount < count:
        _sort_rows(made + 1, count, width - 1)
        count = max(amount, 0)
        _sort(made + 1, count)
    for at in range(made + 1, made + 1 + count):
        heap[at] = heap[heap[at] + width - 1]
    heap[made] = count
    heap_top[0] = made + 1 + count
    return made


def _appended(end: int, first: int, last: int) -> int:
    """Copy the items from `first` to before `last` to the end of a set; return the new end."""
    for at in range(first, last):
        heap[end] = heap[at]
        end += 1
    return end


def _sort(first: int, count: int) -> None:
    """Sort numbers in ascending order with Shell's method, cheap for nearly sorted input."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for index in range(first + gap, first + count):
            item = heap[index]
            at = index
            while at - gap >= first and heap[at - gap] > item:
                heap[at] = heap[at - gap]
                at -= gap
            heap[at] = item
        gap //= 3


def _sort_rows(first: int, count: int, keys: int) -> None:
    """Sort the offsets of rows by their keys, the greatest first, with Shell's method."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for index in range(first + gap, first + count):
            row = heap[index]
            at = index
            while at - gap >= first and _comes_before(row, heap[at - gap], keys):
                heap[at] = heap[at - gap]
                at -= gap
            heap[at] = row
        gap //= 3


def _comes_before(one: int, other: int, keys: int) -> bool:
    """Return whether a row has greater keys than another, or equal ones and lies before it."""
    for key in range(keys):
        if heap[one + key] != heap[other + key]:
            return heap[one + key] > heap[other + key]
    return one < other


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
    count = length(slot)
    made = space_for(count)
    first = stack[slot] + HEADER
    for index in range(count):
        heap[made + 1 + index] = store[first + index]
    return finished(made, made + 1 + count)


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
