"""What comes of a move: the points, what lies elsewhere afterwards, and the digest of it all."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

from rulesdsl.play.game import State
from rulesdsl.play.records import Then

_DIGITS = 16
_UNTOLD = ("scores: ", "known to ", "running ", "generator: ")
"""Lines of a canonical text that say what is told otherwise, or what nobody at a table sees. The
digest is of them, too."""


class Aftermath:
    """Follows a state: `then` after each move."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._scores = state.scores()
        self._canonical = state.canonical()

    def then(self) -> Then:
        """What came of the last move."""
        before, canonical = facts(self._canonical), self._state.canonical()
        now, scores = facts(canonical), self._changed()
        gone, new = sorted((before - now).elements()), sorted((now - before).elements())
        changes = (*(f"-{fact}" for fact in gone), *(f"+{fact}" for fact in new))
        self._canonical, self._scores = canonical, self._state.scores()
        return Then(scores, changes, _digest(canonical))

    def is_as(self, expected: Then) -> bool:
        """Whether that came of the last move. If it did, the next move is looked at then; the
        position alone tells what has changed."""
        canonical = self._state.canonical()
        if _digest(canonical) != expected.state or self._changed() != expected.scores:
            return False
        self._canonical, self._scores = canonical, self._state.scores()
        return True

    def _changed(self) -> dict[str, int]:
        """The points of those who got or lost some."""
        scores = self._state.scores()
        return {each: points for each, points in scores.items() if points != self._scores[each]}


def _digest(canonical: str) -> str:
    return sha256(canonical.encode()).hexdigest()[:_DIGITS]


def facts(canonical: str, untold: tuple[str, ...] = _UNTOLD) -> Counter[str]:
    """What a canonical text says, its lists item by item; the first line says who moves. Lines
    that begin in an `untold` way are left out."""
    found = Counter[str]()
    for line in canonical.splitlines()[1:]:
        if line.startswith(untold):
            continue
        head, colon, rest = line.partition(": ")
        found.update(f"{head}{colon}{item}" for item in rest.split(", "))
    return found
