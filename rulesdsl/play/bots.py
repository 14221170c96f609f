"""Bots: what they think about is a player's sample of the state, never the state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from rulesdsl.play.bot import Bot as Bot
from rulesdsl.play.game import State
from rulesdsl.play.mcts import Budget, MctsBot
from rulesdsl.play.move import Move
from rulesdsl.play.search import played
from rulesdsl.run.engine import PlayError, Position

MAX_TRIES = 400
"""How many sequences of moves a greedy bot tries at a decision."""


class RandomBot(Bot):
    """Every move is equally likely."""

    def decide(self, state: State) -> Move:
        """A uniformly drawn move. It would be the same from a sample, which takes longer to make
        than the move to play: its player has the same moves there, and looks at nothing else."""
        self.rng.word()  # the seed of the sample
        return self.choose(state)

    def choose(self, sample: State) -> Move:
        """A uniformly drawn move."""
        moves = sample.moves()
        return moves[self.rng.below(len(moves))]


class GreedyBot(Bot):
    """Tries sequences of its own moves until the mover changes or chance comes, ends each copy
    there as if the game ended now, and keeps the first with the largest own score minus the best
    rival's. If there are more than `MAX_TRIES` sequences, all moves are tried, and what can follow
    them as far as an even share of the tries goes: copies are ended there. Sequences in which a
    rule fails are left aside."""

    def choose(self, sample: State) -> Move:
        """The first move of the best sequence; of equally good ones the first in order."""
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
    """What makes the bot of that name from a seed and a seat. `mcts` may have a budget: playouts a
    move (`mcts:500`) or seconds (`mcts:0.5s`). Raises ValueError for anything else."""
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
