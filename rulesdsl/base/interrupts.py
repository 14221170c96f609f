"""Signals that end a command: one KeyboardInterrupt, then a bounded exit.

Only the entry of the command calls `catch`. A program that uses this package as a library keeps its
own handlers, and then nothing here has an effect.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""The signals that ask a process to end, as far as this system has them."""

GRACE, LONG_GRACE = 0.6, 5.0
"""Seconds until a command must end after a signal.

The second figure is for a command that reports its finished work.
"""


class Interrupts:
    """Handler of the signals of a process.

    `received` is the first one, None if there was none. As a context manager, it holds the
    KeyboardInterrupt back during a block that must not be interrupted.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._held = 0
        self._waiting: BaseException | None = None
        self._expiry: BaseException | None = None

    # --- for the entry of the command --------------------------------------------------------

    def catch(self) -> None:
        """Handle the signals from now on, unless they are ignored (as under `nohup`)."""
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._arrived)
        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, self._late)
        sys.unraisablehook = self._unraisable

    def ignore(self) -> None:
        """Ignore the signals from now on: the command is done, and Python exits."""
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    def end(self) -> None:
        """End the process as the signal demands, without the cleanup of libraries.

        That may wait for threads and print errors.
        """
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # the reader is gone
                stream.flush()
        os._exit(128 + (self.received or signal.SIGINT))

    # --- for commands ------------------------------------------------------------------------

    def finish(self) -> None:
        """Give the command more time to end, so that it can report its finished work."""
        self._limit(LONG_GRACE)

    def __enter__(self) -> None:
        self._held += 1

    def __exit__(self, *_: object) -> None:
        self._held -= 1
        if self._waiting is not None and not self._held:
            waiting, self._waiting = self._waiting, None
            raise waiting

    @contextmanager
    def limited(self, seconds: float | None, error: BaseException) -> Iterator[None]:
        """Raise an error in this block after so many seconds, wherever it is then.

        Only where signals are caught and the system has timers.
        """
        timers = hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) == self._late
        if seconds is None or not timers:
            yield
            return
        self._expiry = error
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            if self.received is None:
                signal.setitimer(signal.ITIMER_REAL, 0)
            self._expiry = None

    # --- handlers ----------------------------------------------------------------------------

    def _arrived(self, number: int, _: FrameType | None) -> None:
        if self.received is not None:  # a second one would disturb the cleanup
            return
        self.received = number
        self._limit(GRACE)
        self._raise(KeyboardInterrupt())

    def _raise(self, error: BaseException) -> None:
        if not self._held:
            raise error
        self._waiting = error

    def _limit(self, seconds: float) -> None:
        """End a process that was interrupted after these seconds."""
        if self.received is not None and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, seconds)

    def _late(self, number: int, _: FrameType | None) -> None:
        expiry, self._expiry = self._expiry, None
        if self.received is not None or expiry is None:
            os._exit(128 + (self.received or number))
        self._raise(expiry)

    def _unraisable(self, what: sys.UnraisableHookArgs) -> None:
        """Show no KeyboardInterrupt that was raised where it gets lost, as in `__del__`."""
        if self.received is None:
            sys.__unraisablehook__(what)


INTERRUPTS = Interrupts()
"""The signals of this process."""
