"""Processes that share the work of a command."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def processes(
    jobs: int, method: str | None = "spawn", begin: Callable[[], object] = int
) -> Iterator[ProcessPoolExecutor]:
    """So many processes, which end with the block, whatever they do then. They are started by this
    method of `multiprocessing` (None: the usual one) and do `begin` first."""
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context(method)
    pool = ProcessPoolExecutor(jobs, context, _start, (begin,))
    finished = False
    try:
        yield pool
        finished = True
    finally:
        if not finished:
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()
        pool.shutdown(cancel_futures=True)


def _start(begin: Callable[[], object]) -> None:
    """Ctrl-C is for the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    begin()
