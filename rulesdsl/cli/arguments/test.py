"""Arguments of `rulesdsl test`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import engine, files, path, timeout

_EXAMPLES = """\
A FILE holds scenarios: situations of a game and what must hold in them; or it
is a golden record: a recorded game that must go the same way again. A folder
or an archive stands for all files in it, and below it, that end in `.test.yaml`
or `.game.jsonl`. Rulesets are also sought beside the file. What does not hold
is written to standard output.

With --coverage the places in rules that no scenario shows are written too: of
all rulesets in a folder, and for a file NAME.test.yaml of the ruleset NAME
beside it. They count as problems. That takes the reference engine.

With --record nothing is tried: a recorded game becomes a scenario of one turn,
or, if --to ends in `.game.jsonl`, a golden record. Both hold as they are made.

With --update what does not hold is changed in the file, after a look at each
change: numbers and names that are expected, never the rest of the file. Golden
records are written anew.

examples:
  rulesdsl test my_game.test.yaml
  rulesdsl test my_game-1.0.0.zip
  rulesdsl test rulesets/ -k shield
  rulesdsl test rulesets/ --coverage
  rulesdsl test my_game.test.yaml --update
  rulesdsl test --record game.jsonl --turn 12 --to my_game.test.yaml
  rulesdsl test --record game.jsonl --to my_game.game.jsonl

"""


def add(commands: Commands) -> None:
    """Add the command."""
    test = added(commands, "test", "try the scenarios and golden records of rulesets", _EXAMPLES)
    test.set_defaults(module="test", function="command")
    files(test.add_argument("files", nargs="*", metavar="FILE", help="what to try"))
    test.add_argument(
        "-k",
        "--filter",
        action="append",
        default=[],
        metavar="TEXT",
        help="try only tests with this text in their names; may be given again",
    )
    test.add_argument(
        "--coverage", action="store_true", help="say which rules no scenario shows, too"
    )
    test.add_argument(
        "--jobs", type=int, metavar="N", help="on how many cores to try them (default: all)"
    )
    test.add_argument(
        "--update",
        action="store_true",
        help="show how files would have to change for their tests to hold, and ask",
    )
    test.add_argument("--yes", action="store_true", help="with --update: change all of it")
    files(
        test.add_argument(
            "--record", metavar="GAME", help="make a test of this recorded game instead"
        )
    )
    test.add_argument(
        "--turn", type=int, metavar="N", help="with --record: the turn to show (default: the last)"
    )
    test.add_argument("--name", metavar="TEXT", help="with --record: what to call the test")
    files(
        test.add_argument(
            "--to",
            metavar="FILE",
            help="with --record: where to write it, at the end of a `.test.yaml` or as "
            "a `.game.jsonl` (default: a scenario, to standard output); with --format: the report",
        )
    )
    test.add_argument(
        "--format",
        choices=["text", "json", "junit", "html"],
        default="text",
        help="how to tell what came of it; the page and JSON have the coverage, too "
        "(default: text)",
    )
    path(test)
    engine(test)
    timeout(test, "each test may last", dest="each")
