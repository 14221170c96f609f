"""Arguments of `rulesdsl run`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import (
    engine,
    expansions,
    files,
    path,
    players,
    settings,
    telling,
    timeout,
)
from rulesdsl.run.engines import DEFAULT_ENGINE, READY_ENGINE

_EXAMPLES = """\
A RULESET is an id, a folder, a manifest, or an archive made by `rulesdsl pack`.
Ids are found in the folders of --path and of the environment variable
RULESDSL_PATH, in your own ruleset folder, and among those that are shipped.

examples:
  rulesdsl run base --players 3 --bots greedy,random,random --seed 7
  rulesdsl run base --human red --record game.jsonl
  rulesdsl run --resume game.jsonl --human red
  rulesdsl run my_game.yaml --with more,house_rules --set my_game.rounds=5
  rulesdsl run base --json | head -1

"""


def add(commands: Commands) -> None:
    """Add the command."""
    run = added(commands, "run", "play a game", _EXAMPLES)
    run.set_defaults(module="run", function="command")
    files(run.add_argument("ruleset", nargs="?", metavar="RULESET", help="what to play"))
    expansions(run)
    settings(run)
    path(run)
    engine(run, None, f"{READY_ENGINE}, or {DEFAULT_ENGINE} if a bot thinks: greedy or mcts")
    players(run)
    run.add_argument("--seed", type=int, metavar="N", help="the seed of all chance (default: 0)")
    run.add_argument(
        "--bots",
        action="append",
        default=[],
        metavar="NAME,...",
        help="who plays for the others: random, greedy or mcts, one for all or one each; mcts:500 "
        "thinks for 500 playouts a move (2000 unless told), mcts:0.5s for half a second "
        "(default: random)",
    )
    run.add_argument(
        "--human",
        action="append",
        default=[],
        metavar="COLOUR,...",
        help="who is played by a person; moves are picked by number",
    )
    files(run.add_argument("--record", metavar="FILE", help="record the game into this file"))
    files(run.add_argument("--resume", metavar="FILE", help="continue a recorded game"))
    telling(run)
    timeout(run)
