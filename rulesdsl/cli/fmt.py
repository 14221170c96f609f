"""`rulesdsl fmt`: give rules, manifests and scenarios the usual look."""

from __future__ import annotations

from argparse import Namespace

from rulesdsl.cli.console import Console
from rulesdsl.cli.problems import CLEAN, bad_argument
from rulesdsl.cli.recording import STDIN, read_source
from rulesdsl.cli.rewriting import Rewriting
from rulesdsl.format import formatted
from rulesdsl.read.texts import texts_at


def command(arguments: Namespace, console: Console) -> int:
    """Format each file, or say what would change; the exit code is the worst of all."""
    if STDIN in arguments.paths:
        if len(arguments.paths) > 1:
            raise bad_argument("standard input is formatted alone, without files")
        return _stream(arguments, console)
    if arguments.name is not None:
        raise bad_argument("`--name` is for standard input, which is written `-`")
    rewriting = Rewriting(console, "formatted", arguments)
    for file in texts_at(arguments.paths):
        with rewriting.keeping_on():
            source, data = file.read()
            rewriting.file(file, source.text, data, formatted(source.text, source.name))
    return rewriting.end()


def _stream(arguments: Namespace, console: Console) -> int:
    """Format standard input; what cannot be parsed is written nowhere."""
    source = read_source(STDIN, console.input)
    name = arguments.name or source.name
    found = formatted(source.text, name)
    if not (arguments.check or arguments.diff):
        console.document(found.encode())
        return CLEAN
    rewriting = Rewriting(console, "formatted", arguments)
    rewriting.text(name, source.text, found)
    return rewriting.code
