"""A bound on how much is compared, counted in steps, so that the same rules give the same finding
on every machine."""

from __future__ import annotations

MOST = 1_000_000
"""So many steps may comparing the rules of a game take; the largest shipped game takes a few
hundred."""
FINDING = 100
"""As many steps as a finding takes."""


class TooMuch(Exception):
    """There is more to compare than is paid for."""


class Work:
    """Steps that are left; a step is about as long as comparing two constraints."""

    def __init__(self, steps: int = MOST) -> None:
        self._left = steps

    def spend(self, steps: int) -> None:
        """Take steps; raises `TooMuch` when not so many are left."""
        self._left -= steps
        if self._left < 0:
            raise TooMuch

    @property
    def over(self) -> bool:
        """Were more asked for than there were?"""
        return self._left < 0
