"""Moves, players and points in the words of the rulesets' labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import assert_never

from rulesdsl.play import CHANCE, Game, Move, Place, Plain, Spot
from rulesdsl.play.events import Event, sentence
from rulesdsl.play.names import FALLBACK, SegmentName, form
from rulesdsl.play.segments import SegmentTexts
from rulesdsl.play.watch import START, Gain, describe

TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "players": "players: {players}; seed {seed}",
        "chance-asked": "as recorded",
        "seat": "{player} ({who})",
        "human": "human",
        "bot": "{bot} bot",
        "recorded": "recorded",
        "rulesets": "rulesets: {names}",
        "interactions": "interactions: {names}",
        "house": "house rules: {names}",
        "settings": "settings: {settings}",
        "none": "none",
        "yes": "yes",
        "no": "no",
        "turn": "turn {turn}",
        "turned": "{place} turned {degrees}",
        "owned": "{player}'s {name}",
        "times": "{event} ({number} times)",
        "face-down": "{piece} (face down)",
        "chance": "chance",
        "points": "points",
        "total": "total",
        "start": "at the start",
        "wins": "{players} wins with {points} point | {players} wins with {points} points",
        "tie": "{players} win with {points} point each | {players} win with {points} points each",
        "winners": "won: {players}",
        "nobody": "nobody wins",
        "cut-short": "the game ended at its limit of {limit} decisions",
        "range": "{low} to {high}",
        "or": "{first} or {last}",
        "true": "true",
        "false": "false",
        "with-parties": "always on with its parties",
        "play-one": "to play one: rulesdsl run GAME --with EXPANSION,... --human red",
        "choose-setting": "to choose a setting: --set NAME=VALUE",
        "cropped": "only {shown} of {all} columns fit, around {place}; all are {needed} wide",
        "pick": "{player}: {low}-{high}, h hints, u undo, q quit, ? help > ",
        "help": "type a number and Enter, a cell such as 0,1, or a move such as `{move}`; h shows "
        "what each move leads to, u undoes your last move, b asks again, v shows all you may know, "
        "n shows moves as records write them, q saves and ends; the words hint, undo, back, view, "
        "names, quit and help do the same",
        "not-a-number": "type a number from {low} to {high}, a cell, a move, h, u, b, v, n, q or ?",
        "no-cell": "nothing can be played at {cell}",
        "hint": "→ {points}",
        "hints-mean": "→ your points if the game ended after the move, and what it completes",
        "thinking": "{player} is thinking…",
        "pass-on": "it is {player}'s turn: press Enter when nobody else looks > ",
        "on": "{piece} on the {place}",
        "nothing-to-undo": "nothing to undo",
        "undone": "taken back",
        "saved": "saved in {file}; go on with: {command}",
        "kept": "the game is saved in {file}; see it again with: {command}",
        "replayed": "{moves} moves played back",
    },
    "es": {
        "players": "jugadores: {players}; semilla {seed}",
        "chance-asked": "como en el registro",
        "seat": "{player} ({who})",
        "human": "persona",
        "bot": "bot {bot}",
        "recorded": "registrado",
        "rulesets": "reglamentos: {names}",
        "interactions": "interacciones: {names}",
        "house": "reglas de la casa: {names}",
        "settings": "ajustes: {settings}",
        "none": "ninguno",
        "yes": "sí",
        "no": "no",
        "turn": "turno {turn}",
        "turned": "{place} girada {degrees}",
        "owned": "{name} de {player}",
        "times": "{event} ({number} veces)",
        "face-down": "{piece} (boca abajo)",
        "chance": "azar",
        "points": "puntos",
        "total": "total",
        "start": "al empezar",
        "wins": "{players} gana con {points} punto | {players} gana con {points} puntos",
        "tie": "{players} ganan con {points} punto cada uno | "
        "{players} ganan con {points} puntos cada uno",
        "winners": "ganan: {players}",
        "nobody": "no gana nadie",
        "cut-short": "la partida terminó en su límite de {limit} decisiones",
        "range": "de {low} a {high}",
        "or": "{first} o {last}",
        "true": "true (sí)",
        "false": "false (no)",
        "with-parties": "se activa con las partes que nombra",
        "play-one": "para jugar una: rulesdsl run JUEGO --with EXPANSIÓN,... --human red",
        "choose-setting": "para elegir un ajuste: --set NOMBRE=VALOR",
        "cropped": "solo caben {shown} de {all} columnas, junto a {place}; ancho total: {needed}",
        "pick": "{player}: {low}-{high}, h pistas, u deshacer, q salir, ? ayuda > ",
        "help": "escribe un número e Intro, una casilla como 0,1, o una jugada como `{move}`; h "
        "muestra a qué lleva cada jugada, u deshace tu última jugada, b vuelve a preguntar, v "
        "muestra todo lo que puedes saber, n muestra las jugadas como en los registros, q guarda y "
        "termina; las palabras pistas, deshacer, volver, ver, nombres, salir y ayuda hacen lo "
        "mismo",
        "not-a-number": "escribe un número de {low} a {high}, una casilla, una jugada, h, u, b, v, "
        "n, q o ?",
        "no-cell": "no se puede jugar nada en {cell}",
        "hint": "→ {points}",
        "hints-mean": "→ tus puntos si la partida acabara tras la jugada, y lo que completa",
        "thinking": "{player} está pensando…",
        "pass-on": "le toca a {player}: pulsa Intro cuando nadie más mire > ",
        "on": "{piece} en {place}",
        "nothing-to-undo": "no hay ninguna jugada tuya que deshacer",
        "undone": "deshecha",
        "saved": "guardado en {file}; sigue con: {command}",
        "kept": "la partida está guardada en {file}; vuelve a verla con: {command}",
        "replayed": "{moves} jugadas reproducidas",
    },
}


COMMANDS: dict[str, dict[str, str]] = {
    "en": {
        "undo": "u",
        "quit": "q",
        "back": "b",
        "view": "v",
        "help": "?",
        "hint": "h",
        "hints": "h",
        "names": "n",
    },
    "es": {
        "deshacer": "u",
        "salir": "q",
        "volver": "b",
        "ver": "v",
        "ayuda": "?",
        "pista": "h",
        "pistas": "h",
        "nombres": "n",
    },
}
"""The letters of the commands at a prompt by their words."""


class CommandTexts:
    """The texts of the command line in one language, in English if there are none.

    `commands` has the letter of each command by its word, and by itself.
    """

    def __init__(self, language: str) -> None:
        self._texts = TEXTS.get(language, TEXTS[FALLBACK])
        spoken = {**COMMANDS[FALLBACK], **COMMANDS.get(language, {})}
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
    return language in TEXTS or language in set(others)


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
