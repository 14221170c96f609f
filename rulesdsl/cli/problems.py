"""Problems of the command itself, and what a command's end is called to whoever called it."""

from __future__ import annotations

from collections.abc import Iterable

from rulesdsl.deadline import OutOfTime
from rulesdsl.diagnostics import Diagnostic, RulesError, Severity
from rulesdsl.processes import WorkerLost

CLEAN = 0
PROBLEMS = 1
FAILED = 2
"""Exit codes: nothing to complain about; problems were found in what was given; the command could
not be done."""


def bad_argument(message: str, *help: str) -> RulesError:
    """The command was called with something it cannot use."""
    return RulesError([Diagnostic("bad-argument", message, help=help)])


def output_failed(name: str, error: OSError | ValueError, *help: str) -> RulesError:
    """Something could not be written; a ValueError is a name that no file can have."""
    reason = getattr(error, "strerror", None) or str(error)
    said = f"{name} cannot be written: {reason[:1].lower()}{reason[1:]}"
    return RulesError([Diagnostic("output-failed", said, help=help)])


def package_missing(what: str, package: str, extra: str) -> RulesError:
    """Something needs a package that is not installed and that an extra brings."""
    message = f"{what} needs the package `{package}`, which is not installed"
    help = (f"to get it: pip install 'rulesdsl[{extra}]'",)
    return RulesError([Diagnostic("package-missing", message, help=help)])


def games_stopped(message: str, *help: str) -> RulesError:
    """Whoever played games can play no more of them."""
    return RulesError([Diagnostic("games-stopped", message, help=help)])


def worker_lost(error: WorkerLost, *help: str) -> RulesError:
    """A worker process has ended before its work was done."""
    again = help or ("if memory has run out, close other programs; then run the command again",)
    return games_stopped(str(error), *again)


def out_of_time(error: OutOfTime, *help: str) -> RulesError:
    """The rules ran for longer than `--timeout` allows."""
    longer = f"to give them more time: --timeout {2 * error.seconds:g}"
    return RulesError([Diagnostic("out-of-time", str(error), help=(*help, longer))])


def exit_code(diagnostics: Iterable[Diagnostic]) -> int:
    """`FAILED` if an error has no place in any file, as what is wrong is the command then; notes
    are no problems."""
    found = list(diagnostics)
    if any(each.span is None and each.severity is Severity.ERROR for each in found):
        return FAILED
    return PROBLEMS if any(each.severity is not Severity.NOTE for each in found) else CLEAN
