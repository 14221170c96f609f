"""From the arguments of the command line to a command, and the report of its errors."""

from __future__ import annotations

import argparse
import os
import re
import sys
from argparse import Action, Namespace
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, NoReturn

from rulesdsl import __version__
from rulesdsl.base.deadline import Deadline, OutOfTime, under
from rulesdsl.cli.catalogue import COMMANDS, EXAMPLES, FIRST, NO_CACHE
from rulesdsl.cli.console import CLEAN, FAILED, PROBLEMS, Console, exit_code, out_of_time
from rulesdsl.cli.options import CommandRow
from rulesdsl.engine.run import playable
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.diagnostics import Diagnostic, RulesError
from rulesdsl.language.diagnostics.report import did_you_mean, listed

EXIT = """\
exit codes: 0 success, 1 problems found, 2 the command could not run
"""


GONE = {
    "dev": "`dev` is gone: use `studio`, or `check --watch` and `test --watch` beside an editor",
    "games": "`games` is gone: `rulesdsl replay` lists your saved games",
    "play": "`play` is gone: `rulesdsl page` opens a game in the browser",
    "tile": "`show tile` is gone: write `rulesdsl show piece`, which draws all components",
    "undo": "`undo` is typed in a game, where `u` is short for it",
    "--plain": "--plain is gone: games are always played line by line, so leave it out",
}
"""What to type instead of commands and options that there are not, or not any more."""


SHELLS = ("bash", "fish", "zsh")
"""The shells that have completions."""

_MEANT = dict.fromkeys(["-v", "-V", "version"], "--version") | {"help": "--help", "-?": "--help"}
"""Options of this program by their names in other programs."""

_FEW = 6
"""The number of choices from which only the nearest one is suggested."""


class Parser(argparse.ArgumentParser):
    """A parser that keeps the lines of descriptions, and takes options by their full names only."""

    def __init__(self, **options: object) -> None:
        kept = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
        super().__init__(**{**kept, **options})  # type: ignore[arg-type]
        # In `at -1,0,90` the last word is a place, not an option.
        self._negative_number_matcher = re.compile(r"-\d")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; raises RulesError for the first one that is not understood."""
        known, rest = super().parse_known_args(args, namespace)
        if rest:
            self._superfluous(rest[0].partition("=")[0], known)
        return known, rest

    def _superfluous(self, word: str, known: Namespace) -> NoReturn:
        if word in GONE:
            self._refuse(GONE[word])
        if word.startswith("-"):
            near = self._meant(word) or did_you_mean(word, self._option_string_actions)
            self._refuse(f"`{self.prog}` has no option `{word}`", *near)
        before = getattr(known, "expansions", None)
        joined = None
        if before is not None:
            those = ",".join([*(each.rstrip(",") for each in before[-1:]), word])
            joined = f"rulesets to add are joined by commas: `--with {those}`"
        self._refuse(f"`{word}` is one argument more than `{self.prog}` takes", joined)

    def _check_value(self, action: Action, value: object) -> None:
        """Refuse a value that is no choice, and name the one that was probably meant."""
        if action.choices is None or value in action.choices:
            return
        if value in GONE:
            self._refuse(GONE[value])
        known = [str(each) for each in action.choices]
        what = f"`{self.prog}` has no command" if action.dest in ("command", "thing") else ""
        what = what or f"`{'/'.join(action.option_strings) or action.metavar}` cannot be"
        if help := self._meant(str(value)):
            self._refuse(f"{what} `{value}`", *help)
        near = did_you_mean(str(value), known)
        first: tuple[str, ...] = ()
        if not near and what and re.search(r"[./\\]", str(value)):
            first = (f"write what to do with it first: `{self.prog} {known[0]} {value}`",)
        if len(known) < _FEW or not (near or first):
            near = (f"write {listed([f'`{each}`' for each in known])}",)
        self._refuse(f"{what} `{value}`", *near, *first)

    def _meant(self, word: str) -> tuple[str, ...]:
        """Return help on an option of other programs."""
        option = _MEANT.get(word)
        known = option in self._option_string_actions
        return (f"write `{self.prog} {option}`",) if known else ()

    def error(self, message: str) -> NoReturn:
        """Raise RulesError for arguments that argparse refuses with `message`."""
        if missing := message.partition("are required: ")[2]:
            needed = [each for each in self._actions if each.required]
            things = needed[0].choices or () if missing == "THING" else ()
            parts = [f"{'/'.join(each.option_strings)} {each.metavar}".strip() for each in needed]
            self._refuse(
                f"`{self.prog}` needs {'one more word' if things else missing}",
                *[f"write `{self.prog} {each}`" for each in things or (" ".join(parts),)],
            )
        name, _, cause = message.removeprefix("argument ").partition(": ")
        if number := re.fullmatch("invalid int value: '(.*)'", cause):
            self._refuse(f"`{name}` needs a whole number, not `{number[1]}`")
        if cause.startswith("expected "):
            self._refuse(f"`{name}` needs a value")
        self._refuse(f"`{name}`: {cause}" if cause else message)

    def _refuse(self, message: str, *help: str | None) -> NoReturn:
        """Raise RulesError for arguments; the help ends with the way to the list of all."""
        lines = [each for each in help if each is not None]
        more = f"`{self.prog} --help` lists what can be written"
        raise RulesError([Diagnostic("bad-argument", message, help=(*lines, more))])


def script(shell: str) -> str:
    """Return the completion script for a shell."""
    return (files("rulesdsl.cli") / f"completion.{shell}").read_text(encoding="utf-8")


_NAMES = frozenset(
    each.name
    for row in COMMANDS
    for each in (row, *(() if isinstance(row, CommandRow) else row.commands))
)


@cache
def parser(named: AbstractSet[str] = _NAMES) -> Parser:
    """Return the parser of the whole command line, made from the rows of all commands.

    Only the commands `named` have their options: to add all of them takes 6 ms of each start.
    `row` in its result is the row of the command.
    """
    main = Parser(
        prog="rulesdsl",
        description="Play tile-laying, card and dice games that are written as rulesets.",
        epilog=EXAMPLES + EXIT,
    )
    main.add_argument("--version", action="version", version=f"rulesdsl {__version__}")
    help = f"print the completion script for {listed(SHELLS, 'or')}"
    main.add_argument("--print-completion", choices=SHELLS, help=help, metavar="SHELL")
    commands = main.add_subparsers(dest="command", metavar="COMMAND")
    for row in COMMANDS:
        if isinstance(row, CommandRow):
            _add(commands, row, named)
            continue
        group = commands.add_parser(row.name, help=row.help, description=row.description)
        things = group.add_subparsers(dest="thing", metavar="THING", required=True)
        for each in row.commands:
            _add(things, each, named)
    return main


def _add(
    commands: argparse._SubParsersAction[Parser], row: CommandRow, named: AbstractSet[str]
) -> None:
    about = f"{row.help[0].upper()}{row.help[1:]}."
    text = f"{row.text}\n{EXIT}"
    command = commands.add_parser(row.name, help=row.help, description=about, epilog=text)
    command.set_defaults(row=row)
    for option in (NO_CACHE, *row.options) if row.name in named else ():
        command.add_argument(*option.names.split(" "), **option.more)


def run(argv: Sequence[str] | None) -> int:
    """Run the command that the arguments name and return its exit code.

    Raises OSError if output fails.
    """
    console = Console.standard()
    given = sys.argv[1:] if argv is None else argv
    if len(given) > 1 and given[0] == "--complete":  # from the script of a shell
        found = import_module("rulesdsl.cli.completion").completions(parser(), given[1])
        console.document("".join(f"{each}\n" for each in found).encode())
        return CLEAN
    try:
        arguments = parser(_NAMES.intersection(given)).parse_args(argv)
        if arguments.command is not None:
            arguments.row.check(arguments)
    except SystemExit as end:  # after help
        return end.code if isinstance(end.code, int) else 0
    except RulesError as error:
        console.show(error.diagnostics)
        return FAILED
    if arguments.print_completion or arguments.command is None:
        shell = arguments.print_completion
        console.document(script(shell) if shell else FIRST)
        return CLEAN
    if arguments.no_cache:
        os.environ["RULESDSL_NO_CACHE"] = "1"
    if getattr(arguments, "engine", None) is not None:
        arguments.engine, found = playable(arguments.engine)
        console.show(found)
    if getattr(arguments, "watch", False):
        from rulesdsl.cli.watching import repeated  # slow to import

        return repeated(lambda: _reported(arguments, console), console)
    return _reported(arguments, console)


def _reported(arguments: Namespace, console: Console) -> int:
    # Only what the command needs is imported: help and completion stay fast.
    module, _, function = arguments.row.function.partition(".")
    command = getattr(import_module(f"rulesdsl.cli.{module}"), function)
    try:
        with under(Deadline.after(getattr(arguments, "timeout", None))):
            code: int = command(arguments, console)
    except OutOfTime as error:
        console.show(out_of_time(error).diagnostics)
        return FAILED
    except RulesError as error:
        console.show(error.diagnostics)
        return exit_code(error.diagnostics)
    except PlayError as error:
        console.show([Diagnostic(error.slug, error.message, error.span)])
        return PROBLEMS
    return code
