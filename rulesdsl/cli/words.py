"""Moves, players and points in the words of the rulesets' labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from rulesdsl.cli.texts import Texts
from rulesdsl.play import CHANCE, Game, Move, Place, Plain, Spot
from rulesdsl.play.gains import Gain, describe
from rulesdsl.play.watch import START


class Words:
    """The words of a game in one language."""

    def __init__(self, game: Game, language: str) -> None:
        self.game = game
        self.language = language
        self.texts = Texts(language)
        absent = game.checked.game.absent
        grids = [grid for grid in game.checked.game.grids if grid.key not in absent]
        self.several_grids = len(grids) > 1
        dice = [kind for kind in game.checked.game.kinds if kind.faces]
        self._faces = {
            f"{die.text}:{face.name}": (die, face.name) for die in dice for face in die.faces
        }
        self._one_die = len(dice) == 1

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
                return self._face(value) or self.game.labels.plain(value, self.language)
            case Place(x, y, grid):
                return f"{self.value(grid)}({x},{y})" if self.several_grids else f"({x},{y})"
            case Spot(x, y, rotation, grid):
                place = self.value(Place(x, y, grid))
                return self.texts("turned", place=place, degrees=rotation) if rotation else place
            case tuple():
                return "{" + ", ".join(map(self.value, value)) + "}"
            case _:
                assert_never(value)

    def _face(self, value: str) -> str | None:
        """A die with the face that lies up, or the face alone where all dice are alike."""
        if value not in self._faces:
            return None
        die, name = self._faces[value]
        face = self.game.labels.find(f"{die.key}.{name}", self.language) or name
        return face if self._one_die else f"{self.label(die.key)}: {face}"

    def move(self, move: Move, hidden: bool = False) -> str:
        """A move: its label and its arguments; with `hidden` without those that are secret."""
        shown = [
            "?" if hidden and name in move.secret else self.value(value)
            for name, value in move.args
        ]
        return " ".join([self.label(move.name).replace("_", " "), ", ".join(shown)]).strip()

    def about(self, given: Sequence[Plain], mover: str) -> str:
        """What a choice is about, besides the player who decides."""
        return ", ".join(self.value(value) for value in given if value != mover)

    def gain(self, gain: Gain) -> str:
        """Why a player got points."""
        return describe(gain, self.game.labels, self.language)

    def source(self, name: str) -> str:
        """What points were given for, as the head of a column."""
        return self.texts("start") if name == START else self.label(name, count=2)
