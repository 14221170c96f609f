"""Arguments of `rulesdsl why`."""

from __future__ import annotations

import re

from rulesdsl.cli.arguments.parsers import Commands, Parser, added, group
from rulesdsl.cli.arguments.shared import engine, files, path, timeout

_POINTS = """\
Every change of the score in a turn, or in a scenario: the sum, the rules it
comes from with the value of each term, who gets it, and what called it.

examples:
  rulesdsl why points game.jsonl --turn 12
  rulesdsl why points game.jsonl --turn last --of red
  rulesdsl why points my_game.test.yaml --scenario 'a closed village pays'

"""

_NOT = """\
The conditions that closed an option, with the values in them. A MOVE is
written as scenarios, records and games write it; what is left out may be
anything: then all matching moves are explained.

examples:
  rulesdsl why not game.jsonl --turn 12 at 1,0,90
  rulesdsl why not game.jsonl --turn 12 put house village@N
  rulesdsl why not game.jsonl --turn 12 put s=village@N

"""

_VALUE = """\
All rules of a value: which one wins or which add up, what each gives and which
rules it beats. Without ARGUMENTS: every call in the turn. With ARGUMENTS: the
calls with these, or else the value at the end of the turn. An argument is a
name as in moves, or an expression.

examples:
  rulesdsl why value game.jsonl --turn 12 worth_of
  rulesdsl why value game.jsonl --turn 12 worth_of 'village@N.E(0,0)'
  rulesdsl why value game.jsonl --turn 12 strength red 'village@N.E(0,0)'

"""


def add(commands: Commands) -> None:
    """Add the command."""
    things = group(
        commands,
        "why",
        "explain points, moves that are not legal, and which rule won",
        "Say why, of a record at a turn or of a scenario.",
    )
    points = _why(added(things, "points", "explain why points were given", _POINTS), "points")
    points.add_argument("--of", metavar="PLAYER", help="whose points (default: everybody's)")
    refused = _why(added(things, "not", "explain why a move is not legal", _NOT), "refused")
    refused.add_argument("move", nargs="+", metavar="MOVE", help="the move, or a part of it")
    value = _why(added(things, "value", "explain the value of a rule", _VALUE), "value")
    value.add_argument("name", metavar="NAME", help="the value")
    value.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="its arguments")


def _why(why: Parser, function: str) -> Parser:
    why.set_defaults(module="why", function=function)
    # `at -1,0,90` has no option, but a place.
    why._negative_number_matcher = re.compile(r"-\d")
    file = why.add_argument(
        "file", metavar="FILE", help="a record (- for standard input), or a file of scenarios"
    )
    files(file)
    why.add_argument("--turn", metavar="N", help="which turn of the record, or `last`")
    why.add_argument("--scenario", metavar="NAME", help="which scenario of the file")
    why.add_argument("--player", metavar="PLAYER", help="show only what this player may know")
    why.add_argument("--brief", action="store_true", help="show only the first line of each answer")
    why.add_argument("--json", action="store_true", help="one JSON object a line, for programs")
    path(why)
    engine(why)
    timeout(why)
    return why
