"""Worker processes that share the work of a command.

Workers leave signals to the process that started them, from their first instruction: the signals
are blocked while they start, and stay blocked. They are killed when they are not needed any more,
and end by themselves when the process that started them is gone.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import parent_process, resource_tracker
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.process import BaseProcess
from threading import Thread
from time import monotonic
from traceback import format_exc
from typing import Any, Generic, TypeVar

from rulesdsl.base.interrupts import INTERRUPTS, SIGNALS

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerLost(Exception):
    """The error for a worker process that died before its work was done; the message says how."""


def cores() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers(Generic[Item, Result]):
    """Up to `jobs` processes that call a function, started when there is work for them.

    `method` is the start method of `multiprocessing` (None: the default); each calls `begin` first.
    As a context manager, it kills them at its end, even if they are busy.
    """

    def __init__(
        self,
        function: Callable[[Item], Result],
        jobs: int,
        method: str | None = "spawn",
        begin: Callable[[], object] = int,
    ) -> None:
        self._function, self._begin, self._jobs = function, begin, jobs
        self._context: Any = multiprocessing.get_context(method)
        self._processes: dict[Connection, BaseProcess] = {}
        self._idle: list[Connection] = []
        self._busy: dict[Connection, tuple[int, Item]] = {}
        self._found: deque[tuple[tuple[int, Item], bool, Any]] = deque()

    def __enter__(self) -> Workers[Item, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        with INTERRUPTS:
            for process in self._processes.values():
                process.kill()
            for process in self._processes.values():
                process.join()
                _started.discard(process)

    def unordered(
        self, items: Iterable[Item], patience: float = 0
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with the result of the function for it, as soon as it is done.

        Items are taken when a process is free. Raises the errors of the function, and WorkerLost or
        KeyboardInterrupt after yielding everything that is done by then, or within `patience`
        seconds after it.
        """
        for (_, item), result in self._results(items, patience):
            yield item, result

    def _results(
        self, items: Iterable[Item], patience: float = 0
    ) -> Iterator[tuple[tuple[int, Item], Result]]:
        """Yield the results of `unordered`, with the number of each item."""
        left = enumerate(items)
        try:
            while self._feed(left):
                self._receive(None)
                yield from self._given()
        except (KeyboardInterrupt, WorkerLost):
            end, seconds = monotonic() + patience, patience
            while self._busy:
                with suppress(WorkerLost):
                    self._receive(seconds)
                if seconds <= 0:
                    break
                seconds = max(0.0, end - monotonic())
            yield from self._given()
            raise

    def ordered(
        self, items: Iterable[Item], places: Sequence[int] | None = None
    ) -> Iterator[Result]:
        """Yield the results for the items, in their order or in that of their `places`.

        Raises the errors of `unordered`, after yielding everything that is done by then.
        """
        done: dict[int, Result] = {}
        at = 0
        try:
            for (number, _), result in self._results(items):
                done[places[number] if places else number] = result
                while at in done:
                    yield done.pop(at)
                    at += 1
        except (KeyboardInterrupt, WorkerLost):
            for number in sorted(done):
                yield done.pop(number)
            raise

    def _feed(self, left: Iterator[tuple[int, Item]]) -> bool:
        """Give work to every process; return False if nothing is left or in progress."""
        while len(self._busy) < self._jobs:
            for given in left:
                worker = self._idle.pop() if self._idle else self._start()
                self._busy[worker] = given
                # If it is gone, that is detected when its answer is read.
                with suppress(OSError):
                    worker.send(given[1])
                break
            else:
                break
        return bool(self._busy)

    def _receive(self, timeout: float | None) -> None:
        """Read the answers of processes, after waiting for one of them."""
        lost = list[Connection]()
        ready = wait(list(self._busy), timeout)
        with INTERRUPTS:
            for worker in ready:
                assert isinstance(worker, Connection)
                given = self._busy.pop(worker)
                try:
                    self._found.append((given, *worker.recv()))
                except (EOFError, OSError):
                    lost.append(worker)
                else:
                    self._idle.append(worker)
        if lost:
            raise WorkerLost(_ending(self._processes[lost[0]]))

    def _given(self) -> Iterator[tuple[tuple[int, Item], Result]]:
        while self._found:
            given, done, answer = self._found.popleft()
            if not done:
                raise answer
            yield given, answer

    def _start(self) -> Connection:
        if self._context.get_start_method() != "fork":
            # It is started with the first process otherwise, and unblocks signals.
            resource_tracker.ensure_running()
        with INTERRUPTS:
            mine, other = Pipe()
            process = self._context.Process(
                target=_work, args=(other, self._function, self._begin), daemon=True
            )
            with _blocking():
                process.start()
            other.close()
            self._processes[mine] = process
            _started.add(process)
        return mine


@contextmanager
def _blocking() -> Iterator[None]:
    """Start processes with blocked signals."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ending(process: BaseProcess) -> str:
    process.join(1)
    code = process.exitcode
    if code is None or code >= 0:
        how = "has ended by itself" if code is None else f"has ended with exit code {code}"
        return f"a worker process {how}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"a worker process was ended from outside, by {name}"


# --- the end of processes ------------------------------------------------------------------------

_started: set[BaseProcess] = set()
"""The processes that may still be running."""


def _kill_all() -> None:
    for process in list(_started):
        process.kill()


# Before `multiprocessing` waits for them.
atexit.register(_kill_all)


# --- in the processes ----------------------------------------------------------------------------


def _work(
    own: Connection, function: Callable[[object], object], begin: Callable[[], object]
) -> None:
    """Answer requests until there are no more."""
    _started.clear()
    Thread(target=_follow, name="rulesdsl-follow", daemon=True).start()
    begin()
    while True:
        try:
            item = own.recv()
        except (EOFError, OSError):
            return
        _answer(own, function, item)


def _answer(own: Connection, function: Callable[[object], object], item: object) -> None:
    answer: tuple[bool, object]
    try:
        answer = True, function(item)
    except Exception as error:
        error.add_note(format_exc())
        answer = False, error
    with suppress(OSError):  # the parent is gone
        own.send(answer)


def _follow() -> None:
    """End when the process that started this one has ended."""
    parent = parent_process()
    assert parent is not None, "this runs in processes that were started"
    parent.join()
    os._exit(0)
