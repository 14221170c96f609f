"""Arguments of `rulesdsl dev`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import (
    engine,
    expansions,
    files,
    language,
    path,
    players,
    settings,
    timeout,
)

SEED, TURNS = 0, 20

_EXAMPLES = """\
Keeps an eye on all files of a RULESET and of what it requires. Whenever one is
saved, all is checked, the scenarios beside it are tried (NAME.test.yaml), and
the game at hand is played to the same position under the rules as they are now:
the game of a record, or one that bots play at random from a seed. Where a move
does not go any more, that is told, and why. Ctrl-C ends it.

examples:
  rulesdsl dev my_idea.yaml
  rulesdsl dev my_idea.yaml --with more --seed 7 --turn 30
  rulesdsl dev my_idea.yaml --game game.jsonl

"""


def add(commands: Commands) -> None:
    """Add the command."""
    dev = added(commands, "dev", "watch a ruleset, and show what each change does", _EXAMPLES)
    dev.set_defaults(module="dev", function="command")
    files(dev.add_argument("ruleset", metavar="RULESET", help="what to work on"))
    expansions(dev)
    settings(dev)
    path(dev)
    files(dev.add_argument("--game", metavar="FILE", help="the record of the game at hand"))
    players(dev)
    dev.add_argument(
        "--seed", type=int, metavar="N", help=f"the seed of the game at hand (default: {SEED})"
    )
    dev.add_argument(
        "--turn",
        type=int,
        metavar="N",
        help=f"the turn after which to look at it (default: {TURNS}, or where the record ends)",
    )
    engine(dev)
    timeout(dev, "each scenario and the game at hand may last", dest="each")
    language(dev)
