"""Random games, the same whoever plays them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from rulesdsl import Game, State, load
from rulesdsl.run.rng import Rng

PLAYERS = 2
LIMIT = 5_000
"""No game here takes so many moves."""
LUCK = 1_000_000
"""The seed of the moves is that of the game and so much more."""


@runtime_checkable
class Playing(Protocol):
    """A position of an engine that plays random games by itself."""

    def playout(self, limit: int, seed: int) -> int:
        """Play moves drawn from the seed, at most so many; gives how many there were."""


@lru_cache(64)
def game(path: Path, engine: str) -> Game:
    """The game of a manifest, loaded once."""
    return load(path, engine=engine)


def start(path: Path, engine: str, seed: int) -> State:
    """A new game of two, or of as many as it needs at least."""
    found = game(path, engine)
    return found.start(PLAYERS if PLAYERS in found.players else found.players.start, seed)


def has_playouts(path: Path, engine: str) -> bool:
    """Whether the engine plays random games by itself."""
    return isinstance(start(path, engine, 0).position, Playing)


def play_inside(state: State, seed: int, limit: int = LIMIT) -> int:
    """A random game inside of the engine; gives how many moves it took."""
    assert isinstance(state.position, Playing)
    return state.position.playout(limit, seed + LUCK)


def play_by_moves(state: State, seed: int, limit: int = LIMIT) -> int:
    """The same game through the public names: every move is decoded, and one is chosen."""
    drawn = Rng.seeded(seed + LUCK)
    for played in range(limit):
        moves = state.moves()
        if not moves:
            return played
        state.play(moves[drawn.weighted([move.weight for move in moves])])
    return limit


def play_positions(state: State, seed: int, limit: int = LIMIT) -> int:
    """The same game on the engine's positions: moves are enumerated and not made readable."""
    drawn, position = Rng.seeded(seed + LUCK), state.position
    for played in range(limit):
        decision = position.decision
        if decision is None:
            return played
        position.play(drawn.weighted([each.weight for each in decision.candidates]))
    return limit
