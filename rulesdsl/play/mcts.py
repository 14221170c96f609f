"""The bot `mcts`: it searches, see `rulesdsl.play.search`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

from rulesdsl.play.bot import Bot
from rulesdsl.play.game import State
from rulesdsl.play.gauge import Gauge
from rulesdsl.play.move import Move
from rulesdsl.play.search import Node, Search

PLAYOUTS = 2000
SAMPLES = 8
"""So many samples a search is over if something is hidden."""
LOOKED_AT = 2
"""So many samples tell whether anything is."""
WORTH = 16
"""A node that was visited less often is not worth looking for."""


@dataclass(frozen=True)
class Budget:
    """How long to think about a move: so many playouts, those that are known from before among
    them; or so many seconds."""

    playouts: int | None = PLAYOUTS
    seconds: float | None = None


class MctsBot(Bot):
    """Searches for as long as its `budget` says; the same moves for the same seed if that is a
    number of playouts. It goes on with what it has found out at its last decision, if what was
    played since was looked at there. It draws one word for each further sample, one for the
    gauge of a search that begins anew, one for each playout, and a number for each chance move that
    it passes."""

    def __init__(self, seed: int, seat: int, budget: Budget | None = None) -> None:
        super().__init__(seed, seat)
        self.budget = budget or Budget()
        self._tree: Node | None = None
        self._gauge: Gauge | None = None
        self._alike = 0

    def __getstate__(self) -> dict[str, object]:
        """What a copy has: all but what was found out, which takes much room."""
        return {**vars(self), "_tree": None}

    def choose(self, sample: State) -> Move:
        """The move that was played out most; of several the one that promises most."""
        moves = sample.moves()
        if len(moves) == 1:
            return moves[0]
        sample.offer_chance()
        root = self._known(sample)
        # What is as it was foreseen from one sample hides nothing either.
        samples = [sample] if root is not None and self._alike == 1 else self._samples(sample)
        if len(samples) != self._alike:
            root = None
        gauge = self._gauge if root is not None else None
        search = Search([each.position for each in samples], self.rng, root, gauge)
        search.grow(self._limit(search.root))
        row = search.best()
        self._tree, self._gauge, self._alike = search.node(row), search.gauge, len(samples)
        return moves[row]

    def _samples(self, sample: State) -> list[State]:
        """What the player may believe: one state if nothing is hidden."""
        own = sample.mover
        assert own is not None, "a bot is asked for its player's move"
        samples = [sample]
        while len(samples) < SAMPLES:
            samples.append(sample.sample(own, self.rng.word()))
            samples[-1].offer_chance()
            if len(samples) == LOOKED_AT and len({each.to_bytes() for each in samples}) == 1:
                return samples[:1]
        return samples

    def _limit(self, root: Node) -> Callable[[], bool]:
        """Is there time for another playout?"""
        playouts, seconds = self.budget.playouts, self.budget.seconds
        if seconds is None:
            return lambda: playouts is not None and root.visits < playouts
        end = perf_counter() + seconds
        return lambda: perf_counter() < end or not root.visits

    def _known(self, sample: State) -> Node | None:
        """The node of the last tree in which everything looks as it does now."""
        tree, self._tree = self._tree, None
        if tree is None:
            return None
        own = sample.mover
        assert own is not None, "a bot is asked for its player's move"
        seen, asked = "", sample.position.outlook
        for node in _below(tree):
            for position in node.positions.values():
                if position.outlook != asked or position.scores() != sample.position.scores():
                    continue
                seen = seen or sample.view(own)
                if State(sample.game, position).view(own) == seen:
                    node.forget()
                    return node
        return None


def _below(node: Node) -> Iterator[Node]:
    """A node and all below that were visited often, those that were more often first."""
    if node.visits < WORTH:
        return
    yield node
    for child in sorted(node.children.values(), key=lambda child: -child.visits):
        yield from _below(child)
