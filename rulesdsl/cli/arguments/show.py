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
    timeout,
)

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
A turn is a run of moves of one player in which nothing is asked twice, as
`replay` numbers them; turn 0 is the start.

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
The trees of all rules files of the game, as they were written; with --checked
the checked tree of the whole game, with resolved names and types.

examples:
  rulesdsl show ast base --only score
  rulesdsl show ast base --with more --checked --only 'base/game.*'

"""

_IR = """\
The rules and the core, compiled to a program over integers.

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

_SCHEMA = """\
The JSON Schema (2020-12) of a kind of file. Many editors use it for files that
begin with `# yaml-language-server: $schema=PATH`.

examples:
  rulesdsl show schema ruleset > ruleset.schema.json
  rulesdsl show schema findings             what check --format json writes

"""

SCHEMAS = ("baseline", "findings", "output", "record", "ruleset", "scenarios", "why")
"""The schemas that are shipped."""


def add(commands: Commands) -> None:
    """Add the command."""
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
    files(pieces.add_argument("names", nargs="+", metavar="RULESET[/ID]", help="what to draw"))
    _picture(pieces)
    pieces.add_argument(
        "--copies", action="store_true", help="every copy, side by side, to be cut out"
    )
    expansions(pieces)
    path(pieces)
    language(pieces)


def _picture(parser: Parser) -> None:
    """Where a picture goes."""
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
        help="how wide a cell is (default: 100, one piece 300)",
    )


def _board(board: Parser) -> None:
    board.set_defaults(module="show", function="board")
    files(board.add_argument("record", metavar="FILE", help="the record; - for standard input"))
    board.add_argument("--turn", type=int, metavar="N", help="after which turn (default: the last)")
    _picture(board)
    path(board)
    engine(board)
    timeout(board)
    language(board)


def _icons(icons: Parser) -> None:
    icons.set_defaults(module="show", function="icons")
    _picture(icons)


def _schema(schema: Parser) -> None:
    schema.set_defaults(module="schemas", function="schema")
    schema.add_argument("name", choices=SCHEMAS, metavar="NAME", help=", ".join(SCHEMAS))


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
        "--only", metavar="NAME", help="only declarations of this name; `*` matches anything"
    )
