"""Options that several commands have."""

from __future__ import annotations

import argparse
from math import isfinite

from rulesdsl.cli.arguments.parsers import Parser
from rulesdsl.cli.completion import DIRECTORY, FILE, completed
from rulesdsl.run.engines import ENGINES, READY_ENGINE


def players(parser: Parser) -> None:
    """How many play."""
    parser.add_argument(
        "--players", type=int, metavar="N", help="how many play (default: the fewest)"
    )


def engine(parser: Parser, default: str | None = READY_ENGINE, told: str = "") -> None:
    """What plays; `told` says what does if there is no default."""
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


def timeout(parser: Parser, what: str = "the rules may run", dest: str = "timeout") -> None:
    """The seconds after which `what` ends: those of the whole command as `timeout`."""
    parser.add_argument(
        "--timeout",
        dest=dest,
        type=_seconds,
        metavar="SECONDS",
        help=f"how long {what} before they are stopped (default: no limit)",
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
    """What is loaded besides."""
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
    """Settings that are chosen."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="choose a setting; may be given again",
    )


def path(parser: Parser) -> None:
    """Where rulesets are sought besides."""
    folder = parser.add_argument(
        "--path",
        action="append",
        default=[],
        metavar="DIR",
        help="another folder in which to find rulesets; may be given again",
    )
    completed(folder, DIRECTORY)


def language(parser: Parser) -> None:
    """The language of labels."""
    parser.add_argument("--lang", default="en", metavar="LANGUAGE", help="such as es (default: en)")


def telling(parser: Parser) -> None:
    """How a game is told."""
    language(parser)
    parser.add_argument(
        "--board",
        action=argparse.BooleanOptionalAction,
        help="draw the board after every turn (default: on a terminal)",
    )
    parser.add_argument("--quiet", action="store_true", help="say only how it ends")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, for programs")


def files(action: argparse.Action) -> None:
    """An argument that shells complete with files."""
    completed(action, FILE)


def rewriting(parser: Parser) -> None:
    """What is done with files that would be written anew."""
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing, show what would change; exit code 1 if anything would",
    )
    parser.add_argument("--diff", action="store_true", help="write nothing, show what would change")
