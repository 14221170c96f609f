"""Arguments of `rulesdsl doc`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import expansions, files, language, path, settings, timeout

_EXAMPLES = """\
Writes a rule book of a RULESET and its expansions: the pieces with pictures,
the settings, each value with its rules, each choice with its options, and the
scenarios as examples. It is one self-contained HTML file; the same rulesets
make the same book. Needs: pip install 'rulesdsl[book]'

examples:
  rulesdsl doc base --to book.html
  rulesdsl doc base --with more --lang es --to libro.html

"""


def add(commands: Commands) -> None:
    """Add the command."""
    doc = added(commands, "doc", "write a rule book", _EXAMPLES)
    doc.set_defaults(module="doc", function="command")
    files(doc.add_argument("ruleset", metavar="RULESET", help="the game"))
    expansions(doc)
    settings(doc)
    path(doc)
    language(doc)
    timeout(doc)
    files(
        doc.add_argument(
            "--to", metavar="FILE", help="the file to write (default: standard output)"
        )
    )
