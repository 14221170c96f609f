"""`rulesdsl fmt`: files that are rewritten, or only compared."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import unified_diff

from rulesdsl.cli.console import CLEAN, PROBLEMS, Console, bad_argument, exit_code, write_output
from rulesdsl.cli.loading import STDIN, read_source
from rulesdsl.language.diagnostics import RulesError
from rulesdsl.language.format import formatted
from rulesdsl.language.read.find import TextFile, texts_at

_LOOKS = {"---": "title", "+++": "title", "+": "gain", "-": "error", "@": "faint"}


class Rewriting:
    """Writes changed files, or shows the differences, and counts them.

    `code` is the exit code.
    """

    def __init__(self, console: Console, arguments: Namespace) -> None:
        self.code = CLEAN
        self._console = console
        self._checks: bool = arguments.check
        self._only_shows: bool = arguments.check or arguments.diff
        self._changed = self._same = self._failed = 0

    @contextmanager
    def keeping_on(self) -> Iterator[None]:
        """Continue after a file that cannot be read, and leave it alone."""
        try:
            yield
        except RulesError as error:
            self._console.show(error.diagnostics)
            self._failed += 1
            self.code = max(self.code, exit_code(error.diagnostics))

    def file(self, file: TextFile, old: str, data: bytes, new: str) -> None:
        """Replace the text of a file, which is `old` in the bytes `data`, by `new`."""
        if new.encode() == data:
            self._same += 1
        elif self._only_shows:
            self.show(file.shown, old, new)
        else:
            write_output(file.identity, new.encode())
            self._changed += 1
            self._console.say(("formatted", "gain"), f" {file.shown}")

    def show(self, name: str, old: str, new: str) -> None:
        self._changed += 1
        self.code = max(self.code, PROBLEMS if self._checks else CLEAN)
        named = f"{name}, formatted"
        lines = unified_diff(old.splitlines(), new.splitlines(), name, named, lineterm="")
        shown = [[(line, _LOOKS.get(line[:3]) or _LOOKS.get(line[:1], "text"))] for line in lines]
        nothing = [(f"{name}: only its line ends or its byte order mark", "faint")]
        self._console.write(shown or [nothing])

    def end(self) -> int:
        shows = self._only_shows
        parts = [f"{self._changed} {'to be ' if shows else ''}formatted"]
        parts += [f"{self._same} as {'it should be' if self._same == 1 else 'they should be'}"]
        parts += [f"{self._failed} not changed"] if self._failed else []
        self._console.say(", ".join(parts))
        return self.code


def format(arguments: Namespace, console: Console) -> int:
    """Format each file, or show the changes; return the worst exit code."""
    if STDIN in arguments.paths:
        if len(arguments.paths) > 1:
            raise bad_argument("`-` cannot be combined with other files")
        return _stream(arguments, console)
    if arguments.name is not None:
        raise bad_argument("`--name` is for standard input, which is written `-`")
    rewriting = Rewriting(console, arguments)
    for file in texts_at(arguments.paths):
        with rewriting.keeping_on():
            source, data = file.read()
            rewriting.file(file, source.text, data, formatted(source.text, source.name))
    return rewriting.end()


def _stream(arguments: Namespace, console: Console) -> int:
    """Format standard input, for editors; a text that cannot be parsed is written as it is."""
    source = read_source(STDIN, console.input)
    name = arguments.name or source.name
    writes = not (arguments.check or arguments.diff)
    try:
        found = formatted(source.text, name)
    except RulesError:
        if not writes:
            raise
        found = source.text
    if writes:
        console.document(found.encode())
        return CLEAN
    rewriting = Rewriting(console, arguments)
    if found != source.text:
        rewriting.show(name, source.text, found)
    return rewriting.code
