"""`rulesdsl games`: the saved games of the user."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from rulesdsl.cli.console import CLEAN, Console, Styled
from rulesdsl.cli.loading import read_source
from rulesdsl.diagnostics import RulesError
from rulesdsl.play.records import Record, read_record
from rulesdsl.play.saved import games_folder, saved_games

_SHOWN = 20


def command(arguments: Namespace, console: Console) -> int:
    """List the games that people played, the last one first."""
    games = saved_games()
    if not games:
        console.say("no game has been saved yet; to play one: rulesdsl run base --human red")
        return CLEAN
    for path in games if arguments.all else games[:_SHOWN]:
        try:
            record = read_record(read_source(os.fspath(path), console.input))
        except RulesError as error:
            console.show(error.diagnostics)
            continue
        console.write(_shown(path, record))
    if len(games) > _SHOWN and not arguments.all:
        console.say((f"{len(games) - _SHOWN} more; to see them: rulesdsl games --all", "faint"))
    console.say()
    console.say(("to continue the last one: rulesdsl run --resume last", "help"))
    console.say(("to see one again: rulesdsl replay NAME", "help"))
    console.say(("all of them are in ", "faint"), (os.fspath(games_folder() or ""), "faint"))
    return CLEAN


def _shown(path: Path, record: Record) -> Iterator[Styled]:
    """Yield a game in two lines: its name and day, then who played what and how it stands."""
    header, scores = record.header, record.result or {}
    when = datetime.fromtimestamp(path.stat().st_mtime)
    yield [(path.stem, "title"), f"  {when:%Y-%m-%d %H:%M}"]
    names = " with ".join(filter(None, (header.root, ", ".join(header.expansions))))
    players = ", ".join(
        f"{colour} ({who})" + (f" {scores[colour]}" if colour in scores else "")
        for colour, who in header.seats.items()
    )
    state = f"{len(record.entries)} moves so far"
    if record.result is not None:
        state = f"won by {', '.join(record.winners)}" if record.winners else "over"
    yield [f"    {names}; {players or f'{header.players} players'}; {state}"]
