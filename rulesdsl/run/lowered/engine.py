"""Engines that play lowered games."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rulesdsl.diagnostics import Source
from rulesdsl.model.checked import Checked
from rulesdsl.run.engine import digest
from rulesdsl.run.lowered import position
from rulesdsl.run.lowered.machine import Machine
from rulesdsl.run.lowered.position import LoweredPosition
from rulesdsl.run.lowered.shared import Lowered

GAMES = 8
"""How many games, by number of players, are kept ready at a time."""

Ready = tuple[Lowered, Machine]
"""A game that is lowered and compiled, and a machine on which nothing has happened: its copies
share the large tables that are no part of a position."""


class LoweredEngine:
    """A `run.engine.Engine`, made of what makes a checked game for a number of players ready."""

    def __init__(self, ready: Callable[[Checked, int], Ready]) -> None:
        @lru_cache(GAMES)
        def kept(game: _Same, players: int) -> Ready:
            return ready(game.checked, players)

        self._ready = kept

    def start(self, checked: Checked, players: int, seed: int | None) -> LoweredPosition:
        """A new game at its first decision. Chance is resolved from the seed, or without one asked
        for as decisions. Raises PlayError when the rules fail before the first decision."""
        lowered, blank = self._ready(_Same(checked), players)
        return position.start(lowered, blank.clone(), seed)

    def from_bytes(self, checked: Checked, data: bytes) -> LoweredPosition:
        """The position that `to_bytes` gave `data` for; raises `SavedError` for what is not one of
        this game."""
        # What reads bytes brings all of the readable engine, which is not needed to play.
        from rulesdsl.run.lowered.pack import players_in
        from rulesdsl.run.lowered.saved import from_bytes as read

        lowered, blank = self._ready(_Same(checked), players_in(checked, data))
        return read(lowered, blank.clone(), data)


@dataclass(frozen=True, eq=False)
class _Same:
    """A checked game that is equal to itself alone."""

    checked: Checked

    def __hash__(self) -> int:
        return id(self.checked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.checked is other.checked


def sources_of(checked: Checked) -> Mapping[str, Source]:
    """The files of rules by name."""
    rules = (ruleset.rules for ruleset in checked.game.rulesets)
    return {source.name: source for source in rules if source is not None}


def key_of(checked: Checked, players: int) -> str:
    """Tells lowered games apart: with the number of players, all settings, and the names of the
    files."""
    return "\0".join([digest(checked), str(players), *sources_of(checked)])
