"""The command `rulesdsl` as a function, which always ends with a message and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from rulesdsl.base.interrupts import INTERRUPTS

FAILED = 2
INTERRUPTED = 130
CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that the arguments (by default those of the process) name.

    Return its exit code: 0 for success, 1 for problems found, 2 if the command could not run, and,
    as shells count signals, 130 after Ctrl-C and 141 if nobody reads the output any more. With
    `RULESDSL_DEBUG=1` an internal error is shown with a traceback.
    """
    try:
        # Imported here, as Ctrl-C may come during the import.
        code: int = import_module("rulesdsl.cli.commands").run(argv)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return CLOSED
    except OSError as error:
        _drop_output()
        named = f" with `{error.filename}`" if error.filename else ""
        reason = (error.strerror or str(error)).lower()
        _complain(f"error[output-failed]: input or output failed{named}: {reason}")
        return FAILED
    except Exception as error:
        if INTERRUPTS.received is not None:
            # The interruption has caused the error.
            return INTERRUPTED
        if os.environ.get("RULESDSL_DEBUG") == "1":
            _complain(traceback.format_exc().rstrip())
        what = f"{type(error).__name__}: {error}".replace("\n", " ")
        _complain(f"internal error: {what}; please report it, with what you typed")
        return FAILED
    return code


def _complain(text: str) -> None:
    inert = import_module("rulesdsl.language.diagnostics.report").inert
    with suppress(OSError, AttributeError):
        sys.stderr.write(f"{inert(text)}\n")
        sys.stderr.flush()


def _drop_output() -> None:
    """Discard further output, which would only fail again."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()  # fails if output was closed, and then nothing is left to do
    with suppress(OSError, ValueError, AttributeError):
        output = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, output)
        os.close(nowhere)
