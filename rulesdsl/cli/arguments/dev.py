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
Watches all files of a RULESET and of the rulesets it requires. When one is
saved, it checks everything, runs the scenarios beside it (NAME.test.yaml), and
replays a game under the new rules: that of a record, or one that bots play at
random from a seed. If a move is no longer legal, it shows the reason. Ctrl-C
ends it.

examples:
  rulesdsl dev my_idea.yaml
  rulesdsl dev my_idea.yaml --with more --seed 7 --turn 30
  rulesdsl dev my_idea.yaml --game game.jsonl

"""


def add(commands: Commands) -> None:
    """Add the command."""
    dev = added(commands, "dev", "watch a ruleset and show the effect of every change", _EXAMPLES)
    dev.set_defaults(module="dev", function="command")
    files(dev.add_argument("ruleset", metavar="RULESET", help="what to work on"))
    expansions(dev)
    settings(dev)
    path(dev)
    files(dev.add_argument("--game", metavar="FILE", help="the record of the game to replay"))
    players(dev)
    dev.add_argument(
        "--seed", type=int, metavar="N", help=f"the seed of the game (default: {SEED})"
    )
    dev.add_argument(
        "--turn",
        type=int,
        metavar="N",
        help=f"the turn at which to stop (default: {TURNS}, or the end of the record)",
    )
    engine(dev)
    timeout(dev, "each scenario and the game may last", dest="each")
    language(dev)
