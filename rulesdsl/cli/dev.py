"""`rulesdsl dev`: watch a ruleset, and show what each change does."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping

from rulesdsl.cli.arguments.dev import SEED, TURNS
from rulesdsl.cli.console import Console
from rulesdsl.cli.developing import Screen
from rulesdsl.cli.loading import parts, settings
from rulesdsl.cli.problems import CLEAN, bad_argument, package_missing
from rulesdsl.cli.recording import STDIN, read_source
from rulesdsl.dev.bench import Asked, Bench
from rulesdsl.dev.hand import Hand
from rulesdsl.dev.loop import follow
from rulesdsl.interrupts import INTERRUPTS
from rulesdsl.play.records import Record, read_record
from rulesdsl.read.load import ids_of


def command(arguments: Namespace, console: Console) -> int:
    """Look, and look again after every change, until Ctrl-C."""
    try:
        from rulesdsl.dev.watcher import FolderWatcher
    except ImportError:
        raise package_missing("`rulesdsl dev`", "watchfiles", "watch") from None
    record = _record(arguments, console)
    bench = Bench(_asked(arguments, record), _hand(arguments, record))
    screen = Screen(console, arguments)
    with FolderWatcher() as watcher:
        try:
            follow(bench, watcher, screen.show)
        except KeyboardInterrupt:
            if not INTERRUPTS.forgive():
                raise
            console.say()
    return CLEAN


def _record(arguments: Namespace, console: Console) -> Record | None:
    if STDIN in (arguments.ruleset, arguments.game):
        raise bad_argument("only files can be watched, standard input cannot")
    if arguments.game is None:
        return None
    given = {"--players": arguments.players, "--seed": arguments.seed}
    if fixed := [name for name, value in given.items() if value is not None]:
        raise bad_argument(f"--game is a game as it is: leave out {', '.join(fixed)}")
    return read_record(read_source(arguments.game, console.input))


def _asked(arguments: Namespace, record: Record | None) -> Asked:
    """What to work on: of a record, with all that its game was made of."""
    expansions: list[str] = parts(arguments.expansions)
    chosen: Mapping[str, int | bool | str] = settings(arguments.set)
    paths: list[str] = arguments.path
    if record is not None:
        own = ids_of([arguments.ruleset, *expansions])
        made = (record.header.root, *record.header.expansions)
        expansions = [*expansions, *(name for name in made if name not in own)]
        chosen = {**record.header.settings, **chosen}
        paths = [*paths, os.path.dirname(arguments.game) or os.curdir]
    engine, seconds = arguments.engine, arguments.each
    return Asked(arguments.ruleset, expansions, chosen, paths, engine, seconds)


def _hand(arguments: Namespace, record: Record | None) -> Hand:
    if arguments.turn is not None and arguments.turn < 0:
        raise bad_argument(f"there is no turn {arguments.turn}")
    if record is not None:
        return Hand(record.header.players, record.header.seed, arguments.turn, record)
    turns = TURNS if arguments.turn is None else arguments.turn
    seed = SEED if arguments.seed is None else arguments.seed
    return Hand(arguments.players, seed, turns)
