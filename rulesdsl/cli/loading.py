"""Loading of rulesets, records and output options, shared by several commands."""

from __future__ import annotations

import os
import shlex
from argparse import Namespace
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from rulesdsl.base.texts import languages
from rulesdsl.base.writing import GrowingFile, create
from rulesdsl.cli.board import PLAIN, SYMBOLS, Painter, TerminalStyle
from rulesdsl.cli.console import Console, bad_argument
from rulesdsl.cli.narration import JsonNarrator, Narrator, TextNarrator
from rulesdsl.cli.words import Words, known
from rulesdsl.engine.run import READY_ENGINE
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Source, Span
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.language.read.files import MAX_TEXT, SUFFIX, FileProblem, decode, read_text
from rulesdsl.language.read.find import SCENARIO_SUFFIXES, YAML, with_suffix
from rulesdsl.play import Game, load, records
from rulesdsl.play.bots import BOTS
from rulesdsl.play.records import Record, check_origin, read_record, with_versions

STDIN = "-"


class RecordFile:
    """A record that is being written: every line is written completely or not at all.

    `name` is None for a record that is only in memory.
    """

    def __init__(self, name: str | None = None, file: GrowingFile | None = None) -> None:
        """Start a record in the file `name`, or continue an open `file`; raises OSError.

        An older file of that name is kept until the first line is written.
        """
        self.name = name
        self._text = ""
        self._first = 0  # the bytes before the text of a record that goes on
        self._file = GrowingFile(name) if name is not None and file is None else file

    @classmethod
    def resume(cls, name: str, record: Record) -> RecordFile:
        """Continue a record that was read from `name`, after its last complete line.

        Raises OSError.
        """
        text = record.span.source.text
        whole = text if record.cut is None else text[: record.cut.start]
        with open(name, "rb") as there:
            first = len(BOM_UTF8) * (there.read(len(BOM_UTF8)) == BOM_UTF8)
        file = cls(name, GrowingFile.resume(name, first + len(whole.encode())))
        file._first = first
        try:
            if not whole.endswith("\n"):
                file.write("\n")
        except OSError:
            file.abandon()
            raise
        return file

    def write(self, text: str) -> None:
        """Add text completely or not at all; raises OSError."""
        if self._file is None:
            self._text += text
        else:
            self._file.write(text.encode())

    def flush(self) -> None:
        """Return at once, since nothing is buffered."""

    def start_of(self, line: Span) -> int:
        """Return the beginning of a line of the record that goes on, for `cut`."""
        return self._first + len(line.source.text[: line.start].encode())

    def mark(self) -> int:
        """Return the end of the record, for `cut`."""
        return len(self._text) if self._file is None else self._file.end

    def cut(self, mark: int) -> str:
        """Remove and return the text since the mark.

        Raises OSError where files cannot be truncated.
        """
        if self._file is None or self.name is None:
            gone, self._text = self._text[mark:], self._text[:mark]
            return gone
        with open(self.name, "rb") as there:
            there.seek(mark)
            gone = there.read().decode()
        self._file.cut(mark)
        return gone

    def save(self, folder: Path) -> str:
        """Copy a record in memory to a new file and return its name; raises OSError."""
        assert self._file is None, "only what is in memory needs to be saved"
        number = 1
        while True:
            name = "game.jsonl" if number == 1 else f"game-{number}.jsonl"
            try:
                create(os.path.join(folder, name), self._text.encode())
            except FileExistsError:
                number += 1
            else:
                return name

    def close(self) -> None:
        """Close the file; raises OSError if some of it may not be on the disk."""
        if self._file is not None:
            self._file.close()

    def abandon(self) -> None:
        """Close the file after a failure, and ignore further errors."""
        with suppress(OSError):
            self.close()


def read_source(name: str, input: TextIO) -> Source:
    """Return the text of a file, or of `input` for `-`; raises RulesError."""
    if name == STDIN:
        try:
            data = input.buffer.read(MAX_TEXT + 1)
            if len(data) > MAX_TEXT:
                what = f"standard input is larger than {MAX_TEXT} bytes"
                raise FileProblem("file-too-large", what)
            return decode(data, "standard input")
        except FileProblem as problem:
            found = Diagnostic(problem.slug, problem.message, problem.span, help=problem.help)
            raise RulesError([found]) from None
    report = Report()
    source = read_text(name, report)
    report.check()
    assert source is not None, "a text that cannot be read is reported"
    return source


def record_path(name: str) -> str:
    """Return the path of a record: a file, the name of a saved game, or `last`.

    Raises RulesError if there is no last game.
    """
    try:
        return name if name == STDIN else records.path_of(name)
    except LookupError as error:
        raise bad_argument(str(error), "to play one: rulesdsl run base") from None


def read_only_record(name: str) -> str:
    """Return `record_path` of a command that takes nothing but records.

    Raises RulesError for a ruleset.
    """
    if is_ruleset(name):
        what = "a folder" if os.path.isdir(name) else "a manifest"
        made = f"rulesdsl run {shlex.quote(name)} --record game.jsonl"
        raise bad_argument(f"`{name}` is {what}, not a record", f"to record a game: {made}")
    return record_path(name)


def is_ruleset(name: str) -> bool:
    """Return whether a path is that of a ruleset: a folder, an archive, or a manifest.

    A manifest may be named without its suffix.
    """
    path = with_suffix(name)
    ending = path.endswith((*YAML, SUFFIX)) and not path.endswith(SCENARIO_SUFFIXES)
    return os.path.isdir(path) or (ending and os.path.exists(path))


def parts(values: Iterable[str]) -> list[str]:
    """Return the words in values that may hold several, separated by commas."""
    return [part for value in values for part in value.split(",") if part]


def settings(values: Iterable[str]) -> dict[str, int | bool | str]:
    """Return the settings in values of form `name=value`; raises RulesError for another form."""
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
    """Return `paths` and the folders of the rulesets that were named by paths.

    A record has only ids, so these folders are needed to find its rulesets again.
    """
    found = [
        os.path.dirname(os.path.normpath(name)) or "." for name in named if os.path.exists(name)
    ]
    return list(dict.fromkeys([*paths, *found]))


def game_folders(arguments: Namespace) -> list[str]:
    """Return the folders in which the rulesets that the arguments name are found again."""
    return folders_of([arguments.ruleset or "", *parts(arguments.expansions)], arguments.path)


def game_command(command: str, arguments: Namespace) -> str:
    """Return the command line of another command with the game of the arguments."""
    options = [("--with", arguments.expansions), ("--set", arguments.set)]
    options.append(("--path", arguments.path))
    words = [word for name, values in options for value in values for word in (name, value)]
    return shlex.join(["rulesdsl", command, arguments.ruleset, *words])


def saved_folders(arguments: Namespace) -> tuple[str, ...]:
    """Return these folders as a saved game has them: from wherever it is read."""
    return tuple(map(os.path.abspath, game_folders(arguments)))


def words(game: Game, language: str, console: Console) -> Words:
    """Return the words in a language, with a note if there are no texts in it."""
    labelled = game.labels.languages
    if not known(language, labelled):
        there = ", ".join(sorted({*labelled, *languages()}))
        console.note(f"no texts in `{language}`; there are {there}")
    return Words(game, language)


def painter(words: Words, console: Console) -> Painter:
    """Return the painter for the boards of a game on a console."""
    kinds = words.game.checked.game.feature_kinds
    return Painter(
        TerminalStyle.of(kinds, SYMBOLS if console.symbols else PLAIN), words, console.width
    )


def teller(
    arguments: Namespace, words: Words, console: Console, humans: Collection[str] = ()
) -> Narrator:
    """Return the teller that the arguments ask for."""
    if arguments.json:
        return JsonNarrator(console, arguments.quiet)
    return TextNarrator(
        console,
        words,
        painter(words, console),
        shows_board(arguments, console),
        arguments.quiet or not (humans or arguments.watched),
        frozenset(humans),
    )


def shows_board(arguments: Namespace, console: Console) -> bool:
    """Return whether boards are drawn: on a terminal, unless the arguments say otherwise."""
    return console.terminal if arguments.board is None else bool(arguments.board)


def check_bots(names: Iterable[str], make: Callable[[str], object]) -> None:
    """Raise RulesError for a name of which `make` makes no bot."""
    for name in names:
        try:
            make(name)
        except ValueError as error:
            kind = name.partition(":")[0]
            near = () if kind in BOTS or name.endswith(".py") else did_you_mean(kind, BOTS)
            raise bad_argument(str(error), *near) from None


def load_game(arguments: Namespace, console: Console, engine: str = READY_ENGINE) -> Game:
    """Return the game that the arguments name, and show its warnings; raises RulesError."""
    named = arguments.ruleset
    if named == STDIN:
        raise bad_argument("a ruleset cannot come from standard input")
    if "," in named and not os.path.exists(named):
        first, _, others = named.partition(",")
        with_others = f"to add expansions: {first} --with {others}"
        raise bad_argument(f"`{named}` is not the name of one ruleset", with_others)
    chosen, expansions = settings(arguments.set), parts(arguments.expansions)
    game = load(named, expansions, chosen, engine, paths=arguments.path)
    console.show(game.warnings)
    return game


def recorded(
    name: str, arguments: Namespace, console: Console, engine: str | None = None
) -> tuple[Record, Game]:
    """Return the record in a file, and its game as `game_of` does."""
    record = read_record(read_source(name, console.input))
    return record, game_of(record, name, arguments.path, engine or arguments.engine)


def game_of(record: Record, name: str, paths: list[str], engine: str) -> Game:
    """Return the game that the record in the file `name` was made with.

    Rulesets are also looked up beside it, those of a saved game where they were when it began.
    Raises RulesError if one is missing or has changed.
    """
    header = record.header
    beside = [] if name == STDIN else [os.path.dirname(name) or os.curdir]
    if name != STDIN and records.is_saved(name):
        beside = list(header.paths)
    folders = [*paths, *beside]
    try:
        game = load(header.root, header.expansions, header.settings, engine, paths=folders)
    except RulesError as error:
        raise with_versions(error, record) from None
    check_origin(record, game)
    return game


def same_place(first: str, second: str) -> bool:
    """Return whether two paths lead to the same file or folder."""
    try:
        return os.path.samefile(first, second)
    except (OSError, ValueError):
        return False
