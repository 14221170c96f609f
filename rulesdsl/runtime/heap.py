"""Sets and lists that last until they are released: offsets into `heap`, made at its top.

A set has its members in ascending order, once each; a list has its items in any order. Only the
topmost one can grow. What a function gives is new and the topmost, whatever it was made of.
"""

from __future__ import annotations

from rulesdsl.runtime.faults import NO_SPACE, NO_STEPS, fault
from rulesdsl.runtime.tables import HEAP, PLAYERS, fuel, halted, heap, heap_top, piece_seat


def mark() -> int:
    """Return the top of the heap, for `release` and `keep`."""
    return heap_top[0]


def release(top: int) -> None:
    """Drop everything made since `mark` gave `top`."""
    heap_top[0] = top


def work(amount: int) -> None:
    """Take the steps for so much work beside that of the rules.

    Fault NO_STEPS.
    """
    left = fuel[0] - (amount >> 6)
    if left < 0:
        fault(NO_STEPS)
    fuel[0] = left


def begin() -> int:
    """Return a new empty set (or list).

    Fault NO_SPACE when the heap is full, NO_STEPS when the program is to stop: what rules do for a
    step may be long, but it makes sets.
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

    Fault NO_SPACE.
    """
    end = heap_top[0]
    if end >= HEAP[0]:
        fault(NO_SPACE)
    heap[end] = item
    heap[items] += 1
    heap_top[0] = end + 1


def insert(items: int, item: int) -> None:
    """Put into the topmost set, unless it is there.

    Fault NO_SPACE when the heap is full.
    """
    end = items + 1 + heap[items]
    if end >= HEAP[0]:
        fault(NO_SPACE)
    finished(items, added(items + 1, end, item))


def space_for(most: int) -> int:
    """Where a set of at most so many members can be made by `added` and `finished`: until it is,
    nothing else can be made. Fault as `begin`."""
    made = heap_top[0]
    if made + most >= HEAP[0]:
        fault(NO_SPACE)
    if halted[0] == 1:
        fault(NO_STEPS)
    return made


def added(first: int, end: int, item: int) -> int:
    """Put into the set being made, whose members lie from `first` up to before `end`, unless it is
    there; gives where they end now."""
    if end > first and heap[end - 1] >= item:
        return end + _added_below(first, end, item)
    heap[end] = item
    return end + 1


def finished(made: int, end: int) -> int:
    """Return the set that was made where `space_for` said, and whose members end there."""
    heap[made] = end - made - 1
    heap_top[0] = end
    return made


def _added_below(first: int, end: int, item: int) -> int:
    """Put an item that is not greater than all others into a set being made.

    Gives by how many members it grows: 0 if the item is there.
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
    """Is it a member of the set?"""
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
    """Return the members of either set: one of the two itself, if the other is empty."""
    if heap[a] == 0:
        return b
    if heap[b] == 0:
        return a
    work(heap[a] + heap[b])
    made = begin()
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
        push(made, item)
    _push_all(made, at, at_end)
    _push_all(made, by, by_end)
    return made


def difference(a: int, b: int) -> int:
    """Return the members of the first set that are not in the second."""
    work(heap[a] + heap[b])
    made = begin()
    by = b + 1
    by_end = by + heap[b]
    for at in range(a + 1, a + 1 + heap[a]):
        item = heap[at]
        while by < by_end and heap[by] < item:
            by += 1
        if by == by_end or heap[by] != item:
            push(made, item)
    return made


def equal(a: int, b: int) -> bool:
    """Have two sets the same members, or two lists the same items in the same order?"""
    index = 0
    while index <= heap[a] and heap[a + index] == heap[b + index]:
        index += 1
    work(index)
    return index > heap[a]


def copy(items: int) -> int:
    """Return a set or list once more."""
    made = begin()
    _push_all(made, items + 1, items + 1 + heap[items])
    return made


def keep(top: int, items: int) -> int:
    """Release everything since `mark` gave `top` except this set or list, which moves there (from
    wherever it was); gives its new offset. Fault NO_SPACE if it was below and does not fit."""
    end = top + 1 + heap[items]
    if end > HEAP[0]:
        fault(NO_SPACE)
    if items != top:
        for index in range(end - top):
            heap[top + index] = heap[items + index]
    heap_top[0] = end
    return top


def pairs(items: int) -> int:
    """The unordered pairs of a set as a list: a < b, next to each other, in lexicographic order."""
    made = begin()
    end = items + 1 + heap[items]
    for a in range(items + 1, end):
        for b in range(a + 1, end):
            push(made, heap[a])
            push(made, heap[b])
    return made


def turn_by_seat(rows: int, width: int, start: int, seats_of: int) -> int:
    """The rows (of `width` items) of a list in turns from player `start`, those of no player last,
    otherwise in their order; the list itself if it has one row at most. `seats_of` 0: the first
    item of a row is a player, 1: a piece."""
    if heap[rows] <= width:
        return rows
    made = begin()
    players = PLAYERS[0]
    for turn in range(players + 1):
        if heap[made] == heap[rows]:
            break
        seat = (start + turn) % players if turn < players else -1
        for row in range(heap[rows] // width):
            first = rows + 1 + row * width
            owner = heap[first] if seats_of == 0 else piece_seat[heap[first]]
            if owner == seat:
                _push_all(made, first, first + width)
    return made


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


def _push_all(items: int, first: int, end: int) -> None:
    """Append what lies from `first` up to before `end` on the heap."""
    for at in range(first, end):
        push(items, heap[at])


def _sort(first: int, count: int) -> None:
    """Put that many numbers in ascending order (Shell's method: cheap for what is nearly so)."""
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
