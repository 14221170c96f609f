"""`rulesdsl check --play`: play random games, and show how to reproduce failures."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from dataclasses import replace

from rulesdsl.author.lint.trials import FailedGame, GameResults, TrialGame, play, record, shrunk
from rulesdsl.base.deadline import OutOfTime
from rulesdsl.base.interrupts import INTERRUPTS
from rulesdsl.base.processes import WorkerLost
from rulesdsl.base.records import dataclass
from rulesdsl.cli.console import Console, output_to, progress_bar, write_output
from rulesdsl.cli.loading import folders_of
from rulesdsl.language.diagnostics import Diagnostic
from rulesdsl.play.moves import text as text_of

Stop = KeyboardInterrupt | OutOfTime | WorkerLost


def played(tables: list[TrialGame], console: Console) -> tuple[GameResults, Stop | None]:
    """Play the games; return the results of those that are over, and what stopped the others."""
    seen = GameResults()
    try:
        with progress_bar(console, len(tables)) as show:
            show(0)
            for each in play(tables):
                seen.add(each)
                show(seen.games)
    except KeyboardInterrupt as stop:
        INTERRUPTS.finish()
        return seen, stop
    except (OutOfTime, WorkerLost) as stop:
        return seen, stop
    return seen, None


@dataclass(frozen=True)
class Failures:
    """Names the commands that reproduce failures.

    If a folder is named, it also writes records of them there.
    """

    folder: str | None
    written: list[str]

    def findings(self, faults: Iterable[FailedGame], *, complete: bool) -> list[Diagnostic]:
        """Return each fault as a finding with a command that reproduces it.

        With `complete` its record is the shortest game found that reproduces it, which takes time.
        """
        ordered = sorted(faults, key=lambda each: each.table.number)
        return [self._finding(each, complete=complete) for each in ordered]

    def _finding(self, fault: FailedGame, *, complete: bool) -> Diagnostic:
        told = [f"to see it: {command(fault)}"]
        if fault.games > 1:
            told.insert(0, f"it stopped {fault.games} games")
        if not fault.ending and fault.finding.slug != "games-stopped":
            told.append(self._kept(fault, complete=complete))
        return replace(fault.finding, help=(*fault.finding.help, *told))

    def _kept(self, fault: FailedGame, *, complete: bool) -> str:
        if self.folder is None:
            return "to keep a shorter game that shows it as a record: add `--failures FOLDER`"
        shortest = shrunk(fault) if complete else fault
        name = os.path.join(self.folder, f"failure-{len(self.written) + 1}.jsonl")
        self.written.append(name)
        with output_to(f"the folder `{self.folder}`"):
            os.makedirs(self.folder, exist_ok=True)
        write_output(name, record(shortest).encode())
        folders = folders_of([fault.sitting.main, *fault.sitting.expansions], fault.sitting.paths)
        words = ["rulesdsl", "replay", name, *_each("--path", folders)]
        moves = "1 move" if len(shortest.moves) == 1 else f"{len(shortest.moves)} moves"
        return f"the shortest game found, of {moves}: {shlex.join(words)}"


def command(fault: FailedGame) -> str:
    """Return the command that plays the game of a fault."""
    sitting, table = fault.sitting, fault.table
    if fault.ending:
        words = ["rulesdsl", "check", table.main]
        if table.expansions:
            words += ["--with", ",".join(table.expansions)]
        words += _each("--set", [f"{name}={value}" for name, value in table.settings.items()])
        words += ["--play", str(table.number + 1), "--seed", str(table.seed)]
        return shlex.join([*words, *_each("--path", table.paths)])
    words = ["rulesdsl", "run", sitting.main]
    if sitting.expansions:
        words += ["--with", ",".join(sitting.expansions)]
    words += _each("--set", [f"{name}={text_of(value)}" for name, value in sitting.settings])
    words += ["--players", str(sitting.players), "--seed", str(sitting.seed)]
    words += ["--bots", ",".join(sitting.bots), *_each("--path", sitting.paths)]
    return shlex.join(words)


def _each(option: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (option, value)]
