"""Who plays the blocks of a study: this thread, threads, processes, or a cluster. Games come back
in portions of blocks, in any order. When a deadline passes, OutOfTime is raised after the portions
that are played by then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import ThreadPoolExecutor as Threads
from functools import partial
from itertools import islice

from rulesdsl.deadline import Deadline, active
from rulesdsl.processes import Workers
from rulesdsl.processes import cores as cores
from rulesdsl.simulate.columns import Columns
from rulesdsl.simulate.plan import Study
from rulesdsl.simulate.playing import play_timed

Block = tuple[range, tuple[Columns, ...]]
"""Games, and their columns by variant."""

Runner = Callable[[Study, Iterable[range]], Iterator[Block]]

Timed = tuple[range, tuple[Columns, ...], float]
"""Games, their columns by variant, and how many seconds they have taken."""

AHEAD = 3
"""So many blocks or portions are under way for each worker."""

PORTION = 0.1
"""So many seconds the games of a portion take, unless a single game takes longer: when playing is
interrupted, no more is lost of those that are finished."""


def local(jobs: int) -> Runner:
    """On this machine: in so many threads where the engine lets them play side by side, otherwise
    in so many processes."""

    def run(study: Study, blocks: Iterable[range]) -> Iterator[Block]:
        portions = _Portions(blocks)
        found: Iterator[Timed]
        if study.at_random and study.engine == "wasm":
            # A thread even for one job: this one has to be there when a signal comes.
            found = _in_threads(study, portions, jobs)
        elif jobs == 1:
            found = ((games, *play_timed(study, (), games)) for games in portions)
        else:
            found = _in_processes(study, portions, jobs)
        for games, played, seconds in found:
            portions.took(len(games), seconds)
            yield games, played

    return run


class _Portions:
    """The games of blocks, in portions by how long games take."""

    def __init__(self, blocks: Iterable[range]) -> None:
        self._blocks, self._size = blocks, 1

    def __iter__(self) -> Iterator[range]:
        for block in self._blocks:
            at = block.start
            while at < block.stop:
                end = min(at + self._size, block.stop)
                yield range(at, end)
                at = end

    def took(self, games: int, seconds: float) -> None:
        """Go by what games have taken."""
        self._size = max(1, int(PORTION * games / max(seconds, 1e-9)))


def _in_processes(study: Study, portions: Iterable[range], jobs: int) -> Iterator[Timed]:
    with Workers(partial(play_timed, study, active()), jobs) as workers:
        for games, (played, seconds) in workers.unordered(portions, patience=PORTION):
            yield games, played, seconds


def _in_threads(study: Study, portions: Iterable[range], jobs: int) -> Iterator[Timed]:
    """Keep portions under way, and give each as soon as it was played."""
    left = iter(portions)
    under_way: dict[Future[tuple[tuple[Columns, ...], float]], range] = {}
    pool, closed = Threads(jobs), Deadline()
    play = partial(play_timed, study, (*active(), closed))

    def done(seconds: float | None) -> Iterator[Timed]:
        found, _ = wait(under_way, seconds, return_when=FIRST_COMPLETED)
        for future in found:
            yield under_way.pop(future), *future.result()

    try:
        while True:
            for games in islice(left, jobs * AHEAD - len(under_way)):
                under_way[pool.submit(play, games)] = games
            if not under_way:
                return
            yield from done(None)
    except KeyboardInterrupt:
        yield from done(PORTION)
        raise
    finally:
        # Nobody waits for what is under way any more.
        closed.stop()
        pool.shutdown(wait=False, cancel_futures=True)
