"""`python3 -m tools strangers`: draw unrelated expansions, and measure the checker's findings."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tools.strangers.drawing import HOSTS
from tools.strangers.indexing import measured
from tools.strangers.measuring import COUNT, PAGE, Judged, current, judged, missed, table


def main(arguments: Sequence[str]) -> int:
    """Measure and print the table, and write it into the page after a full run.

    Results are kept in a file, so that a run that was stopped goes on where it was. The exit code
    is 1 if a game without findings failed or depended on names.
    """
    parser = argparse.ArgumentParser(prog="python3 -m tools strangers", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--count", type=int, default=COUNT, help=f"so many combinations ({COUNT})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="so many processes")
    parser.add_argument("--results", type=Path, help="a file that keeps the results, JSON lines")
    parser.add_argument("--page", action="store_true", help="write the table into the page")
    parser.add_argument("--index", type=int, metavar="N", help="time an index of N expansions")
    parser.add_argument("--game", choices=HOSTS, default="market", help="their game (market)")
    given = parser.parse_args(arguments)
    if given.index:
        for line in measured(given.game, given.index):
            print(line, flush=True)
        return 0
    found = _kept(given.results)
    seeds = [seed for seed in range(given.first, given.first + given.count) if seed not in found]
    with open(given.results or os.devnull, "a", encoding="utf-8") as file:
        for each in judged(seeds, given.jobs):
            found[each.seed] = each
            file.write(json.dumps(asdict(each)) + "\n")
            file.flush()
    results = [found[seed] for seed in sorted(found)]
    print(table(results), end="")
    if left := missed(results):
        print(f"left: {left}")
    if given.page:
        PAGE.write_text(current(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")
    return int(bool(left))


def _kept(file: Path | None) -> dict[int, Judged]:
    """Return the results in a file by seed."""
    if file is None or not file.exists():
        return {}
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    kept = (Judged(**{**line, "kinds": tuple(line["kinds"])}) for line in lines)
    return {each.seed: each for each in kept}
