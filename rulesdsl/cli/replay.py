"""`rulesdsl replay`: replay a recorded game."""

from __future__ import annotations

import shlex
from argparse import Namespace

from rulesdsl.cli.console import CLEAN, PROBLEMS, Console
from rulesdsl.cli.loading import STDIN, game_of, read_source, teller, words
from rulesdsl.cli.telling import RECORDED, Start
from rulesdsl.diagnostics import Diagnostic, Severity
from rulesdsl.play import State
from rulesdsl.play.records import Record, read_record
from rulesdsl.play.watch import played


def command(arguments: Namespace, console: Console) -> int:
    """Replay a record; return `PROBLEMS` if it stops before the end of the game."""
    record = read_record(read_source(arguments.record, console.input))
    game = game_of(record, arguments.record, arguments.path, arguments.engine)
    text = words(game, arguments.lang, console)
    told = teller(arguments, text, console)
    for now in played(record, game):
        if now.step is None:
            seats = dict.fromkeys(now.state.players, RECORDED)
            told.start(Start(now.state, seats, record.header.seed))
        else:
            told.moved(now.step, now.state)
    told.end(now.state, now.watch.points)
    cut = _cut(record, now.state, arguments.record)
    console.show(cut)
    return PROBLEMS if cut else CLEAN


def _cut(record: Record, state: State, name: str) -> list[Diagnostic]:
    """Return the warning about a record without the result of the game."""
    if record.result is not None:
        return []
    last = record.cut or (record.entries[-1].span if record.entries else record.span)
    if record.cut is not None:
        message = "the record is cut off in the middle of a line"
    elif state.mover is None:
        message = "the record stops at the end of the game, without the result"
    else:
        message = "the record stops before the end of the game"
    file = "FILE" if name == STDIN else shlex.quote(name)
    help = (f"to play on: rulesdsl run --resume {file}",) if state.mover is not None else ()
    return [
        Diagnostic(
            "record-cut",
            message,
            last,
            f"{len(record.entries)} moves are played back",
            help=help,
            severity=Severity.WARNING,
        )
    ]
