"""The joints that rules linked and unlinked: their rows in ascending order."""

from __future__ import annotations

from rulesdsl.runtime.faults import NO_SPACE, fault
from rulesdsl.runtime.tables import *


def joint(a: int, b: int) -> int:
    """Return LINKED or UNLINKED if a rule did that to two segments, else 0."""
    row = _joint_row(min(a, b), max(a, b))
    if row < joints[0] and joint_a[row] == min(a, b) and joint_b[row] == max(a, b):
        return joint_kind[row]
    return 0


def add_joint(a: int, b: int, kind: int) -> None:
    """Record that a rule linked or unlinked two segments; neither must be recorded yet.

    Faults: NO_SPACE.
    """
    last = joints[0]
    if last >= JOINTS[0]:
        fault(NO_SPACE)
    row = _joint_row(min(a, b), max(a, b))
    while last > row:
        _copy_joint(last, last - 1)
        last -= 1
    joint_a[row] = min(a, b)
    joint_b[row] = max(a, b)
    joint_kind[row] = kind
    joints[0] += 1


def drop_joint(a: int, b: int) -> None:
    """Forget what a rule did to two segments."""
    joints[0] -= 1
    for row in range(_joint_row(min(a, b), max(a, b)), joints[0]):
        _copy_joint(row, row + 1)


def forget_joints(piece: int) -> None:
    """Forget all joints of the segments of a piece."""
    kept = 0
    for row in range(joints[0]):
        if segment_piece[joint_a[row]] != piece and segment_piece[joint_b[row]] != piece:
            _copy_joint(kept, row)
            kept += 1
    joints[0] = kept


def _copy_joint(row: int, other: int) -> None:
    """Make a row the same as another one."""
    joint_a[row] = joint_a[other]
    joint_b[row] = joint_b[other]
    joint_kind[row] = joint_kind[other]


def _joint_row(a: int, b: int) -> int:
    """Return the first row that is not below a pair."""
    low = 0
    high = joints[0]
    while low < high:
        middle = (low + high) // 2
        if joint_a[middle] < a or (joint_a[middle] == a and joint_b[middle] < b):
            low = middle + 1
        else:
            high = middle
    return low
