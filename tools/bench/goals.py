"""The performance goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.bench import batches, cores, learning, size, startup, studio, tables, turns
from tools.bench.measuring import Figure, Results, Unit

ENGINE = batches.ENGINE
BATCH = f"{ENGINE}, batch"
EVERYTHING = "base and 7 expansions, 5 players"
LARGE = size.made_up(500)


@dataclass(frozen=True)
class Goal:
    """A lower (`least`) or upper limit for a figure.

    `names` are the parts of its key that identify it. With `over`, the names of another figure, the
    ratio of the two is limited.
    """

    text: str
    limit: float
    names: tuple[str, ...]
    least: bool = False
    over: tuple[str, ...] = ()

    def figure(self, results: Results) -> Figure | None:
        """Return the measured figure, or None if it was not measured."""
        found = _named(results, self.names)
        if not self.over or found is None:
            return found
        other = _named(results, self.over)
        if other is None:
            return None
        ratio = found.median / other.median
        return Figure(found.key, Unit.RATIO, ratio, ratio, ratio, ratio, 0.0)

    def reached(self, figure: Figure) -> bool:
        """Return whether the median is on the right side of the limit."""
        return figure.median >= self.limit if self.least else figure.median <= self.limit


def _named(results: Results, names: tuple[str, ...]) -> Figure | None:
    for figure in results.figures:
        key = figure.key
        if {key.measurement, key.of, key.by, key.what} >= set(names):
            return figure
    return None


GOALS: Sequence[Goal] = (
    Goal(
        "base games by playout: 300 /s at least",
        300,
        ("games", "base", f"{ENGINE}, playout", "games/s"),
        least=True,
    ),
    Goal(
        "games of all expansions by playout: 50 /s at least",
        50,
        ("games", EVERYTHING, f"{ENGINE}, playout", "games/s"),
        least=True,
    ),
    Goal(
        "games of all expansions on all cores: 50 /s at least",
        50,
        ("cores", EVERYTHING, cores.BY, cores.RATE),
        least=True,
    ),
    Goal("cost of a turn, late / early: 1.3 at most", 1.3, ("turns", ENGINE, turns.RATIO)),
    Goal("saved state: 16 kB at most", 16_384, ("state", "base", ENGINE, "largest size")),
    Goal(
        "saved state with all expansions: 3 times that of base at most",
        3,
        ("state", EVERYTHING, ENGINE, "largest size"),
        over=("state", "base", ENGINE, "largest size"),
    ),
    Goal("start, caches filled: 0.35 s at most", 0.35, ("startup", ENGINE, startup.FILLED)),
    Goal("start, caches empty: 0.9 s at most", 0.9, ("startup", ENGINE, startup.EMPTY)),
    Goal(
        "base games in a batch: 20,000 /s at least",
        20_000,
        ("batches", "base", BATCH, batches.RATE),
        least=True,
    ),
    Goal(
        "games of all expansions in a batch: 3,000 /s at least",
        3_000,
        ("batches", EVERYTHING, BATCH, batches.RATE),
        least=True,
    ),
    Goal(
        "two threads / one: 1.9 at least",
        1.9,
        ("batches", "base", BATCH, batches.THREADS),
        least=True,
    ),
    Goal(
        "a search of 2,000 playouts in base: 40 ms at most",
        0.04,
        ("batches", "base", batches.SEARCH),
    ),
    Goal("base to machine code: 0.15 s at most", 0.15, ("batches", "base", batches.COMPILED)),
    Goal(
        "all expansions to machine code: 0.5 s at most",
        0.5,
        ("batches", EVERYTHING, batches.COMPILED),
    ),
    Goal(
        "base to machine code, with search and batches: 0.25 s at most",
        0.25,
        ("batches", "base", batches.WHOLE),
    ),
    Goal(
        "clone of a base state in memory: 0.5 µs at most", 5e-7, ("batches", "base", batches.CLONE)
    ),
    Goal(
        "base steps in a batch: 500,000 /s at least",
        500_000,
        ("learning", "base", learning.BATCH, learning.RATE),
        least=True,
    ),
    Goal(
        "base view: 3 µs a row at most",
        3e-6,
        ("learning", "base", learning.BATCH, learning.VIEW),
    ),
    Goal(
        "base steps, two threads / one: 1.8 at least",
        1.8,
        ("learning", "base", learning.BATCH, learning.THREADS),
        least=True,
    ),
    Goal(
        "steps of all expansions in a batch: 100,000 /s at least",
        100_000,
        ("learning", EVERYTHING, learning.BATCH, learning.RATE),
        least=True,
    ),
    Goal(
        "base steps in PettingZoo: 25,000 /s at least",
        25_000,
        ("learning", "base", learning.ZOO, learning.RATE),
        least=True,
    ),
    Goal(
        "start to the first playout, caches filled: 0.35 s at most",
        0.35,
        ("startup", ENGINE, startup.PLAYOUT),
    ),
    Goal("check of 500 tiles, 2,000 lines: 2 s at most", 2, ("size", LARGE, size.CHECK)),
    Goal("studio, one file: starts in 4 s at most", 4, ("studio", studio.FILE, studio.START)),
    Goal("studio, first visit: starts in 4 s at most", 4, ("studio", studio.FIRST, studio.START)),
    Goal("studio, second visit: 1.5 s at most", 1.5, ("studio", studio.AGAIN, studio.START)),
    Goal("studio, edit of base: 0.6 s at most", 0.6, ("studio", "base", studio.EDIT)),
    Goal(
        "studio, edit of base and 7 expansions: 1 s at most",
        1,
        ("studio", studio.EVERYTHING, studio.EDIT),
    ),
    Goal(
        "tables, moves carried by two servers / one: 1.7 at least",
        1.7,
        ("tables", tables.TWO, tables.CARRIED),
        least=True,
    ),
)
