"""Arguments of `rulesdsl pack`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import files, path

_EXAMPLES = """\
Makes one file of a RULESET (a folder or a manifest), to be given away and named
with --with as it is: ID-VERSION.zip, or what --to says. Of a folder all files
are packed, of a manifest its rules, scenarios and page. The same files make the
same archive, and it holds their checksums.

examples:
  rulesdsl pack my_idea.yaml
  rulesdsl run base --with my_idea-0.1.0.zip

"""


def add(commands: Commands) -> None:
    """Add the command."""
    pack = added(commands, "pack", "make one file of a ruleset", _EXAMPLES)
    pack.set_defaults(module="pack", function="command")
    files(pack.add_argument("ruleset", metavar="RULESET", help="what to pack"))
    files(pack.add_argument("--to", metavar="FILE", help="what to call it"))
    path(pack)
