"""How the drawn segments of a piece hang together.

Every segment is a node; so is the hub in the middle, where segments that run to the centre meet,
and every point of the rim that a segment reaches without holding a port. Links (a segment ends at
a node) and bridges (a segment passes over another) join nodes to trees, which touch the rim at
their contacts. What lies between the trees are the regions of the piece.

Rim positions run clockwise: port number k of the ring lies at 4k, the point between it and the
next port at 4k + 2, so that there is an odd position between any two of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from rulesdsl.geometry.notation import read_lane
from rulesdsl.geometry.piece import Piece, Target, Written
from rulesdsl.geometry.ring import CENTRE, port_name, ring_index
from rulesdsl.model.geometry import Port, Shape


@dataclass(frozen=True, order=True)
class Contact:
    """A place where a node reaches the rim; an `open` one only says on which side of everything
    else the node lies, and parts nothing."""

    position: int
    node: int
    open: bool = False


class Groups:
    """Union-find over the integers."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, item: int) -> int:
        """The representative of the group `item` is in."""
        root = item
        while (parent := self._parent.get(root, root)) != root:
            root = parent
        self._parent[item] = root
        return root

    def union(self, a: int, b: int) -> bool:
        """Make one group of two; False if it was one already."""
        a, b = self.find(a), self.find(b)
        self._parent[a] = b
        return a != b


@dataclass
class Skeleton:
    """Nodes 0 .. count - 1 are the drawn segments, `hub` is count, rim points follow.

    `links` and `bridges` go from the segment that ends or passes over to the other node; together
    they close no circle. `contacts` are sorted by position.
    """

    count: int
    insides: frozenset[int]
    contacts: list[Contact] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)
    bridges: list[tuple[int, int]] = field(default_factory=list)

    @property
    def hub(self) -> int:
        """The node of the hub."""
        return self.count

    def neighbours(self) -> dict[int, list[int]]:
        """The nodes each node is joined with."""
        found: dict[int, list[int]] = defaultdict(list)
        for a, b in (*self.links, *self.bridges):
            found[a].append(b)
            found[b].append(a)
        return found

    def segments_at(self, node: int) -> frozenset[int]:
        """The drawn segments found at a node: itself, what lies inside at the hub, or none."""
        if node == self.hub:
            return self.insides
        return frozenset({node} if node < self.count else ())

    def trees(self, joints: Iterable[tuple[int, int]]) -> list[list[Contact]]:
        """The contacts of each tree that `joints` make of the nodes, by first contact."""
        groups = Groups()
        for a, b in joints:
            groups.union(a, b)
        found: dict[int, list[Contact]] = defaultdict(list)
        for contact in self.contacts:
            found[groups.find(contact.node)].append(contact)
        return list(found.values())


def build(piece: Piece) -> Skeleton:
    """Join the drawn segments of `piece`; what leads nowhere is reported and left out."""
    index = ring_index(piece.size)
    count = len(piece.written)
    insides = frozenset(i for i, w in enumerate(piece.written) if w.shape is Shape.INSIDE)
    skeleton = Skeleton(count, insides)
    skeleton.contacts = [Contact(4 * index[port], node) for port, node in piece.holders.items()]
    joined = Groups()
    rims: dict[int, int] = {}
    for node, written in enumerate(piece.written):
        over = _over(piece, node, written)
        end = _end(piece, node, written, over, rims)
        for joints, other in ((skeleton.links, end), (skeleton.bridges, over)):
            if other is None or (other, node) in skeleton.links:
                continue
            if joined.union(node, other):
                joints.append((node, other))
            else:
                message = f"{written} meets the same segments twice, in a circle"
                help = ("let it end or cross only once",)
                piece.error(
                    "segment-target", message, written.drawn.span, bad=written.ports, help=help
                )
    skeleton.contacts += [Contact(position, node) for position, node in rims.items()]
    skeleton.contacts.sort()
    skeleton.contacts += _loose_hub(skeleton, 4 * len(index))
    skeleton.contacts.sort()
    return skeleton


def _end(
    piece: Piece, node: int, written: Written, over: int | None, rims: dict[int, int]
) -> int | None:
    """The node at which a segment ends inside, if it does."""
    hub = len(piece.written)
    target = written.target
    if target is None:
        one_sided = written.shape is Shape.LINE and len(written.ports) == 1
        return _default_end(piece, written, over) if one_sided else None
    if target.port is None and target.rim is None:
        return hub
    holder = piece.holders.get(target.port) if target.port else None
    if holder is not None and holder != node:
        return holder
    if holder == node or (target.port and target.port.lane != CENTRE):
        _bad_target(piece, written, target, holder)
        return None
    position = target.rim
    if position is None:
        assert target.port is not None
        position = 4 * ring_index(piece.size)[target.port]
    return rims.setdefault(position, hub + 1 + len(rims))


def _bad_target(piece: Piece, written: Written, target: Target, holder: int | None) -> None:
    why = "which nothing holds" if holder is None else "which it holds itself"
    piece.error(
        "segment-target",
        f"{written} ends at `{target.word}`, {why}",
        written.drawn.span,
        bad=[target.port] if target.port else (),
        help=("after `>` comes a held side, a corner, the free middle of a side, or `C`",),
    )


def _default_end(piece: Piece, written: Written, over: int | None) -> int | None:
    """Where a line of one side ends when nothing is written: at the one area of several sides,
    which on a piece of several cells is no help, or at the hub."""
    hub = len(piece.written)
    wide = [
        i
        for i, other in enumerate(piece.written)
        if other.shape is Shape.AREA and len({p.side for p in other.ports}) > 1 and i != over
    ]
    if piece.size != (1, 1) or not wide:
        return hub
    if len(wide) == 1:
        return wide[0]
    names = " and ".join(str(piece.written[i]) for i in wide)
    ends = [port_name(piece.written[i].ports[0], piece.size) for i in wide]
    piece.error(
        "segment-target",
        f"{written} may end at {names}",
        written.drawn.span,
        bad=written.ports,
        help=("say at which: " + ", ".join(f"`{written.drawn.at}>{end}`" for end in (*ends, "C")),),
    )
    return None


def _over(piece: Piece, node: int, written: Written) -> int | None:
    """The segment that `over` names."""
    text, span = written.drawn.over, written.drawn.span
    if text is None:
        return None
    holders: set[int | None] = set()
    ports: list[Port] = []
    for word in text.split("-"):
        port = read_lane(piece, word, span)
        if port is None:
            return None
        ports.append(port)
        holders.add(piece.holders.get(port))
    found = next(iter(holders))
    if len(holders) == 1 and found is not None and found != node:
        return found
    piece.error(
        "segment-target",
        f"`over: {text}` is not one other segment",
        span,
        bad=ports,
        help=("name sides of the one segment that is passed over",),
    )
    return None


def _loose_hub(skeleton: Skeleton, length: int) -> Iterator[Contact]:
    """An open contact for a hub that only one segment runs to.

    It lies beside that segment, or beyond what the segment bridges.
    """
    spokes = [a for a, b in skeleton.links if b == skeleton.hub]
    if len(spokes) != 1:
        return
    spoke = spokes[0]
    start = next(c.position for c in skeleton.contacts if c.node == spoke)
    crossed = {a + b - spoke for a, b in skeleton.bridges if spoke in (a, b)}
    other = sorted((c.position - start) % length for c in skeleton.contacts if c.node in crossed)
    arcs = [(b - a, a) for a, b in pairwise(other)]
    beyond = max(arcs, key=lambda arc: arc[0])[1] if arcs else 0
    yield Contact((start + beyond + 1) % length, skeleton.hub, open=True)
