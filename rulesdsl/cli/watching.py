"""`--watch`: run a command again after every change of the files that it has read."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep

from rulesdsl.cli.console import FAILED, Console
from rulesdsl.engine.build import Memory, remembering
from rulesdsl.language.read.files import unchanged, watched

_OFTEN = 0.2
"""The seconds between two looks at the files."""
_QUIET = 0.05
"""The seconds after a change before the files are read: programs save in several steps."""


def repeated(run: Callable[[], int], console: Console) -> int:
    """Run a command, and again after every change of a file or folder that it has read.

    A terminal is cleared before each run. It goes on until Ctrl-C, unless the command could not run
    and has read nothing; then its exit code is returned.
    """
    memory = Memory()
    while True:
        console.clear()
        with watched() as seen, remembering(memory):
            code = run()
        if code == FAILED and not seen.looks:
            return code
        console.say(("waiting for a change; Ctrl-C ends", "faint"))
        while unchanged(seen.looks):
            sleep(_OFTEN)
        sleep(_QUIET)
