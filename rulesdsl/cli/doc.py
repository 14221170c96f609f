"""`rulesdsl doc`: write a rule book."""

from __future__ import annotations

from argparse import Namespace

from rulesdsl.cli.console import CLEAN, Console, bad_argument, package_missing, write_output
from rulesdsl.cli.loading import STDIN, parts, settings, words
from rulesdsl.engines.engines import READY_ENGINE
from rulesdsl.play import load


def command(arguments: Namespace, console: Console) -> int:
    """Write the book to standard output, or to a file, which is replaced as a whole."""
    try:
        from rulesdsl.doc import page
    except ImportError:
        raise package_missing("`rulesdsl doc`", "jinja2", "book") from None
    if arguments.ruleset == STDIN:
        raise bad_argument("a ruleset cannot come from standard input")
    chosen, paths = settings(arguments.set), arguments.path
    game = load(arguments.ruleset, parts(arguments.expansions), chosen, READY_ENGINE, paths=paths)
    console.show(game.report)
    text = words(game, arguments.lang, console)
    book = page(game, text.language, paths)
    if arguments.to is None:
        console.document(book)
    else:
        write_output(arguments.to, book.encode())
        console.tell(f"written to {arguments.to}")
    return CLEAN
