"""The options of commands as rows, and those that several commands take."""

from __future__ import annotations

from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from math import isfinite
from typing import Any

from rulesdsl.engines import DEFAULT_ENGINE, ENGINES, READY_ENGINE, unknown
from rulesdsl.records import dataclass


@dataclass(frozen=True)
class Option:
    """An option or an argument of a command: its names, and the rest as `add_argument` takes it.

    A command takes one of those that are an `alternative`.
    """

    names: str
    more: Mapping[str, Any] = field(default_factory=dict)
    alternative: bool = False


class CommandRow:
    """A command, with the examples at the end of its text.

    `function` is `module.function` in `rulesdsl.cli`.
    """

    def __init__(self, name: str, help: str, function: str, text: str, *options: Option) -> None:
        self.name, self.help, self.function, self.text = name, help, function, text
        self.options = options


@dataclass(frozen=True)
class CommandGroup:
    """A command with commands of its own, one for each thing."""

    name: str
    help: str
    description: str
    commands: Sequence[CommandRow]


def option(names: str, metavar: str | None, help: str, **more: Any) -> Option:
    """Return an option with a value, or an argument if its name does not begin with `-`."""
    return Option(names, {"metavar": metavar, "help": help, **more})


def several(names: str, metavar: str, help: str, **more: Any) -> Option:
    """Return an option that may be given again."""
    return option(names, metavar, help, action="append", default=[], **more)


def flag(names: str, help: str) -> Option:
    """Return an option without a value."""
    return Option(names, {"help": help, "action": "store_true"})


def one_of(*options: Option) -> tuple[Option, ...]:
    """Return options that exclude each other."""
    return tuple(replace(each, alternative=True) for each in options)


def engine(default: str) -> Option:
    """Return the option for the engine."""
    return option(
        "--engine",
        None,
        "the engine: both play the same games; `wasm` is fast, `reference` starts instantly "
        f"(default: {default})",
        type=_engine,
        choices=sorted(ENGINES),
        default=default,
    )


def _engine(text: str) -> str:
    if text not in ENGINES:
        raise ArgumentTypeError(unknown(text))
    return text


def timeout(what: str, dest: str = "timeout") -> Option:
    """Return the option for the seconds after which `what` ends, stored as `dest`."""
    help = f"stop {what} after so many seconds (default: no limit)"
    return option("--timeout", "SECONDS", help, type=_seconds, dest=dest)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not isfinite(seconds) or seconds <= 0:
        raise ArgumentTypeError(f"`{text}` is not a number of seconds above 0")
    return seconds


def millimetres(name: str, value: float, what: str) -> Option:
    """Return the option for a size in millimetres, with its default."""
    return option(name, "MM", f"{what} (default: {value:g})", type=_millimetres, default=value)


def _millimetres(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"`{text}` is not a number of millimetres") from None


NO_CACHE = flag("--no-cache", "do not read or write the cache folder")
WITH = several(
    "--with", "RULESET,...", "more rulesets to load; may be given again", dest="expansions"
)
SET = several("--set", "NAME=VALUE", "choose the value of a setting; may be given again")
PATH = several("--path", "DIR", "another folder to search for rulesets; may be given again")
PLAYERS = option("--players", "N", "the number of players (default: the fewest possible)", type=int)
LANG = option(
    "--lang", "LANGUAGE", "the language of labels, such as es (default: en)", default="en"
)
BOARD = option(
    "--board",
    None,
    "draw the board after every turn (default: on a terminal)",
    action=BooleanOptionalAction,
)
NAMES = flag("--names", "show moves as records write them")
QUIET = flag("--quiet", "print only the result")
JSON = flag("--json", "print one JSON object per line, for programs")
RULESET = option("ruleset", "RULESET", "the game")
JOBS = option("--jobs", "N", "the number of cores to use (default: all)", type=int)
WATCH = flag("--watch", "run again whenever one of the files changes, until Ctrl-C")
TOLD = option("file", "FILE", "a record (- for standard input), or a file of scenarios")
TURN = option("--turn", "N", "the turn of the record, or `last`")
SCENARIO = option("--scenario", "NAME", "the scenario of the file")
PLAYER = option("--player", "PLAYER", "show only what this player may know")
BRIEF = flag("--brief", "show only the first line of each answer")
INTO = option("--folder", "DIR", "the folder (default: the current one)", default="")
RECORD = option("record", "FILE", "the record; - for standard input")
COMPONENTS = option("names", "RULESET[/ID]", "a ruleset, or one of its components", nargs="+")
PICTURE = option(
    "--to",
    "FILE",
    "draw a picture into this file, .svg or .png; PNG needs: pip install 'rulesdsl[pictures]'",
)
SIZE = option(
    "--size", "PIXELS", "the width of a cell (default: 100; 300 for a single piece)", type=int
)
OVER = flag("--over", "draw over each tile what the rules know: lines, areas, places for figures")
THE_RULESET = option("ruleset", "RULESET", "the ruleset")
ONLY = option("--only", "NAME", "print only declarations of this name; `*` matches anything")
UNOPTIMISED = flag("--unoptimised", "print every rule as a function of its own")
TO = option("--to", "FILE", "the file to write (default: standard output)")
NUMBERS = several(
    "--players", "N,...", "the numbers of players to include (default: all that the game allows)"
)
PORT = option("--port", "N", "the port (default: any free one)", type=int, default=0)
NO_BROWSER = flag("--no-browser", "print the address without opening a browser")
ENGINE, FAST_ENGINE = engine(READY_ENGINE), engine(DEFAULT_ENGINE)
TIMEOUT = timeout("the rules")
OUTPUT = (LANG, BOARD, NAMES, QUIET, JSON)
GAME = (WITH, SET, PATH, TIMEOUT, NUMBERS)
STORY = (TOLD, TURN, SCENARIO, PLAYER, BRIEF, JSON, PATH, ENGINE, TIMEOUT)
DRAWN = (COMPONENTS, PICTURE, SIZE, WITH, PATH, LANG)
COMPILED = (THE_RULESET, WITH, SET, PATH, PLAYERS, UNOPTIMISED, ONLY)
