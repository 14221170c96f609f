"""Bots: they are given a player's sample of the state, never the state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from rulesdsl.play.game import State
from rulesdsl.play.move import Move
from rulesdsl.run.engine import PlayError
from rulesdsl.run.rng import Rng

MAX_TRIES = 20_000


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
    """Tries every sequence of its own moves until the mover changes or chance comes, ends each copy
    there as if the game ended now, and keeps the first with the largest own score minus the best
    rival's. At most `MAX_TRIES` sequences are tried at one decision; the rest are left aside, and
    so are those in which a rule fails."""

    def choose(self, sample: State) -> Move:
        """The first move of the best sequence; of equally good ones the first in order."""
        own = sample.mover
        assert own is not None, "a bot is asked for its player's move"
        sample.offer_chance()
        best: tuple[int, Move] | None = None
        tries = 0
        for move in sample.moves():
            for value in _outcomes(sample, move, own):
                tries += 1
                if best is None or value > best[0]:
                    best = (value, move)
                if tries >= MAX_TRIES:
                    return best[1]
        return best[1] if best is not None else sample.moves()[0]


def _outcomes(state: State, move: Move, own: str) -> Iterator[int]:
    """The values of all ways in which `own` can go on after `move`."""
    after = state.clone()
    try:
        after.play(move)
        if after.mover not in (own, None):
            after.finish()
    except PlayError:
        return
    if after.mover == own:
        for following in after.moves():
            yield from _outcomes(after, following, own)
    else:
        yield _margin(after, own)


def _margin(state: State, own: str) -> int:
    scores = state.scores()
    rivals = [points for colour, points in scores.items() if colour != own]
    return scores[own] - max(rivals, default=0)


BOTS: dict[str, type[Bot]] = {"greedy": GreedyBot, "random": RandomBot}
