"""What a bot is."""

from __future__ import annotations

from abc import ABC, abstractmethod

from rulesdsl.play.game import State
from rulesdsl.play.move import Move
from rulesdsl.run.rng import Rng


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
