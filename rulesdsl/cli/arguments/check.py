"""Arguments of `rulesdsl check`."""

from __future__ import annotations

from rulesdsl.audit.formats import FORMATS
from rulesdsl.cli.arguments.parsers import Commands, Parser, added
from rulesdsl.cli.arguments.shared import expansions, files, path, settings, timeout
from rulesdsl.cli.completion import DIRECTORY, completed

_EXAMPLES = """\
Each PATH is a ruleset (an id, a folder, a manifest, its file of rules), which
is checked with the rulesets it requires, or a file of scenarios, which is read.
A folder that is not a ruleset stands for all rulesets and scenarios in it.
Problems are written to standard output. The exit code is 1 for errors and
warnings, 0 for notes.

A comment `# allow: SLUG` at the end of a line, or above it, allows a warning
or note there.

examples:
  rulesdsl check base
  rulesdsl check my_game.yaml --with more
  rulesdsl check rulesets/ --level unused=note
  rulesdsl check rulesets/ --format sarif
  rulesdsl check base --all-subsets         with any of its expansions
  rulesdsl check my_game.yaml --play 50     what never happens in 50 games

"""


def add(commands: Commands) -> None:
    """Add the command."""
    check = added(commands, "check", "check rulesets for problems", _EXAMPLES)
    check.set_defaults(module="check", function="command")
    files(check.add_argument("paths", nargs="+", metavar="PATH", help="what to check"))
    expansions(check)
    check.add_argument(
        "--all-subsets",
        action="store_true",
        help="with every subset of those of --with, or of all that extend it",
    )
    check.add_argument(
        "--play",
        type=int,
        metavar="N",
        help=(
            "also play N random games with sets of those of --with, or of all that extend it, "
            "and report rules that never ran, options that were never possible, points nobody got"
        ),
    )
    check.add_argument(
        "--seed", type=int, default=0, metavar="SEED", help="of these games (default: 0)"
    )
    failures = check.add_argument(
        "--failures",
        metavar="FOLDER",
        help=(
            "write each game of --play that fails to this folder as a record, with the fewest "
            "moves that were found to show the failure"
        ),
    )
    completed(failures, DIRECTORY)
    settings(check)
    timeout(check, "the games of --play may last")
    _told(check)
    path(check)


def _told(check: Parser) -> None:
    """What becomes of findings."""
    check.add_argument(
        "--level",
        action="append",
        default=[],
        metavar="SLUG=LEVEL,...",
        help=(
            "the severity of a kind of problem: error, warning, note or off; `all` is every kind "
            "that is not named; what stops a game stays an error; may be given again"
        ),
    )
    files(
        check.add_argument(
            "--baseline", metavar="FILE", help="leave out the problems that this file lists"
        )
    )
    check.add_argument(
        "--write-baseline",
        action="store_true",
        help="write the problems found to the file of --baseline, replacing its list",
    )
    check.add_argument(
        "--format",
        choices=("text", *FORMATS),
        default="text",
        help="the output format (default: text)",
    )
