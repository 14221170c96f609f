"""Trying many files, side by side when that is quicker."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool

from rulesdsl.processes import processes
from rulesdsl.suite.find import SuiteFile, size
from rulesdsl.suite.trying import Options, Tried, try_file

ALONE = 1.0
"""So many seconds this process tries files by itself: others take that long to begin."""


class WorkerLost(Exception):
    """A process that tried tests has died."""


def try_all(files: Sequence[SuiteFile], options: Options, jobs: int) -> Iterator[Tried]:
    """Try files in so many processes; what comes of them is given in the order of the files.
    Raises WorkerLost if a process dies."""
    begun = time.perf_counter()
    for number, file in enumerate(files):
        left = files[number:]
        if jobs > 1 and len(left) > 1 and time.perf_counter() - begun > ALONE:
            yield from _spread(left, options, min(jobs, len(left)))
            return
        yield try_file(file, options)


def _spread(files: Sequence[SuiteFile], options: Options, jobs: int) -> Iterator[Tried]:
    """What takes longest begins first."""
    with processes(jobs) as pool:
        try:
            under_way = {
                file: pool.submit(try_file, file, options)
                for file in sorted(files, key=size, reverse=True)
            }
            for file in files:
                yield under_way[file].result()
        except BrokenProcessPool:
            raise WorkerLost("a process that tried tests has died") from None
