"""The joints that rules linked and unlinked: their rows in ascending order."""

from __future__ import annotations

from rulesdsl.runtime.faults import NO_SPACE, fault
from rulesdsl.runtime.tables import *


def linked(a: int, b: int) -> bool:
    """Return whether a rule linked two segments."""
    row = _link_row(min(a, b), max(a, b))
    return row < links[0] and link_a[row] == min(a, b) and link_b[row] == max(a, b)


def unlinked(a: int, b: int) -> bool:
    """Return whether a rule unlinked two segments."""
    row = _unlink_row(min(a, b), max(a, b))
    return row < unlinks[0] and unlink_a[row] == min(a, b) and unlink_b[row] == max(a, b)


def add_link(a: int, b: int) -> None:
    """Record that a rule linked two segments; they must not be linked yet.

    Faults: NO_SPACE.
    """
    last = links[0]
    if last >= JOINTS[0]:
        fault(NO_SPACE)
    row = _link_row(min(a, b), max(a, b))
    while last > row:
        link_a[last] = link_a[last - 1]
        link_b[last] = link_b[last - 1]
        last -= 1
    link_a[row] = min(a, b)
    link_b[row] = max(a, b)
    links[0] += 1


def add_unlink(a: int, b: int) -> None:
    """Record that a rule unlinked two segments; they must not be unlinked yet.

    Faults: NO_SPACE.
    """
    last = unlinks[0]
    if last >= JOINTS[0]:
        fault(NO_SPACE)
    row = _unlink_row(min(a, b), max(a, b))
    while last > row:
        unlink_a[last] = unlink_a[last - 1]
        unlink_b[last] = unlink_b[last - 1]
        last -= 1
    unlink_a[row] = min(a, b)
    unlink_b[row] = max(a, b)
    unlinks[0] += 1


def drop_link(a: int, b: int) -> None:
    """Forget that a rule linked two segments."""
    links[0] -= 1
    for row in range(_link_row(min(a, b), max(a, b)), links[0]):
        link_a[row] = link_a[row + 1]
        link_b[row] = link_b[row + 1]


def drop_unlink(a: int, b: int) -> None:
    """Forget that a rule unlinked two segments."""
    unlinks[0] -= 1
    for row in range(_unlink_row(min(a, b), max(a, b)), unlinks[0]):
        unlink_a[row] = unlink_a[row + 1]
        unlink_b[row] = unlink_b[row + 1]


def _link_row(a: int, b: int) -> int:
    """Return the first row of links that is not below a pair."""
    low = 0
    high = links[0]
    while low < high:
        middle = (low + high) // 2
        if link_a[middle] < a or (link_a[middle] == a and link_b[middle] < b):
            low = middle + 1
        else:
            high = middle
    return low


def _unlink_row(a: int, b: int) -> int:
    """Return the first row of unlinks that is not below a pair."""
    low = 0
    high = unlinks[0]
    while low < high:
        middle = (low + high) // 2
        if unlink_a[middle] < a or (unlink_a[middle] == a and unlink_b[middle] < b):
            low = middle + 1
        else:
            high = middle
    return low
