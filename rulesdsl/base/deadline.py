"""Deadlines: the times at which engines stop, set beforehand or by another thread.

    with under(Deadline(60)):
        state.play(move)  # raises OutOfTime after a minute; the state is as it was before

An engine that is stopped undoes the call in progress, so a state is always whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic


class OutOfTime(Exception):
    """The error for a deadline that has passed.

    Every state is as it was before the call that was stopped.
    """

    seconds: float
    """The seconds that the rules had; infinite if they were stopped."""

    def __init__(self, seconds: float = inf) -> None:
        super().__init__(seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        if self.seconds == inf:
            return "the rules were stopped before they ended"
        return f"the rules did not end within {self.seconds:g} s"


class Deadline:
    """The time at which engines stop: `seconds` from now, or when `stop` is called.

    Anything that a thread does `under` a deadline raises `OutOfTime` within a second after it. A
    deadline that is pickled is the same moment in other processes of this machine.
    """

    seconds: float
    """The seconds from its making to its end."""

    def __init__(self, seconds: float = inf) -> None:
        self.seconds = seconds
        self._end = monotonic() + seconds

    @classmethod
    def after(cls, seconds: float | None) -> Deadline | None:
        """Return the deadline after so many seconds; None for None."""
        return None if seconds is None else cls(seconds)

    @property
    def left(self) -> float:
        """The seconds until it passes; 0 afterwards."""
        return max(0.0, self._end - monotonic())

    @property
    def over(self) -> bool:
        """True once it has passed."""
        return self._end <= monotonic()

    def stop(self) -> None:
        """End the time now.

        Any thread may do that, including one that handles a signal.
        """
        self._end = -inf

    def check(self) -> None:
        """Raise OutOfTime if it has passed."""
        if self.over:
            raise OutOfTime(self.seconds)


Deadlines = tuple[Deadline, ...]

_active: ContextVar[Deadlines] = ContextVar("deadlines", default=())


def active() -> Deadlines:
    """Return the deadlines that this thread is under."""
    return _active.get()


@contextmanager
def under(*deadlines: Deadline | None) -> Iterator[None]:
    """Apply these deadlines to this thread, too, until the block ends; None is no deadline."""
    token = _active.set((*_active.get(), *filter(None, deadlines)))
    try:
        yield
    finally:
        _active.reset(token)


def check(deadlines: Deadlines) -> None:
    """Raise OutOfTime if one of them has passed."""
    for deadline in deadlines:
        deadline.check()
