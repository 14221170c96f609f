"""What a search goes by: how long playouts are, and what their ends are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from rulesdsl.run.engine import PlayError, Playout, Position

MARGIN = 0.8
"""The part of a value that is for the margin; the rest is for winning."""
SHORTEST, LONGEST = 24, 384
"""After so many moves, chance among them, a playout is ended as if the game ended there. The longer
players play at random, the less has what comes of it to do with the move before; but where little
happens in so short a time, it is longer."""
FIRST = 16
"""So many playouts tell how long they should be, and what margins to expect."""

Values = tuple[float, ...]
"""What each seat gets, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """For searching from one position: playouts are ended after `length` moves. `usual` is the
    margin of each seat over its best rival that is to be expected there, and `scale`, at least 1,
    how far margins lie from it."""

    length: int
    usual: tuple[float, ...]
    scale: float

    @classmethod
    def of(cls, position: Position, seed: int) -> Gauge:
        """What the first playouts from a position tell, drawn from the seed. They are so long that
        not all of them leave the scores as they would be if the game ended here."""
        length = SHORTEST
        try:
            (now,) = position.rollouts(1, 0, 0)
            found = position.rollouts(FIRST, seed, length)
            while length < LONGEST and all(_alike(each, now) for each in found):
                length *= 2
                found = position.rollouts(FIRST, seed, length)
        except PlayError:
            return cls(LONGEST, (0.0,) * position.players, 1.0)
        seats = list(zip(*(_margins(each.scores) for each in found), strict=True))
        return cls(length, tuple(map(fmean, seats)), max(1.0, *map(pstdev, seats)))

    def values(self, playout: Playout) -> Values:
        """What a playout gives to each seat: a share of the win (of the lead, if nobody has won),
        and how the margin compares with the usual one, which counts the less the further it is
        from that."""
        scores = playout.scores
        best = playout.winners or tuple(s for s, each in enumerate(scores) if each == max(scores))
        found = []
        for seat, margin in enumerate(_margins(scores)):
            more = margin - self.usual[seat]
            soft = 0.5 + 0.5 * more / (abs(more) + self.scale)
            won = 1 / len(best) if seat in best else 0.0
            found.append((1 - MARGIN) * won + MARGIN * soft)
        return tuple(found)

    @property
    def even(self) -> Values:
        """What is taken for the values where nothing is known."""
        players = len(self.usual)
        return ((1 - MARGIN) / players + MARGIN / 2,) * players


def _margins(scores: Sequence[int]) -> list[int]:
    """How far each is ahead of its best rival."""
    first, second = sorted([*scores, 0] if len(scores) == 1 else scores)[:-3:-1]
    return [each - (second if each == first else first) for each in scores]


def _alike(playout: Playout, now: Playout) -> bool:
    """Does the game go on, as if nothing had happened?"""
    return not playout.over and playout.scores == now.scores
