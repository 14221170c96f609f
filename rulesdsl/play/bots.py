"""Bots: they are given a player's sample of the state, never the state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from rulesdsl.play.game import State
from rulesdsl.play.move import Move
from rulesdsl.run.engine import PlayError
from rulesdsl.run.rng import Rng

MAX_TRIES = 20_000


class Bot(Protocol):
    """Chooses moves for one player of one game."""

    def choose(self, state: State) -> Move:
        """One of `state.moves()`; the mover is the bot's player. The state is the bot's own."""


class RandomBot:
    """Every move is equally likely; draws from stream `1 + seat` of the seed."""

    def __init__(self, seed: int, seat: int) -> None:
        self._generator = Rng.seeded(seed, 1 + seat)

    def choose(self, state: State) -> Move:
        """A uniformly drawn move."""
        moves = state.moves()
        return moves[self._generator.below(len(moves))]


@dataclass
class GreedyBot:
    """Tries every sequence of its own moves until the mover changes or chance comes, ends each copy
    there as if the game ended now, and keeps the first with the largest own score minus the best
    rival's. At most `MAX_TRIES` sequences are tried at one decision; the rest are left aside, and
    so are those in which a rule fails."""

    seed: int
    seat: int

    def choose(self, state: State) -> Move:
        """The first move of the best sequence; of equally good ones the first in order."""
        own = state.mover
        assert own is not None, "a bot is asked for its player's move"
        state.offer_chance()
        best: tuple[int, Move] | None = None
        tries = 0
        for move in state.moves():
            for value in _outcomes(state, move, own):
                tries += 1
                if best is None or value > best[0]:
                    best = (value, move)
                if tries >= MAX_TRIES:
                    return best[1]
        return best[1] if best is not None else state.moves()[0]


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


BOTS: dict[str, type[RandomBot] | type[GreedyBot]] = {"greedy": GreedyBot, "random": RandomBot}


def choose(bot: Bot, state: State, seed: int) -> Move:
    """The move of `bot` for the mover of `state`, chosen from a sample of what the mover knows."""
    mover = state.mover
    assert mover is not None, "the game is not over"
    return bot.choose(state.sample(mover, seed))
