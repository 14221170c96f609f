"""The command line's own words for people, by language. All other words are labels of rulesets.

Findings, help pages and notes on standard error are in English.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulesdsl.play.labels import FALLBACK, form

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
        "turned-up": "turned up: {pieces}",
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
        "cropped": "only {shown} of {all} columns fit, around {place}; all are {needed} wide",
        "pick": "{player}: {low}-{high}, u undo, v view, q quit, ? help > ",
        "help": "type a number and Enter, or a move such as `{move}`; u takes your last move back, "
        "b asks again, v shows all you may know, q saves and ends",
        "not-a-number": "type a number from {low} to {high}, a move, u, b, v, q or ?",
        "nothing-to-undo": "there is no move of yours to take back",
        "undone": "taken back",
        "saved": "saved in {file}; go on with: {command}",
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
        "turned-up": "boca arriba: {pieces}",
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
        "cropped": "solo caben {shown} de {all} columnas, junto a {place}; ancho total: {needed}",
        "pick": "{player}: {low}-{high}, u deshacer, v ver, q salir, ? ayuda > ",
        "help": "escribe un número e Intro, o una jugada como `{move}`; u deshace tu última "
        "jugada, b vuelve a preguntar, v muestra todo lo que puedes saber, q guarda y termina",
        "not-a-number": "escribe un número de {low} a {high}, una jugada, u, b, v, q o ?",
        "nothing-to-undo": "no hay ninguna jugada tuya que deshacer",
        "undone": "deshecha",
        "saved": "guardado en {file}; sigue con: {command}",
        "replayed": "{moves} jugadas reproducidas",
    },
}


class Texts:
    """The words in one language; those of a language that is not in the table are English."""

    def __init__(self, language: str) -> None:
        self._texts = TEXTS.get(language, TEXTS[FALLBACK])

    def __call__(self, key: str, *, count: int | None = None, **values: object) -> str:
        """The text `key` with its holes filled; singular or plural by `count`, if it has both."""
        text = self._texts[key] if count is None else form(self._texts[key], count)
        return text.format(**values)


def known(language: str, others: Iterable[str]) -> bool:
    """Whether anything is written in a language: here, or in `others`, those of labels."""
    return language in TEXTS or language in set(others)
