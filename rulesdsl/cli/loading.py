"""What several commands do before they begin."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Collection, Iterable

from rulesdsl.cli.board import Painter
from rulesdsl.cli.cells import PLAIN, SYMBOLS, Look
from rulesdsl.cli.console import Console
from rulesdsl.cli.jsonlines import JsonTeller
from rulesdsl.cli.problems import bad_argument
from rulesdsl.cli.recording import STDIN
from rulesdsl.cli.teller import Teller
from rulesdsl.cli.telling import TextTeller
from rulesdsl.cli.texts import TEXTS, known
from rulesdsl.cli.words import Words
from rulesdsl.play import Game, load
from rulesdsl.play.records import Record, check_origin


def parts(values: Iterable[str]) -> list[str]:
    """The words in values that may hold several, parted by commas."""
    return [part for value in values for part in value.split(",") if part]


def settings(values: Iterable[str]) -> dict[str, int | bool | str]:
    """The settings in values of form `name=value`; raises RulesError for another form."""
    found: dict[str, int | bool | str] = {}
    for value in parts(values):
        name, equals, chosen = value.partition("=")
        if not (name and equals and chosen):
            raise bad_argument(f"`--set {value}` is not of the form name=value")
        if found.get(name, chosen) != chosen:
            raise bad_argument(f"`{name}` is set twice, to {found[name]} and to {chosen}")
        found[name] = chosen
    return found


def folders_of(named: Iterable[str], paths: Iterable[str]) -> list[str]:
    """The folders in which rulesets are found that were named by paths, as a record holds ids only;
    those that are searched anyway come first."""
    found = [
        os.path.dirname(os.path.normpath(name)) or "." for name in named if os.path.exists(name)
    ]
    return list(dict.fromkeys([*paths, *found]))


def words(game: Game, language: str, console: Console) -> Words:
    """The words in a language; if nothing is written in it, a note says in which there is."""
    languages = game.labels.languages
    if not known(language, languages):
        there = ", ".join(sorted({*languages, *TEXTS}))
        console.tell(("note", "note"), f": no texts in `{language}`; there are {there}")
    return Words(game, language)


def painter(words: Words, console: Console) -> Painter:
    """What draws the boards of a game on a console."""
    kinds = words.game.checked.game.feature_kinds
    return Painter(Look.of(kinds, SYMBOLS if console.symbols else PLAIN), words, console.width)


def teller(
    arguments: Namespace, words: Words, console: Console, humans: Collection[str] = ()
) -> Teller:
    """Who tells the game, as the arguments say."""
    if arguments.json:
        return JsonTeller(console, arguments.quiet)
    return TextTeller(
        console,
        words,
        painter(words, console),
        shows_board(arguments, console),
        arguments.quiet,
        frozenset(humans),
    )


def shows_board(arguments: Namespace, console: Console) -> bool:
    """Whether boards are drawn: on a terminal, unless the arguments say otherwise."""
    return console.terminal if arguments.board is None else bool(arguments.board)


def game_of(record: Record, name: str, paths: list[str], engine: str) -> Game:
    """The game that the record in the file `name` was made with; rulesets are also sought beside
    it. Raises RulesError if one is missing or has changed."""
    header = record.header
    beside = [] if name == STDIN else [os.path.dirname(name) or os.curdir]
    folders = [*paths, *beside]
    game = load(header.root, header.expansions, header.settings, engine, paths=folders)
    check_origin(record, game)
    return game


def same_place(first: str, second: str) -> bool:
    """Whether two paths lead to the same file or folder."""
    try:
        return os.path.samefile(first, second)
    except (OSError, ValueError):
        return False
