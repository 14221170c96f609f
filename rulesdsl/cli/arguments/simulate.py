"""Arguments of `rulesdsl simulate`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import (
    engine,
    expansions,
    files,
    path,
    players,
    settings,
    timeout,
)

_EXAMPLES = """\
Game K of a seed is the same game on every engine, machine and number of cores.
Bots move on by one seat from game to game, so that each plays every seat. Every
number has a 95 % confidence interval.

With --out every game is stored in a folder of Parquet files as it is played.
After an interruption or a full disk the same command continues from there.
After --timeout the statistics are those of the games that are over.

examples:
  rulesdsl simulate base --games 100000
  rulesdsl simulate base --bots greedy,random --games 200
  rulesdsl simulate base --compare with=more --compare with=other,rounds=5
  rulesdsl simulate base --games 1000000 --out results.parquet
  rulesdsl simulate base --to report.html

"""


def add(commands: Commands) -> None:
    """Add the command."""
    simulate = added(commands, "simulate", "play many games and print statistics", _EXAMPLES)
    simulate.set_defaults(module="simulate", function="command")
    files(simulate.add_argument("ruleset", metavar="RULESET", help="what to play"))
    simulate.add_argument(
        "--games", type=int, default=1000, metavar="N", help="how many games (default: 1000)"
    )
    expansions(simulate)
    settings(simulate)
    simulate.add_argument(
        "--compare",
        action="append",
        default=[],
        metavar="CHANGE,...",
        help="play every game also with a change, with=RULESET, without=RULESET or SETTING=VALUE, "
        "and print the difference; may be given again",
    )
    players(simulate)
    simulate.add_argument(
        "--bots",
        action="append",
        default=[],
        metavar="NAME,...",
        help="who plays: one bot for all seats or one each (default: random)",
    )
    simulate.add_argument(
        "--seed", type=int, default=0, metavar="N", help="the seed of all games (default: 0)"
    )
    path(simulate)
    engine(simulate, "wasm")
    timeout(simulate, "the games may last")
    simulate.add_argument(
        "--jobs", type=int, metavar="N", help="on how many cores to play (default: all)"
    )
    simulate.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="play on the Dask cluster at tcp://HOST:PORT; needs: pip install 'rulesdsl[cluster]'",
    )
    files(
        simulate.add_argument(
            "--out",
            metavar="FOLDER",
            help="store all games there, and continue from those it has; "
            "needs: pip install 'rulesdsl[stats]'",
        )
    )
    simulate.add_argument(
        "--format",
        choices=["table", "json", "csv", "parquet", "html"],
        help="the output format (default: as the name of --to ends, otherwise a table)",
    )
    simulate.add_argument("--json", action="store_true", help="the same as --format json")
    files(
        simulate.add_argument(
            "--to", metavar="FILE", help="write to this file instead of standard output"
        )
    )
