"""The commands and their options: a module for each, listed here in the order of the help."""

from __future__ import annotations

from rulesdsl import __version__
from rulesdsl.cli.arguments import (
    check,
    dev,
    doc,
    explain,
    fmt,
    lsp,
    new,
    pack,
    replay,
    run,
    show,
    simulate,
    test,
    update,
    why,
)
from rulesdsl.cli.arguments.parsers import EXIT, Parser
from rulesdsl.cli.completion import PrintCompletion

_EXAMPLES = """\
examples:
  rulesdsl run base                         play a game, bots against bots
  rulesdsl run base --human red             play yourself
  rulesdsl simulate base --games 100000     play many games and print statistics
  rulesdsl new expansion my_idea            create the files of an expansion
  rulesdsl check my_game.yaml               check a ruleset for problems
  rulesdsl explain unknown-name             explain a kind of problem
  rulesdsl test my_game.test.yaml           run the scenarios of a ruleset
  rulesdsl why points game.jsonl --turn 12  explain why points were given
  rulesdsl dev my_idea.yaml                 show the effect of every change
  rulesdsl fmt my_idea.yaml my_idea.rules   format files
  rulesdsl doc base --to book.html          write a rule book
  rulesdsl replay game.jsonl                replay a recorded game

"""

_COMMANDS = (
    run,
    simulate,
    check,
    explain,
    test,
    why,
    dev,
    fmt,
    update,
    new,
    pack,
    replay,
    show,
    doc,
    lsp,
)


def parser() -> Parser:
    """The whole command line; `command` in its result names what to do."""
    main = Parser(
        prog="rulesdsl",
        description="Play tile-laying, card and dice games that are written as rulesets.",
        epilog=_EXAMPLES + EXIT,
    )
    main.add_argument("--version", action="version", version=f"rulesdsl {__version__}")
    main.add_argument("--print-completion", action=PrintCompletion)
    commands = main.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for each in _COMMANDS:
        each.add(commands)
    return main
