"""The command: measures, shows and records the requested figures."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from rich.console import Console

from rulesdsl.language.read.load import extensions_of
from rulesdsl.play.game import ENGINES
from tools.bench import (
    batches,
    cores,
    games,
    growth,
    history,
    learning,
    parts,
    size,
    stages,
    startup,
    state,
    studio,
    tables,
    turns,
)
from tools.bench.clock import CLOCKS
from tools.bench.measuring import Results, measure
from tools.bench.plan import QUICK, Effort, Measurement, Plan
from tools.bench.playing import Setup
from tools.bench.report import show
from tools.environment import ROOT

MEASUREMENTS: Mapping[str, Measurement] = {
    "games": games.tasks,
    "batches": batches.tasks,
    "learning": learning.tasks,
    "cores": cores.tasks,
    "turns": turns.tasks,
    "state": state.tasks,
    "startup": startup.tasks,
    "stages": stages.tasks,
    "size": size.tasks,
    "growth": growth.tasks,
    "studio": studio.tasks,
    "tables": tables.tasks,
}
FOLDERS = (ROOT / "rulesets", ROOT / "tests" / "games")
WIDTH = 180
BASE = Setup(FOLDERS[0] / "base.yaml")
MOST = 5
"""Maximum number of players of the base ruleset."""


def main(arguments: Sequence[str]) -> int:
    """Measure, show and record. Always return 0."""
    options = _parse(arguments)
    if options.profile:
        for setup in _named(options.profile):
            _console().print(parts.profile(setup))
        return 0
    before = history.last(options.history, options.quick) if options.compare else None
    effort = QUICK if options.quick else Effort()
    rounds = options.rounds or effort.rounds
    results = _measure(options, effort, rounds)
    show(results, before, _console())
    run = history.Run(options.date, options.clock, options.quick, rounds)
    entry = history.entry(run, results)
    if options.json:
        Path(options.json).write_text(json.dumps(entry, indent=2) + "\n", encoding="utf-8")
    if not options.no_history:
        history.append(options.history, entry)
    return 0


def _measure(options: argparse.Namespace, effort: Effort, rounds: int) -> Results:
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        plan = Plan(effort, CLOCKS[options.clock], tuple(ENGINES), BASE, _others(), Path(scratch))
        tasks = []
        for name in options.only or MEASUREMENTS:
            _tell(f"making ready: {name}")
            tasks += [(name, task) for task in MEASUREMENTS[name](plan)]
        results = measure(tasks, rounds, plan.clock, _tell)
        _tell("")
    return results


def _others() -> tuple[Setup, ...]:
    """Return the base ruleset with all shipped expansions, and all other games.

    A game is a manifest with rules and the key `game`.
    """
    found = extensions_of(BASE.path)
    shipped = tuple(id for id in found if (FOLDERS[0] / f"{id}.yaml").is_file())
    every = Setup(BASE.path, shipped, MOST, large=True)
    paths = (path for folder in FOLDERS for path in sorted(folder.glob("*.yaml")))
    manifests = (path for path in paths if path.with_suffix(".rules").is_file())
    games = (path for path in manifests if "\ngame:" in path.read_text(encoding="utf-8"))
    return every, *(Setup(path) for path in games if path != BASE.path)


def _named(name: str) -> tuple[Setup, ...]:
    """Return the setups of this name; raises SystemExit if there is none."""
    found = tuple(setup for setup in (BASE, *_others()) if setup.path.stem == name)
    if not found:
        names = sorted({setup.path.stem for setup in (BASE, *_others())})
        raise SystemExit(f"no game `{name}`: choose one of {', '.join(names)}")
    return found


def _console() -> Console:
    """Return the output; if it is not a terminal, it is wide enough for whole rows."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDTH)


def _tell(text: str) -> None:
    """Show the current activity, in place of the one before, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python3 -m tools bench",
        description="Measure the engines side by side; see docs/background/performance.md.",
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="less of everything: to see that it works")
    names = ", ".join(MEASUREMENTS)
    add("--only", action="append", choices=MEASUREMENTS, metavar="NAME", help=f"one of {names}")
    add("--profile", metavar="GAME", help="only show where the work of a game is, by function")
    add("--rounds", type=_count, help="how often everything is measured (default: 5; quick: 2)")
    add("--clock", choices=CLOCKS, default="processor", help="default: processor time")
    add("--compare", action="store_true", help="show what has changed since it was last measured")
    add("--json", metavar="FILE", help="write the entry of this run to a file, too")
    add("--no-history", action="store_true", help="add nothing to the history")
    add("--history", type=Path, default=history.FILE, metavar="FILE", help="another history")
    add("--date", default=date.today().isoformat(), help="the date of the entry (default: today)")
    return parser.parse_args(arguments)


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise ValueError(text)
    return count
