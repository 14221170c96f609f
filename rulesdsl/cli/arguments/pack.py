"""Arguments of `rulesdsl pack`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import files, path

_EXAMPLES = """\
Packs a RULESET (a folder or a manifest) into one file, ID-VERSION.zip or the
one of --to, which --with takes as it is. Of a folder all files are packed, of
a manifest its rules, scenarios and page. The same files make the same archive,
and it holds their checksums.

examples:
  rulesdsl pack my_idea.yaml
  rulesdsl run base --with my_idea-0.1.0.zip

"""


def add(commands: Commands) -> None:
    """Add the command."""
    pack = added(commands, "pack", "pack a ruleset into one file", _EXAMPLES)
    pack.set_defaults(module="pack", function="command")
    files(pack.add_argument("ruleset", metavar="RULESET", help="what to pack"))
    files(pack.add_argument("--to", metavar="FILE", help="the name of the archive"))
    path(pack)
