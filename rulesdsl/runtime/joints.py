"""The effects that link and unlink segments."""

from __future__ import annotations

from rulesdsl.runtime.cells import laid_at
from rulesdsl.runtime.contacts import against
from rulesdsl.runtime.faults import JOINT, fault
from rulesdsl.runtime.groups import feature_kind, merge, part_of, rebuild_group
from rulesdsl.runtime.joint_rows import (
    add_link,
    add_unlink,
    drop_link,
    drop_unlink,
    linked,
    unlinked,
)
from rulesdsl.runtime.tables import (
    link_a,
    link_b,
    links,
    part_port,
    segment_piece,
    spot,
    unlink_a,
    unlink_b,
    unlinks,
)


def link(a: int, b: int) -> None:
    """Join two segments of one kind that lie on grids.

    Faults: ABSENT, NOT_SHOWN, NOT_LAID, JOINT.
    """
    _check_pair(a, b)
    if unlinked(a, b):
        drop_unlink(a, b)
    elif not linked(a, b) and not in_contact(a, b):
        add_link(a, b)
    merge(a, b)


def unlink(a: int, b: int) -> None:
    """Part two segments that are joined directly.

    Faults: ABSENT, NOT_SHOWN, NOT_LAID, JOINT.
    """
    _check_pair(a, b)
    touching = in_contact(a, b)
    by_rule = linked(a, b)
    if not by_rule and (not touching or unlinked(a, b)):
        fault(JOINT)
    if by_rule:
        drop_link(a, b)
    if touching:
        add_unlink(a, b)
    rebuild_group(a)


def forget_joints(piece: int) -> None:
    """Forget all joints of the segments of a piece."""
    kept = 0
    for row in range(links[0]):
        if segment_piece[link_a[row]] != piece and segment_piece[link_b[row]] != piece:
            link_a[kept] = link_a[row]
            link_b[kept] = link_b[row]
            kept += 1
    links[0] = kept
    kept = 0
    for row in range(unlinks[0]):
        if segment_piece[unlink_a[row]] != piece and segment_piece[unlink_b[row]] != piece:
            unlink_a[kept] = unlink_a[row]
            unlink_b[kept] = unlink_b[row]
            kept += 1
    unlinks[0] = kept


def in_contact(a: int, b: int) -> bool:
    """Say whether two segments of one kind lie against each other, unlinked or not."""
    part = part_of(a)
    piece = segment_piece[a]
    for port in range(part_port[part], part_port[part + 1]):
        if against(piece, spot[piece] >> 2, port) == b:
            return True
    return False


def _check_pair(a: int, b: int) -> None:
    part_of(a)
    laid_at(segment_piece[a])
    part_of(b)
    laid_at(segment_piece[b])
    if a == b or feature_kind(a) != feature_kind(b):
        fault(JOINT)
