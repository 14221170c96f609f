"""Arguments of `rulesdsl fmt`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import files, rewriting

_EXAMPLES = """\
Formats rules, manifests and scenarios: every PATH is such a file, or a folder
with all of them in it and below. The meaning and the comments of a file stay
the same. A file that does not parse is left alone. `-` formats standard input.

examples:
  rulesdsl fmt my_idea.rules my_idea.yaml
  rulesdsl fmt .
  rulesdsl fmt --check rulesets             say what would change, for CI
  rulesdsl fmt - --name x.rules < x.rules   for editors

"""


def add(commands: Commands) -> None:
    """Add the command."""
    fmt = added(commands, "fmt", "format rules, manifests and scenarios", _EXAMPLES)
    fmt.set_defaults(module="fmt", function="command")
    files(fmt.add_argument("paths", nargs="+", metavar="PATH", help="what to format"))
    rewriting(fmt)
    fmt.add_argument(
        "--name",
        metavar="FILE",
        help="the name of standard input; its ending determines the type (default: by content)",
    )
