"""Trying many files, side by side when that is quicker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from rulesdsl.processes import Workers
from rulesdsl.suite.find import SuiteFile, size
from rulesdsl.suite.trying import Options, Tried, try_file

WORTH = 20_000
"""With fewer bytes of tests than that, this process is done before others have begun."""


def try_all(files: Sequence[SuiteFile], options: Options, jobs: int) -> Iterator[Tried]:
    """Try files in so many processes; what comes of them is given in the order of the files.
    Raises WorkerLost if a process is lost."""
    if jobs > 1 and len(files) > 1 and sum(map(size, files)) > WORTH:
        yield from _spread(files, options, min(jobs, len(files)))
    else:
        yield from (try_file(file, options) for file in files)


def _spread(files: Sequence[SuiteFile], options: Options, jobs: int) -> Iterator[Tried]:
    """The files that take longest begin first."""
    sooner = sorted(range(len(files)), key=lambda at: size(files[at]), reverse=True)
    with Workers(partial(try_file, options=options), jobs) as workers:
        yield from workers.ordered((files[at] for at in sooner), sooner)
