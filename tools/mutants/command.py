"""`python3 -m tools mutants`: measure the checker, and write the results into the docs.

With `--engine`, measure the tests of the engine instead, and print the results.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from tools.mutants import engine
from tools.mutants.corpus import CHANGES, CLASSES, COUNT, FEW
from tools.mutants.measuring import judged, shares
from tools.mutants.page import PAGE, current, table


def main(arguments: Sequence[str]) -> int:
    """Measure the requested classes, and write the page if these are all; return 0.

    With `--engine`, return how many changes no test notices; what remains goes to pytest.
    """
    parser = argparse.ArgumentParser(prog="python3 -m tools mutants", description=__doc__)
    parser.add_argument("--count", type=int, help=f"so many of each class ({COUNT})")
    parser.add_argument("--only", choices=sorted(CLASSES | CHANGES), help="one class alone")
    parser.add_argument("--changes", action="store_true", help=f"the second set ({FEW} of each)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="so many processes")
    parser.add_argument("--tell", action="store_true", help="tell what the checker let pass")
    parser.add_argument("--engine", action="store_true", help="change the lowering and the passes")
    parser.add_argument("--seed", type=int, default=1, help="draw other changes of the engine")
    given, tests = parser.parse_known_args(arguments)
    if given.engine:
        return engine.measure(given.count or engine.COUNT, given.seed, tests or engine.TESTS)
    if tests:
        parser.error(f"only --engine takes tests: {' '.join(tests)}")
    os.environ["RULESDSL_NO_CACHE"] = "1"
    classes, usual = (CHANGES, FEW) if given.changes else (CLASSES, COUNT)
    count = given.count or usual
    kinds = (given.only,) if given.only else tuple(classes)
    found = []
    for each in judged(count, kinds, given.jobs):
        found.append(each)
        if given.tell and each.how != "caught":
            print(f"{each.how}: {each.kind}, {each.shown}", flush=True)
    print(table(shares(found)), end="")
    if not given.only and count == usual:
        page = current(PAGE.read_text(encoding="utf-8"), found, changes=given.changes)
        PAGE.write_text(page, encoding="utf-8")
    return 0
