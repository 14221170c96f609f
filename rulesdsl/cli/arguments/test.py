"""Arguments of `rulesdsl test`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, added
from rulesdsl.cli.arguments.shared import engine, files, path, timeout

_EXAMPLES = """\
A FILE holds scenarios (positions of a game and what must hold in them) or is a
golden record (a recorded game that has to run the same way again). A folder
or an archive stands for all files in it, and below it, that end in `.test.yaml`
or `.game.jsonl`. Rulesets are also sought beside the file. Failures
are written to standard output.

With --coverage the places in rules that no scenario shows are reported too: of
all rulesets in a folder, and for a file NAME.test.yaml of the ruleset NAME
beside it. They count as problems. It needs the reference engine.

With --mutants the same rulesets are changed in many small ways, one at a time:
a guard left out, a comparison moved by one, a number changed. A change that
`check` finds or that a scenario notices is fine; the others are reported with
the situation that is missing, and count as problems. Changes after which random
games go the same way are reported, too, and count as notes. Golden records are
left out, as they notice everything.

With --record no test runs: a recorded game becomes a scenario of one turn,
or, if --to ends in `.game.jsonl`, a golden record. Both hold at first.

With --update expected numbers and names that do not hold are changed in the
file, each after your confirmation. Golden records are written anew.

examples:
  rulesdsl test my_game.test.yaml
  rulesdsl test my_game-1.0.0.zip
  rulesdsl test rulesets/ -k shield
  rulesdsl test rulesets/ --coverage
  rulesdsl test my_game.test.yaml --mutants
  rulesdsl test my_game.test.yaml --update
  rulesdsl test --record game.jsonl --turn 12 --to my_game.test.yaml
  rulesdsl test --record game.jsonl --to my_game.game.jsonl

"""


def add(commands: Commands) -> None:
    """Add the command."""
    test = added(commands, "test", "run the scenarios and golden records of rulesets", _EXAMPLES)
    test.set_defaults(module="test", function="command")
    files(test.add_argument("files", nargs="*", metavar="FILE", help="files or folders of tests"))
    test.add_argument(
        "-k",
        "--filter",
        action="append",
        default=[],
        metavar="TEXT",
        help="run only tests with this text in their names; may be given again",
    )
    test.add_argument(
        "--coverage", action="store_true", help="also report rules that no scenario shows"
    )
    test.add_argument(
        "--mutants",
        action="store_true",
        help="change the rules in many small ways, one at a time, and report which changes no "
        "scenario notices",
    )
    test.add_argument(
        "--jobs", type=int, metavar="N", help="on how many cores to run them (default: all)"
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
        help="the output format; html and json include the coverage (default: text)",
    )
    path(test)
    engine(test)
    timeout(test, "each test may last", dest="each")
