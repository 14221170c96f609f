"""`rulesdsl lsp`: a server for editors."""

from __future__ import annotations

import sys
from argparse import Namespace
from importlib.util import find_spec

from rulesdsl.cli.console import Console
from rulesdsl.cli.problems import CLEAN, package_missing


def command(arguments: Namespace, console: Console) -> int:
    """Serve the editor that started this, until it says that it is done."""
    if find_spec("pygls") is None:
        raise package_missing("a server for editors", "pygls", "lsp")
    if sys.stdin is not None and sys.stdin.isatty():
        console.tell("this talks to editors, which start it themselves: see docs/editors.md")
    from rulesdsl.lsp.create import create

    create().start_io()
    return CLEAN
