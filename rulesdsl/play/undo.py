"""The rule of undo: how far people may go back, and whether a record has to say so."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from rulesdsl.engines.engine import Revealed


class Ply(Protocol):
    """A move that was played, and whether it was fair (see `is_fair`)."""

    @property
    def by(self) -> str: ...

    @property
    def fair(self) -> bool: ...


class Undo(NamedTuple):
    """The number of moves that stay, and whether nobody gains by it.

    A record marks the next move if somebody may.
    """

    to: int
    fair: bool


def is_fair(before: Revealed, after: Revealed) -> bool:
    """Return whether a move drew nothing by chance and showed nobody a piece."""
    seen = zip(before.known, after.known, strict=True)
    return before.generator == after.generator and not any(now & ~was for was, now in seen)


def undo(plies: Sequence[Ply], humans: Collection[str]) -> Undo | None:
    """Return how far people may go back now, None if nothing may be taken back.

    The last move may be, if a person made it and it was fair. A person who plays only against bots
    may take back any move of their own, with all that followed.
    """
    if plies and plies[-1].by in humans and plies[-1].fair:
        return Undo(len(plies) - 1, True)
    if len(humans) == 1:
        for at in reversed(range(len(plies))):
            if plies[at].by in humans:
                return Undo(at, False)
    return None
