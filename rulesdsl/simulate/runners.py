"""Who plays the blocks of a study: this thread, threads, processes, or a cluster. Blocks come back
in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures import ThreadPoolExecutor as Threads
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

from rulesdsl.processes import cores as cores
from rulesdsl.processes import processes
from rulesdsl.simulate.columns import Columns
from rulesdsl.simulate.plan import Study
from rulesdsl.simulate.playing import play_block

Block = tuple[range, tuple[Columns, ...]]
"""Games, and their columns by variant."""

Runner = Callable[[Study, Iterable[range]], Iterator[Block]]

AHEAD = 3
"""So many blocks are under way for each worker."""


class WorkerLost(Exception):
    """A process that played games has died."""


def local(jobs: int) -> Runner:
    """On this machine: in so many threads where the engine lets them play side by side, otherwise
    in so many processes."""

    def run(study: Study, blocks: Iterable[range]) -> Iterator[Block]:
        if jobs == 1:
            return ((games, play_block(study, games)) for games in blocks)
        return _spread(study, blocks, jobs)

    return run


def _spread(study: Study, blocks: Iterable[range], jobs: int) -> Iterator[Block]:
    threaded = study.at_random and study.engine == "wasm"
    with Threads(jobs) if threaded else processes(jobs) as pool:
        try:
            yield from _played(pool, study, blocks, jobs * AHEAD)
        except BrokenProcessPool:
            raise WorkerLost("a process that played games has died") from None
        except BaseException:
            # Nobody waits for what is under way any more.
            pool.shutdown(wait=threaded, cancel_futures=True)
            raise


def _played(pool: Executor, study: Study, blocks: Iterable[range], width: int) -> Iterator[Block]:
    """Keep so many blocks under way, and give each as soon as it was played."""
    left = iter(blocks)
    under_way: dict[Future[tuple[Columns, ...]], range] = {}
    while True:
        for games in islice(left, width - len(under_way)):
            under_way[pool.submit(play_block, study, games)] = games
        if not under_way:
            return
        done, _ = wait(under_way, return_when=FIRST_COMPLETED)
        for future in done:
            yield under_way.pop(future), future.result()
