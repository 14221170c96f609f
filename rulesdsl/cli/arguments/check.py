"""Arguments of `rulesdsl check`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import expansions, files, path, settings

_EXAMPLES = """\
Each RULESET (an id, a folder, a manifest) is checked with what it requires;
a folder that is not a ruleset stands for all rulesets in it. Findings are
written to standard output. Warnings count as problems.

examples:
  rulesdsl check base
  rulesdsl check my_game.yaml --with more
  rulesdsl check rulesets/
  rulesdsl check base --all-subsets         with any of its expansions

"""


def add(commands: Commands) -> None:
    """Add the command."""
    check = added(commands, "check", "say what is wrong with rulesets", _EXAMPLES)
    check.set_defaults(module="check", function="command")
    files(check.add_argument("rulesets", nargs="+", metavar="RULESET", help="what to check"))
    expansions(check)
    check.add_argument(
        "--all-subsets",
        action="store_true",
        help="with every subset of those of --with, or of all that extend it",
    )
    settings(check)
    path(check)
