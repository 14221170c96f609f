"""Arguments of `rulesdsl lsp`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added

_EXAMPLES = """\
Editors start it themselves and speak the language server protocol over standard
input and output. docs/how-to/editors.md describes the setup.

"""


def add(commands: Commands) -> None:
    """Add the command."""
    lsp = added(commands, "lsp", "run the language server for editors", _EXAMPLES)
    lsp.set_defaults(module="lsp", function="command")
    # Some editors say so whether it is asked for or not.
    lsp.add_argument(
        "--stdio", action="store_true", help="use standard input and output, as always"
    )
