"""The regions of a piece between its drawn segments."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from rulesdsl.geometry.ring import LANE, Size, ring
from rulesdsl.geometry.skeleton import Groups, Skeleton
from rulesdsl.model.geometry import Port


@dataclass(frozen=True)
class Region:
    """A part of the plane that no drawn segment divides: its ports in ring order, and the indices
    of the drawn segments along its boundary."""

    ports: tuple[Port, ...]
    touches: frozenset[int]


def find_regions(skeleton: Skeleton, size: Size) -> list[Region]:
    """All regions in ring order of their first port, those without ports last."""
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
            ports += [ring(size)[position // LANE]] * (position % LANE == 0)
    for position, touched in boundary:
        found[groups.find(position)][1].update(touched)
    regions = [Region(tuple(ports), frozenset(touched)) for ports, touched in found.values()]
    regions.sort(key=lambda region: not region.ports)
    return regions if _hub_is_joined(skeleton) else _with_floating(regions, skeleton.insides)


def _stretches(skeleton: Skeleton, length: int) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Walk round every tree: from each contact to the next one, along what lies between them.

    Gives the free positions just after the one and just before the other, which are in the same
    region, and the segments met on the way.
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
    """The nodes on the only way from one node of a tree to another, both included."""
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


def _hub_is_joined(skeleton: Skeleton) -> bool:
    return any(skeleton.hub in link for link in skeleton.links)


def _with_floating(regions: list[Region], insides: frozenset[int]) -> list[Region]:
    """Put what lies inside and meets nothing into the region with most ports; it lies between
    those that are alike."""
    most = max((len(region.ports) for region in regions), default=0)
    return [
        Region(region.ports, region.touches | insides)
        if region.ports and len(region.ports) == most
        else region
        for region in regions
    ]


def contacts_inside(skeleton: Skeleton) -> Iterator[tuple[int, int]]:
    """Pairs of drawn segments that meet inside the piece: at a gate, a rim point, or the hub.

    Where something lies inside at the hub, what runs there meets it and nothing else.
    """
    meeting: dict[int, list[int]] = defaultdict(list)
    for a, b in skeleton.links:
        meeting[b].append(a)
    for node, arrived in meeting.items():
        there = skeleton.segments_at(node)
        yield from ((a, b) for a in arrived for b in there)
        if node >= skeleton.count and not there:
            yield from combinations(arrived, 2)
