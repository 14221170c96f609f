"""Arguments of `rulesdsl doc`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import expansions, files, language, path, settings, timeout

_EXAMPLES = """\
Writes a rule book of a RULESET: for it and everything loaded with it the pieces
with pictures, the settings, each value with what changes it, each choice with
its options, and the scenarios as examples. It is one HTML file, which needs no
other; the same rulesets make the same book. Needs: pip install 'rulesdsl[book]'

examples:
  rulesdsl doc base --to book.html
  rulesdsl doc base --with more --lang es --to libro.html

"""


def add(commands: Commands) -> None:
    """Add the command."""
    doc = added(commands, "doc", "write a rule book", _EXAMPLES)
    doc.set_defaults(module="doc", function="command")
    files(doc.add_argument("ruleset", metavar="RULESET", help="what to write of"))
    expansions(doc)
    settings(doc)
    path(doc)
    language(doc)
    timeout(doc)
    files(
        doc.add_argument("--to", metavar="FILE", help="write there; without it, to standard output")
    )
