"""Bots, which search a player's sample of the state and never see the state itself."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from rulesdsl.engines.engine import PlayError, Position
from rulesdsl.engines.rng import Rng
from rulesdsl.play.game import State
from rulesdsl.play.moves import Move
from rulesdsl.play.search import Gauge, Node, Search, played


class Bot(ABC):
    """A player of seat `seat` in a game started with `seed`.

    All its random numbers come from its own stream, `1 + seat` of the seed: one word for each
    sample, and more as it needs them to choose.
    """

    def __init__(self, seed: int, seat: int) -> None:
        self.rng = Rng.seeded(seed, 1 + seat)

    def decide(self, state: State) -> Move:
        """Return the move for the mover of `state`, who is the bot's player.

        The state does not change.
        """
        mover = state.mover
        assert mover is not None, "the game is not over"
        return self.choose(state.sample(mover, self.rng.word()))

    @abstractmethod
    def choose(self, sample: State) -> Move:
        """Return one of `sample.moves()`; the bot may change the sample."""


PLAYOUTS = 2000
SAMPLES = 8
"""The number of samples of a search if something is hidden."""
WORTH = 16
"""The least visits of a node that is looked at to reuse a tree."""


@dataclass(frozen=True)
class Budget:
    """The time to think about a move, as a number of playouts or as seconds.

    Playouts that are reused from the last search count towards the number.
    """

    playouts: int | None = PLAYOUTS
    seconds: float | None = None


class MctsBot(Bot):
    """Monte Carlo tree search within a `budget`.

    With a number of playouts the same seed gives the same moves. A search reuses the tree of the
    last decision if it has looked at the moves that were played since. It draws one word for each
    further sample, one for the gauge of a new search, one for each playout, and a number for each
    chance move that it passes.
    """

    def __init__(self, seed: int, seat: int, budget: Budget | None = None) -> None:
        super().__init__(seed, seat)
        self.budget = budget or Budget()
        self._tree: Node | None = None
        self._gauge: Gauge | None = None
        self._alike = 0

    def __getstate__(self) -> dict[str, object]:
        """Return the state for a copy, without the tree, which takes much memory."""
        return {**vars(self), "_tree": None}

    def choose(self, sample: State) -> Move:
        """Return the move with the most playouts, among several the one with the best value."""
        moves = sample.moves()
        if len(moves) == 1:
            return moves[0]
        sample.offer_chance()
        root = self._known(sample)
        # A position that was foreseen from a single sample hides nothing either.
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
        """Return states that the player may believe in: one if nothing is hidden."""
        own = sample.mover
        assert own is not None, "a bot is asked for its player's move"
        samples = [sample]
        while len(samples) < SAMPLES:
            samples.append(sample.sample(own, self.rng.word()))
            samples[-1].offer_chance()
            if not sample.hides(own):
                return samples[:1]
        return samples

    def _limit(self, root: Node) -> Callable[[], bool]:
        """Return a function that says whether there is time for another playout."""
        playouts, seconds = self.budget.playouts, self.budget.seconds
        if seconds is None:
            return lambda: playouts is not None and root.visits < playouts
        end = perf_counter() + seconds
        return lambda: perf_counter() < end or not root.visits

    def _known(self, sample: State) -> Node | None:
        """Return the node of the last tree whose position looks like the sample, or None."""
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
    """Yield a node and the nodes below it with `WORTH` visits or more, the most visited first."""
    if node.visits < WORTH:
        return
    yield node
    for child in sorted(node.children.values(), key=lambda child: -child.visits):
        yield from _below(child)


MAX_TRIES = 400
"""The number of sequences of moves that a greedy bot tries at a decision."""


class RandomBot(Bot):
    """A bot that chooses among all moves with equal probability."""

    def decide(self, state: State) -> Move:
        """Return a uniformly drawn move.

        No sample is made, since that takes longer than the move: the player has the same moves in
        it, and the bot looks at nothing else.
        """
        self.rng.word()  # the seed of the sample
        return self.choose(state)

    def choose(self, sample: State) -> Move:
        """Return a uniformly drawn move."""
        moves = sample.moves()
        return moves[self.rng.below(len(moves))]


class GreedyBot(Bot):
    """A bot that maximises its own score minus the best rival's at the end of its own moves.

    It tries sequences of its own moves until the mover changes or chance comes, ends each copy
    there as if the game ended now, and keeps the first sequence with the largest margin. If there
    are more than `MAX_TRIES` sequences, it tries every move, gives each an even share of the tries
    for what can follow it, and ends the copies there. Sequences in which a rule fails are left out.
    """

    def choose(self, sample: State) -> Move:
        """Return the first move of the best sequence, of equally good ones the first in order."""
        moves = sample.moves()
        sample.offer_chance()
        own = sample.position.outlook.seat
        assert own is not None, "a bot is asked for its player's move"
        found = _ways(sample.position, own, MAX_TRIES)
        _, row = max(found, key=lambda way: way[0], default=(0, 0))
        return moves[row]


def _ways(position: Position, own: int, tries: int) -> Iterator[tuple[int, int]]:
    """Yield the margin and the first candidate of each sequence of moves of `own`."""
    count = len(position.outlook.weights)
    for row in range(count):
        after = played(position, row)
        if after is not None:
            for margin in _margins(after, own, tries // (count - row)):
                tries -= 1
                yield margin, row


def _margins(position: Position, own: int, tries: int) -> Iterator[int]:
    """Yield the margins of all sequences of moves of `own`.

    If there are not enough tries for them, yield the margin of ending the game here.
    """
    outlook = position.outlook
    if outlook.seat == own and len(outlook.weights) <= tries:
        yield from (margin for margin, _ in _ways(position, own, tries))
        return
    try:
        (ended,) = position.rollouts(1, 0, 0)
    except PlayError:
        return
    rivals = [points for seat, points in enumerate(ended.scores) if seat != own]
    yield ended.scores[own] - max(rivals, default=0)


BOTS: dict[str, type[Bot]] = {"greedy": GreedyBot, "mcts": MctsBot, "random": RandomBot}
"""The bots by name."""


def bot_maker(text: str) -> Callable[[int, int], Bot]:
    """Return a function that makes the bot called `text` from a seed and a seat.

    `mcts` may have a budget: playouts a move (`mcts:500`) or seconds (`mcts:0.5s`). Raises
    ValueError for anything else.
    """
    name, colon, budget = text.partition(":")
    if name not in BOTS:
        raise ValueError(f"there is no bot `{name}`; the bots are {', '.join(sorted(BOTS))}")
    if not colon:
        return BOTS[name]
    if name != "mcts":
        raise ValueError(f"only `mcts` has a budget, `{name}` has none: leave out `:{budget}`")
    return partial(MctsBot, budget=_budget(text, budget))


def _budget(text: str, budget: str) -> Budget:
    playouts = re.fullmatch(r"[0-9]{1,9}", budget)
    seconds = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)s", budget)
    if playouts and int(budget) > 0:
        return Budget(int(budget))
    if seconds and float(seconds[1]) > 0:
        return Budget(None, float(seconds[1]))
    raise ValueError(
        f"`{text}`: a budget is a number of playouts (mcts:2000) or of seconds (mcts:0.5s)"
    )
