"""Arguments of `rulesdsl new`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, Parser, added, group
from rulesdsl.cli.arguments.shared import files, path
from rulesdsl.cli.completion import DIRECTORY, completed

_EXPANSION = """\
Makes NAME.yaml, NAME.rules, NAME.test.yaml and a page NAME.md: one tile (or a
setting, where a game has no tiles), one rule that refines a value of the game,
and scenarios that show it. They check, test and play as they are. Existing
files are not overwritten.

examples:
  rulesdsl new expansion my_idea
  rulesdsl new expansion my_idea --of dice_game --folder ideas

"""

_GAME = """\
Makes the files of a small game with tiles, which plays as it is: NAME.yaml,
NAME.rules, NAME.test.yaml and NAME.md. Existing files are not overwritten.

"""


def add(commands: Commands) -> None:
    """Add the command."""
    things = group(commands, "new", "make the first files of a ruleset", "Make the first files.")
    _new(added(things, "expansion", "begin an expansion", _EXPANSION), "expansion")
    _new(added(things, "game", "begin a game", _GAME), "game")


def _new(new: Parser, thing: str) -> None:
    new.set_defaults(module="new", function=thing)
    new.add_argument("name", metavar="NAME", help=f"the id of the new {thing}")
    if thing == "expansion":
        of = new.add_argument(
            "--of", default="base", metavar="RULESET", help="the game (default: base)"
        )
        files(of)
    folder = new.add_argument("--folder", default="", metavar="DIR", help="where (default: here)")
    completed(folder, DIRECTORY)
    path(new)
