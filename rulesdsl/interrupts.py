"""Ctrl-C, and the other signals that end a command, from its first instruction to its last.

The first signal raises KeyboardInterrupt in the main thread, once: later ones cannot disturb the
cleanup. A command that has not ended soon after is killed. Only the entry of the command calls
`catch`; a program that uses this package as a library keeps its own handlers, and then nothing here
has an effect.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""The signals that ask a process to end, as far as this system has them."""

GRACE, LONG_GRACE = 0.6, 5.0
"""Seconds until a command must end after a signal.

The second figure is for a command that reports its finished work.
"""

_OFTEN = 0.02
_STARTING, _RUNNING, _ENDING = range(3)


class Interrupts:
    """Handler of the signals of a process.

    `received` is the first one, None if there was none.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._phase = _STARTING
        self._due, self._held, self._waiting, self._lost = True, 0, False, False
        self._forgiven = False
        self._main = 0
        self._grace = GRACE
        self._at_end: list[Callable[[], object]] = []

    # --- for the entry of the command --------------------------------------------------------

    def catch(self) -> None:
        """Handle the signals from now on, unless they are ignored (as under `nohup`) or blocked.

        They are blocked in worker processes, which leave them to the process that started them.
        """
        if blocked(()):
            return
        self._main = _thread.get_ident()
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._arrived)
        sys.unraisablehook = self._unraisable
        if hasattr(signal, "pthread_sigmask"):
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
            # This module is imported first, and `threading` takes a while.
            _thread.start_new_thread(self._watch, (reading,))

    def begin(self) -> None:
        """Raise KeyboardInterrupt on signals from now on, since it is caught.

        Before, a signal ends the process at once.
        """
        self._phase = _RUNNING

    def settle(self) -> None:
        """Ignore signals from now on: the command is done, and Python exits."""
        self._phase = _ENDING
        for number in SIGNALS:
            if signal.getsignal(number) == self._arrived:
                signal.signal(number, signal.SIG_IGN)

    def end(self) -> NoReturn:
        """End the process as the signal demands, without the cleanup of libraries.

        That may wait for threads and print errors.
        """
        from contextlib import suppress  # slow to import, and not needed at the start

        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # the reader is gone
                stream.flush()
        self._exit()

    # --- for commands ------------------------------------------------------------------------

    def finish(self) -> None:
        """Give the command more time to end, so that it can report its finished work."""
        self._grace = LONG_GRACE

    def forgive(self) -> bool:
        """Treat Ctrl-C as the normal end of a command; return False if another signal has come."""
        if self.received not in (None, signal.SIGINT):
            return False
        self.received, self._forgiven = None, True
        return True

    def at_end(self, action: Callable[[], object]) -> None:
        """Register an action to run just before an interrupted process ends."""
        self._at_end.append(action)

    def __enter__(self) -> None:
        """Hold signals back during the block, which must not be interrupted."""
        self._held += 1

    def __exit__(self, *_: object) -> None:
        self._held -= 1
        if self._waiting and not self._held:
            self._waiting = False
            raise KeyboardInterrupt

    # --- handlers ----------------------------------------------------------------------------

    def _arrived(self, number: int, _: FrameType | None) -> None:
        if self.received is None:
            self.received = number
        if self._phase == _STARTING:
            self._exit()
        if not self._due or self._phase == _ENDING:
            return
        self._due = False
        if self._held:
            self._waiting = True
        else:
            raise KeyboardInterrupt

    def _unraisable(self, what: sys.UnraisableHookArgs) -> None:
        """Note that KeyboardInterrupt was raised where it gets lost, as in `__del__`.

        Errors at the end of an interrupted process are not shown.
        """
        if self.received is None:
            sys.__unraisablehook__(what)
        elif issubclass(what.exc_type, KeyboardInterrupt):
            self._lost = True

    def _watch(self, reading: int) -> None:
        """Wait for the first signal, and end the process if it does not end by itself.

        Python's own handler in C notifies this thread, whatever the main thread does.
        """
        number = 0
        while number not in SIGNALS:
            number = os.read(reading, 1)[0]
        # The main thread may have finished already.
        if self.received is None and not self._forgiven:
            self.received = number
        begun = monotonic()
        while monotonic() - begun < self._grace:
            sleep(_OFTEN)
            if self._lost:
                self._lost, self._due = False, True
                signal.pthread_kill(self._main, number)
        if self.received is not None:
            self._exit()

    def _exit(self) -> NoReturn:
        for action in self._at_end:
            action()
        os._exit(128 + (self.received or signal.SIGINT))


def blocked(more: tuple[int, ...]) -> bool:
    """Block more signals for this thread and the processes it starts.

    Return whether any of `SIGNALS` were blocked before; always False on systems that do not block
    signals.
    """
    if not hasattr(signal, "pthread_sigmask"):
        return False
    return not signal.pthread_sigmask(signal.SIG_BLOCK, more).isdisjoint(SIGNALS)


INTERRUPTS = Interrupts()
"""The signals of this process."""
