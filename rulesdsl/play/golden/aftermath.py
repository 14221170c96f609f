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
        self._facts = facts(state.canonical())

    def then(self) -> Then:
        """What came of the last move."""
        canonical, scores = self._state.canonical(), self._state.scores()
        now = facts(canonical)
        gone, new = (
            sorted((self._facts - now).elements()),
            sorted((now - self._facts).elements()),
        )
        changed = {
            colour: points for colour, points in scores.items() if points != self._scores[colour]
        }
        self._facts, self._scores = now, scores
        return Then(
            changed,
            (*(f"-{fact}" for fact in gone), *(f"+{fact}" for fact in new)),
            sha256(canonical.encode()).hexdigest()[:_DIGITS],
        )


def facts(canonical: str) -> Counter[str]:
    """What a canonical text says, its lists item by item; the first line says who moves."""
    found = Counter[str]()
    for line in canonical.splitlines()[1:]:
        if line.startswith(_UNTOLD):
            continue
        head, colon, rest = line.partition(": ")
        found.update(f"{head}{colon}{item}" for item in rest.split(", "))
    return found
