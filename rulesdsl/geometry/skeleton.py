"""How the drawn segments of a piece hang together.

Every segment is a node; so is the hub in the middle, where segments that run to the centre meet,
and every point of the rim that a segment reaches without holding a port. Links (a segment ends at
a node) and bridges (a segment passes over another) join nodes to trees, which touch the rim at
their contacts. What lies between the trees are the regions of the piece.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from rulesdsl.geometry.notation import read_lane
from rulesdsl.geometry.piece import Piece, Target, Written
from rulesdsl.geometry.ring import CENTRE, LANE, port_name, ring_index
from rulesdsl.model.geometry import End, Port, Shape


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
    they close no circle. `contacts` are sorted by position. `carrier` is the segment the hub lies
    on, if it lies on one.
    """

    count: int
    insides: frozenset[int]
    contacts: list[Contact] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)
    bridges: list[tuple[int, int]] = field(default_factory=list)
    carrier: int | None = None

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

    @property
    def ends(self) -> dict[int, End]:
        """Where each segment ends that ends inside."""
        rims = {c.node: c.position for c in self.contacts if c.node > self.hub}
        return {
            node: End(segment=other) if other < self.count else End(rim=rims.get(other))
            for node, other in self.links
        }

    @property
    def outlook(self) -> int | None:
        """The rim position at which a hub is seen that only one segment runs to."""
        return next((c.position for c in self.contacts if c.open and c.node == self.hub), None)

    def segments_at(self, node: int) -> frozenset[int]:
        """The drawn segments found at a node: itself, and at the hub what lies inside."""
        itself = frozenset({node} if node < self.count else ())
        return itself | self.insides if node in (self.hub, self.carrier) else itself

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
    skeleton.contacts = [Contact(LANE * index[port], node) for port, node in piece.holders.items()]
    joined = Groups()
    rims: dict[int, int] = {}
    for node, written in enumerate(piece.written):
        over = _over(piece, node, written)
        end = _end(piece, node, written, over, rims)
        if end is not None and (end, node) in skeleton.links:
            end = None  # two segments that end at each other meet once
        for joints, other in ((skeleton.links, end), (skeleton.bridges, over)):
            if other is None:
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
    _place_loose_hub(skeleton, LANE * len(index))
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
        position = LANE * ring_index(piece.size)[target.port]
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


def _place_loose_hub(skeleton: Skeleton, length: int) -> None:
    """Say where a hub lies that only one segment runs to.

    If that segment has more than one end at the rim, the hub lies on it. Otherwise it lies where
    the segment ends: beyond all it bridges, in the widest stretch between what else is joined.
    """
    spokes = [a for a, b in skeleton.links if b == skeleton.hub]
    if len(spokes) != 1:
        return
    spoke = spokes[0]
    mine = [c.position for c in skeleton.contacts if c.node == spoke]
    ends = [a for a, b in pairwise([*mine, mine[0] + length]) if b - a > LANE]
    if len(ends) != 1:
        skeleton.carrier = spoke
        return
    start = ends[0]
    trees = skeleton.trees((*skeleton.links, *skeleton.bridges))
    tree = next(tree for tree in trees if any(contact.node == spoke for contact in tree))
    crossed = {a + b - spoke for a, b in skeleton.bridges if spoke in (a, b)}
    others = sorted(((c.position - start) % length, c.node) for c in tree if c.node != spoke)
    stops = [position for position, node in others if node in crossed]
    bounds = [0, *(position for position, _ in others), length]
    if stops:
        bounds = [position for position in bounds if stops[0] <= position <= stops[-1]]
    stretches = [(b - a, -a) for a, b in pairwise(bounds)]
    beyond = -max(stretches)[1] if stretches else 0
    skeleton.contacts.append(Contact((start + beyond + 1) % length, skeleton.hub, open=True))
