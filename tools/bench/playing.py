"""Random games, the same whoever plays them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from rulesdsl import Game, State, load
from rulesdsl.run.playouts import play_out
from rulesdsl.run.rng import Rng

PLAYERS = 2
LIMIT = 5_000
"""No game here takes so many moves."""
LUCK = 1_000_000
"""The seed of the moves is that of the game and so much more."""


@dataclass(frozen=True)
class Setup:
    """What is played by how many: `players` 0 for two, or as many as it needs at least. What is
    `large` only those engines play that have playouts."""

    path: Path
    expansions: tuple[str, ...] = ()
    players: int = 0
    large: bool = False

    @property
    def name(self) -> str:
        """What it is called in figures."""
        more = f" and {len(self.expansions)} expansions" if self.expansions else ""
        return f"{self.path.stem}{more}" + (f", {self.players} players" if self.players else "")

    def engines(self, among: Sequence[str]) -> list[str]:
        """Those engines that play it."""
        return [engine for engine in among if not self.large or has_playouts(self, engine)]


@runtime_checkable
class Playing(Protocol):
    """A position of an engine that plays random games by itself."""

    def playout(self, limit: int, seed: int) -> int:
        """Play moves drawn from the seed, at most so many; gives how many there were."""


@lru_cache(64)
def game(setup: Setup, engine: str) -> Game:
    """The game of a setup, loaded once."""
    return load(setup.path, setup.expansions, engine=engine)


def start(setup: Setup, engine: str, seed: int) -> State:
    """A new game."""
    found = game(setup, engine)
    fewest = PLAYERS if PLAYERS in found.players else found.players.start
    return found.start(setup.players or fewest, seed)


def has_playouts(setup: Setup, engine: str) -> bool:
    """Whether the engine plays random games by itself."""
    return isinstance(start(setup, engine, 0).position, Playing)


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
    return play_out(state.position, limit, Rng.seeded(seed + LUCK))
