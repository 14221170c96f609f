"""The parser of the command line: every command with its options, in the order of the help."""

from __future__ import annotations

import argparse
import re
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterator
from importlib import import_module
from math import isfinite
from typing import Any, NoReturn, TypeAlias

from rulesdsl import __version__
from rulesdsl.diagnostics.visible import inert, visible
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.engines import ENGINES, READY_ENGINE
from rulesdsl.lint.formats import FORMATS

EXIT = """\
exit codes: 0 success, 1 problems found, 2 the command could not run
"""


GONE = {
    "dev": "`dev` is gone: use `studio`, or `check --watch` and `test --watch` beside an editor",
    "--of": "`new game --of` is gone: copy an example, such as: rulesdsl new game gardens",
    "--plain": "--plain is gone: games are always played line by line, so leave it out",
}
"""What to type instead of commands and options that earlier versions had."""


class Parser(argparse.ArgumentParser):
    """A parser that keeps the lines of descriptions, and takes options by their full names only."""

    def __init__(self, **options: object) -> None:
        kept = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
        super().__init__(**{**kept, **options})  # type: ignore[arg-type]

    def _check_value(self, action: Action, value: object) -> None:
        """Refuse a value that is no choice, and name the one that was probably meant."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            if value in GONE:
                error.message = GONE[value]
            else:
                near = did_you_mean(str(value), map(str, action.choices or ()))
                error.message = "; ".join((error.message, *near))
            raise

    def error(self, message: str) -> NoReturn:
        """Report an error about arguments on one line, and exit."""
        if message.startswith("unrecognized arguments"):
            message = next((GONE[word] for word in message.split() if word in GONE), message)
        super().error(inert(visible(message)))


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def added(commands: Commands, name: str, help: str, examples: str) -> Parser:
    """Return a new command; its help ends with the examples and the exit codes."""
    command = commands.add_parser(
        name, help=help, description=f"{help[0].upper()}{help[1:]}.", epilog=examples + EXIT
    )
    command.add_argument(
        "--no-cache", action="store_true", help="do not read or write the cache folder"
    )
    return command


def group(commands: Commands, name: str, help: str, description: str) -> Commands:
    """Return a new command with commands of its own, one for each thing."""
    parser = commands.add_parser(name, help=help, description=description)
    return parser.add_subparsers(dest="thing", metavar="THING", required=True)


FILE, DIRECTORY = "FILE", "DIRECTORY"
"""Completers of arguments, by their names in `shtab`."""


def completed(action: Action, how: str) -> None:
    """Set how shells complete an argument."""
    vars(action)["complete"] = how


class PrintCompletion(Action):
    """An action that prints the script that completes the arguments of a program in a shell."""

    def __init__(self, option_strings: list[str], dest: str) -> None:
        help = "print the completion script for bash, zsh, tcsh or another shell"
        super().__init__(option_strings, dest, choices=_Shells(), help=help, metavar="SHELL")

    def __call__(
        self, parser: ArgumentParser, _namespace: object, shell: object, _option: object = None
    ) -> None:
        """Replace this action by that of `shtab`, and run it."""
        shtab: Any = import_module("shtab")
        for action in _actions(parser):
            if "complete" in vars(action):
                vars(action)["complete"] = getattr(shtab, vars(action)["complete"])
        own, real = parser._actions, shtab.completion_action()
        own[own.index(self)] = known = real(
            self.option_strings, self.dest, choices=shtab.SUPPORTED_SHELLS, help=self.help
        )
        known(parser, Namespace(), shell)


class _Shells:
    """The names of the shells that have completions."""

    def __iter__(self) -> Iterator[str]:
        return iter(import_module("shtab").SUPPORTED_SHELLS)

    def __contains__(self, name: object) -> bool:
        return name in list(self)


def _actions(parser: ArgumentParser) -> Iterator[Action]:
    """Yield all arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action.choices, dict):
            for inner in action.choices.values():
                yield from _actions(inner)


def players(parser: Parser) -> None:
    """Add the option for the number of players."""
    parser.add_argument(
        "--players",
        type=int,
        metavar="N",
        help="the number of players (default: the fewest possible)",
    )


def engine(parser: Parser, default: str | None = READY_ENGINE, told: str = "") -> None:
    """Add the option for the engine; `told` describes the default if `default` is None."""
    parser.add_argument(
        "--engine",
        choices=sorted(ENGINES),
        default=default,
        help=(
            "the engine: all play the same games; `wasm` is the fastest, `reference` starts "
            f"instantly but is the slowest (default: {default or told}); `wasm` needs: "
            "pip install 'rulesdsl[fast]'"
        ),
    )


def timeout(parser: Parser, what: str = "the rules", dest: str = "timeout") -> None:
    """Add the option for the seconds after which `what` ends, stored as `dest`."""
    parser.add_argument(
        "--timeout",
        dest=dest,
        type=_seconds,
        metavar="SECONDS",
        help=f"stop {what} after so many seconds (default: no limit)",
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not isfinite(seconds) or seconds <= 0:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of seconds above 0")
    return seconds


def expansions(parser: Parser) -> None:
    """Add the option for further rulesets."""
    files(
        parser.add_argument(
            "--with",
            dest="expansions",
            action="append",
            default=[],
            metavar="RULESET,...",
            help="more rulesets to load; may be given again",
        )
    )


def settings(parser: Parser) -> None:
    """Add the option for settings."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="choose the value of a setting; may be given again",
    )


def watch(parser: Parser) -> None:
    """Add the option to run a command again after every change."""
    parser.add_argument(
        "--watch",
        action="store_true",
        help="run again whenever one of the files changes, until Ctrl-C",
    )


def path(parser: Parser) -> None:
    """Add the option for folders in which rulesets are looked up."""
    folder = parser.add_argument(
        "--path",
        action="append",
        default=[],
        metavar="DIR",
        help="another folder to search for rulesets; may be given again",
    )
    completed(folder, DIRECTORY)


def language(parser: Parser) -> None:
    """Add the option for the language of labels."""
    parser.add_argument(
        "--lang",
        default="en",
        metavar="LANGUAGE",
        help="the language of labels, such as es (default: en)",
    )


def telling(parser: Parser) -> None:
    """Add the options for the output of a game."""
    language(parser)
    parser.add_argument(
        "--board",
        action=argparse.BooleanOptionalAction,
        help="draw the board after every turn (default: on a terminal)",
    )
    parser.add_argument("--names", action="store_true", help="show moves as records write them")
    parser.add_argument("--quiet", action="store_true", help="print only the result")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per line, for programs"
    )


def files(action: argparse.Action) -> None:
    """Let shells complete an argument with files."""
    completed(action, FILE)


_RUN = """\
A RULESET is an id, a folder, a manifest, or an archive made by `rulesdsl pack`.
Ids are looked up in the folders of --path and of the environment variable
RULESDSL_PATH, in your own ruleset folder, and among the shipped rulesets.

examples:
  rulesdsl run base --players 3 --bots greedy,random,random --seed 7
  rulesdsl run base --human red             play against a bot (saved)
  rulesdsl run --resume last                continue the last game
  rulesdsl run my_game.yaml --with more,house_rules --set my_game.rounds=5
  rulesdsl run base --json | head -1

"""


def _add_run(commands: Commands) -> None:
    """Add `run`."""
    run = added(commands, "run", "play a game", _RUN)
    run.set_defaults(module="run", function="command")
    files(run.add_argument("ruleset", nargs="?", metavar="RULESET", help="the game"))
    expansions(run)
    settings(run)
    path(run)
    engine(run, None, f"{READY_ENGINE}; bots that think use the fastest that is installed")
    players(run)
    run.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="the seed of all chance (default: 0, or a new one if people play)",
    )
    run.add_argument(
        "--bots",
        action="append",
        default=[],
        metavar="NAME,...",
        help="the bots that play the other colours, one for all or one for each: random, greedy, "
        "mcts, mcts:500 with 500 playouts per move (default: 2000), or mcts:0.5s with half a "
        "second per move (default: greedy against people, otherwise random)",
    )
    run.add_argument(
        "--human",
        action="append",
        default=[],
        metavar="COLOUR,...",
        help="the colours that people play",
    )
    files(
        run.add_argument(
            "--record",
            metavar="FILE",
            help="record the game in this file (default: games that people play are saved, see "
            "`rulesdsl games`)",
        )
    )
    files(
        run.add_argument(
            "--resume",
            metavar="GAME",
            help="continue a recorded game with the same players: a file, a saved game or `last`",
        )
    )
    telling(run)
    timeout(run)


_GAMES = """\
Games that people play with `rulesdsl run` or `rulesdsl play` are saved
automatically. Every command that takes a record also takes the name of a saved
game, or `last` for the latest one.

examples:
  rulesdsl games
  rulesdsl run --resume last
  rulesdsl replay last
  rulesdsl why points last --turn 3

"""


def _add_games(commands: Commands) -> None:
    """Add `games`."""
    games = added(commands, "games", "list your saved games", _GAMES)
    games.set_defaults(module="listing", function="games")
    games.add_argument("--all", action="store_true", help="list all games (default: the last 20)")


_LIST = """\
Lists the shipped games, your own, and those in the current folder, with their
expansions and settings. Of each setting it shows the default, then the other
values.

examples:
  rulesdsl list
  rulesdsl list --path downloads --lang es

"""


def _add_list(commands: Commands) -> None:
    """Add `list`."""
    listing = added(commands, "list", "list the rulesets with their settings", _LIST)
    listing.set_defaults(module="listing", function="rulesets")
    path(listing)
    language(listing)


_SIMULATE = """\
Game K of a seed is the same game on every engine, machine and number of cores.
Bots rotate by one seat from game to game, so that each plays every seat. Every
number has a 95 % confidence interval.

With --out every game is stored in a folder of Parquet files as it is played.
After an interruption or a full disk the same command continues from there.
After --timeout the statistics are those of the finished games.

examples:
  rulesdsl simulate base --games 100000
  rulesdsl simulate base --bots greedy,random --games 200
  rulesdsl simulate base --compare with=more --compare with=other,rounds=5
  rulesdsl simulate base --games 1000000 --out results.parquet
  rulesdsl simulate base --to report.html

"""


def _add_simulate(commands: Commands) -> None:
    """Add `simulate`."""
    simulate = added(commands, "simulate", "play many games and print statistics", _SIMULATE)
    simulate.set_defaults(module="simulate", function="command")
    files(simulate.add_argument("ruleset", metavar="RULESET", help="the game"))
    simulate.add_argument(
        "--games", type=int, default=1000, metavar="N", help="the number of games (default: 1000)"
    )
    expansions(simulate)
    settings(simulate)
    simulate.add_argument(
        "--compare",
        action="append",
        default=[],
        metavar="CHANGE,...",
        help="also play every game with a change (with=RULESET, without=RULESET or SETTING=VALUE) "
        "and print the difference; may be given again",
    )
    players(simulate)
    simulate.add_argument(
        "--bots",
        action="append",
        default=[],
        metavar="NAME,...",
        help="the bots: one for all seats or one for each, or Python files with bots, such as "
        "policy.py (default: random)",
    )
    simulate.add_argument(
        "--seed", type=int, default=0, metavar="N", help="the seed of all games (default: 0)"
    )
    path(simulate)
    engine(simulate, "wasm")
    timeout(simulate, "the games")
    simulate.add_argument(
        "--jobs", type=int, metavar="N", help="the number of cores to use (default: all)"
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
            help="store all games in this folder, and continue from the games in it; "
            "needs: pip install 'rulesdsl[stats]'",
        )
    )
    simulate.add_argument(
        "--format",
        choices=["table", "json", "csv", "parquet", "html"],
        help="the output format (default: by the ending of --to, otherwise a table)",
    )
    simulate.add_argument("--json", action="store_true", help="the same as --format json")
    files(
        simulate.add_argument(
            "--to", metavar="FILE", help="write to this file instead of standard output"
        )
    )


_CHECK = """\
Each PATH is a ruleset (an id, a folder, a manifest, or its rules file), which
is checked with the rulesets it requires, or a file of scenarios, whose form is
checked. In a folder that is not a ruleset, all rulesets and scenarios are
checked. Problems are written to standard output. The exit code is 1 for errors
and warnings, 0 for notes.

A comment `# allow: SLUG` at the end of a line, or above it, allows a warning or
note there.

examples:
  rulesdsl check base
  rulesdsl check my_game.yaml --with more
  rulesdsl check rulesets/ --level unused=note
  rulesdsl check rulesets/ --format sarif
  rulesdsl check base --all-subsets         with any of its expansions
  rulesdsl check my_game.yaml --play 50     report what never happens
  rulesdsl check my_game.yaml --watch       check again after every change

"""


def _add_check(commands: Commands) -> None:
    """Add `check`."""
    check = added(commands, "check", "check rulesets for problems", _CHECK)
    check.set_defaults(module="check", function="command")
    files(check.add_argument("paths", nargs="+", metavar="PATH", help="a file, folder or id"))
    expansions(check)
    check.add_argument(
        "--all-subsets",
        action="store_true",
        help="check with every subset of the expansions in --with, or of all that extend the "
        "ruleset",
    )
    check.add_argument(
        "--play",
        type=int,
        metavar="N",
        help=(
            "also play N random games with subsets of the expansions in --with, or of all "
            "that extend "
            "the ruleset, and report rules that never ran, options that were never legal and "
            "points that nobody got"
        ),
    )
    check.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="SEED",
        help="the seed of the games of --play (default: 0)",
    )
    failures = check.add_argument(
        "--failures",
        metavar="FOLDER",
        help=(
            "write each game of --play that fails to this folder as a record, with the fewest "
            "moves that show the failure"
        ),
    )
    completed(failures, DIRECTORY)
    settings(check)
    timeout(check, "the games of --play")
    watch(check)
    _told_findings(check)
    path(check)


def _told_findings(check: Parser) -> None:
    """Add the options that decide how findings are shown."""
    check.add_argument(
        "--level",
        action="append",
        default=[],
        metavar="SLUG=LEVEL,...",
        help=(
            "set the severity of a kind of problem to error, warning, note or off; `all` "
            "means all kinds "
            "that are not named; errors that prevent a game stay errors; may be given again"
        ),
    )
    files(
        check.add_argument(
            "--baseline", metavar="FILE", help="do not report the problems that this file lists"
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


_EXPLAIN = """\
The SLUG of a problem is in brackets: error[unknown-name]. Its page shows what
it means and how to fix it, with a wrong and a right example. Without a SLUG it
lists all kinds.

examples:
  rulesdsl explain unknown-name
  rulesdsl explain

"""


def _add_explain(commands: Commands) -> None:
    """Add `explain`."""
    explain = added(commands, "explain", "explain a kind of problem", _EXPLAIN)
    explain.set_defaults(module="explain", function="command")
    explain.add_argument("slug", nargs="?", metavar="SLUG", help="the kind of problem")


_TEST = """\
A FILE contains scenarios (positions, moves, and what must hold after them) or
is a golden record (a recorded game that must run the same way again). A folder
or an archive means all files in it and below that end in `.test.yaml` or
`.game.jsonl`. The folder of the file is searched for rulesets too. Failures are
written to standard output.

With --coverage the parts of rules that no scenario covers are reported too: for
a folder those of all rulesets in it, for a file NAME.test.yaml those of the
ruleset NAME beside it. They count as problems. It needs the reference engine.

With --mutants the same rulesets are changed in many small ways, one at a time:
a guard removed, a comparison moved by one, a number changed. Changes that
neither `check` nor a scenario notices are reported with the situation that is
missing. They count as problems, or as notes if random games go the same way.
Golden records are not run, because they would notice every change.

With --record no tests run: a recorded game becomes a scenario of one turn, or,
if --to ends in `.game.jsonl`, a golden record. Both pass at first.

With --update wrong expected numbers and names are corrected in the file, each
after your confirmation. Golden records are written anew.

examples:
  rulesdsl test my_game.test.yaml
  rulesdsl test my_game-1.0.0.zip
  rulesdsl test rulesets/ -k shield
  rulesdsl test rulesets/ --coverage
  rulesdsl test my_game.test.yaml --mutants
  rulesdsl test my_game.test.yaml --watch
  rulesdsl test my_game.test.yaml --update
  rulesdsl test --record game.jsonl --turn 12 --to my_game.test.yaml
  rulesdsl test --record game.jsonl --to my_game.game.jsonl

"""


def _add_test(commands: Commands) -> None:
    """Add `test`."""
    test = added(commands, "test", "run the scenarios and golden records of rulesets", _TEST)
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
        "--coverage", action="store_true", help="also report rules that no scenario covers"
    )
    test.add_argument(
        "--mutants",
        action="store_true",
        help="change the rules in many small ways, one at a time, and report which changes no "
        "scenario notices",
    )
    test.add_argument(
        "--jobs", type=int, metavar="N", help="the number of cores to use (default: all)"
    )
    test.add_argument(
        "--update",
        action="store_true",
        help="show the changes that would make the tests pass, and ask",
    )
    test.add_argument(
        "--yes", action="store_true", help="with --update: make all changes without asking"
    )
    files(
        test.add_argument(
            "--record", metavar="GAME", help="make a test of this recorded game instead"
        )
    )
    test.add_argument(
        "--turn", type=int, metavar="N", help="with --record: the turn to show (default: the last)"
    )
    test.add_argument("--name", metavar="TEXT", help="with --record: the name of the test")
    files(
        test.add_argument(
            "--to",
            metavar="FILE",
            help="with --record: the file to write, appending to a `.test.yaml` or making "
            "a `.game.jsonl` (default: print a scenario); with --format: the file of the report",
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
    timeout(test, "each test", dest="each")
    watch(test)


_POINTS = """\
Shows every change of the score in a turn, or in a scenario: the sum, the rules
it comes from with the value of each term, who gets it, and the actions that
ran. Without --turn the turns of a record that scored are listed.

examples:
  rulesdsl why points last
  rulesdsl why points game.jsonl --turn 12
  rulesdsl why points game.jsonl --turn last --of red
  rulesdsl why points my_game.test.yaml --scenario 'a closed village pays'

"""

_NOT = """\
Shows the conditions that closed an option, with the values in them. A MOVE is
written as in scenarios, records and games. Arguments that are left out match
every value; then all matching moves are explained.

examples:
  rulesdsl why not game.jsonl --turn 12 at 1,0,90
  rulesdsl why not game.jsonl --turn 12 put house village@N
  rulesdsl why not game.jsonl --turn 12 put s=village@N

"""

_WHY_VALUE = """\
Shows all rules of a value: which one wins or which add up, the result of each,
and which rules it beats. Without arguments it shows every call in the turn.
With arguments it shows the calls with these, or the value at the end of the
turn if there were none. An ARGUMENT is a name as in moves, or an expression.

examples:
  rulesdsl why value game.jsonl --turn 12 worth_of
  rulesdsl why value game.jsonl --turn 12 worth_of 'village@N.E(0,0)'
  rulesdsl why value game.jsonl --turn 12 strength red 'village@N.E(0,0)'

"""


def _add_why(commands: Commands) -> None:
    """Add `why`."""
    things = group(
        commands,
        "why",
        "explain points, illegal moves, and which rule won",
        "Explain a turn of a record, or a scenario.",
    )
    points = _why(added(things, "points", "explain why points were given", _POINTS), "points")
    points.add_argument(
        "--of", metavar="PLAYER", help="only the points of this player (default: all players)"
    )
    refused = _why(added(things, "not", "explain why a move is not legal", _NOT), "refused")
    refused.add_argument("move", nargs="+", metavar="MOVE", help="the move, or a part of it")
    value = _why(added(things, "value", "explain the result of a value", _WHY_VALUE), "value")
    value.add_argument("name", metavar="NAME", help="the name of the value")
    value.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="an argument of the value")


def _why(why: Parser, function: str) -> Parser:
    why.set_defaults(module="why", function=function)
    # In `at -1,0,90` the last word is a place, not an option.
    why._negative_number_matcher = re.compile(r"-\d")
    file = why.add_argument(
        "file", metavar="FILE", help="a record (- for standard input), or a file of scenarios"
    )
    files(file)
    why.add_argument("--turn", metavar="N", help="the turn of the record, or `last`")
    why.add_argument("--scenario", metavar="NAME", help="the scenario of the file")
    why.add_argument("--player", metavar="PLAYER", help="show only what this player may know")
    why.add_argument("--brief", action="store_true", help="show only the first line of each answer")
    why.add_argument(
        "--json", action="store_true", help="print one JSON object per line, for programs"
    )
    path(why)
    engine(why)
    timeout(why)
    return why


_FMT = """\
Formats rules, manifests and scenarios. A PATH is such a file, or a folder,
which means all such files in it and below. The meaning and the comments of a
file stay the same. A file that does not parse is left alone. `-` formats
standard input.

examples:
  rulesdsl fmt my_idea.rules my_idea.yaml
  rulesdsl fmt .
  rulesdsl fmt --check rulesets             show what would change, for CI
  rulesdsl fmt - --name x.rules < x.rules   for editors

"""


def _add_fmt(commands: Commands) -> None:
    """Add `fmt`."""
    fmt = added(commands, "fmt", "format rules, manifests and scenarios", _FMT)
    fmt.set_defaults(module="rewriting", function="format")
    files(fmt.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder or -"))
    fmt.add_argument(
        "--check",
        action="store_true",
        help="write nothing, show what would change; exit code 1 if anything would",
    )
    fmt.add_argument("--diff", action="store_true", help="write nothing, show what would change")
    fmt.add_argument(
        "--name",
        metavar="FILE",
        help="the name of standard input; its ending determines the type (default: by content)",
    )


_EXPANSION = """\
Makes NAME.yaml, NAME.rules, NAME.test.yaml and a page NAME.md: one tile (or a
setting if the game has no tiles), one rule that refines a value of the game,
and scenarios that show its effect. The expansion can be checked, tested and
played at once. Existing files are not overwritten.

examples:
  rulesdsl new expansion my_idea
  rulesdsl new expansion my_idea --of dice_game --folder ideas

"""

_GAME = """\
Copies the files of an EXAMPLE, a small game that can be played at once:
EXAMPLE.yaml, EXAMPLE.rules, EXAMPLE.test.yaml and EXAMPLE.md, which describes
how to make it your own. Existing files are not overwritten.

  gardens   tiles that match along their sides
  tricks    cards in hands, and tricks
  dare      a die, and a risk
  lines     stones on a board

examples:
  rulesdsl new game gardens
  rulesdsl new game tricks --folder my_game

"""


def _add_new(commands: Commands) -> None:
    """Add `new`."""
    things = group(commands, "new", "make the first files of a ruleset", "Make the first files.")
    _new(added(things, "expansion", "begin an expansion", _EXPANSION), "expansion")
    _new(added(things, "game", "begin a game as a copy of an example", _GAME), "game")


def _new(new: Parser, thing: str) -> None:
    new.set_defaults(module="new", function=thing)
    if thing == "expansion":
        new.add_argument("name", metavar="NAME", help="the id of the new expansion")
        of = new.add_argument(
            "--of", default="base", metavar="RULESET", help="the game to extend (default: base)"
        )
        files(of)
    else:
        new.add_argument("name", metavar="EXAMPLE", help="gardens, tricks, dare or lines")
    folder = new.add_argument(
        "--folder", default="", metavar="DIR", help="the folder (default: the current one)"
    )
    completed(folder, DIRECTORY)
    path(new)


_PACK = """\
Packs a RULESET (a folder or a manifest) into one file, ID-VERSION.zip or the
name in --to, which every command can load. Of a folder all files are packed, of
a manifest its rules, scenarios and page. The same files make the same archive,
which contains their checksums.

examples:
  rulesdsl pack my_idea.yaml
  rulesdsl run base --with my_idea-0.1.0.zip

"""


def _add_pack(commands: Commands) -> None:
    """Add `pack`."""
    pack = added(commands, "pack", "pack a ruleset into one file", _PACK)
    pack.set_defaults(module="new", function="pack")
    files(pack.add_argument("ruleset", metavar="RULESET", help="a folder or a manifest"))
    files(pack.add_argument("--to", metavar="FILE", help="the archive (default: ID-VERSION.zip)"))
    path(pack)


_REPLAY = """\
Stops with an error at the first move that is not legal, or if a ruleset has
changed since the game was recorded. The folder of the record is searched for
rulesets too. A record that stops before the end of the game is replayed as far
as it goes, with a warning and exit code 1.

examples:
  rulesdsl replay game.jsonl
  rulesdsl replay - --json < game.jsonl

"""


def _add_replay(commands: Commands) -> None:
    """Add `replay`."""
    replay = added(commands, "replay", "replay a recorded game", _REPLAY)
    replay.set_defaults(module="run", function="replay")
    files(replay.add_argument("record", metavar="FILE", help="the record; - for standard input"))
    path(replay)
    engine(replay)
    telling(replay)
    timeout(replay)


_TILE = """\
examples:
  rulesdsl show tile base                   all tiles of a ruleset
  rulesdsl show tile base/ID                one of them
  rulesdsl show tile my_game.yaml/ID
  rulesdsl show tile base --to tiles.svg    a sheet of them as a picture
  rulesdsl show tile base/ID --to tile.png --size 60

"""

_PIECE = """\
Like `show tile`, for components of any kind.

examples:
  rulesdsl show piece base                  all of a ruleset
  rulesdsl show piece my_cards.yaml --to sheet.png --copies

"""

_BOARD = """\
A turn is a sequence of moves of one player in which no choice is asked twice,
as `replay` numbers them; turn 0 is the start.

examples:
  rulesdsl show board game.jsonl
  rulesdsl show board game.jsonl --turn 12
  rulesdsl show board game.jsonl --to board.png

"""

_ICONS = """\
examples:
  rulesdsl show icons                       their names
  rulesdsl show icons --to icons.png        all of them on a sheet

"""

_AST = """\
Prints the syntax trees of all rules files of the game; with --checked the
checked tree of the game, with resolved names and types.

examples:
  rulesdsl show ast base --only score
  rulesdsl show ast base --with more --checked --only 'base/game.*'

"""

_IR = """\
Prints the rules and the runtime, compiled to a program over integers.

examples:
  rulesdsl show ir base --players 3
  rulesdsl show ir base --unoptimised --only 'value_*'

"""

_SOURCE = """\
Prints the Python code that the engine `python` runs.

examples:
  rulesdsl show source base > base.py
  rulesdsl show source base --only 'value_*'

"""

_SCHEMA = """\
Prints the JSON Schema (2020-12) of a kind of file. Many editors use it for
files that begin with `# yaml-language-server: $schema=PATH`.

examples:
  rulesdsl show schema ruleset > ruleset.schema.json
  rulesdsl show schema findings             what check --format json writes

"""

SCHEMAS = ("baseline", "findings", "output", "plan", "record", "ruleset", "scenarios", "why")
"""The schemas that are shipped."""


def _add_show(commands: Commands) -> None:
    """Add `show`."""
    things = group(
        commands,
        "show",
        "show pieces, boards, schemas and compiled rules",
        "Show as text or pictures.",
    )
    _pieces(added(things, "tile", "draw the tiles of a ruleset", _TILE), "tile")
    _pieces(added(things, "piece", "draw tiles, cards, dice, tokens, figures", _PIECE), "piece")
    _board(added(things, "board", "draw the board of a recorded game", _BOARD))
    _icons(added(things, "icons", "show the icons and colours that `draw` can name", _ICONS))
    _schema(added(things, "schema", "show the schema of a kind of file", _SCHEMA))
    _stage(added(things, "ast", "show the syntax tree of rules", _AST), "syntax")
    _stage(added(things, "ir", "show the compiled program of a game", _IR), "program")
    _stage(added(things, "source", "show the Python code that plays a game", _SOURCE), "source")


def _pieces(pieces: Parser, function: str) -> None:
    pieces.set_defaults(module="show", function=function)
    files(
        pieces.add_argument(
            "names", nargs="+", metavar="RULESET[/ID]", help="a ruleset, or one of its components"
        )
    )
    _picture(pieces)
    pieces.add_argument("--copies", action="store_true", help="draw every copy, to cut out")
    expansions(pieces)
    path(pieces)
    language(pieces)


def _picture(parser: Parser) -> None:
    """Add the options for the file and the size of a picture."""
    files(
        parser.add_argument(
            "--to",
            metavar="FILE",
            help="draw a picture into this file, .svg or .png; "
            "PNG needs: pip install 'rulesdsl[pictures]'",
        )
    )
    parser.add_argument(
        "--size",
        type=int,
        metavar="PIXELS",
        help="the width of a cell (default: 100; 300 for a single piece)",
    )


def _board(board: Parser) -> None:
    board.set_defaults(module="show", function="board")
    files(board.add_argument("record", metavar="FILE", help="the record; - for standard input"))
    board.add_argument(
        "--turn", type=int, metavar="N", help="the board after this turn (default: the last)"
    )
    _picture(board)
    path(board)
    engine(board)
    timeout(board)
    language(board)


def _icons(icons: Parser) -> None:
    icons.set_defaults(module="show", function="icons")
    _picture(icons)


def _schema(schema: Parser) -> None:
    schema.set_defaults(module="show", function="schema")
    schema.add_argument("name", choices=SCHEMAS, metavar="NAME", help=", ".join(SCHEMAS))


def _stage(stage: Parser, function: str) -> None:
    stage.set_defaults(module="stages", function=function)
    files(stage.add_argument("ruleset", metavar="RULESET", help="the ruleset"))
    expansions(stage)
    settings(stage)
    path(stage)
    if function == "syntax":
        stage.add_argument("--checked", action="store_true", help="print the checked tree")
    else:
        players(stage)
        stage.add_argument(
            "--unoptimised", action="store_true", help="print every rule as a function of its own"
        )
    stage.add_argument(
        "--only", metavar="NAME", help="print only declarations of this name; `*` matches anything"
    )


_DOC = """\
Writes a rule book for the players of a RULESET and its expansions: the contents
of the box, the rules in prose with drawn examples, the settings, and all points
at a glance. The prose comes from NAME.book.LANGUAGE.md beside a ruleset, or
from the comments of its rules. With --reference the book has every rule and
every scenario, for authors; with --pieces it is sheets of all pieces at their
true size, with marks for cutting. It is one self-contained HTML file; the same
rulesets make the same book. Needs: pip install 'rulesdsl[book]'

examples:
  rulesdsl doc base --to book.html
  rulesdsl doc base --pieces --to print_me.html
  rulesdsl doc base --with more --lang es --to libro.html

"""


def _add_doc(commands: Commands) -> None:
    """Add `doc`."""
    doc = added(commands, "doc", "write a rule book", _DOC)
    doc.set_defaults(module="show", function="book")
    what = doc.add_mutually_exclusive_group()
    what.add_argument(
        "--reference", action="store_true", help="write every rule and scenario, for authors"
    )
    what.add_argument(
        "--pieces", action="store_true", help="write sheets of all pieces to print and cut out"
    )
    files(doc.add_argument("ruleset", metavar="RULESET", help="the game"))
    expansions(doc)
    settings(doc)
    path(doc)
    language(doc)
    timeout(doc)
    files(
        doc.add_argument(
            "--to", metavar="FILE", help="the file to write (default: standard output)"
        )
    )


_PAGE = """\
Writes one HTML file that plays a RULESET and its expansions in any browser,
without a server, a network or an installation. People at one device and bots
can play. With a record (.jsonl) or a saved game such as `last` instead of a
ruleset, the page shows the recorded game.

examples:
  rulesdsl page base --with more --to game.html
  rulesdsl page game.jsonl --to replay.html
  rulesdsl page last --to replay.html

"""


def _add_page(commands: Commands) -> None:
    """Add `page`."""
    page = added(commands, "page", "write a web page that plays a game", _PAGE)
    page.set_defaults(module="browser", function="page")
    files(page.add_argument("ruleset", metavar="RULESET", help="the game, or a record of one"))
    _game(page)
    files(page.add_argument("--to", required=True, metavar="FILE", help="the file to write"))


_PLAY = """\
Opens the page of `rulesdsl page` in the browser, from a server that only this
machine can reach and that ends with Ctrl-C. Games are recorded as they are
played, in files that `rulesdsl replay` and `rulesdsl why` read.

examples:
  rulesdsl play base --with more
  rulesdsl play card_game --records games --no-browser

"""


def _add_play(commands: Commands) -> None:
    """Add `play`."""
    play = added(commands, "play", "play a game in the browser", _PLAY)
    play.set_defaults(module="browser", function="play")
    files(play.add_argument("ruleset", metavar="RULESET", help="the game"))
    _game(play)
    completed(
        play.add_argument(
            "--records",
            metavar="DIR",
            help="the folder for records (default: your saved games, see `rulesdsl games`)",
        ),
        DIRECTORY,
    )
    _served(play)


_STUDIO = """\
Opens an editor for the rulesets in FOLDER in the browser. It shows mistakes and
their fixes as you type, scenarios, drawings of tiles, and a game that continues
under the changed rules. Save writes the files. Without FOLDER it opens examples
and saves nothing. The server can only be reached from this machine, and ends
with Ctrl-C.

--site and --single write a studio that needs neither a server nor an
installed Python: it runs Python in the browser with Pyodide (npm install
pyodide).

examples:
  rulesdsl studio
  rulesdsl studio my_rules --no-browser
  rulesdsl studio --site public
  rulesdsl studio --single studio.html

"""


def _add_studio(commands: Commands) -> None:
    """Add `studio`."""
    studio = added(commands, "studio", "edit rulesets in the browser", _STUDIO)
    studio.set_defaults(module="browser", function="studio")
    completed(
        studio.add_argument("folder", nargs="?", metavar="FOLDER", help="the folder to edit"),
        DIRECTORY,
    )
    path(studio)
    _served(studio)
    written = studio.add_mutually_exclusive_group()
    completed(
        written.add_argument("--site", metavar="DIR", help="write static files for any host"),
        DIRECTORY,
    )
    files(written.add_argument("--single", metavar="FILE", help="write one HTML file"))
    completed(
        studio.add_argument(
            "--pyodide",
            metavar="DIR",
            help="the folder of Pyodide (default: node_modules/pyodide)",
        ),
        DIRECTORY,
    )


def _served(parser: Parser) -> None:
    """Add the options of a server for a page."""
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="the port (default: any free one)"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address without opening a browser"
    )


_EXPORT = """\
Writes a RULESET and its expansions as JSON for programs in other languages: a
WebAssembly module for each number of players, the meaning of its tables, names,
labels in all languages, and drawings. `rulesdsl show schema plan` describes it.

examples:
  rulesdsl export base --to base.json
  rulesdsl export base --with more --players 2 --to two.json

"""


def _add_export(commands: Commands) -> None:
    """Add `export`."""
    export = added(commands, "export", "write a game as data for other programs", _EXPORT)
    export.set_defaults(module="browser", function="export")
    files(export.add_argument("ruleset", metavar="RULESET", help="the game"))
    _game(export)
    files(
        export.add_argument(
            "--to", metavar="FILE", help="the file to write (default: standard output)"
        )
    )


def _game(parser: Parser) -> None:
    """Add the options for the expansions, settings and numbers of players of a game."""
    expansions(parser)
    settings(parser)
    path(parser)
    timeout(parser)
    parser.add_argument(
        "--players",
        action="append",
        default=[],
        metavar="N,...",
        help="the numbers of players to include (default: all that the game allows)",
    )


_LSP = """\
Editors start it and speak the language server protocol with it over standard
input and output. docs/how-to/editors.md describes the setup.

"""


def _add_lsp(commands: Commands) -> None:
    """Add `lsp`."""
    lsp = added(commands, "lsp", "run the language server for editors", _LSP)
    lsp.set_defaults(module="lsp", function="command")
    # Some editors pass it in any case.
    lsp.add_argument(
        "--stdio", action="store_true", help="use standard input and output, which is the default"
    )


FIRST = """\
rulesdsl plays tile-laying, card and dice games that are written as rulesets.

to begin:
  rulesdsl list                             the games, expansions and settings
  rulesdsl run base --human red             play here, against a bot
  rulesdsl play base                        play in the browser
  rulesdsl run base                         watch bots play
  rulesdsl new expansion my_idea            write an expansion of your own
  rulesdsl --help                           all commands
"""
"""What `rulesdsl` alone prints."""

_EXAMPLES = """\
examples:
  rulesdsl list                             list the games with their settings
  rulesdsl run base                         play a game, bots against bots
  rulesdsl run base --human red             play yourself
  rulesdsl games                            list your saved games
  rulesdsl simulate base --games 100000     play many games and print statistics
  rulesdsl new expansion my_idea            create the files of an expansion
  rulesdsl check my_game.yaml               check a ruleset for problems
  rulesdsl explain unknown-name             explain a kind of problem
  rulesdsl test my_game.test.yaml           run the scenarios of a ruleset
  rulesdsl why points game.jsonl --turn 12  explain why points were given
  rulesdsl test my_idea.test.yaml --watch   run them again after every change
  rulesdsl fmt my_idea.yaml my_idea.rules   format files
  rulesdsl doc base --to book.html          write a rule book
  rulesdsl page base --to game.html         write a web page that plays a game
  rulesdsl play base                        play in the browser
  rulesdsl studio my_rules                  edit and play in the browser
  rulesdsl replay last                      replay the last game that you played

In a checkout, `. .venv/bin/activate` makes the command available.

"""

_COMMANDS = (
    _add_run,
    _add_games,
    _add_list,
    _add_simulate,
    _add_check,
    _add_explain,
    _add_test,
    _add_why,
    _add_fmt,
    _add_new,
    _add_pack,
    _add_replay,
    _add_show,
    _add_doc,
    _add_page,
    _add_play,
    _add_studio,
    _add_export,
    _add_lsp,
)


def parser() -> Parser:
    """Return the parser of the whole command line.

    `module` and `function` in its result name the function of the command.
    """
    main = Parser(
        prog="rulesdsl",
        description="Play tile-laying, card and dice games that are written as rulesets.",
        epilog=_EXAMPLES + EXIT,
    )
    main.add_argument("--version", action="version", version=f"rulesdsl {__version__}")
    main.add_argument("--print-completion", action=PrintCompletion)
    commands = main.add_subparsers(dest="command", metavar="COMMAND")
    for add in _COMMANDS:
        add(commands)
    return main
