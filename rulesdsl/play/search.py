"""Information-set Monte Carlo tree search.

A tree is grown over several samples of one position, in turns. A node stands for the moves since
the root, whatever is hidden; in a sample it has a *scene*, which lists the moves that can be played
there. Chance is a move of its own, drawn by its weights, so that a node of a sample is one position
and its copies can be kept.

Nothing here knows a game: the search uses only who decides, how many moves there are, and the
scores and winners at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from statistics import fmean, pstdev

from rulesdsl.engines.engine import PlayError, Playout, Position
from rulesdsl.engines.rng import Rng

MARGIN = 0.8
"""The share of the margin in a value; the rest is for winning."""
SHORTEST, LONGEST = 24, 384
"""The bounds of the number of moves, with chance, before a playout is ended and scored.

The longer players play at random, the less the result depends on the move before; but where little
happens in a short time, playouts are longer.
"""
FIRST = 16
"""The number of playouts that determine a gauge."""

Values = tuple[float, ...]
"""The value for each seat, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """The evaluation of playouts from one position.

    Playouts are ended after `length` moves. `usual` is the margin of each seat over its best rival
    that is expected there, and `scale`, at least 1, the standard deviation of margins.
    """

    length: int
    usual: tuple[float, ...]
    scale: float

    @classmethod
    def of(cls, position: Position, seed: int) -> Gauge:
        """Return the gauge from the first playouts of a position, drawn from the seed.

        They are long enough that not all of them leave the scores as they would be if the game
        ended here.
        """
        length = SHORTEST
        try:
            (now,) = position.rollouts(1, 0, 0)
            found = position.rollouts(FIRST, seed, length)
            while length < LONGEST and all(_alike(each, now) for each in found):
                length *= 2
                found = position.rollouts(FIRST, seed, length)
        except PlayError:
            return cls(LONGEST, (0.0,) * position.players, 1.0)
        seats = list(zip(*(_margins(each.scores) for each in found), strict=True))
        return cls(length, tuple(map(fmean, seats)), max(1.0, *map(pstdev, seats)))

    def values(self, playout: Playout) -> Values:
        """Return the value of a playout for each seat.

        It combines a share of the win (of the lead, if nobody has won) with the margin relative to
        the usual one, which counts less the further it is from that.
        """
        scores = playout.scores
        best = playout.winners or tuple(s for s, each in enumerate(scores) if each == max(scores))
        found = []
        for seat, margin in enumerate(_margins(scores)):
            more = margin - self.usual[seat]
            soft = 0.5 + 0.5 * more / (abs(more) + self.scale)
            won = 1 / len(best) if seat in best else 0.0
            found.append((1 - MARGIN) * won + MARGIN * soft)
        return tuple(found)

    @property
    def even(self) -> Values:
        """The values where nothing is known."""
        players = len(self.usual)
        return ((1 - MARGIN) / players + MARGIN / 2,) * players


def _margins(scores: Sequence[int]) -> list[int]:
    """Return the margin of each seat over its best rival."""
    first, second = sorted([*scores, 0] if len(scores) == 1 else scores)[:-3:-1]
    return [each - (second if each == first else first) for each in scores]


def _alike(playout: Playout, now: Playout) -> bool:
    """Say whether the game goes on with the scores unchanged."""
    return not playout.over and playout.scores == now.scores


EXPLORATION = 0.1
"""The constant of UCB1."""
PRIOR = 12
"""The weight, in playouts, of the value of ending the game at once."""
GROWN = 20
"""The number of visits from which a node gets children."""
TRIES = 400
"""The number of sequences of a player's own moves to try when a node gets children."""
KEPT = 256
"""The most positions to keep at a time; others are played to again."""


@dataclass(slots=True, eq=False)
class Scene:
    """A node in one sample: who moves, and the candidates that can be played.

    `seat` is None for chance, or at the end of the game. Each candidate has its weight and the node
    it leads to.
    """

    seat: int | None
    rows: list[int]
    weights: list[int]
    nodes: list[Node]


@dataclass(slots=True, eq=False)
class Node:
    """A node of the tree.

    `guess` is the value of ending the game here, `totals` the sums of the values of the playouts
    through it. `positions` and `scenes` are by the number of the sample.
    """

    guess: Values = ()
    visits: int = 0
    totals: list[float] = field(default_factory=list)
    children: dict[Hashable, Node] = field(default_factory=dict)
    positions: dict[int, Position] = field(default_factory=dict)
    scenes: dict[int, Scene] = field(default_factory=dict)

    def add(self, values: Values) -> None:
        """Count a playout through this node."""
        self.visits += 1
        totals = self.totals or [0.0] * len(values)
        self.totals = [total + value for total, value in zip(totals, values, strict=True)]

    def mean(self, seat: int) -> float:
        """Return the mean value for a seat; the guess counts as `PRIOR` playouts."""
        total = self.totals[seat] if self.visits else 0.0
        return (total + PRIOR * self.guess[seat]) / (self.visits + PRIOR)

    def forget(self) -> None:
        """Drop the positions and scenes, here and below."""
        self.positions.clear()
        self.scenes.clear()
        for child in self.children.values():
            child.forget()


class Search:
    """A tree over positions that look alike to the player who decides there.

    They offer chance and belong to the search. `root` may come from an earlier search with the same
    `gauge`.
    """

    def __init__(
        self,
        samples: Sequence[Position],
        rng: Rng,
        root: Node | None = None,
        gauge: Gauge | None = None,
    ) -> None:
        self.root = root or Node()
        self._samples = samples
        self._rng = rng
        self._kept = 0
        self.gauge = gauge or Gauge.of(samples[0], rng.word())

    def grow(self, goes_on: Callable[[], bool]) -> None:
        """Play out again and again, in each sample in turn, while `goes_on` returns True."""
        number = 0
        while goes_on():
            self._descend(number)
            number = (number + 1) % len(self._samples)

    def best(self) -> int:
        """Return the most played candidate of the first sample, among several the best."""
        scene = self._scene(self.root, 0, self._samples[0])
        assert scene.seat is not None, "a player is asked"
        seat = scene.seat
        order = [(node.visits, node.mean(seat)) for node in scene.nodes]
        return scene.rows[order.index(max(order))] if order else 0

    def node(self, row: int, number: int = 0) -> Node | None:
        """Return the node that a candidate leads to, None if it cannot be played."""
        scene = self._scene(self.root, number, self._samples[number])
        return scene.nodes[scene.rows.index(row)] if row in scene.rows else None

    # --- a playout -----------------------------------------------------------------------------

    def _descend(self, number: int) -> None:
        """Go down the tree, play out from there, and update all nodes on the way."""
        node, position, path = self.root, self._samples[number], [self.root]
        while node is self.root or node.visits >= GROWN:
            scene = self._scene(node, number, position)
            if not scene.nodes:
                break
            at = self._choose(scene)
            node = scene.nodes[at]
            after = self._after(position, scene.rows[at], node, number)
            if after is None:
                break
            position = after
            path.append(node)
        values = self._values(position, self.gauge.length)
        for each in path:
            each.add(values)

    def _choose(self, scene: Scene) -> int:
        """Return the index of the node to go on with: by weight for chance, otherwise by UCB1."""
        seat = scene.seat
        if seat is None:
            return self._rng.weighted(scene.weights)
        counts = [node.visits + PRIOR for node in scene.nodes]
        wide = EXPLORATION * sqrt(log(sum(counts)))
        bounds = [
            node.mean(seat) + wide / sqrt(count)
            for node, count in zip(scene.nodes, counts, strict=True)
        ]
        return bounds.index(max(bounds))

    def _after(self, position: Position, row: int, node: Node, number: int) -> Position | None:
        """Return the position after a candidate, which leads to that node; None if a rule fails."""
        kept = node.positions.get(number)
        if kept is not None:
            return kept
        after = played(position, row)
        if after is not None and self._kept < KEPT:
            self._kept += 1
            node.positions[number] = after
        return after

    # --- growing -------------------------------------------------------------------------------

    def _scene(self, node: Node, number: int, position: Position) -> Scene:
        """Return the scene of a node in a sample."""
        found = node.scenes.get(number)
        if found is None:
            found = node.scenes[number] = self._set(node, number, position, TRIES)
        return found

    def _set(self, node: Node, number: int, position: Position, tries: int) -> Scene:
        """Return a new scene, with a guess for each candidate."""
        outlook = position.outlook
        scene = Scene(outlook.seat, [], [], [])
        count = len(outlook.weights)
        for row, key in enumerate(self._keys(position, count)):
            after = None if outlook.seat is None else played(position, row)
            if after is None and outlook.seat is not None:
                continue
            child = node.children.get(key)
            if child is None:
                child = node.children[key] = Node()
            if after is not None and not child.guess:
                child.guess = self._guess(child, number, after, outlook.seat, tries // count)
            scene.rows.append(row)
            scene.weights.append(outlook.weights[row])
            scene.nodes.append(child)
        return scene

    def _keys(self, position: Position, count: int) -> Iterable[Hashable]:
        """Return keys that identify the candidates in all samples."""
        if len(self._samples) == 1:
            return range(count)
        decision = position.decision
        found = () if decision is None else decision.candidates
        return [(each.option, each.arguments) for each in found]

    def _guess(
        self, node: Node, number: int, position: Position, seat: int | None, tries: int
    ) -> Values:
        """Return the value of ending the game there.

        If the player moves again, it is the best value among the moves that can follow.
        """
        outlook = position.outlook
        if outlook.seat is None or outlook.seat != seat or len(outlook.weights) > tries:
            return self._values(position, 0)
        scene = node.scenes[number] = self._set(node, number, position, tries)
        guesses = [child.guess for child in scene.nodes]
        return max(guesses, key=lambda guess: guess[seat], default=self.gauge.even)

    # --- values --------------------------------------------------------------------------------

    def _values(self, position: Position, limit: int) -> Values:
        """Return the values of playing on for at most `limit` moves and ending the game there."""
        try:
            (playout,) = position.rollouts(1, self._rng.word() if limit else 0, limit)
        except PlayError:
            return self.gauge.even
        return self.gauge.values(playout)


def played(position: Position, row: int) -> Position | None:
    """Return a copy of a position after a candidate; None if a rule fails."""
    after = position.clone()
    try:
        after.play(row)
    except PlayError:
        return None
    return after
