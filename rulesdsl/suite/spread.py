"""Trying many files, side by side when that is quicker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool

from rulesdsl.processes import processes
from rulesdsl.suite.find import SuiteFile, size
from rulesdsl.suite.trying import Options, Tried, try_file

WORTH = 20_000
"""With fewer bytes of tests than that, this process is done before others have begun."""


class WorkerLost(Exception):
    """A process that tried tests has died."""


def try_all(files: Sequence[SuiteFile], options: Options, jobs: int) -> Iterator[Tried]:
    """Try files in so many processes; what comes of them is given in the order of the files.
    Raises WorkerLost if a process dies."""
    if jobs > 1 and len(files) > 1 and sum(map(size, files)) > WORTH:
        yield from _spread(files, options, min(jobs, len(files)))
    else:
        yield from (try_file(file, options) for file in files)


def _spread(files: Sequence[SuiteFile], options: Options, jobs: int) -> Iterator[Tried]:
    """What takes longest begins first."""
    with processes(jobs) as pool:
        try:
            sooner = sorted(range(len(files)), key=lambda at: size(files[at]), reverse=True)
            under_way = {at: pool.submit(try_file, files[at], options) for at in sooner}
            for at in range(len(files)):
                yield under_way[at].result()
        except BrokenProcessPool:
            raise WorkerLost("a process that tried tests has died") from None
