"""Finds drawn segments that cross where none passes over the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from rulesdsl.diagnostics import Label
from rulesdsl.geometry.piece import Piece
from rulesdsl.geometry.skeleton import Contact, Groups, Skeleton


def check_crossings(piece: Piece, skeleton: Skeleton) -> None:
    """Report trees that cross without a bridge, bridges that cross nothing, and trees that cannot
    be drawn without crossing themselves."""
    layer = Groups()
    for a, b in skeleton.links:
        layer.union(a, b)
    bridged = {frozenset((layer.find(a), layer.find(b))): (a, b) for a, b in skeleton.bridges}
    for one, two in combinations(skeleton.trees(skeleton.links), 2):
        bridge = bridged.get(frozenset((layer.find(one[0].node), layer.find(two[0].node))))
        cross = _alternate(one, two)
        if cross and bridge is None:
            _report(piece, skeleton, one, two)
        if bridge is not None and not cross:
            _idle_bridge(piece, *bridge)
    for tree in skeleton.trees(skeleton.links):
        _check_tree(piece, skeleton, tree)


def _check_tree(piece: Piece, skeleton: Skeleton, tree: Sequence[Contact]) -> None:
    """Report the first link of a tree whose two sides cross."""
    nodes = {contact.node for contact in tree}
    for link in skeleton.links:
        rest = Groups()
        for a, b in skeleton.links:
            if (a, b) != link:
                rest.union(a, b)
        root = rest.find(link[0])
        near = [c for c in tree if rest.find(c.node) == root]
        far = [c for c in tree if rest.find(c.node) != root]
        if link[0] in nodes and _alternate(near, far):
            _report(piece, skeleton, near, far)
            return


def _alternate(one: Sequence[Contact], two: Sequence[Contact]) -> bool:
    """Whether going round the rim leads from one set of contacts to the other more than once."""
    ring = sorted([(c.position, 0) for c in one] + [(c.position, 1) for c in two])
    sides = [side for _, side in ring]
    return sum(a != b for a, b in pairwise([*sides, sides[0]])) > 2


def _report(
    piece: Piece, skeleton: Skeleton, one: Sequence[Contact], two: Sequence[Contact]
) -> None:
    first, second = sorted(_culprits(skeleton, one, two))
    a, b = piece.written[first], piece.written[second]
    upper, lower = (b, a) if b.target else (a, b)
    bridge = f"{{at: {upper.drawn.at}, over: {lower.drawn.at.partition('>')[0]}}}"
    piece.error(
        "segments-cross",
        f"{a} and {b} cross",
        b.drawn.span,
        mark="crosses here",
        bad=(*a.ports, *b.ports),
        labels=[Label(a.drawn.span, "the other one")],
        help=(f"if one passes over the other, say so: `{bridge}`",),
    )


def _culprits(
    skeleton: Skeleton, one: Sequence[Contact], two: Sequence[Contact]
) -> tuple[int, int]:
    """A segment of each tree: two that cross by themselves, else the first of each."""

    def segments(tree: Sequence[Contact]) -> dict[int, list[Contact]]:
        nodes = sorted({c.node for c in tree if c.node < skeleton.count})
        return {node: [c for c in tree if c.node == node] for node in nodes}

    ones, twos = segments(one), segments(two)
    for a, mine in ones.items():
        for b, other in twos.items():
            if _alternate(mine, other):
                return a, b
    return next(iter(ones)), next(iter(twos))


def _idle_bridge(piece: Piece, above: int, below: int) -> None:
    upper, lower = piece.written[above], piece.written[below]
    piece.error(
        "segment-target",
        f"{upper} does not cross {lower}",
        upper.drawn.span,
        mark=f"over {upper.drawn.over}",
        bad=upper.ports,
        labels=[Label(lower.drawn.span, "the segment to be passed over")],
        help=("leave out `over`, or name the segment that is crossed",),
    )
