"""Bots: they are given a player's sample of the state, never the state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from rulesdsl.play.bot import Bot as Bot
from rulesdsl.play.game import State
from rulesdsl.play.mcts import Budget, MctsBot
from rulesdsl.play.move import Move
from rulesdsl.run.engine import PlayError

MAX_TRIES = 400
"""How many sequences of moves a greedy bot tries at a decision."""


class RandomBot(Bot):
    """Every move is equally likely."""

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
        own = sample.mover
        assert own is not None, "a bot is asked for its player's move"
        sample.offer_chance()
        moves = sample.moves()
        best: tuple[int, Move] | None = None
        tries = MAX_TRIES
        for left, move in _counted_down(moves):
            for value in _outcomes(sample, move, own, tries // left):
                tries -= 1
                if best is None or value > best[0]:
                    best = (value, move)
        return best[1] if best is not None else moves[0]


def _outcomes(state: State, move: Move, own: str, tries: int) -> Iterator[int]:
    """The values of ways in which `own` can go on after `move`: of all if there are tries for them,
    otherwise of ending there."""
    after = state.clone()
    try:
        after.play(move)
        following = after.moves() if after.mover == own else ()
        goes_on = 0 < len(following) <= tries
        if not goes_on and after.mover is not None:
            after.finish()
    except PlayError:
        return
    if not goes_on:
        yield _margin(after, own)
        return
    for left, next_move in _counted_down(following):
        for value in _outcomes(after, next_move, own, tries // left):
            tries -= 1
            yield value


def _counted_down(moves: Sequence[Move]) -> Iterator[tuple[int, Move]]:
    """Each move, and how many there are from it on."""
    return zip(range(len(moves), 0, -1), moves, strict=True)


def _margin(state: State, own: str) -> int:
    scores = state.scores()
    rivals = [points for colour, points in scores.items() if colour != own]
    return scores[own] - max(rivals, default=0)


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
