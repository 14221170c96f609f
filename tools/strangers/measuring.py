"""Measurement of how often the checker finds conflicts of drawn expansions, and is right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from rulesdsl import Game, load
from rulesdsl.diagnostics import RulesError
from rulesdsl.engines.engine import PlayError
from tools.environment import ROOT
from tools.strangers.drawing import KINDS, files, kinds
from tools.strangers.renaming import Differs, Pair, rename, reversed_names, write

COUNT = 1_000
"""Number of combinations drawn for the page."""
GAMES = 5
"""Number of games of a combination that are played under both names."""
PAGE = ROOT / "docs" / "background" / "validator.md"
_PART = re.compile(
    r"(<!-- written by python3 -m tools strangers -->\n).*?(<!-- end -->)", re.DOTALL
)


@dataclass(frozen=True)
class Judged:
    """The verdict on a combination of expansions.

    `kinds` are the ways to conflict in it, `verdict` is `refused`, `warned` or `clean`, and
    `differs` is set if a game depended on names.
    """

    kinds: frozenset[str]
    verdict: str
    differs: bool


def judged(count: int, jobs: int) -> Iterator[Judged]:
    """Judge the combinations of the first seeds, in order."""
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(judge, range(count), chunksize=10)


def judge(seed: int) -> Judged:
    """Check the combination of a seed, and play it under both names unless it is refused."""
    made = files(seed)
    with TemporaryDirectory() as folder:
        pair, findings = loaded(Path(folder), made)
        if pair is None:
            return Judged(kinds(made), "refused", False)
        try:
            for game in range(GAMES):
                pair.play(2, game, 200)
            differs = False
        except Differs:
            differs = True
        except PlayError:
            differs = False  # fails in the same way, or is reported as an error of the rules
        return Judged(kinds(made), "warned" if findings else "clean", differs)


def loaded(folder: Path, made: dict[str, str]) -> tuple[Pair | None, list[str]]:
    """Load a game of these files under both names, with its findings; no pair if it is refused."""
    names = [name.removesuffix(".yaml") for name in made if name.endswith(".yaml")]
    new, on = reversed_names(names), [name for name in names if name != "host"]
    try:
        game = load(write(folder / "named", made) / "host.yaml", on, engine="reference")
    except RulesError as error:
        return None, [each.slug for each in error.diagnostics]
    renamed = write(folder / "renamed", rename(made, new))
    other = load(renamed / "host.yaml", [new[name] for name in on], engine="reference")
    return Pair(game, other, new), findings(game)


def findings(game: Game) -> list[str]:
    """Return the slugs of the findings, except those for unused declarations."""
    return [each.slug for each in game.report.sorted() if each.slug != "unused"]


def table(found: Iterable[Judged]) -> str:
    """Return the results by the ways to conflict, as a table in Markdown."""
    counted = Counter[tuple[str, str, bool]]()
    for each in found:
        for kind in (*each.kinds, "all"):
            counted[kind, each.verdict, each.differs] += 1
    rows = [
        "| in it | drawn | refused | warned | of these differ | clean | of these differ |",
        "| --- " + "| ---: " * 6 + "|",
    ]
    for kind in (*KINDS, "all"):
        refused = counted[kind, "refused", False]
        warned, clean = (
            [counted[kind, verdict, differs] for differs in (False, True)]
            for verdict in ("warned", "clean")
        )
        cells = (
            refused + sum(warned) + sum(clean),
            refused,
            sum(warned),
            warned[1],
            sum(clean),
            clean[1],
        )
        rows.append(f"| {kind} | {' | '.join(map(str, cells))} |")
    return "\n".join(rows) + "\n"


def current(page: str, found: Iterable[Judged]) -> str:
    """Return the page with the table in it."""
    return _PART.sub(lambda part: part[1] + table(found) + part[2], page)
