"""Arguments of `rulesdsl lsp`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added

_EXAMPLES = """\
Editors start this themselves and talk to it by the language server protocol,
over standard input and output. docs/how-to/editors.md says how to set them up.

"""


def add(commands: Commands) -> None:
    """Add the command."""
    lsp = added(commands, "lsp", "help editors with rulesets", _EXAMPLES)
    lsp.set_defaults(module="lsp", function="command")
    # Some editors say so whether it is asked for or not.
    lsp.add_argument(
        "--stdio", action="store_true", help="use standard input and output, as always"
    )
