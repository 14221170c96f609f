"""`rulesdsl update`: rewrite files of an older edition of the language."""

from __future__ import annotations

from argparse import Namespace

from rulesdsl.author.update import Updated, documents_at, updated
from rulesdsl.cli.console import Console
from rulesdsl.cli.problems import bad_argument
from rulesdsl.cli.recording import STDIN
from rulesdsl.cli.rewriting import Rewriting


def command(arguments: Namespace, console: Console) -> int:
    """Rewrite each manifest, with its rules, and scenarios, or say what would change."""
    if STDIN in arguments.paths:
        raise bad_argument(
            "a manifest names its rules beside it, so it cannot come from standard input",
            "give the path of the manifest",
        )
    rewriting = Rewriting(console, "updated", arguments)
    # All are read before any is written, as two manifests may name the same rules.
    found: dict[str, Updated] = {}
    for file in documents_at(arguments.paths):
        with rewriting.keeping_on():
            for each in updated(file):
                found.setdefault(each.file.identity, each)
    for each in found.values():
        rewriting.file(each.file, each.old, each.old.encode(), each.new)
    return rewriting.end()
