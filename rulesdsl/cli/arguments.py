"""The commands and their options."""

from __future__ import annotations

import argparse

from rulesdsl import __version__
from rulesdsl.cli.completion import DIRECTORY, FILE, PrintCompletion, completed
from rulesdsl.run.engines import DEFAULT_ENGINE, ENGINES

_EXIT = """\
exit codes: 0 all is well, 1 problems were found, 2 it could not be done
"""

_MAIN = """\
examples:
  rulesdsl run base                         play a game, bots against bots
  rulesdsl run base --human red             play yourself
  rulesdsl simulate base --games 100000     play many games, and count
  rulesdsl new expansion my_idea            make the first files of an expansion
  rulesdsl check my_game.yaml               say what is wrong with a ruleset
  rulesdsl explain unknown-name             read what a problem means
  rulesdsl test my_game.test.yaml           try the scenarios of a ruleset
  rulesdsl replay game.jsonl                play a recorded game back

"""

_RUN = """\
A RULESET is an id, a folder, a manifest, or an archive made by `rulesdsl pack`.
Ids are sought in the folders of --path and of the environment variable
RULESDSL_PATH, in your own ruleset folder, and among those that are shipped.

examples:
  rulesdsl run base --players 3 --bots greedy,random,random --seed 7
  rulesdsl run base --human red --record game.jsonl
  rulesdsl run --resume game.jsonl --human red
  rulesdsl run my_game.yaml --with more,house_rules --set my_game.rounds=5
  rulesdsl run base --json | head -1

"""

_SIMULATE = """\
Game K of a seed is the same game on every engine, machine and number of cores.
Bots move on by one seat from game to game, so that each sits everywhere. Every
number comes with a 95 % confidence interval.

With --out the games are kept in a folder of Parquet files, one by one as they
are played. Interrupted, killed, or the disk full: run it again, and it goes on.

examples:
  rulesdsl simulate base --games 100000
  rulesdsl simulate base --bots greedy,random --games 200
  rulesdsl simulate base --compare with=more --compare with=other,rounds=5
  rulesdsl simulate base --games 1000000 --out results.parquet
  rulesdsl simulate base --to report.html

"""

_CHECK = """\
Each RULESET (an id, a folder, a manifest) is checked with what it requires;
a folder that is not a ruleset stands for all rulesets in it. Findings are
written to standard output. Warnings count as problems.

examples:
  rulesdsl check base
  rulesdsl check my_game.yaml --with more
  rulesdsl check rulesets/
  rulesdsl check base --all-subsets         with any of its expansions

"""

_EXPLAIN = """\
The SLUG of a problem stands in brackets where it is told: error[unknown-name].
Its page says what it means and how to mend it, with an example that is wrong
and one that is right. Without a SLUG, all are listed.

examples:
  rulesdsl explain unknown-name
  rulesdsl explain

"""

_TEST = """\
A FILE holds scenarios: situations of a game and what must hold in them. A
folder stands for all files in it, and below it, that end in `.test.yaml`.
Rulesets are also sought beside the file. What does not hold is written to
standard output.

With --coverage the places in rules that no scenario shows are written too: of
all rulesets in a folder, and for a file NAME.test.yaml of the ruleset NAME
beside it. They count as problems. The reference engine plays then.

examples:
  rulesdsl test my_game.test.yaml
  rulesdsl test rulesets/ --coverage

"""

_NEW_EXPANSION = """\
Makes NAME.yaml, NAME.rules, NAME.test.yaml and a page NAME.md: one tile (or a
setting, where a game has no tiles), one rule that refines a value of the game,
and scenarios that show it. They can be checked, tested and played as they are.
Nothing that is there is overwritten.

examples:
  rulesdsl new expansion my_idea
  rulesdsl new expansion my_idea --of dice_game --folder ideas

"""

_NEW_GAME = """\
Makes the files of a small game with tiles, which plays as it is: NAME.yaml,
NAME.rules, NAME.test.yaml and NAME.md. Nothing that is there is overwritten.

"""

_PACK = """\
Makes one file of a RULESET (a folder or a manifest), to be given away and named
with --with as it is: ID-VERSION.zip, or what --to says. Of a folder all files
are packed, of a manifest its rules, scenarios and page. The same files make the
same archive, and it holds their checksums.

examples:
  rulesdsl pack my_idea.yaml
  rulesdsl run base --with my_idea-0.1.0.zip

"""

_REPLAY = """\
Stops at the first move that is not legal, and says so; also if a ruleset has
changed since the game was recorded. Rulesets are also sought beside the record.
A record that stops before the end of the game is played back as far as it goes:
that is a warning, and the exit code is 1.

examples:
  rulesdsl replay game.jsonl
  rulesdsl replay - --json < game.jsonl

"""

_TILE = """\
examples:
  rulesdsl show tile base                   all tiles of a ruleset
  rulesdsl show tile base/ID                one of them
  rulesdsl show tile my_game.yaml/ID

"""

_BOARD = """\
A turn is a run of moves of one player in which nothing is asked twice, as
`replay` numbers them; turn 0 is the start.

examples:
  rulesdsl show board game.jsonl
  rulesdsl show board game.jsonl --turn 12

"""

_AST = """\
The trees of all rules files of the game, as they were written; with --checked
the one tree that is played, in which names and types are known and the rules
of all rulesets are put together.

examples:
  rulesdsl show ast base --only score
  rulesdsl show ast base --with more --checked --only 'base/game.*'

"""

_IR = """\
The rules and what all games have in common, lowered to a program over numbers.

examples:
  rulesdsl show ir base --players 3
  rulesdsl show ir base --only 'value_*'

"""

_SOURCE = """\
The program as Python code, which plays the game.

examples:
  rulesdsl show source base > base.py
  rulesdsl show source base --only 'value_*'

"""


def parser() -> argparse.ArgumentParser:
    """The whole command line; `command` in its result names what to do."""
    main = _Parser(
        prog="rulesdsl",
        description="Play tile-laying, card and dice games that are written as rulesets.",
        epilog=_MAIN + _EXIT,
    )
    main.add_argument("--version", action="version", version=f"rulesdsl {__version__}")
    main.add_argument("--print-completion", action=PrintCompletion)
    commands = main.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _run(_add(commands, "run", "play a game", _RUN))
    _simulate(_add(commands, "simulate", "play many games, and count", _SIMULATE))
    _check(_add(commands, "check", "say what is wrong with rulesets", _CHECK))
    _explain(_add(commands, "explain", "tell what a problem means", _EXPLAIN))
    _test(_add(commands, "test", "try the scenarios of rulesets", _TEST))
    new = commands.add_parser(
        "new", help="make the first files of a ruleset", description="Make the first files."
    )
    made = new.add_subparsers(dest="thing", metavar="THING", required=True)
    _new(_add(made, "expansion", "begin an expansion", _NEW_EXPANSION), "expansion")
    _new(_add(made, "game", "begin a game", _NEW_GAME), "game")
    _pack(_add(commands, "pack", "make one file of a ruleset", _PACK))
    _replay(_add(commands, "replay", "play a recorded game back", _REPLAY))
    show = commands.add_parser(
        "show", help="show tiles, boards, and what becomes of rules", description="Show as text."
    )
    things = show.add_subparsers(dest="thing", metavar="THING", required=True)
    _tile(_add(things, "tile", "draw the tiles of a ruleset", _TILE))
    _board(_add(things, "board", "draw the board of a recorded game", _BOARD))
    _stage(_add(things, "ast", "show the syntax tree of rules", _AST), "syntax")
    _stage(_add(things, "ir", "show the program that rules become", _IR), "program")
    _stage(_add(things, "source", "show the Python code that plays a game", _SOURCE), "source")
    return main


class _Parser(argparse.ArgumentParser):
    """Keeps the lines of descriptions, and takes options by their full names only."""

    def __init__(self, **options: object) -> None:
        kept = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
        super().__init__(**{**kept, **options})  # type: ignore[arg-type]


_Commands = argparse._SubParsersAction


def _add(commands: _Commands[_Parser], name: str, help: str, epilog: str) -> _Parser:
    command = commands.add_parser(
        name, help=help, description=f"{help[0].upper()}{help[1:]}.", epilog=epilog + _EXIT
    )
    command.add_argument(
        "--no-cache", action="store_true", help="use and keep nothing in the cache folder"
    )
    return command


def _run(run: _Parser) -> None:
    run.set_defaults(module="run", function="command")
    _files(run.add_argument("ruleset", nargs="?", metavar="RULESET", help="what to play"))
    _with(run)
    _set(run)
    _path(run)
    _engine(run)
    _players(run)
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
    _files(run.add_argument("--record", metavar="FILE", help="write the game down as it goes"))
    _files(run.add_argument("--resume", metavar="FILE", help="go on with a recorded game"))
    _telling(run)


def _simulate(simulate: _Parser) -> None:
    simulate.set_defaults(module="simulate", function="command")
    _files(simulate.add_argument("ruleset", metavar="RULESET", help="what to play"))
    simulate.add_argument(
        "--games", type=int, default=1000, metavar="N", help="how many games (default: 1000)"
    )
    _with(simulate)
    _set(simulate)
    simulate.add_argument(
        "--compare",
        action="append",
        default=[],
        metavar="CHANGE,...",
        help="play every game also with a change, with=RULESET, without=RULESET or SETTING=VALUE, "
        "and tell the difference; may be given again",
    )
    _players(simulate)
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
    _path(simulate)
    _engine(simulate, "wasm")
    simulate.add_argument(
        "--jobs", type=int, metavar="N", help="on how many cores to play (default: all)"
    )
    simulate.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="play on the Dask cluster at tcp://HOST:PORT; needs: pip install 'rulesdsl[cluster]'",
    )
    _files(
        simulate.add_argument(
            "--out",
            metavar="FOLDER",
            help="keep all games there, and go on with those that are there; "
            "needs: pip install 'rulesdsl[stats]'",
        )
    )
    simulate.add_argument(
        "--format",
        choices=["table", "json", "csv", "parquet", "html"],
        help="how to tell it (default: as the name of --to ends, otherwise a table)",
    )
    simulate.add_argument("--json", action="store_true", help="the same as --format json")
    _files(
        simulate.add_argument(
            "--to", metavar="FILE", help="write it there instead of to standard output"
        )
    )


def _check(check: _Parser) -> None:
    check.set_defaults(module="check", function="command")
    _files(check.add_argument("rulesets", nargs="+", metavar="RULESET", help="what to check"))
    _with(check)
    check.add_argument(
        "--all-subsets",
        action="store_true",
        help="with every subset of those of --with, or of all that extend it",
    )
    _set(check)
    _path(check)


def _explain(explain: _Parser) -> None:
    explain.set_defaults(module="explain", function="command")
    explain.add_argument("slug", nargs="?", metavar="SLUG", help="which problem")


def _test(test: _Parser) -> None:
    test.set_defaults(module="test", function="command")
    _files(test.add_argument("files", nargs="+", metavar="FILE", help="what to try"))
    test.add_argument(
        "--coverage", action="store_true", help="say which rules no scenario shows, too"
    )
    _path(test)
    _engine(test)


def _new(new: _Parser, thing: str) -> None:
    new.set_defaults(module="new", function=thing)
    new.add_argument("name", metavar="NAME", help=f"the id of the new {thing}")
    if thing == "expansion":
        of = new.add_argument(
            "--of", default="base", metavar="RULESET", help="the game (default: base)"
        )
        _files(of)
    folder = new.add_argument("--folder", default="", metavar="DIR", help="where (default: here)")
    completed(folder, DIRECTORY)
    _path(new)


def _pack(pack: _Parser) -> None:
    pack.set_defaults(module="pack", function="command")
    _files(pack.add_argument("ruleset", metavar="RULESET", help="what to pack"))
    _files(pack.add_argument("--to", metavar="FILE", help="what to call it"))
    _path(pack)


def _replay(replay: _Parser) -> None:
    replay.set_defaults(module="replay", function="command")
    _files(replay.add_argument("record", metavar="FILE", help="the record; - for standard input"))
    _path(replay)
    _engine(replay)
    _telling(replay)


def _tile(tile: _Parser) -> None:
    tile.set_defaults(module="show", function="tile")
    _files(tile.add_argument("names", nargs="+", metavar="RULESET[/ID]", help="what to draw"))
    _with(tile)
    _path(tile)
    _lang(tile)


def _board(board: _Parser) -> None:
    board.set_defaults(module="show", function="board")
    _files(board.add_argument("record", metavar="FILE", help="the record; - for standard input"))
    board.add_argument("--turn", type=int, metavar="N", help="after which turn (default: the last)")
    _path(board)
    _engine(board)
    _lang(board)


def _stage(stage: _Parser, function: str) -> None:
    stage.set_defaults(module="stages", function=function)
    _files(stage.add_argument("ruleset", metavar="RULESET", help="whose rules"))
    _with(stage)
    _set(stage)
    _path(stage)
    if function == "syntax":
        stage.add_argument("--checked", action="store_true", help="the tree that is played")
    else:
        _players(stage)
    stage.add_argument(
        "--only", metavar="NAME", help="only what is called so; `*` stands for anything"
    )


def _players(parser: _Parser) -> None:
    parser.add_argument(
        "--players", type=int, metavar="N", help="how many play (default: the fewest)"
    )


def _engine(parser: _Parser, default: str = DEFAULT_ENGINE) -> None:
    parser.add_argument(
        "--engine",
        choices=sorted(ENGINES),
        default=default,
        help=(
            "what plays: all play the same games, `wasm` the fastest and `reference` the slowest "
            f"(default: {default}); `wasm` needs: pip install 'rulesdsl[fast]'"
        ),
    )


def _with(parser: _Parser) -> None:
    _files(
        parser.add_argument(
            "--with",
            dest="expansions",
            action="append",
            default=[],
            metavar="RULESET,...",
            help="more rulesets to load; may be given again",
        )
    )


def _set(parser: _Parser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="choose a setting; may be given again",
    )


def _path(parser: _Parser) -> None:
    folder = parser.add_argument(
        "--path",
        action="append",
        default=[],
        metavar="DIR",
        help="where else to look for rulesets; may be given again",
    )
    completed(folder, DIRECTORY)


def _lang(parser: _Parser) -> None:
    parser.add_argument("--lang", default="en", metavar="LANGUAGE", help="such as es (default: en)")


def _telling(parser: _Parser) -> None:
    _lang(parser)
    parser.add_argument(
        "--board",
        action=argparse.BooleanOptionalAction,
        help="draw the board after every turn (default: on a terminal)",
    )
    parser.add_argument("--quiet", action="store_true", help="say only how it ends")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, for programs")


def _files(action: argparse.Action) -> None:
    completed(action, FILE)
