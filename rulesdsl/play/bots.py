"""Bots: what they think about is a player's sample of the state, never the state."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from rulesdsl.play.game import State
from rulesdsl.play.moves import Move
from rulesdsl.play.search import Gauge, Node, Search, played
from rulesdsl.run.engine import PlayError, Position
from rulesdsl.run.rng import Rng


class Bot(ABC):
    """Plays seat `seat` of a game started with `seed`.

    All it draws comes from its own stream, `1 + seat` of the seed: a word for each sample, and what
    it needs to choose.
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
        """One of `sample.moves()`; the sample is the bot's own."""


PLAYOUTS = 2000
SAMPLES = 8
"""So many samples a search is over if something is hidden."""
WORTH = 16
"""A node that was visited less often is not worth looking for."""


@dataclass(frozen=True)
class Budget:
    """How long to think about a move: so many playouts, those that are known from before among
    them; or so many seconds."""

    playouts: int | None = PLAYOUTS
    seconds: float | None = None


class MctsBot(Bot):
    """Searches for as long as its `budget` says.

    The same moves for the same seed if that is a number of playouts. It goes on with what it has
    found out at its last decision, if what was played since was looked at there. It draws one word
    for each further sample, one for the gauge of a search that begins anew, one for each playout,
    and a number for each chance move that it passes.
    """

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
        """Return the move that was played out most; of several the one that promises most."""
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
            if not sample.hides(own):
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
        """Return the node of the last tree in which everything looks as it does now."""
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
    """Yield a node and all below that were visited often, those that were more often first."""
    if node.visits < WORTH:
        return
    yield node
    for child in sorted(node.children.values(), key=lambda child: -child.visits):
        yield from _below(child)


MAX_TRIES = 400
"""How many sequences of moves a greedy bot tries at a decision."""


class RandomBot(Bot):
    """Every move is equally likely."""

    def decide(self, state: State) -> Move:
        """Return a uniformly drawn move.

        It would be the same from a sample, which takes longer to make than the move to play: its
        player has the same moves there, and looks at nothing else.
        """
        self.rng.word()  # the seed of the sample
        return self.choose(state)

    def choose(self, sample: State) -> Move:
        """Return a uniformly drawn move."""
        moves = sample.moves()
        return moves[self.rng.below(len(moves))]


class GreedyBot(Bot):
    """Tries sequences of its own moves until the mover changes or chance comes, ends each copy
    there as if the game ended now, and keeps the first with the largest own score minus the best
    rival's. If there are more than `MAX_TRIES` sequences, all moves are tried, and what can follow
    them as far as an even share of the tries goes: copies are ended there. Sequences in which a
    rule fails are left aside."""

    def choose(self, sample: State) -> Move:
        """Return the first move of the best sequence; of equally good ones the first in order."""
        moves = sample.moves()
        sample.offer_chance()
        own = sample.position.outlook.seat
        assert own is not None, "a bot is asked for its player's move"
        found = _ways(sample.position, own, MAX_TRIES)
        _, row = max(found, key=lambda way: way[0], default=(0, 0))
        return moves[row]


def _ways(position: Position, own: int, tries: int) -> Iterator[tuple[int, int]]:
    """What comes of ways in which `own` can go on: the margin, and the candidate each begins
    with."""
    count = len(position.outlook.weights)
    for row in range(count):
        after = played(position, row)
        if after is not None:
            for margin in _margins(after, own, tries // (count - row)):
                tries -= 1
                yield margin, row


def _margins(position: Position, own: int, tries: int) -> Iterator[int]:
    """The margins of all ways in which `own` can go on if there are tries for them, otherwise of
    ending the game here."""
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
    """What makes the bot of that name from a seed and a seat.

    `mcts` may have a budget: playouts a move (`mcts:500`) or seconds (`mcts:0.5s`). Raises
    ValueError for anything else.
    """
    name, colon, budget = text.partition(":")
    if name not in BOTS:
        raise ValueError(f"no bot `{name}`; there is {', '.join(sorted(BOTS))}")
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
