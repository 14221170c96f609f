"""Portions of games, put together into the blocks that are stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rulesdsl.simulate.columns import Columns
from rulesdsl.simulate.plan import Study
from rulesdsl.simulate.store import Store

Portion = tuple[range, Sequence[Columns]]


class Gathering:
    """Games on their way into a store: a block is written when all of its games are played."""

    def __init__(self, store: Store, study: Study, done: Iterable[range]) -> None:
        self._store, self._study = store, study
        self._there = Counter[int]()
        for games in done:
            for block in range(games.start // study.block, (games.stop - 1) // study.block + 1):
                self._there[block] += len(_both(games, self._games(block)))
        self._waiting: dict[int, list[Portion]] = {}

    def add(self, games: range, played: Sequence[Columns]) -> None:
        """Add games of one block; raises OSError when they cannot be written."""
        block = games.start // self._study.block
        found = self._waiting.setdefault(block, [])
        found.append((games, played))
        wanted = len(self._games(block)) - self._there[block]
        if sum(len(each) for each, _ in found) == wanted:
            self._write(block)

    def flush(self) -> None:
        """Write what is there of blocks that are not whole; raises OSError."""
        for block in list(self._waiting):
            self._write(block)

    def _write(self, block: int) -> None:
        # What cannot be written once is not tried again.
        for games, played in _runs(self._waiting.pop(block)):
            self._store.write(games, played)

    def _games(self, block: int) -> range:
        size = self._study.block
        return range(block * size, min((block + 1) * size, self._study.games))


def _both(one: range, other: range) -> range:
    return range(max(one.start, other.start), min(one.stop, other.stop))


def _runs(portions: Iterable[Portion]) -> Iterable[Portion]:
    """Portions put together where one begins at the end of another."""
    found = list[Portion]()
    for games, played in sorted(portions, key=lambda each: each[0].start):
        if found and found[-1][0].stop == games.start:
            before, there = found.pop()
            played = [_joined(one, other) for one, other in zip(there, played, strict=True)]
            games = range(before.start, games.stop)
        found.append((games, played))
    return found


def _joined(one: Columns, other: Columns) -> Columns:
    return {name: column + other[name] for name, column in one.items()}
