"""Arguments of `rulesdsl show`."""

from __future__ import annotations

from rulesdsl.cli.arguments.parsers import Commands, Parser, added, group
from rulesdsl.cli.arguments.shared import (
    engine,
    expansions,
    files,
    language,
    path,
    players,
    settings,
)

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


def add(commands: Commands) -> None:
    """Add the command."""
    things = group(
        commands, "show", "show tiles, boards, and what becomes of rules", "Show as text."
    )
    _tile(added(things, "tile", "draw the tiles of a ruleset", _TILE))
    _board(added(things, "board", "draw the board of a recorded game", _BOARD))
    _stage(added(things, "ast", "show the syntax tree of rules", _AST), "syntax")
    _stage(added(things, "ir", "show the program that rules become", _IR), "program")
    _stage(added(things, "source", "show the Python code that plays a game", _SOURCE), "source")


def _tile(tile: Parser) -> None:
    tile.set_defaults(module="show", function="tile")
    files(tile.add_argument("names", nargs="+", metavar="RULESET[/ID]", help="what to draw"))
    expansions(tile)
    path(tile)
    language(tile)


def _board(board: Parser) -> None:
    board.set_defaults(module="show", function="board")
    files(board.add_argument("record", metavar="FILE", help="the record; - for standard input"))
    board.add_argument("--turn", type=int, metavar="N", help="after which turn (default: the last)")
    path(board)
    engine(board)
    language(board)


def _stage(stage: Parser, function: str) -> None:
    stage.set_defaults(module="stages", function=function)
    files(stage.add_argument("ruleset", metavar="RULESET", help="whose rules"))
    expansions(stage)
    settings(stage)
    path(stage)
    if function == "syntax":
        stage.add_argument("--checked", action="store_true", help="the tree that is played")
    else:
        players(stage)
    stage.add_argument(
        "--only", metavar="NAME", help="only what is called so; `*` stands for anything"
    )
