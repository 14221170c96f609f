"""`rulesdsl lsp`: the language server for editors."""

from __future__ import annotations

import io
import sys
from argparse import Namespace
from importlib.util import find_spec

from rulesdsl.cli.console import Console, package_missing

_INPUT, _OUTPUT = 0, 1


def command(arguments: Namespace, console: Console) -> int:
    """Serve the editor that started this process, until it sends `exit` or goes away."""
    if find_spec("pygls") is None:
        raise package_missing("a server for editors", "pygls", "lsp")
    if sys.stdin is not None and sys.stdin.isatty():
        console.tell("editors start this command and talk to it: see docs/how-to/editors.md")
    from rulesdsl.author.lsp.answers import create

    # The server may still be reading when the process ends, and Python cannot close `sys.stdin`
    # then: it reads by a stream of its own, which nobody closes.
    stdin = io.BufferedReader(io.FileIO(_INPUT, closefd=False))
    with open(_OUTPUT, "wb", closefd=False) as stdout:
        return create().serve(stdin, stdout)
