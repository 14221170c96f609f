"""Clocks, and a fixed workload by which machines and loads are compared."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping

Clock = Callable[[], float]
"""A function that returns the seconds since a fixed moment."""


def _processor() -> float:
    """Return the processor time of this process and of the finished ones it started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


CLOCKS: Mapping[str, Clock] = {"processor": _processor, "wall": time.perf_counter}

SIZE = 1000
STEPS = 60_000
SUM = 478_909


def calibrate(clock: Clock) -> float:
    """Return the seconds that the fixed workload takes.

    It is pure Python of the kind that engines consist of: lists of small integers, calls, branches
    and sums.
    """
    began = clock()
    found = _work()
    spent = clock() - began
    assert found == SUM, "the fixed work is not what it was: figures cannot be compared"
    return spent


def _work() -> int:
    links = [(7 * each + 3) % SIZE for each in range(SIZE)]
    counts = [0] * SIZE

    def follow(at: int) -> int:
        found = links[at]
        if counts[found] & 1:
            found = links[found]
        return found

    at = total = 0
    for step in range(STEPS):
        at = follow(at) if step % 3 else (at + step) % SIZE
        counts[at] += 1
        if counts[at] > 40:
            total += at - counts[at] // 2
            counts[at] = 0
    return total
