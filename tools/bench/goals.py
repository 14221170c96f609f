"""What is to be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.bench import size, startup, turns
from tools.bench.measuring import Figure, Results

ENGINE = "python"
LARGE = size.made_up(500)


@dataclass(frozen=True)
class Goal:
    """A figure that is to be at least (or at most) so much; `names` are the parts of its key that
    tell it from others."""

    text: str
    limit: float
    names: tuple[str, ...]
    least: bool = False

    def figure(self, results: Results) -> Figure | None:
        """What was measured, if it was."""
        for figure in results.figures:
            key = figure.key
            if {key.measurement, key.of, key.by, key.what} >= set(self.names):
                return figure
        return None

    def reached(self, figure: Figure) -> bool:
        """Whether the median is on the right side of the limit."""
        return figure.median >= self.limit if self.least else figure.median <= self.limit


GOALS: Sequence[Goal] = (
    Goal(
        "base games by playout: 300 /s at least",
        300,
        ("games", "base", f"{ENGINE}, playout", "games/s"),
        least=True,
    ),
    Goal("cost of a turn, late / early: 1.3 at most", 1.3, ("turns", ENGINE, turns.RATIO)),
    Goal("packed state: 16 kB at most", 16_384, ("state", "base", ENGINE, "largest size")),
    Goal("start, caches filled: 0.35 s at most", 0.35, ("startup", ENGINE, startup.FILLED)),
    Goal("start, caches empty: 0.9 s at most", 0.9, ("startup", ENGINE, startup.EMPTY)),
    Goal("check of 500 tiles, 2,000 lines: 2 s at most", 2, ("size", LARGE, size.CHECK)),
)
