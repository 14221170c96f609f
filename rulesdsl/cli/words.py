"""Moves, players and points in the words of the rulesets' labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from rulesdsl.cli.texts import Texts
from rulesdsl.play import CHANCE, Game, Move, Place, Plain, Spot
from rulesdsl.play.gains import Gain, describe


class Words:
    """The words of a game in one language."""

    def __init__(self, game: Game, language: str) -> None:
        self.game = game
        self.language = language
        self.texts = Texts(language)
        self._one_grid = len(game.checked.game.grids) == 1

    def label(self, name: str, count: int = 1) -> str:
        """The label of a name."""
        return self.game.labels(name, self.language, count=count)

    def player(self, name: str) -> str:
        """A player by colour, or chance."""
        return self.texts("chance") if name == CHANCE else self.label(name)

    def players(self, names: Sequence[str]) -> str:
        """Several players."""
        return ", ".join(map(self.player, names))

    def value(self, value: Plain) -> str:
        """A plain value."""
        match value:
            case None:
                return self.texts("none")
            case bool():
                return self.texts("yes" if value else "no")
            case int():
                return str(value)
            case str():
                return self.game.labels.plain(value, self.language)
            case Place(x, y, grid):
                return f"({x},{y})" if self._one_grid else f"{self.value(grid)}({x},{y})"
            case Spot(x, y, rotation, grid):
                place = self.value(Place(x, y, grid))
                return self.texts("turned", place=place, degrees=rotation) if rotation else place
            case tuple():
                return "{" + ", ".join(map(self.value, value)) + "}"
            case _:
                assert_never(value)

    def move(self, move: Move, hidden: bool = False) -> str:
        """A move: its label and its arguments; with `hidden` without those that are secret."""
        shown = [
            "?" if hidden and name in move.secret else self.value(value)
            for name, value in move.args
        ]
        return " ".join([self.label(move.name).replace("_", " "), ", ".join(shown)]).strip()

    def gain(self, gain: Gain) -> str:
        """Why a player got points."""
        return describe(gain, self.game.labels, self.language)

    def source(self, name: str) -> str:
        """What points were given for, as the head of a column."""
        return self.texts("start") if name == START else self.label(name, count=2)


START = "start"
"""The source of the points that players have before the first move."""
