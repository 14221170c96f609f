"""Arguments of `rulesdsl update`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import files, rewriting

_EXAMPLES = """\
Rewrites manifests, with the rules that they name, and scenarios that are of an
older edition of the language. Every PATH is such a file, or a folder with all
of them in it and below. Files of the current edition stay unchanged.

examples:
  rulesdsl update my_idea.yaml
  rulesdsl update --diff .                  say what would change

"""


def add(commands: Commands) -> None:
    """Add the command."""
    update = added(commands, "update", "rewrite files of an older edition", _EXAMPLES)
    update.set_defaults(module="update", function="command")
    files(update.add_argument("paths", nargs="+", metavar="PATH", help="what to rewrite"))
    rewriting(update)
