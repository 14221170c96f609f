"""The dispatch from the arguments to a command, and the report of its errors."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module

from rulesdsl.cli.arguments import parser
from rulesdsl.cli.catalogue import FIRST
from rulesdsl.cli.console import CLEAN, FAILED, PROBLEMS, Console, exit_code, out_of_time
from rulesdsl.deadline import Deadline, OutOfTime, under
from rulesdsl.diagnostics import Diagnostic, RulesError
from rulesdsl.engines import playable
from rulesdsl.engines.engine import PlayError


def run(argv: Sequence[str] | None) -> int:
    """Run the command that the arguments name and return its exit code.

    Raises OSError if output fails.
    """
    console = Console.standard()
    try:
        arguments = parser().parse_args(argv)
    except SystemExit as end:  # after help, or an error
        return end.code if isinstance(end.code, int) else 0
    if arguments.command is None:
        console.document(FIRST)
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
    """Run a command, show its error if it raises one, and return its exit code."""
    # Only what the command needs is imported: help and completion stay fast.
    command = getattr(import_module(f"rulesdsl.cli.{arguments.module}"), arguments.function)
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
