"""Derivation of all segments of a piece from its drawing, by the topology of what is drawn.

Every segment is a node; so is the hub in the middle, where segments that run to the centre meet,
and every point of the rim that a segment reaches without holding a port. Links (a segment ends at a
node) and bridges (a segment passes over another) join nodes to trees, which touch the rim at their
contacts. The areas between the trees are the regions of the piece.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations, pairwise

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.geometry.notation import (
    INSIDE,
    PieceDrawing,
    ReadSegment,
    read_drawn,
    read_lane,
    read_ports,
)
from rulesdsl.language.model.geometry import (
    CENTRE,
    LANE,
    Drawn,
    End,
    KindShape,
    Outline,
    OutlineSegment,
    Port,
    Shape,
    Side,
    Size,
    outer_sides,
    port_name,
    port_text,
    ring,
    ring_index,
    side_name,
)

# --- topology ------------------------------------------------------------------------------------


@dataclass(frozen=True, order=True)
class Contact:
    """A place where a node reaches the rim.

    An `open` one only shows on which side of everything else the node lies, and divides nothing.
    """

    position: int
    node: int
    open: bool = False


class Groups:
    """Union-find over the integers."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, item: int) -> int:
        """Return the representative of the group of `item`."""
        root = item
        while (parent := self._parent.get(root, root)) != root:
            root = parent
        self._parent[item] = root
        return root

    def union(self, a: int, b: int) -> bool:
        """Merge the groups of two items; False if they were one group already."""
        a, b = self.find(a), self.find(b)
        self._parent[a] = b
        return a != b


@dataclass
class Skeleton:
    """The nodes of a piece and the links between them.

    Nodes 0 to count - 1 are the drawn segments, `hub` is count, rim points follow. `links` and
    `bridges` go from the segment that ends or passes over to the other node; together they have no
    cycle. `contacts` are sorted by position. `carrier` is the segment the hub lies on, if it lies
    on one. `crossing` are the ports of lines that cross everything, which make no contacts.
    """

    count: int
    insides: frozenset[int]
    contacts: list[Contact] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)
    bridges: list[tuple[int, int]] = field(default_factory=list)
    carrier: int | None = None
    crossing: frozenset[Port] = frozenset()

    @property
    def hub(self) -> int:
        """The node of the hub."""
        return self.count

    def neighbours(self) -> dict[int, list[int]]:
        """Return the neighbours of each node."""
        found: dict[int, list[int]] = defaultdict(list)
        for a, b in (*self.links, *self.bridges):
            found[a].append(b)
            found[b].append(a)
        return found

    @property
    def ends(self) -> dict[int, End]:
        """The inner end of each segment that has one."""
        rims = {c.node: c.position for c in self.contacts if c.node > self.hub}
        return {
            node: End(segment=other) if other < self.count else End(rim=rims.get(other))
            for node, other in self.links
        }

    @property
    def outlook(self) -> int | None:
        """The rim position towards which a hub with only one segment lies."""
        return next((c.position for c in self.contacts if c.open and c.node == self.hub), None)

    def segments_at(self, node: int) -> frozenset[int]:
        """Return the drawn segments at a node: itself, or the inside segments at the hub."""
        itself = frozenset({node} if node < self.count else ())
        return itself | self.insides if node in (self.hub, self.carrier) else itself

    def trees(self, joints: Iterable[tuple[int, int]]) -> list[list[Contact]]:
        """Return the contacts of each tree that `joints` make of the nodes, by first contact."""
        groups = Groups()
        for a, b in joints:
            groups.union(a, b)
        found: dict[int, list[Contact]] = defaultdict(list)
        for contact in self.contacts:
            found[groups.find(contact.node)].append(contact)
        return list(found.values())


def build(piece: PieceDrawing) -> Skeleton:
    """Join the drawn segments of `piece`; ends that lead nowhere are reported and left out."""
    index = ring_index(piece.size)
    count = len(piece.written)
    insides = frozenset(i for i, w in enumerate(piece.written) if w.shape is Shape.INSIDE)
    skeleton = Skeleton(count, insides)
    skeleton.crossing = frozenset(p for p, node in piece.holders.items() if piece.crosses(node))
    skeleton.contacts = [
        Contact(LANE * index[port], node)
        for port, node in piece.holders.items()
        if port not in skeleton.crossing
    ]
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
                message = f"{written} meets the same segments twice, in a cycle"
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
    piece: PieceDrawing,
    node: int,
    written: ReadSegment,
    over: int | None,
    rims: dict[int, int],
) -> int | None:
    """Return the node of a segment's inner end; None without one."""
    hub = len(piece.written)
    target = written.target
    if target is None:
        one_sided = written.shape is Shape.LINE and len(written.ports) == 1
        one_sided = one_sided and not piece.crosses(node)
        return _default_end(piece, written, over) if one_sided else None
    if target.port is None and target.rim is None:
        return hub
    holder = piece.holders.get(target.port) if target.port else None
    if holder is not None and holder != node:
        return holder
    if holder == node or (target.port and target.port.lane != CENTRE):
        why = "which nothing holds" if holder is None else "which it holds itself"
        piece.error(
            "segment-target",
            f"{written} ends at `{target.word}`, {why}",
            written.drawn.span,
            bad=[target.port] if target.port else (),
            help=("after `>` comes a held side, a corner, the free middle of a side, or `C`",),
        )
        return None
    position = target.rim
    if position is None:
        assert target.port is not None
        position = LANE * ring_index(piece.size)[target.port]
    return rims.setdefault(position, hub + 1 + len(rims))


def _default_end(piece: PieceDrawing, written: ReadSegment, over: int | None) -> int | None:
    """Return the default end of a line with one port: the one area of several sides, or the hub.

    On a piece of several cells it is always the hub.
    """
    hub = len(piece.written)
    wide = [
        i
        for i, other in enumerate(piece.written)
        if other.shape is Shape.AREA
        and len({p.side for p in other.ports}) > 1
        and i != over
        and not other.drawn.added
    ]
    if sum(piece.size) > 2 or not wide:
        return hub
    if len(wide) == 1:
        _warn_of_others(piece, written, wide[0])
        return wide[0]
    names = " and ".join(str(piece.written[i]) for i in wide)
    ends = [port_name(piece.written[i].ports[0], piece.size) for i in wide]
    piece.error(
        "segment-target",
        f"{written} may end at {names}",
        written.drawn.span,
        bad=written.ports,
        help=(
            "write which one: " + ", ".join(f"`{written.drawn.at}>{end}`" for end in (*ends, "C")),
        ),
    )
    return None


def _warn_of_others(piece: PieceDrawing, written: ReadSegment, chosen: int) -> None:
    """Warn of a line that ends at an area of several sides where it may be meant to end elsewhere.

    That is at something inside, or at an area of another kind.
    """
    end = piece.written[chosen]
    others = [
        other
        for other in piece.written
        if other.shape in (Shape.AREA, Shape.INSIDE)
        and other.drawn.kind not in (end.drawn.kind, written.drawn.kind)
        and not other.drawn.added
    ]
    if others and not written.drawn.added:
        names = " or ".join(str(other) for other in others)
        ends = [
            f"{written.drawn.at}>{port_name(other.ports[0], piece.size) if other.ports else 'C'}"
            for other in (end, *others)
        ]
        piece.report.warning(
            "segment-target",
            f"`{piece.name}`: {written} ends at {end}, not at {names}",
            written.drawn.span,
            labels=[Label(end.drawn.span, "the end, since it covers several sides")],
            help=("write which one: " + ", ".join(f"`{each}`" for each in dict.fromkeys(ends)),),
        )


def _over(piece: PieceDrawing, node: int, written: ReadSegment) -> int | None:
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
    """Place a hub with only one segment.

    If that segment has more than one end at the rim, the hub lies on it. Otherwise it lies where
    the segment ends: beyond all it bridges, in the widest stretch between the other joined
    segments.
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


def check_crossings(piece: PieceDrawing, skeleton: Skeleton) -> None:
    """Report crossings without a bridge and bridges that cross nothing.

    Trees that cannot be drawn without crossing themselves are reported, too.
    """
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


def _check_tree(piece: PieceDrawing, skeleton: Skeleton, tree: Sequence[Contact]) -> None:
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
    """Return whether the contacts of two sets alternate around the rim, so that they must cross."""
    ring = sorted([(c.position, 0) for c in one] + [(c.position, 1) for c in two])
    sides = [side for _, side in ring]
    return sum(a != b for a, b in pairwise([*sides, sides[0]])) > 2


def _report(
    piece: PieceDrawing, skeleton: Skeleton, one: Sequence[Contact], two: Sequence[Contact]
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
        help=(f"if one passes over the other, write `{bridge}`",),
    )


def _culprits(
    skeleton: Skeleton, one: Sequence[Contact], two: Sequence[Contact]
) -> tuple[int, int]:
    """Return a segment of each tree: two that cross by themselves, else the first of each."""

    def segments(tree: Sequence[Contact]) -> dict[int, list[Contact]]:
        nodes = sorted({c.node for c in tree if c.node < skeleton.count})
        return {node: [c for c in tree if c.node == node] for node in nodes}

    ones, twos = segments(one), segments(two)
    for a, mine in ones.items():
        for b, other in twos.items():
            if _alternate(mine, other):
                return a, b
    return next(iter(ones)), next(iter(twos))


def _idle_bridge(piece: PieceDrawing, above: int, below: int) -> None:
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


@dataclass(frozen=True)
class Region:
    """A part of the plane that no drawn segment divides.

    It has ports in ring order; `touches` are the indices of the drawn segments along its boundary.
    """

    ports: tuple[Port, ...]
    touches: frozenset[int]


def find_regions(skeleton: Skeleton, size: Size) -> list[Region]:
    """Return all regions in ring order of their first port, those without ports last."""
    length = LANE * len(ring(size))
    solid = {c.position for c in skeleton.contacts if not c.open}
    groups = Groups()
    for position in range(length):
        if solid.isdisjoint((position, (position + 1) % length)):
            groups.union(position, (position + 1) % length)
    boundary: list[tuple[int, frozenset[int]]] = []
    for before, after, touched in _stretches(skeleton, length):
        groups.union(before, after)
        boundary.append((before, touched))
    found: dict[int, tuple[list[Port], set[int]]] = defaultdict(lambda: ([], set()))
    for position in range(length):
        if position not in solid:
            ports, _ = found[groups.find(position)]
            port = ring(size)[position // LANE]
            ports += [port] * (position % LANE == 0 and port not in skeleton.crossing)
    for position, touched in boundary:
        found[groups.find(position)][1].update(touched)
    regions = [Region(tuple(ports), frozenset(touched)) for ports, touched in found.values()]
    regions.sort(key=lambda region: not region.ports)
    joined = any(skeleton.hub in link for link in skeleton.links)
    return regions if joined else _with_floating(regions, skeleton.insides)


def _stretches(skeleton: Skeleton, length: int) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Walk round every tree, from each contact to the next one along the boundary.

    Yield the free positions just after the one and just before the other, which are in the same
    region, and the segments on the way.
    """
    neighbours = skeleton.neighbours()
    for tree in skeleton.trees((*skeleton.links, *skeleton.bridges)):
        for here, there in zip(tree, [*tree[1:], tree[0]], strict=True):
            before = (here.position + (not here.open)) % length
            after = (there.position - (not there.open)) % length
            path = _path(neighbours, here.node, there.node)
            if here.node == there.node and (there.position - here.position) % length == LANE:
                path = []  # nothing lies between neighbouring lanes of one segment
            yield before, after, frozenset().union(*map(skeleton.segments_at, path))


def _path(neighbours: Mapping[int, list[int]], start: int, end: int) -> list[int]:
    came: dict[int, int] = {end: end}
    queue = deque([end])
    while queue and start not in came:
        node = queue.popleft()
        for other in neighbours.get(node, ()):
            if other not in came:
                came[other] = node
                queue.append(other)
    path = [start]
    while path[-1] != end:
        path.append(came[path[-1]])
    return path


def _with_floating(regions: list[Region], insides: frozenset[int]) -> list[Region]:
    """Add inside segments that touch nothing to the region with the most ports.

    With several such regions, they lie between them.
    """
    most = max((len(region.ports) for region in regions), default=0)
    return [
        Region(region.ports, region.touches | insides)
        if region.ports and len(region.ports) == most
        else region
        for region in regions
    ]


def contacts_inside(skeleton: Skeleton) -> Iterator[tuple[int, int]]:
    """Yield pairs of drawn segments that meet inside: at a gate, a rim point, or the hub.

    If a segment lies inside at the hub, segments that run there meet only that one.
    """
    meeting: dict[int, list[int]] = defaultdict(list)
    for a, b in skeleton.links:
        meeting[b].append(a)
    for node, arrived in meeting.items():
        there = skeleton.segments_at(node)
        yield from ((a, b) for a in arrived for b in there)
        if node >= skeleton.count and not there:
            yield from combinations(arrived, 2)


# --- fills ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fill:
    """A fill segment: its ports in ring order and the indices of the drawn segments it touches."""

    kind: str
    ports: tuple[Port, ...]
    touches: frozenset[int]
    attributes: Mapping[str, int | bool | str | None] = field(default_factory=dict)


def derived_fills(
    piece: PieceDrawing, entries: Sequence[Drawn], regions: Sequence[Region]
) -> list[Fill]:
    """Return a fill for every region with ports, and for every other one between several segments.

    Each entry gives attributes, and its kind, to the one region that has its ports; a region
    without an entry is of the first fill kind.
    """
    kinds = [kind.name for kind in piece.kinds.values() if kind.shape is Shape.FILL]
    if not kinds:
        return []
    spaces = [region for region in regions if region.ports or len(region.touches) > 1]
    chosen: dict[int, Drawn] = {}
    for entry in entries:
        index = _region_of(piece, entry, spaces)
        if index is not None and index in chosen:
            piece.error(
                "fill-mismatch",
                f"`{entry.at}` is in the same region as `{chosen[index].at}`",
                entry.span,
                bad=spaces[index].ports,
                labels=[Label(chosen[index].span, "the first entry for it")],
                help=("give all attributes of a region in one entry",),
            )
        elif index is not None:
            chosen[index] = entry
    return [
        Fill(chosen[i].kind, region.ports, region.touches, chosen[i].attributes)
        if i in chosen
        else Fill(kinds[0], region.ports, region.touches)
        for i, region in enumerate(spaces)
    ]


def _region_of(piece: PieceDrawing, entry: Drawn, spaces: Sequence[Region]) -> int | None:
    """Return the one region an entry names; None after reporting that there is not exactly one."""
    ports = _read(piece, entry)
    if ports is None:
        return None
    found = [i for i, space in enumerate(spaces) if space.ports == ports == ()] or [
        i for i, space in enumerate(spaces) if not set(ports).isdisjoint(space.ports)
    ]
    if len(found) == 1 and set(ports) <= set(spaces[found[0]].ports):
        return found[0]
    what = "one region" if ports else "the only region inside"
    names = " ".join(port_text(space.ports, Shape.FILL, piece.size) for space in spaces)
    message, help = f"`{entry.at}` is not {what}", (f"the regions are: {names}",)
    piece.error("fill-mismatch", message, entry.span, bad=ports, help=help)
    return None


def written_fills(
    piece: PieceDrawing, entries: Sequence[Drawn], regions: Sequence[Region]
) -> list[Fill]:
    """Return the fills given by entries with `borders`; together they hold all free ports."""
    free = {port for region in regions for port in region.ports}
    owner: dict[Port, int] = {}
    fills: list[Fill] = []
    for entry in entries:
        ports, touches = _read(piece, entry), _borders(piece, entry)
        if ports is None or touches is None:
            continue
        bad = [port for port in ports if port not in free or port in owner]
        if bad:
            help = ("a fill holds what no drawn segment and no other fill holds",)
            message = f"`{entry.at}` takes {piece.names(bad)}, not free"
            piece.error("fill-mismatch", message, entry.span, bad=bad, help=help)
        owner.update((port, len(fills)) for port in ports if port not in bad)
        fills.append(Fill(entry.kind, (), touches, entry.attributes))
    _give_centres(piece, free, owner)
    piece.end_stage()
    _check_all_held(piece, free, owner)
    index = ring_index(piece.size)
    held = [tuple(sorted((p for p in owner if owner[p] == i), key=index.__getitem__))
            for i in range(len(fills))]  # fmt: skip
    fills = [replace(fill, ports=ports) for fill, ports in zip(fills, held, strict=True)]
    return sorted(fills, key=lambda fill: index[fill.ports[0]] if fill.ports else len(index))


def _give_centres(piece: PieceDrawing, free: set[Port], owner: dict[Port, int]) -> None:
    """Give each free centre lane to the fill beside it, if that is one fill."""
    for side in outer_sides(piece.size):
        centre = Port(*side, CENTRE)
        beside = {owner[p] for lane in range(3) if (p := Port(*side, lane)) in owner}
        if centre in free and len(beside) == 1:
            owner[centre] = beside.pop()


def _check_all_held(piece: PieceDrawing, free: set[Port], owner: Mapping[Port, int]) -> None:
    centres = {Port(p.x, p.y, p.side, CENTRE) for p in owner if p.lane != CENTRE}
    left = free - owner.keys() - centres
    if left:
        piece.error(
            "fill-mismatch",
            f"no fill holds {piece.names(left)}",
            piece.span,
            bad=left,
            help=("fills that are written out must hold all that is free",),
        )


def _read(piece: PieceDrawing, entry: Drawn) -> tuple[Port, ...] | None:
    """Return the ports an entry names, none for a region inside; None after reporting a mistake."""
    if entry.over is not None:
        help = ("leave out `over`",)
        message = f"`{entry.at}` is a fill and passes over nothing"
        piece.error("fill-mismatch", message, entry.span, help=help)
        return None
    inside = entry.at == INSIDE
    return () if inside else read_ports(piece, entry.at, piece.kinds[entry.kind], entry.span)


def _borders(piece: PieceDrawing, entry: Drawn) -> frozenset[int] | None:
    """Return the drawn segments an entry borders; None after reporting a mistake."""
    if entry.borders is None:
        help = ("write `borders: [...]` in every fill entry of the piece, or in none",)
        message = f"`{entry.at}` does not say what it borders"
        piece.error("fill-mismatch", message, entry.span, help=help)
        return None
    insides = [i for i, w in enumerate(piece.written) if w.shape is Shape.INSIDE]
    touches: set[int] = set()
    for word in entry.borders:
        port = None if word == INSIDE else read_lane(piece, word, entry.span)
        if port is None and word != INSIDE:
            return None
        found = insides if port is None else [piece.holders[port]] if port in piece.holders else []
        if not found:
            piece.error(
                "segment-target",
                f"`{entry.at}` borders `{word}`, which no drawn segment holds",
                entry.span,
                bad=[port] if port else (),
                help=("name a side or lane of each segment it borders",),
            )
            return None
        touches.update(found)
    return _allowed(piece, entry, frozenset(touches))


def _allowed(piece: PieceDrawing, entry: Drawn, touches: frozenset[int]) -> frozenset[int]:
    """Return `touches`, after reporting kinds that cannot border this kind of fill."""
    known = piece.kinds[entry.kind].borders
    odd = sorted({piece.written[i].drawn.kind for i in touches} - known)
    if odd:
        message = f"{entry.kind} does not remember contact with {', '.join(odd)}"
        help = (f"name {', '.join(odd)} in `borders` of the kind {entry.kind}, or not here",)
        piece.error("fill-mismatch", message, entry.span, help=help)
    return touches


# --- the outline ---------------------------------------------------------------------------------


def derive(
    tile_name: str,
    size: Size,
    drawn: Sequence[Drawn],
    kinds: Mapping[str, KindShape],
    span: Span,
    report: Report,
) -> Outline:
    """Derive all segments of a piece of `size` (width, height; each at least 1) from its drawing.

    Every kind in `drawn` must be in `kinds`. Mistakes of the author are reported, those about one
    entry at its own span, others at `span`. The outline is usable all the same: it holds everything
    that could be read, and no port twice.
    """
    piece = PieceDrawing(tile_name, size, kinds, span, report)
    entries = [entry for entry in drawn if kinds[entry.kind].shape is Shape.FILL]
    read_drawn(piece, (entry for entry in drawn if kinds[entry.kind].shape is not Shape.FILL))
    piece.end_stage()
    skeleton = build(piece)
    piece.end_stage()
    check_crossings(piece, skeleton)
    piece.end_stage()
    by_hand = any(entry.borders is not None for entry in entries)
    fill = written_fills if by_hand else derived_fills
    fills = fill(piece, entries, find_regions(skeleton, size))
    piece.end_stage()
    segments = _segments(piece, skeleton, fills)
    return Outline(size, segments, _sides(piece, segments), skeleton.outlook)


def _segments(
    piece: PieceDrawing, skeleton: Skeleton, fills: Sequence[Fill]
) -> tuple[OutlineSegment, ...]:
    """Return the drawn segments, then the fills, with the borders of each."""
    kinds = [w.drawn.kind for w in piece.written] + [fill.kind for fill in fills]
    touching: dict[int, set[int]] = defaultdict(set)
    pairs = list(contacts_inside(skeleton))
    pairs += [(len(piece.written) + i, j) for i, fill in enumerate(fills) for j in fill.touches]
    for a, b in pairs:
        touching[a].add(b)
        touching[b].add(a)
    parts = [(w.ports, w.drawn.attributes) for w in piece.written]
    parts += [(fill.ports, fill.attributes) for fill in fills]
    ends, over = skeleton.ends, dict(skeleton.bridges)
    return tuple(
        OutlineSegment(
            kind,
            ports,
            _cells(ports, piece.size),
            tuple(j for j in sorted(touching[i]) if kinds[j] in piece.kinds[kind].borders),
            attributes,
            ends.get(i),
            over.get(i),
            tuple(sorted(touching[i])),
        )
        for i, (kind, (ports, attributes)) in enumerate(zip(kinds, parts, strict=True))
    )


def _cells(ports: Sequence[Port], size: Size) -> tuple[tuple[int, int], ...]:
    """Return the cells of the ports by row and column; without ports the cell in the middle."""
    if not ports:
        return (((size[0] - 1) // 2, (size[1] - 1) // 2),)
    return tuple(sorted({(p.x, p.y) for p in ports}, key=lambda cell: (cell[1], cell[0])))


def _sides(piece: PieceDrawing, segments: Sequence[OutlineSegment]) -> dict[Side, str | None]:
    """Return the kind that must match on each side: the one drawn there, else that of the fill."""
    drawn: dict[Side, list[int]] = defaultdict(list)
    filled: dict[Side, list[int]] = defaultdict(list)
    for index, segment in enumerate(segments):
        there = drawn if index < len(piece.written) else filled
        for touched in dict.fromkeys((p.x, p.y, p.side) for p in segment.ports):
            there[touched].append(index)
    sides: dict[Side, str | None] = {}
    for side in outer_sides(piece.size):
        found = drawn[side] or filled[side]
        kinds = sorted({segments[index].kind for index in found})
        sides[side] = kinds[0] if kinds else None
        if len(kinds) > 1:
            _two_kinds(piece, side, kinds, drawn[side])
    return sides


def _two_kinds(piece: PieceDrawing, side: Side, kinds: Sequence[str], drawn: Sequence[int]) -> None:
    spans = [piece.written[index].drawn.span for index in drawn] or [piece.span]
    piece.error(
        "port-lane",
        f"side {side_name(side, piece.size)} is both {' and '.join(kinds)}",
        spans[-1],
        bad=[Port(*side, lane) for lane in range(3)],
        labels=[Label(span, "on the same side") for span in spans[:-1]],
        help=("a side matches as one kind: draw only one kind on it",),
    )
