"""Bots: they are given a player's sample of the state, never the state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from rulesdsl.play.game import State
from rulesdsl.play.move import Move
from rulesdsl.run.engine import PlayError
from rulesdsl.run.rng import Rng

MAX_TRIES = 400
"""How many sequences of moves a greedy bot tries at a decision."""


class Bot(ABC):
    """Plays seat `seat` of a game started with `seed`. All it draws comes from its own stream,
    `1 + seat` of the seed: a word for each sample, and what it needs to choose."""

    def __init__(self, seed: int, seat: int) -> None:
        self.rng = Rng.seeded(seed, 1 + seat)

    def decide(self, state: State) -> Move:
        """The move for the mover of `state`, who is the bot's player; the state does not change."""
        mover = state.mover
        assert mover is not None, "the game is not over"
        return self.choose(state.sample(mover, self.rng.word()))

    @abstractmethod
    def choose(self, sample: State) -> Move:
        """One of `sample.moves()`; the sample is the bot's own."""


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


BOTS: dict[str, type[Bot]] = {"greedy": GreedyBot, "random": RandomBot}
