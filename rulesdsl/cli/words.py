"""Moves, options, players and points in the words of the labels of rulesets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import assert_never

from rulesdsl.base.texts import FALLBACK, languages, section
from rulesdsl.engine.run.interface import ToldAnswer
from rulesdsl.language.model.names import ruleset_of
from rulesdsl.language.model.values import Cell, Face, Feature, Piece, Segment, Value
from rulesdsl.play import CHANCE, Game, Move, Place, Plain, Spot, State
from rulesdsl.play.events import START, Event, Gain, Say, describe, sentence
from rulesdsl.play.names import SegmentName, StateName, ToldText, UnknownPiece, form
from rulesdsl.play.table import SegmentTexts, at_cell


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


def written(value: object) -> str:
    """Return the value of a setting as `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


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
        named = zip(game.checked.game.kinds, game.checked.game.texts.kinds, strict=True)
        dice = [(die, text) for die, text in named if die.faces]
        self._faces = {
            f"{text}:{face.name}": (die, face.name) for die, text in dice for face in die.faces
        }
        self._one_die = len(dice) == 1
        box = game.checked.game
        self._owned = {
            name: zone.owned for zone, name in zip(box.zones, box.texts.zones, strict=True)
        }

    def label(self, name: str, count: int = 1) -> str:
        return self.game.labels(name, self.language, count=count)

    def title(self, key: str, name: str) -> str:
        """Return the label of a place by its key, with its ruleset if its `name` has that."""
        return self.game.labels.title(key, name, self.language)

    def option(self, name: str) -> str:
        """Return the text of the name of a move, with its ruleset if that belongs to the name."""
        ruleset = f" ({self.label(ruleset_of(name))})" if "/" in name else ""
        return (self.label(name) + ruleset).replace("_", " ")

    def player(self, name: str) -> str:
        """Return the name of a player, given by colour, or of chance."""
        return self.texts("chance") if name == CHANCE else self.label(name)

    def players(self, names: Sequence[str]) -> str:
        return ", ".join(map(self.player, names))

    def value(self, value: Plain) -> str:
        match value:
            case None:
                return self.texts("none")
            case bool():
                return self.texts("yes" if value else "no")
            case int():
                return str(value)
            case SegmentName():
                return self.segments.name(value)
            case StateName():
                return self.label(value)
            case UnknownPiece():
                return self.unknown(value)
            case ToldText():
                return self.told(value.told)
            case str():
                return self._text(value)
            case Place(x, y, grid):
                name = self.game.labels.find(f"{grid.partition('[')[0]}[{x},{y}]", self.language)
                place = f"({x},{y})" if name is None else f" {name} ({x},{y})"
                return (self.value(grid) * self.several_grids + place).strip()
            case Spot(x, y, rotation, grid):
                place = self.value(Place(x, y, grid))
                return self.texts("turned", place=place, degrees=rotation) if rotation else place
            case tuple():
                return "{" + ", ".join(map(self.value, value)) + "}"
            case _:
                assert_never(value)

    def unknown(self, name: UnknownPiece, reader: str | None = None) -> str:
        """Return the text of a piece by its place, for a reader who may be the owner of that."""
        cls = self.texts(f"a-{name.cls}")
        piece = self.texts("owned", player=self.player(name.owner), name=cls) if name.owner else cls
        zone, _, owner = str(name.place).removesuffix("]").partition("[")
        own = reader is not None and owner == reader
        place = self.texts("your", name=self.value(zone)) if own else self.value(name.place)
        if name.number:
            return self.texts("unknown", piece=piece, number=name.number, place=place)
        found = self.texts("unknown-any", piece=piece, place=place)
        return f"{found} ({self.told(name.told)})" if name.told else found

    def told(self, told: Iterable[ToldAnswer]) -> str:
        """Return what a player was told of a piece: `red, not number 3`."""
        found = []
        for attribute, value, so in told:
            name = self.game.labels(attribute, self.language)
            text = name if isinstance(value, bool) else self.value(value)
            text = f"{name} {text}" if value is None or type(value) is int else text
            found.append(text if so else self.texts("told-not", what=text))
        return ", ".join(found)

    def _text(self, value: str) -> str:
        """Return the text of a name; an instance has those of its owner and of its members."""
        name, *index = re.split(r"\]?\[", value.removesuffix("]"))
        owned = self._owned.get(name, len(index) == 1 and index[0] in self.game.colours)
        if index and (owned or name in self._owned):
            owner = self.player(index.pop(0)) if owned else ""
            text = ": ".join([self.value(name), *filter(None, [", ".join(map(self.value, index))])])
            return self.texts("owned", player=owner, name=text) if owned else text
        return self._face(value) or self.game.labels.plain(value, self.language)

    def _face(self, value: str) -> str | None:
        """Return the text of a die with the face that is up, None for other values.

        If there is only one kind of die, it is the face alone.
        """
        if value not in self._faces:
            return None
        die, name = self._faces[value]
        face = self.game.labels.find(f"{die.key}.{name}", self.language) or name
        kind = self.title(die.key, value.rpartition(":")[0])
        return face if self._one_die else f"{kind}: {face}"

    def move(self, move: Move, hidden: bool = False) -> str:
        """Return the text of a move: its label and its arguments.

        With `hidden`, secret arguments are shown as `?`.
        """
        shown = [
            "?" if hidden and name in move.secret else self.value(value)
            for name, value in move.args.items()
        ]
        return " ".join([self.option(move.name), ", ".join(shown)]).strip()

    def about(self, given: Sequence[Plain], mover: str) -> str:
        """Return the text of the arguments of a choice, without the player who decides."""
        return ", ".join(self.value(value) for value in given if value != mover)

    def gain(self, gain: Gain) -> str:
        """Return the reason for a player's points."""
        return describe(gain, self.game, self.language)

    def events(self, events: Iterable[Event]) -> list[str]:
        """Return the texts of events; neighbours that read alike are one text with their number."""
        runs = ((text, len(list(run))) for text, run in groupby(map(self.event, events)))
        return [
            text if count == 1 else self.texts("times", event=text, number=count)
            for text, count in runs
        ]

    def event(self, event: Event) -> str:
        return sentence(event, self.value, self.language, self.game.checked.game.lines)

    def source(self, name: str) -> str:
        """Return the name of a source of points, as the head of a column.

        All actions and choices without a label have the same, which names none of them.
        """
        if name == START:
            return self.texts("start")
        checked = self.game.checked
        own = name not in {*checked.actions, *checked.choices, checked.score}
        found = self.game.labels.find(name, self.language, count=2)
        return found or (self.label(name, count=2) if own else self.texts("points"))


def saying(words: Words) -> Say:
    """Return a function that says moves as options in words."""
    return lambda state, move: OptionTexts(state, words, None).text(state.moves().index(move))


class OptionTexts:
    """The legal moves of a state in words, for a reader (by colour) or for everybody."""

    def __init__(self, state: State, words: Words, reader: str | None) -> None:
        decision = state.position.decision
        assert decision is not None, "someone is asked"
        self._state, self._words, self._reader = state, words, reader
        self._names = state.mover_names
        self._candidates = decision.candidates
        self._seat = decision.seat
        self._about = {value for _, value in decision.arguments if isinstance(value, Piece)}

    def text(self, index: int) -> str:
        """Return the text of the legal move of this index."""
        candidate = self._candidates[index]
        label = self._words.option(candidate.name)
        said = ""
        for name, value in candidate.arguments:
            text = self.value(value)
            if isinstance(value, Face):  # A move names its die if another one has such a face.
                text = self._words.value(self._state.moves()[index].args[name])
            if said and isinstance(value, Segment | Feature):
                said = self._words.texts("on", piece=said, place=text)
            else:
                said = f"{said}, {text}" if said else text
        return f"{label} {said}".strip()

    def value(self, value: Value) -> str:
        names = self._names
        unknown = names.unknown(value)
        if unknown is not None:
            return self._words.unknown(unknown, self._reader)
        match value:
            case Segment():
                return self._segment(value)
            case Feature(segment):
                return self._placed(self._segment_on_piece(segment), segment)
            case Piece():
                return self._piece(value)
            case tuple():
                return ", ".join(map(self.value, value)) or self._words.texts("none")
            case _:
                return self._words.value(names.short(value))

    def _piece(self, piece: Piece) -> str:
        """Return the name of a piece, with its owner if that is another player, and its place."""
        names, place = self._names, self._state.position.place_of(piece)
        own = self._state.game.checked.game.pieces[piece.index].seat == self._seat
        own = own and not names.kind(piece).faces
        name = self._words.value(names.kind_text(piece) if own else names.short(piece))
        if isinstance(place, Segment):
            return self._words.texts("on", piece=name, place=self._segment(place))
        if isinstance(place, Cell):
            return f"{name} {self.value(place)}"
        return name

    def _segment(self, segment: Segment) -> str:
        """Return the words of a segment, with the cell of a piece that the choice is not about."""
        text = self._segment_on_piece(segment)
        return text if Piece(segment.piece) in self._about else self._placed(text, segment)

    def _placed(self, text: str, segment: Segment) -> str:
        laid = self._state.position.placement_of(Piece(segment.piece))
        return at_cell(text, (laid.cell.x, laid.cell.y) if laid else None)

    def _segment_on_piece(self, segment: Segment) -> str:
        """Return words that tell a segment from the others of its kind on the same piece."""
        piece, names = Piece(segment.piece), self._state.names
        laid = self._state.position.placement_of(piece)
        kind = self._state.game.checked.game.pieces[segment.piece].kind
        rotation = laid.rotation if laid else 0
        return self._words.segments.text(kind, names.face(piece), segment.index, rotation)
