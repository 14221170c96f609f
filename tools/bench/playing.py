"""Random games, the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from rulesdsl import Game, State, load
from rulesdsl.engine.run import DEFAULT_ENGINE
from rulesdsl.engine.run.playouts import play_out
from rulesdsl.engine.run.rng import Rng

PLAYERS = 2
LIMIT = 5_000
"""Number of moves that no game here reaches."""
LUCK = 1_000_000
"""Difference between the seed of the moves and that of the game."""


@dataclass(frozen=True)
class Setup:
    """A game and its number of players.

    `players` is 0 for two, or the minimum if that is higher. A `large` setup is only played by
    the fastest engine.
    """

    path: Path
    expansions: tuple[str, ...] = ()
    players: int = 0
    large: bool = False

    @property
    def name(self) -> str:
        """The name in figures."""
        more = f" and {len(self.expansions)} expansions" if self.expansions else ""
        return f"{self.path.stem}{more}" + (f", {self.players} players" if self.players else "")

    def engines(self, among: Sequence[str]) -> list[str]:
        """Return the engines that play it: large games only the fastest one."""
        return [engine for engine in among if not self.large or engine == DEFAULT_ENGINE]


@runtime_checkable
class Playing(Protocol):
    """A position of an engine with playouts."""

    def playout(self, limit: int, seed: int) -> int:
        """Play moves drawn from the seed, up to a limit; return their number."""


@lru_cache(64)
def game(setup: Setup, engine: str) -> Game:
    """Return the game of a setup, loaded once."""
    return load(setup.path, setup.expansions, engine=engine)


def start(setup: Setup, engine: str, seed: int) -> State:
    """Start a new game."""
    found = game(setup, engine)
    fewest = PLAYERS if PLAYERS in found.players else found.players[0]
    return found.start(setup.players or fewest, seed)


def has_playouts(setup: Setup, engine: str) -> bool:
    """Return whether the engine has playouts."""
    return isinstance(start(setup, engine, 0).position, Playing)


def play_inside(state: State, seed: int, limit: int = LIMIT) -> int:
    """Play a random game inside of the engine; return its number of moves."""
    assert isinstance(state.position, Playing)
    return state.position.playout(limit, seed + LUCK)


def play_by_moves(state: State, seed: int, limit: int = LIMIT) -> int:
    """Play the same game by the public API: every move is decoded, and one is chosen."""
    drawn = Rng.seeded(seed + LUCK)
    for played in range(limit):
        moves = state.moves()
        if not moves:
            return played
        state.play(moves[drawn.weighted([move.weight for move in moves])])
    return limit


def play_positions(state: State, seed: int, limit: int = LIMIT) -> int:
    """Play the same game on the engine's positions: moves are enumerated but not decoded."""
    return play_out(state.position, limit, Rng.seeded(seed + LUCK))
