"""Parsers of commands that all look alike."""

from __future__ import annotations

import argparse
from typing import NoReturn, TypeAlias

from rulesdsl.diagnostics.visible import inert, visible

EXIT = """\
exit codes: 0 success, 1 problems found, 2 the command could not run
"""


class Parser(argparse.ArgumentParser):
    """Keeps the lines of descriptions, and takes options by their full names only."""

    def __init__(self, **options: object) -> None:
        kept = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
        super().__init__(**{**kept, **options})  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        """Complain, on one line, about arguments, which the message quotes."""
        super().error(inert(visible(message)))


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def added(commands: Commands, name: str, help: str, examples: str) -> Parser:
    """A new command, with what its help ends with."""
    command = commands.add_parser(
        name, help=help, description=f"{help[0].upper()}{help[1:]}.", epilog=examples + EXIT
    )
    command.add_argument(
        "--no-cache", action="store_true", help="neither read nor write the cache folder"
    )
    return command


def group(commands: Commands, name: str, help: str, description: str) -> Commands:
    """A new command that has commands of its own, one for each thing."""
    parser = commands.add_parser(name, help=help, description=description)
    return parser.add_subparsers(dest="thing", metavar="THING", required=True)
