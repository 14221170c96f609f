"""Arguments of `rulesdsl explain`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added

_EXAMPLES = """\
The SLUG of a problem stands in brackets where it is told: error[unknown-name].
Its page says what it means and how to mend it, with an example that is wrong
and one that is right. Without a SLUG, all are listed.

examples:
  rulesdsl explain unknown-name
  rulesdsl explain

"""


def add(commands: Commands) -> None:
    """Add the command."""
    explain = added(commands, "explain", "tell what a problem means", _EXAMPLES)
    explain.set_defaults(module="explain", function="command")
    explain.add_argument("slug", nargs="?", metavar="SLUG", help="which problem")
