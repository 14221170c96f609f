"""Moves, players and points in the words of the rulesets' labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import assert_never

from rulesdsl.play import CHANCE, Game, Move, Place, Plain, Spot
from rulesdsl.play.events import Event, sentence
from rulesdsl.play.names import SegmentName, form
from rulesdsl.play.segments import SegmentTexts
from rulesdsl.play.watch import START, Gain, describe
from rulesdsl.texts import FALLBACK, languages, section


class CommandTexts:
    """The texts of the command line in one language, in English if there are none.

    `commands` has the letter of each command by its word, and by itself.
    """

    def __init__(self, language: str) -> None:
        self._texts = section("terminal", language)
        spoken = {**section("commands", FALLBACK), **section("commands", language)}
        self.commands = {**spoken, **{letter: letter for letter in spoken.values()}}

    def __call__(
        self, key: str, *numbered: object, count: int | None = None, **values: object
    ) -> str:
        """Return the text `key` with its fields filled, those of numbers in order.

        It is singular or plural by `count`, if it has both.
        """
        text = self._texts[key] if count is None else form(self._texts[key], count)
        return text.format(*numbered, **values)


def known(language: str, others: Iterable[str]) -> bool:
    """Return whether a language has texts: here, or in `others`, the languages of labels."""
    return language in languages() or language in set(others)


class Words:
    """The words of a game in one language."""

    def __init__(self, game: Game, language: str) -> None:
        self.game = game
        self.language = language
        self.texts = CommandTexts(language)
        self.segments = SegmentTexts(game, language)
        absent = game.checked.game.absent
        grids = [grid for grid in game.checked.game.grids if grid.key not in absent]
        self.several_grids = len(grids) > 1
        dice = [kind for kind in game.checked.game.kinds if kind.faces]
        self._faces = {
            f"{die.text}:{face.name}": (die, face.name) for die in dice for face in die.faces
        }
        self._one_die = len(dice) == 1

    def label(self, name: str, count: int = 1) -> str:
        """Return the label of a name."""
        return self.game.labels(name, self.language, count=count)

    def player(self, name: str) -> str:
        """Return the name of a player, given by colour, or of chance."""
        return self.texts("chance") if name == CHANCE else self.label(name)

    def players(self, names: Sequence[str]) -> str:
        """Return the names of several players."""
        return ", ".join(map(self.player, names))

    def value(self, value: Plain) -> str:
        """Return the text of a plain value."""
        match value:
            case None:
                return self.texts("none")
            case bool():
                return self.texts("yes" if value else "no")
            case int():
                return str(value)
            case SegmentName():
                return self.segments.name(value)
            case str():
                return self._text(value)
            case Place(x, y, grid):
                return f"{self.value(grid)}({x},{y})" if self.several_grids else f"({x},{y})"
            case Spot(x, y, rotation, grid):
                place = self.value(Place(x, y, grid))
                return self.texts("turned", place=place, degrees=rotation) if rotation else place
            case tuple():
                return "{" + ", ".join(map(self.value, value)) + "}"
            case _:
                assert_never(value)

    def _text(self, value: str) -> str:
        """Return the text of a name; an instance of a player has the name of its owner."""
        name, bracket, owner = value.removesuffix("]").partition("[")
        if bracket and owner in self.game.colours:
            return self.texts("owned", player=self.player(owner), name=self.label(name))
        return self._face(value) or self.game.labels.plain(value, self.language)

    def _face(self, value: str) -> str | None:
        """Return the text of a die with the face that is up, None for other values.

        If there is only one kind of die, it is the face alone.
        """
        if value not in self._faces:
            return None
        die, name = self._faces[value]
        face = self.game.labels.find(f"{die.key}.{name}", self.language) or name
        return face if self._one_die else f"{self.label(die.key)}: {face}"

    def move(self, move: Move, hidden: bool = False) -> str:
        """Return the text of a move: its label and its arguments.

        With `hidden`, secret arguments are shown as `?`.
        """
        shown = [
            "?" if hidden and name in move.secret else self.value(value)
            for name, value in move.args
        ]
        return " ".join([self.label(move.name).replace("_", " "), ", ".join(shown)]).strip()

    def about(self, given: Sequence[Plain], mover: str) -> str:
        """Return the text of the arguments of a choice, without the player who decides."""
        return ", ".join(self.value(value) for value in given if value != mover)

    def gain(self, gain: Gain) -> str:
        """Return the reason for a player's points."""
        return describe(gain, self.game, self.language)

    def events(self, events: Iterable[Event]) -> list[str]:
        """Return the texts of events; those that read alike are one text with their number."""
        counts = Counter(map(self.event, events))
        return [
            text if count == 1 else self.texts("times", event=text, number=count)
            for text, count in counts.items()
        ]

    def event(self, event: Event) -> str:
        """Return the text of an event."""
        return sentence(event, self.value, self.language, self.game.checked.game.lines)

    def source(self, name: str) -> str:
        """Return the name of a source of points, as the head of a column."""
        return self.texts("start") if name == START else self.label(name, count=2)
