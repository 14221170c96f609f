"""Arguments of `rulesdsl explain`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added

_EXAMPLES = """\
The SLUG of a problem is in brackets: error[unknown-name]. Its page shows what
it means and how to fix it, with a wrong and a right example. Without a SLUG
all are listed.

examples:
  rulesdsl explain unknown-name
  rulesdsl explain

"""


def add(commands: Commands) -> None:
    """Add the command."""
    explain = added(commands, "explain", "explain a kind of problem", _EXAMPLES)
    explain.set_defaults(module="explain", function="command")
    explain.add_argument("slug", nargs="?", metavar="SLUG", help="which problem")
