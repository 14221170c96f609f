"""`python3 -m tools strangers`: draw unrelated expansions, and measure the checker's findings."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from tools.strangers.measuring import COUNT, PAGE, current, judged, table


def main(arguments: Sequence[str]) -> int:
    """Measure and print the table, and write it into the page after a full run.

    The exit code is 1 if a game without findings depended on names.
    """
    parser = argparse.ArgumentParser(prog="python3 -m tools strangers", description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT, help=f"so many combinations ({COUNT})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="so many processes")
    given = parser.parse_args(arguments)
    found = list(judged(given.count, given.jobs))
    print(table(found), end="")
    if given.count == COUNT:
        PAGE.write_text(current(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
    return int(any(each.verdict == "clean" and each.differs for each in found))
