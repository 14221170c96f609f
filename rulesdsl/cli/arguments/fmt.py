"""Arguments of `rulesdsl fmt`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import files, rewriting

_EXAMPLES = """\
Gives rules, manifests and scenarios the usual look: every PATH is such a file,
or a folder with all that are in it and below. What a file means stays the same,
and so do its comments. One that cannot be read is left alone. `-` reads a text
and writes it as it should look.

examples:
  rulesdsl fmt my_idea.rules my_idea.yaml
  rulesdsl fmt .
  rulesdsl fmt --check rulesets             say what would change, for CI
  rulesdsl fmt - --name x.rules < x.rules   for editors

"""


def add(commands: Commands) -> None:
    """Add the command."""
    fmt = added(commands, "fmt", "give rules, manifests and scenarios the usual look", _EXAMPLES)
    fmt.set_defaults(module="fmt", function="command")
    files(fmt.add_argument("paths", nargs="+", metavar="PATH", help="what to format"))
    rewriting(fmt)
    fmt.add_argument(
        "--name",
        metavar="FILE",
        help="what to call standard input; the ending says what it is (default: by its text)",
    )
